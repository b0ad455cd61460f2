import type { TranscriptMessage } from "@clew-run/client";
import { client } from "@/app/client";
import { type Loaded, useLoaded } from "@/lib/useLoaded";

/** A place in the past: the transcript's end as it was then, and the message to go back to. */
export interface Place {
  record: string;
  messages: readonly TranscriptMessage[];
  /** The last message of that time. Checkpoints, answers and errors stand behind one. */
  messageId?: string;
  /** The place is that message itself; otherwise it is right behind it. */
  exact: boolean;
}

export function usePlace(sessionId: string, record: string | undefined): Loaded<Place | null> {
  return useLoaded(`${sessionId}/${record}`, async () => {
    if (!record) return null;
    const { messages } = await client.rest.sessions.messages(sessionId, { as_of: record, limit: 40 });
    const messageId = messages.at(-1)?.message_id;
    return { record, messages, messageId, exact: messageId === record };
  });
}
