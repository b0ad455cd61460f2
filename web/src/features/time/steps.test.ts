import type { TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { indexOf, step } from "./steps";

const mark = (n: number, kind: TimelineMark["kind"]): TimelineMark => ({
  message_id: `msg_${String(n).padStart(12, "0")}`,
  ts: n,
  kind,
  label: "",
});
const marks = [mark(2, "user"), mark(5, "tool"), mark(9, "checkpoint"), mark(12, "question"), mark(20, "user")];

test("steps go to the next of their kind and stop at the end", () => {
  expect(step(marks, 0, "everything", 1)).toBe(1);
  expect(step(marks, 0, "people", 1)).toBe(4);
  expect(step(marks, 4, "people", 1)).toBe(4);
  expect(step(marks, 4, "checkpoints", -1)).toBe(2);
  expect(step(marks, 0, "everything", -1)).toBe(0);
});

test("a message that has no mark stands at the one before it", () => {
  expect(indexOf(marks, "msg_000000000009")).toBe(2);
  expect(indexOf(marks, "msg_000000000011")).toBe(2);
  expect(indexOf(marks, "msg_000000000001")).toBe(0);
  expect(indexOf(marks, "msg_000000000099")).toBe(4);
});
