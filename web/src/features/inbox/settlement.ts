import type { InboxItem } from "@clew-run/client";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import type { Answering, Settlement } from "@/features/session/questions/answer";

/** Answers by the inbox, whatever session asks. */
export const byInbox: Answering = {
  send: (q, response) => client.rest.inbox.answer(q.request_id, response),
};

/** How a question that left the inbox was settled: its message in the session tells. */
export function useSettlement(item: InboxItem, gone: boolean): Settlement {
  const [found, setFound] = useState<Settlement>({});
  const message = item.question.message_id;
  useEffect(() => {
    if (!gone || !message) return;
    let over = false;
    client.rest.sessions.messages(item.session_id, { around: message, limit: 3 }).then(
      (page) => {
        const answer = page.messages.find((m) => m.request_id === item.question.request_id)?.answer;
        if (!over && answer)
          setFound({
            action: answer.action,
            by: answer.by,
            byTimeout: answer.by_timeout,
            ts: answer.ts,
            words: answer.comment,
            whyCode: answer.why_code,
          });
      },
      () => {},
    ); // then it reads "settled", which is true as well
    return () => {
      over = true;
    };
  }, [gone, message, item.session_id, item.question.request_id]);
  return found;
}
