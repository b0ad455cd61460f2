import type { TimelineMark, TimelineStep } from "@clew-run/client";
import { expect, test } from "vitest";
import { drawnMarks, markIn, segmentAt, segmentsOf } from "./segments";

const id = (n: number) => `msg_${String(n).padStart(12, "0")}`;
const mark = (n: number, kind: TimelineMark["kind"] = "assistant") =>
  ({ message_id: id(n), kind, ts: n, label: "" }) as TimelineMark;
const step = (n: number, title = "") =>
  ({ message_id: id(n), ts: n, kind: "step", title, status: "done" }) as TimelineStep;

test("each mark is in one step, also where steps begin between marks or have none", () => {
  const marks = [mark(2), mark(5), mark(7), mark(9), mark(12)];
  const segments = segmentsOf([step(3, "a"), step(6, "b"), step(8, "c"), step(8, "d")], marks);
  expect(segments.map((s) => [s.step.title, s.from, s.to])).toEqual([
    ["a", 0, 2],
    ["b", 2, 3],
    ["c", 3, 3],
    ["d", 3, 5],
  ]);
  expect(marks.map((_, i) => segmentAt(segments, i)!.step.title)).toEqual(["a", "a", "b", "d", "d"]);
});

test("a place in a step is one of its marks", () => {
  const marks = [mark(1), mark(2), mark(3), mark(4)];
  const [a, b] = segmentsOf([step(1), step(3)], marks);
  expect([0, 0.4, 0.6, 1].map((p) => markIn(a!, p, marks)!.ts)).toEqual([1, 1, 2, 2]);
  expect([0, 1].map((p) => markIn(b!, p, marks)!.ts)).toEqual([3, 4]);
});

test("of ten thousand marks a few are drawn, and an error is among them", () => {
  const marks = Array.from({ length: 10_000 }, (_, i) =>
    mark(i, i === 5_003 ? "error" : i % 2 ? "checkpoint" : "user"),
  );
  const drawn = drawnMarks(marks, 60);
  expect(drawn.length).toBeLessThanOrEqual(60);
  expect(drawn.filter((d) => d.mark.kind === "error").map((d) => d.at)).toEqual([5_003]);
});
