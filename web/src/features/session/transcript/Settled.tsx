import type { MessageAnswer } from "@clew-run/client";
import { AnswerLine } from "../questions/AnswerLine";

/**
 * How a question was settled, under what it was about. `quiet` is for a call: words
 * with its answer are a message of their own, which comes next.
 */
export function Settled({ answer: a, quiet }: { answer: MessageAnswer; quiet?: boolean }) {
  return (
    <div className={quiet ? "pl-[22px] text-sm" : "pt-1"}>
      <AnswerLine
        settled={{
          action: a.action,
          by: a.by,
          byTimeout: a.by_timeout ?? false,
          ts: a.ts,
          words: quiet ? undefined : (a.comment ?? a.value),
          whyCode: a.why_code,
        }}
      />
    </div>
  );
}
