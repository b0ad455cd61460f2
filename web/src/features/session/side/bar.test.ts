import type { TimelineKind, TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { barOf } from "./bar";

const marks = (...kinds: TimelineKind[]): TimelineMark[] => kinds.map((kind, i) => ({ message_id: `msg_${i}`, kind, ts: i }) as unknown as TimelineMark);

test("each mark of a short timeline has its place", () => {
  const bar = barOf(marks("user", "checkpoint", "question"));
  expect(bar).toEqual({ ticks: [], marks: [{ at: 0, kind: "user" }, { at: 0.5, kind: "checkpoint" }, { at: 1, kind: "question" }] });
  expect(barOf(marks("user")).marks[0]!.at).toBe(1);
  expect(barOf([]).marks).toEqual([]);
});

test("a timeline of ten thousand is a few hundred shapes, and an error among them is seen", () => {
  const kinds: TimelineKind[] = Array.from({ length: 10_000 }, (_, i) => (i === 5_003 ? "error" : i % 2 ? "checkpoint" : "user"));
  const bar = barOf(marks(...kinds));
  expect(bar.ticks.length).toBeLessThanOrEqual(401);
  expect(bar.marks.length).toBeLessThanOrEqual(81);
  expect(bar.marks.filter((m) => m.kind === "error").map((m) => m.at)).toEqual([5_003 / 9_999]);
});
