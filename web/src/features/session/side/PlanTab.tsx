import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useWords } from "@/i18n";
import { stepsInFront } from "../plan/own";
import { sessionWords } from "../words";

/** The name of the plan, with how far it is. */
export function PlanTab({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const progress = useSnapshot(session, (s) => {
    const todos = stepsInFront(s);
    const over = todos.filter((x) => x.status === "completed" || x.status === "skipped").length;
    return todos.length === 0 ? "" : `${over}/${todos.length}`;
  });
  return <>{t.plan}{progress && <span className="font-mono text-xs text-soft">{progress}</span>}</>;
}
