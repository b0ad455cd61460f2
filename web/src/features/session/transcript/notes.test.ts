import type { TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { stepOf } from "./Brief";
import { notesOf, withNotes } from "./notes";
import type { Row } from "./rows";

const id = (n: number) => `msg_${String(n).padStart(12, "0")}`;
const mark = (n: number, m: Partial<TimelineMark>): TimelineMark => ({
  message_id: id(n),
  ts: n,
  kind: "rewind",
  label: "",
  ...m,
});
const rows = (...ns: number[]): Row[] =>
  ns.map((n) => ({ key: id(n), kind: "text", id: id(n), more: [], voice: "agent", head: false }));
const shown = (list: readonly Row[]) => list.map((r) => r.note?.what ?? Number(r.id.slice(4)));

test("the timeline tells which way the session went", () => {
  const notes = notesOf(
    [
      mark(9, { removed: 3 }),
      mark(12, { restored: 3, removed: 1 }),
      mark(20, { removed: 1, hidden: true }),
      mark(30, { kind: "user" }),
      mark(40, { kind: "fork", session: "b" }),
    ],
    { session_id: "a", message_id: id(5) },
  );
  expect(notes.map((n) => [n.what, n.count, n.session])).toEqual([
    ["forkedFrom", 0, "a"],
    ["back", 3, undefined],
    ["forth", 3, undefined],
    ["forked", 0, "b"],
  ]);
});

test("a note stands where it happened", () => {
  const notes = notesOf([mark(9, { removed: 3 }), mark(12, { restored: 3 })], { session_id: "a", message_id: id(5) });
  expect(shown(withNotes(rows(2, 5, 10, 15), notes, false, false))).toEqual([
    2,
    5,
    "forkedFrom",
    "back",
    10,
    "forth",
    15,
  ]);
  expect(shown(withNotes(rows(2, 3), notes, false, false))).toEqual([2, 3, "forkedFrom", "back", "forth"]);
});

test("what is not held has no notes", () => {
  const notes = notesOf([mark(9, { removed: 3 }), mark(12, { restored: 3 })], undefined);
  expect(shown(withNotes(rows(10, 11), notes, true, true))).toEqual([10, 11]);
  expect(shown(withNotes(rows(10, 11), notes, true, false))).toEqual([10, 11, "forth"]);
  expect(shown(withNotes(rows(10, 11), notes, false, true))).toEqual(["back", 10, 11]);
});

test("the row of a turn's model calls, which is older than those above it, keeps its place", () => {
  expect(shown(withNotes(rows(2, 5, 3, 10), notesOf([mark(9, { removed: 1 })], undefined), false, false))).toEqual([
    2,
    5,
    3,
    "back",
    10,
  ]);
});

test("a task's step is found by its newest attempt, or by what its task said", () => {
  const runs = [{ todos: [{ task: "Look", task_id: "t2" }, { task: "Join" }] }];
  expect(stepOf(runs, [], "t2")).toBe("Look");
  expect(stepOf(runs, [{ task_id: "t1", todo_id: "look", task: "Look, first" }], "t1")).toBe("Look, first");
  expect(stepOf(runs, [{ task_id: "t3", task: "Another" }], "t3")).toBeUndefined();
  expect(stepOf(runs, [], undefined)).toBeUndefined();
});
