import type { Question, Session, TranscriptMessage } from "@clew-run/client";
import { Markdown } from "@/lib/Markdown";
import { Settled } from "./Settled";
import { TranscriptQuestion } from "./TranscriptQuestion";

/** A question in the transcript: its card while it is open, its words and answer after. */
export function QuestionRow({
  session,
  message: m,
  question,
}: {
  session: Session;
  message?: TranscriptMessage;
  question?: Question;
}) {
  if (question) return <TranscriptQuestion session={session} question={question} />;
  if (!m) return null;
  return (
    <>
      {m.text && (
        <div className="text-md">
          <Markdown text={m.text} />
        </div>
      )}
      {m.answer && <Settled answer={m.answer} />}
    </>
  );
}
