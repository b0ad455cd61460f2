import type { CellInfo, Question, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { QuestionCard } from "@/features/session/questions/QuestionCard";
import { useWords } from "@/i18n";
import { notebookWords } from "./words";

/** The question that the code of a cell waits for, in the cell itself. */
export function CellInput({ session, cell, n }: { session: Session; cell: CellInfo; n: number }) {
  const t = useWords(notebookWords);
  const asked = useSnapshot(session, (s) => s.questions.find((q) => isOf(q, cell)));
  if (!asked) return null;
  return (
    <section aria-label={`${t.asks}, ${t.cell(n, "", "")}`} data-input>
      <QuestionCard key={asked.request_id} session={session} question={asked} />
    </section>
  );
}

function isOf(q: Question, cell: CellInfo): boolean {
  return (
    q.type === "hitl_input_request" && q.cell?.cell_id === cell.cell_id && q.cell?.notebook_id === cell.notebook_id
  );
}
