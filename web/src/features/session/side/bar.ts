import type { TimelineKind, TimelineMark } from "@clew-run/client";

/** A mark of the bar; at is from 0 to 1. */
export interface BarMark {
  at: number;
  kind: TimelineKind;
}

export interface Bar {
  /** Where people spoke, if there is no room for a mark of its own for each. */
  ticks: readonly number[];
  marks: readonly BarMark[];
}

/** What matters more hides what is at the same place. */
const rank: Partial<Record<TimelineKind, number>> = { error: 6, question: 5, rewind: 4, fork: 3, run: 2, user: 1, checkpoint: 0 };
const room = 80; // marks side by side
const fine = 400; // ticks

/**
 * What the bar shows of a timeline. However long the session is, it is a few hundred
 * shapes at most: they are painted again with every key that is pressed on the page.
 */
export function barOf(timeline: readonly TimelineMark[]): Bar {
  const place = (i: number) => (timeline.length > 1 ? i / (timeline.length - 1) : 1);
  const told = timeline.map((m, i) => ({ at: place(i), kind: m.kind })).filter((m) => rank[m.kind] !== undefined);
  if (told.length <= room) return { ticks: [], marks: told };
  const ticks = new Set(told.filter((m) => m.kind === "user").map((m) => Math.round(m.at * fine) / fine));
  const slots = new Map<number, BarMark>();
  for (const m of told) {
    if (m.kind === "user") continue;
    const slot = Math.round(m.at * room);
    const there = slots.get(slot);
    if (!there || rank[m.kind]! >= rank[there.kind]!) slots.set(slot, m);
  }
  return { ticks: [...ticks], marks: [...slots.values()] };
}
