import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useWords } from "@/i18n";
import { sessionWords } from "../words";

/** The name of the plan, with how far it is. */
export function PlanTab({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const progress = useSnapshot(session, (s) => {
    const run = s.runs.find((r) => r.run_id === s.plan?.run_id) ?? s.runs.at(-1);
    if (!run || run.todos.length === 0) return "";
    const over = run.todos.filter((x) => x.status === "completed" || x.status === "skipped").length;
    return `${over}/${run.todos.length}`;
  });
  return <>{t.plan}{progress && <span className="font-mono text-xs text-soft">{progress}</span>}</>;
}
