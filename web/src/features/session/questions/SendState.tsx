import type { InboxResponse } from "@clew-run/client";
import { RotateCw } from "lucide-react";
import { useWords } from "@/i18n";
import { Button, ErrorNote, Mark } from "@/ui";
import type { AnswerState } from "./useAnswer";
import { questionWords } from "./words";

/** Where the answer is, in words that promise nothing. */
export function SendState({
  answer,
  again,
  lineDown,
}: {
  answer: AnswerState;
  again(r: InboxResponse): void;
  lineDown?: boolean;
}) {
  const t = useWords(questionWords);
  switch (answer.state) {
    case "open":
      return null;
    case "sending":
      return (
        <p role="status" className="flex items-center gap-1.5 text-soft">
          <Mark tone="wait" size={10} live />
          {lineDown ? t.sendingBroken : t.sending}
        </p>
      );
    case "given":
      return (
        <p role="status" className="flex items-center gap-1.5 text-soft">
          <Mark tone="done" size={10} />
          {t.given}
        </p>
      );
    case "unsent": {
      const { client_message_id: _, ...response } = answer.response;
      return (
        <div role="alert" className="flex flex-wrap items-center gap-2 text-fail">
          <Mark tone="fail" size={10} />
          <span className="min-w-0 flex-1">{t.unsent}</span>
          <Button icon={<RotateCw size={13} />} onClick={() => again(response)}>
            {t.again}
          </Button>
        </div>
      );
    }
    case "refused":
      return <ErrorNote error={answer.error} />;
  }
}
