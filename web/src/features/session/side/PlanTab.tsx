import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useWords } from "@/i18n";
import { progressOf, stepsInFront } from "../plan/own";
import { sessionWords } from "../words";

/** The name of the plan, with how far it is. */
export function PlanTab({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const progress = useSnapshot(session, (s) => progressOf(stepsInFront(s)));
  return (
    <>
      {t.plan}
      {progress && <span className="text-xs text-faint">{progress}</span>}
    </>
  );
}
