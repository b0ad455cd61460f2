import type { TimelineMark, TimelineStep } from "@clew-run/client";
import type { Tone } from "@/ui";

/** A step on a timeline: the marks that belong to it. */
export interface Segment {
  step: TimelineStep;
  /** Its first mark, and the one after its last: the same if it has none. */
  from: number;
  to: number;
}

export const toneOfStep: Record<TimelineStep["status"], Tone> = {
  asking: "ask",
  failed: "fail",
  running: "run",
  stopped: "past",
  done: "done",
};

/** The steps with their marks. All marks are in one of them: those before the first belong to it. */
export function segmentsOf(steps: readonly TimelineStep[], marks: readonly TimelineMark[]): Segment[] {
  const starts = steps.map((s, i) => (i === 0 ? 0 : firstFrom(marks, s.message_id)));
  return steps.map((step, i) => ({ step, from: starts[i]!, to: Math.max(starts[i]!, starts[i + 1] ?? marks.length) }));
}

/** The segment that a mark is in. */
export function segmentAt(segments: readonly Segment[], at: number): Segment | undefined {
  return segments.findLast((s) => s.from <= at && at < s.to) ?? segments.at(-1);
}

/** The mark at a place in a segment, which is from 0 to 1. */
export function markIn({ from, to }: Segment, place: number, marks: readonly TimelineMark[]): TimelineMark | undefined {
  const last = Math.max(from, to - 1);
  return marks[Math.min(last, from + Math.floor(place * (to - from)), marks.length - 1)];
}

/** The first mark at or after a record. Ids are numbers of one length. */
function firstFrom(marks: readonly TimelineMark[], id: string): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.message_id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What people look for on a timeline; what matters more hides what is at the same place. */
const rank: Partial<Record<TimelineMark["kind"], number>> = { error: 4, question: 3, rewind: 2, fork: 1, user: 0 };

/** The marks that are drawn: so many at most, however long the session is. */
export function drawnMarks(marks: readonly TimelineMark[], most: number): { at: number; mark: TimelineMark }[] {
  const slots = new Map<number, { at: number; mark: TimelineMark }>();
  marks.forEach((mark, at) => {
    const weight = rank[mark.kind];
    if (weight === undefined) return;
    const slot = marks.length <= most ? at : Math.floor((at * most) / marks.length);
    const there = slots.get(slot);
    if (!there || weight > rank[there.mark.kind]!) slots.set(slot, { at, mark });
  });
  return [...slots.values()];
}
