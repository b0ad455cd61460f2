import type { Session } from "@clew-run/client";
import { useQuestions } from "@clew-run/client/react";
import { QuestionCard } from "@/features/session/questions/QuestionCard";

/** The question that waits first and does not stand in a cell. */
export function Asked({ session }: { session: Session }) {
  const q = useQuestions(session).find((x) => !(x.type === "hitl_input_request" && x.cell));
  return q ? (
    <div className="max-h-[50dvh] overflow-y-auto" data-asked>
      <QuestionCard key={q.request_id} session={session} question={q} />
    </div>
  ) : null;
}
