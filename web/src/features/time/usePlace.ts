import type { TaskInfo, TimelineMark, TranscriptMessage } from "@clew-run/client";
import { useMemo } from "react";
import { client } from "@/app/client";
import { type Loaded, useLoaded } from "@/lib/useLoaded";
import { answerAt } from "./marks";

/** A place in the past: the transcript's end as it was then, and the message to go back to. */
export interface Place {
  record: string;
  messages: readonly TranscriptMessage[];
  /** Their tasks, as they stood then. */
  tasks: readonly TaskInfo[];
  /** The last message of that time. Checkpoints, answers and errors stand behind one. */
  messageId?: string;
  /** The place is that message itself; otherwise it is right behind it. */
  exact: boolean;
  /** The place is an answer: the session goes to before it, and the question is open again. */
  answer?: TimelineMark;
}

/** What a rewind, its preview or a fork is told. */
export interface Where {
  messageId: string;
  keep: boolean;
}

/**
 * Where going back leads. What somebody points at stays, unless they want it
 * taken back as well. An answer is pointed at to be given anew: it goes.
 */
export function whereTo(place: Place | null | undefined, taken: boolean): Where | undefined {
  if (place?.answer) return { messageId: place.answer.message_id, keep: false };
  return place?.messageId ? { messageId: place.messageId, keep: !(taken && place.exact) } : undefined;
}

export function usePlace(
  sessionId: string,
  record: string | undefined,
  marks: readonly TimelineMark[],
): Loaded<Place | null> {
  const loaded = useLoaded(`${sessionId}/${record}`, async () => {
    if (!record) return null;
    const { messages, tasks = [] } = await client.rest.sessions.messages(sessionId, { as_of: record, limit: 40 });
    const messageId = messages.at(-1)?.message_id;
    return { record, messages, tasks, messageId, exact: messageId === record };
  });
  const { value } = loaded;
  return {
    ...loaded,
    value: useMemo(() => value && { ...value, answer: answerAt(marks, value.record) }, [value, marks]),
  };
}
