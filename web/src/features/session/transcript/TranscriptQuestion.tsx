import type { Question, Session } from "@clew-run/client";
import { ChevronRight } from "lucide-react";
import { useWords } from "@/i18n";
import { Mark } from "@/ui";
import { askedAs, askerOf, subjectOf } from "../questions/kinds";
import { QuestionCard } from "../questions/QuestionCard";
import { Revealed } from "../questions/Revealed";
import { isForSheet, raise, useHasSheet } from "../questions/sheet";
import { questionWords } from "../questions/words";

/** An open question where it was asked. A request that stands in a phone's sheet is a line here, which brings it up. */
export function TranscriptQuestion({ session, question: q }: { session: Session; question: Question }) {
  const t = useWords(questionWords);
  const hasSheet = useHasSheet(session);
  if (!hasSheet || !isForSheet(q)) return <QuestionCard session={session} question={q} />;
  return (
    <button
      type="button"
      data-asked={q.request_id}
      onClick={() => raise(q.request_id)}
      className="flex min-h-(--row) w-full min-w-0 items-center gap-2 rounded-lg border border-ask-line bg-ask-wash px-3 text-left"
    >
      <Mark tone="ask" />
      <span className="shrink-0 font-medium">{t.titles[askedAs(q)](askerOf(q))}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-sm text-soft">
        <Revealed text={subjectOf(q).slice(0, 200)} />
      </span>
      <ChevronRight size={14} aria-hidden className="shrink-0 text-soft" />
    </button>
  );
}
