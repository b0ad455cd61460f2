import type { InboxResponse, Question } from "@clew-run/client";
import { useCallback, useRef, useState } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { newId } from "@clew-run/client";
import { NotSent, type Answering } from "./answer";
import { questionWords } from "./words";

/**
 * Where an answer is. `given` means that the server has it; before that nothing
 * is shown as decided.
 */
export type AnswerState =
  | { state: "open" }
  | { state: "sending"; response: InboxResponse }
  | { state: "given"; response: InboxResponse }
  | { state: "unsent"; response: InboxResponse }
  | { state: "refused"; response: InboxResponse; error: unknown };

/** Answers a question once at a time. A repeat of the same answer has the same id, so it counts once. */
export function useAnswer(answering: Answering, question: Question): [AnswerState, (r: InboxResponse) => void] {
  const t = useWords(questionWords);
  const [state, setState] = useState<AnswerState>({ state: "open" });
  const busy = useRef(false);
  const ids = useRef(new Map<string, string>());
  const give = useCallback(
    (given: InboxResponse) => {
      if (busy.current) return;
      busy.current = true;
      const spelled = JSON.stringify(given);
      const id = ids.current.get(spelled) ?? newId();
      ids.current.set(spelled, id);
      const response = { ...given, client_message_id: id };
      setState({ state: "sending", response });
      answering.send(question, response).then(
        () => setState({ state: "given", response }),
        (error: unknown) => {
          busy.current = false;
          if (isUnsent(error)) {
            setState({ state: "unsent", response });
            announce(t.unsent);
          } else {
            setState({ state: "refused", response, error });
          }
        },
      );
    },
    [answering, question, t],
  );
  return [state, give];
}

/** Whether an error means that the answer never had a server's word. */
function isUnsent(error: unknown): boolean {
  if (error instanceof NotSent) return true;
  const code = (error as { code?: string } | null)?.code;
  return code === "CONNECTION_FAILED" || code === "CONNECTION_TIMEOUT";
}
