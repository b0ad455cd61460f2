import type { RunView } from "@clew-run/client";
import { expect, test } from "vitest";
import { statusShown } from "./status";

const run = (more: Partial<RunView>) =>
  ({ run_id: "r", status: "executing", phase: "executing", todos: [], ...more }) as unknown as RunView;

test("a paused run is not said to be working", () => {
  expect(statusShown("executing", [run({ paused: true })], false, true)).toBe("paused");
  expect(statusShown("executing", [run({})], false, true)).toBe("executing");
  expect(statusShown("awaiting_input", [run({ paused: true })], false, true)).toBe("awaiting_input");
  expect(statusShown("executing", [run({ status: "completed", phase: "completed", paused: true })], false, true)).toBe(
    "executing",
  ); // it is the agent that works
});

test("a step that asks is said before those that work on", () => {
  expect(statusShown("executing", [run({})], true, true)).toBe("awaiting_input");
  expect(statusShown("executing", [run({ paused: true })], true, true)).toBe("awaiting_input");
  expect(statusShown("completed", [], true, true)).toBe("completed");
});

test("who only watches is not told that they are needed", () => {
  expect(statusShown("awaiting_input", [], true, false)).toBe("awaiting_others");
  expect(statusShown("executing", [run({})], true, false)).toBe("awaiting_others");
  expect(statusShown("executing", [run({})], false, false)).toBe("executing");
});
