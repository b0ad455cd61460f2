import type { ToolCall, TranscriptMessage } from "./held.js";
import type { Transcript } from "./transcript.js";
import type { EventData, MessageQueuedData, Question, QueuedMessage, ToolProgressData } from "./types.gen.js";

export const questionTypes = ["hitl_plan_review", "hitl_approval_request", "hitl_input_request", "hitl_clarification"] as const;
export type QuestionType = (typeof questionTypes)[number];

export function isQuestion(type: string): type is QuestionType {
  return (questionTypes as readonly string[]).includes(type);
}

/** The nearest deadline first, then the oldest; those without a deadline last. */
export function byDeadline(open: readonly Question[]): Question[] {
  const at = (q: Question): number => q.deadline_ms ?? Infinity;
  return [...open].sort((a, b) => at(a) - at(b) || 0); // Infinity - Infinity is not a number
}

/** What waits has its words in the record; in older journals its message is in the transcript already. */
function queuedOf(d: MessageQueuedData, m: TranscriptMessage | undefined, ts: number): QueuedMessage {
  return {
    message_id: d.message_id ?? "",
    text: d.text ?? m?.text ?? "",
    images: d.images ?? m?.images,
    monitor_id: d.monitor_id,
    task_id: d.task_id ?? m?.task_id,
    mode: d.mode,
    new_task: d.new_task,
    user_id: d.user_id ?? m?.user_id,
    client_message_id: d.client_message_id,
    ts: m?.ts ?? ts,
  };
}

/** What waits in line after an event. */
export function queueAfter(
  queue: readonly QueuedMessage[],
  type: keyof EventData,
  data: unknown,
  ts: number,
  messages: Pick<Transcript, "get">,
): readonly QueuedMessage[] {
  const d = { [type]: data } as Partial<EventData>;
  if (d.message_queued) {
    const id = d.message_queued.message_id ?? "";
    return [...queue.filter((q) => q.message_id !== id), queuedOf(d.message_queued, messages.get(id), ts)];
  }
  if (d.queue_changed) {
    const { queue: order, edited } = d.queue_changed;
    const now = edited ? queue.map((q) => (q.message_id === edited.message_id ? { ...q, text: edited.text, images: edited.images } : q)) : queue;
    return order.flatMap((id) => now.filter((q) => q.message_id === id));
  }
  // Heard, it is a message of the transcript under another name.
  const id = d.message_created?.message.queued_as ?? d.message_accepted?.message_id ?? d.message_updated?.message.message_id;
  if (id === undefined || !queue.some((q) => q.message_id === id)) return queue;
  const m = d.message_updated?.message;
  if (!m) return queue.filter((q) => q.message_id !== id);
  return queue.map((q) => (q.message_id === id ? { ...q, text: m.text ?? "", images: m.images } : q));
}

/** Folds a tool_progress into what is known of its call. */
export function foldCall(old: ToolCall | undefined, d: ToolProgressData): ToolCall {
  const next: Record<string, unknown> = { ...old };
  for (const [name, value] of Object.entries(d)) {
    if (value !== undefined && name !== "mistake" && name !== "monitor_id") next[name] = value;
  }
  return next as unknown as ToolCall;
}
