import type { Todo } from "@clew-run/client";
import { expect, test } from "vitest";
import { addStep, changesOf, countOf, draftOf, move, rebase, setComment, setTask, toggleRemoved } from "./edits";
import { neighbour } from "./neighbour";
import { layerStates, runActions, tally, todoActions } from "./possible";
import { layout } from "./layout";
import { resultText } from "./TodoRow";
import { shapeOf } from "./shape";

const todo = (id: string, priority: number, more: Partial<Todo> = {}): Todo => ({
  id,
  task: `Task ${id}`,
  tool: "agent",
  status: "pending",
  priority,
  depends_on: [],
  ...more,
});
const plan = [todo("a", 10), todo("b", 8), todo("c", 8), todo("d", 1)];
const order = (d: ReturnType<typeof draftOf>) => d.steps.map((s) => s.id).join("");

/** The order in which a server begins todos of these priorities. */
const begins = (d: ReturnType<typeof draftOf>) =>
  [...plan.map((t) => d.steps.find((s) => s.id === t.id)!), ...d.steps.filter((s) => !s.was)]
    .sort((x, y) => y.priority - x.priority)
    .map((s) => s.id)
    .join("");

test("nothing changed is nothing to send", () => {
  expect(changesOf(draftOf(plan))).toEqual({ modifications: [], instruction: undefined });
});

test("edits are what was changed and no more", () => {
  let d = setTask(draftOf(plan), "a", "Other words");
  d = toggleRemoved(d, "d");
  d = setComment(d, "b", " Use the new figures. ");
  d = addStep(d, "Check it", "c");
  const changes = changesOf(d);
  expect(changes.modifications).toEqual([
    { action: "update", todo_id: "a", task: "Other words" },
    { action: "remove", todo_id: "d" },
    { action: "add", task: "Check it", priority: 1, depends_on: ["c"] },
  ]);
  expect(changes.instruction).toBe('On "Task b": Use the new figures.');
  expect(countOf(changes)).toBe(4);
  expect(countOf(changesOf(toggleRemoved(toggleRemoved(draftOf(plan), "d"), "d")))).toBe(0);
});

test("priorities give the order that is shown, with as few changes as it takes", () => {
  let d = move(draftOf(plan), "c", -1);
  expect(order(d)).toBe("acbd");
  expect(begins(d)).toBe("acbd");
  expect(changesOf(d).modifications).toEqual([{ action: "update", todo_id: "c", priority: 9 }]);
  for (const [id, by] of [
    ["d", -1],
    ["d", -1],
    ["a", 1],
    ["c", -1],
    ["b", 1],
    ["d", -1],
  ] as const) {
    d = move(d, id, by);
    expect(begins(d)).toBe(order(d));
  }
  expect(move(draftOf(plan), "a", -1)).toEqual(draftOf(plan)); // it is first already
});

test("what is done or under way stays where it is", () => {
  const d = draftOf([todo("a", 9, { status: "completed" }), todo("b", 5)]);
  expect(move(d, "b", -1)).toBe(d);
  expect(move(d, "a", 1)).toBe(d);
});

test("changes go over to a newer version as far as they fit", () => {
  let d = setTask(draftOf(plan), "a", "Other words");
  d = toggleRemoved(setComment(d, "b", "why?"), "d");
  d = addStep(d, "Check it", "d");
  const next = rebase(d, [
    todo("a", 10, { task: "Server's words" }),
    todo("b", 8, { status: "completed" }),
    todo("e", 3),
  ]);
  expect(changesOf(next)).toEqual({
    modifications: [
      { action: "update", todo_id: "a", task: "Other words" },
      { action: "add", task: "Check it", priority: 1, depends_on: [] },
    ],
    instruction: undefined,
  });
});

const run = {
  run_id: "r",
  monitor_id: "m",
  status: "executing",
  phase: "executing",
  plan: null,
  todos: plan,
} as never as Parameters<typeof runActions>[0];

test("what can be done follows from where the run stands", () => {
  expect(runActions(run)).toEqual({ pause: true, resume: false, cancel: true, edit: true });
  expect(runActions({ ...run, paused: true })).toEqual({ pause: false, resume: true, cancel: true, edit: true });
  expect(runActions({ ...run, phase: "planning" })).toMatchObject({ pause: true, edit: false });
  expect(runActions({ ...run, status: "completed", phase: "completed" })).toEqual({
    pause: false,
    resume: false,
    cancel: false,
    edit: false,
  });
  expect(todoActions(run, todo("x", 1, { status: "failed" }))).toEqual({ retry: true, skip: true });
  expect(todoActions(run, todo("x", 1, { status: "completed" }))).toEqual({ retry: false, skip: false });
  expect(todoActions({ ...run, phase: "review" }, todo("x", 1))).toEqual({ retry: false, skip: false });
});

test("layers and counts", () => {
  expect(layerStates(run).map((l) => l.state)).toEqual(["done", "done", "now", "ahead"]);
  expect(layerStates({ ...run, status: "completed", phase: "completed" }).map((l) => l.state)).toEqual([
    "done",
    "done",
    "done",
    "done",
  ]);
  expect(tally([todo("a", 1, { status: "completed" }), todo("b", 1, { status: "skipped" }), todo("c", 1)])).toEqual({
    total: 3,
    done: 1,
    working: 0,
    failed: 0,
    skipped: 1,
  });
});

test("arrow keys visit every step along the edges", () => {
  const todos = [
    todo("a", 1),
    todo("b", 1, { depends_on: ["a"] }),
    todo("c", 1, { depends_on: ["a"] }),
    todo("d", 1, { depends_on: ["b", "c", "gone"] }),
  ];
  const boxes = layout(shapeOf(todos));
  const at = new Map(boxes.map((b) => [b.id, b]));
  expect(at.get("a")!.y).toBeLessThan(at.get("b")!.y);
  expect(at.get("b")!.y).toBe(at.get("c")!.y);
  expect(at.get("b")!.x).toBeLessThan(at.get("c")!.x); // in the plan's order
  const go = (from: string, key: string) => neighbour(todos, boxes, from, key);
  const below = go("a", "ArrowDown")!;
  expect(["b", "c"]).toContain(below);
  const side = below === "b" ? "c" : "b";
  expect(go(below, at.get(side)!.x > at.get(below)!.x ? "ArrowRight" : "ArrowLeft")).toBe(side);
  expect(go(side, "ArrowDown")).toBe("d");
  expect(["b", "c"]).toContain(go("d", "ArrowUp"));
  expect(go("b", "ArrowUp")).toBe("a");
  expect(go("a", "ArrowUp")).toBeUndefined();
});

test("a result reads as its words", () => {
  expect(resultText(undefined)).toBe("");
  expect(resultText("done")).toBe("done");
  expect(resultText({ text: "done" })).toBe("done");
  expect(resultText({ text: "done", files: 2 })).toBe('done\n\n{\n  "files": 2\n}');
  expect(resultText([1])).toBe("[\n  1\n]");
});
