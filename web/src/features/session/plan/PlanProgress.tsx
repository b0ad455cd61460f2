import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useWords } from "@/i18n";
import { tally } from "./possible";
import { planWords } from "./words";

/** How many steps of the newest plan are done, in a word: for tabs and headers. */
export function PlanProgress({ session }: { session: Session }) {
  const t = useWords(planWords);
  const todos = useSnapshot(session, (s) => s.runs.at(-1)?.todos);
  if (!todos || todos.length === 0) return null;
  const n = tally(todos);
  return <span aria-label={t.doneOf(n.done, n.total)} role="img" className="text-sm text-soft">{n.done}/{n.total}</span>;
}
