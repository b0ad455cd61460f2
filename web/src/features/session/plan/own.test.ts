import type { Todo } from "@clew-run/client";
import { expect, test } from "vitest";
import { progressOf, ownSteps, stepsInFront } from "./own";

const todo = (id: string): Todo => ({ id, task: id, tool: "", status: "pending", priority: 0, depends_on: [] });
const plan = { id: "p", status: "approved", version: 1, total_todos: 1 } as const;
const run = { run_id: "r1", todos: [todo("of the run")] };

test("the list that an agent keeps for itself is told from a run's", () => {
  const own = [todo("its own")];
  expect(ownSteps({ plan, todos: own })).toBe(own);
  expect(ownSteps({ plan: { ...plan, run_id: "r1" }, todos: run.todos })).toEqual([]);
  expect(ownSteps({ plan: null, todos: [] })).toBe(ownSteps({ plan: null, todos: [] })); // the same list: nothing is drawn again
});

test("progress is that of what is in front, else of the newest run", () => {
  const own = [todo("its own")];
  expect(stepsInFront({ plan, todos: own, runs: [run] })).toBe(own);
  expect(
    stepsInFront({ plan: { ...plan, run_id: "r1" }, todos: [], runs: [run, { run_id: "r2", todos: [todo("b")] }] }),
  ).toBe(run.todos);
  expect(stepsInFront({ plan: null, todos: [], runs: [run] })).toBe(run.todos);
  expect(stepsInFront({ plan: null, todos: [], runs: [] })).toEqual([]);
});

test("a step that was skipped does not count as done", () => {
  expect(progressOf([])).toBe("");
  expect(progressOf([{ status: "completed" }, { status: "skipped" }, { status: "in_progress" }])).toBe("1/3");
});
