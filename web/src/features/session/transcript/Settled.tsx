import type { MessageAnswer } from "@clew-run/client";
import { AnswerLine } from "../questions/AnswerLine";

/** How a question was settled, under what it was about. A plain yes is said by the call itself. */
export function Settled({ answer: a, quiet }: { answer: MessageAnswer; quiet?: boolean }) {
  return (
    <div className={quiet ? "pl-[22px] text-sm" : "pt-1"}>
      <AnswerLine settled={{ action: a.action, by: a.by, byTimeout: a.by_timeout ?? false, ts: a.ts, words: a.comment ?? a.value, whyCode: a.why_code }} />
    </div>
  );
}
