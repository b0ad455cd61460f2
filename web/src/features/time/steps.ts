import type { TimelineMark } from "@clew-run/client";

export type StepBy = "everything" | "people" | "questions" | "checkpoints";

const wanted: Record<StepBy, (m: TimelineMark) => boolean> = {
  everything: () => true,
  people: (m) => m.kind === "user" || m.kind === "answer",
  questions: (m) => m.kind === "question",
  checkpoints: (m) => m.kind === "checkpoint",
};

/** The next mark of the wanted kind from a place, or the same place if there is none. */
export function step(marks: readonly TimelineMark[], at: number, by: StepBy, direction: 1 | -1): number {
  for (let i = at + direction; i >= 0 && i < marks.length; i += direction) if (wanted[by](marks[i]!)) return i;
  return at;
}

/**
 * Where a message is on the timeline: its own mark, or the last one before it,
 * since large sessions show a part of their marks.
 */
export function indexOf(marks: readonly TimelineMark[], messageId: string): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.message_id <= messageId) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
