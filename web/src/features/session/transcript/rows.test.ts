import type { EndCode, TaskInfo, TranscriptMessage } from "@clew-run/client";
import { describe, expect, test } from "vitest";
import { atStart, newSince, scrolled } from "./follow";
import { factsKey, factsOf, layOut } from "./groups";
import { buildRows, sameRow, type RowOptions } from "./rows";

const none: RowOptions = { verbose: false, queued: new Set(), asking: new Set() };
let seq = 0;

function message(m: Partial<TranscriptMessage>): TranscriptMessage {
  seq++;
  return {
    message_id: `msg_${String(seq).padStart(12, "0")}`,
    ts: seq,
    type: "say",
    say: "text",
    role: "assistant",
    agent_id: "a1",
    agent_kind: "main",
    task_id: "t1",
    text: "words",
    ...m,
  };
}
const user = (text = "do it") =>
  message({ say: "user_feedback", role: "user", agent_id: undefined, text, user_id: "owner" });
const started = () => message({ say: "api_req_started", role: "system", text: undefined });
const finished = (stop = "tool_use") =>
  message({ say: "api_req_finished", role: "system", text: undefined, metadata: { stop } });
const call = (tool: string, id: string, more: Partial<TranscriptMessage> = {}) =>
  message({
    type: "ask",
    say: undefined,
    ask: "tool",
    tool: { name: tool, status: "complete" },
    tool_call_id: id,
    is_answered: true,
    ...more,
  });

function rowsOf(list: TranscriptMessage[], o: Partial<RowOptions> = {}) {
  const byId = new Map(list.map((m) => [m.message_id, m]));
  return buildRows(
    list.map((m) => m.message_id),
    (id) => byId.get(id),
    { ...none, ...o },
  );
}
const kinds = (list: TranscriptMessage[], o: Partial<RowOptions> = {}) => rowsOf(list, o).map((r) => r.kind);

describe("rows", () => {
  test("model calls are one line per turn, and only if wanted", () => {
    const talk = [
      user(),
      started(),
      message({}),
      finished(),
      started(),
      message({}),
      finished("end_turn"),
      user(),
      started(),
      message({}),
      finished("end_turn"),
    ];
    expect(kinds(talk)).toEqual(["user", "text", "text", "user", "text"]);
    expect(kinds(talk, { verbose: true })).toEqual(["user", "text", "text", "meta", "user", "text", "meta"]);
    expect(rowsOf(talk, { verbose: true })[3]!.more).toHaveLength(3);
  });

  test("a model call that a person stopped is said so, one that failed is not", () => {
    const deleted = (why_code: EndCode) => message({ say: "api_req_deleted", role: "system", text: "x", why_code });
    expect(kinds([user(), started(), message({}), deleted("interrupted"), user("on")])).toEqual([
      "user",
      "text",
      "marker",
      "user",
    ]);
    expect(kinds([user(), started(), deleted("in_doubt")])).toEqual(["user"]);
  });

  test("what became of a kernel is a note, not an agent's words", () => {
    const rows = rowsOf([
      message({}),
      message({ say: "kernel_status", role: "system", text: "a.ipynb: all 2 cells ran again in a fresh kernel." }),
    ]);
    expect(rows.map((r) => [r.kind, r.voice, r.head])).toEqual([
      ["text", "agent", true],
      ["marker", "system", false],
    ]);
  });

  test("a run of calls that only look is one row; others stand alone", () => {
    const list = [
      call("read_file", "a"),
      call("list_files", "b"),
      started(),
      call("search_files", "c"),
      call("edit", "d"),
      call("read_file", "e"),
    ];
    expect(kinds(list)).toEqual(["reads", "call", "call"]);
    expect(rowsOf(list)[0]!.more).toHaveLength(2);
    expect(rowsOf(list)[0]!.key).toBe(list[0]!.message_id);
  });

  test("what calls that only look have seen does not part them", () => {
    const seen = (id: string) => message({ say: "codebase_search_result", tool_call_id: id });
    expect(
      kinds([
        call("read_file", "a"),
        call("search_files", "b"),
        seen("b"),
        call("read_file", "c"),
        call("edit", "b"),
        seen("b"),
      ]),
    ).toEqual(["reads", "call"]);
  });

  test("a call that asks is never hidden in a run", () => {
    const list = [call("read_file", "a"), call("read_file", "b", { request_id: "r" }), call("read_file", "c")];
    expect(kinds(list)).toEqual(["call", "call", "call"]);
    expect(kinds([call("read_file", "a"), call("read_file", "b")], { asking: new Set(["b"]) })).toEqual([
      "call",
      "call",
    ]);
  });

  test("what a run of a cell puts out is one row, whoever speaks between", () => {
    const put = (run_id: string, output: "status" | "stream" | "error") =>
      message({
        say: output === "error" ? "error" : "command_output",
        cell: { notebook_id: "n", cell_id: "c", run_id, output },
      });
    const list = [
      call("run_cell", "a"),
      put("r1", "status"),
      put("r1", "stream"),
      put("r2", "status"),
      put("r1", "error"),
      message({}),
      put("r2", "stream"),
    ];
    const rows = rowsOf(list);
    expect(rows.map((r) => r.kind)).toEqual(["call", "cell", "cell", "text"]);
    expect(rows[1]).toMatchObject({
      id: list[1]!.message_id,
      more: [list[2]!.message_id, list[4]!.message_id],
      head: false,
    });
    expect(rows[3]!.head).toBe(false); // the agent speaks on
  });

  test("calls of different tasks are not mixed", () => {
    expect(kinds([call("read_file", "a"), call("read_file", "b", { task_id: "t2" })])).toEqual(["call", "call"]);
  });

  test("output goes with its call, also after other rows; without the call it stands alone", () => {
    const out = (id: string) => message({ say: "command_output", tool_call_id: id });
    const rows = rowsOf([call("execute_command", "x", { ask: "command" }), message({}), out("x"), out("elsewhere")]);
    expect(rows.map((r) => r.kind)).toEqual(["call", "text", "output"]);
    expect(rows[0]!.more).toHaveLength(1);
  });

  test("a subtask's result is shown once, in its group", () => {
    const sub = { agent_id: "a2", agent_kind: "task" as const, task_id: "t2" };
    const list = [
      message({ role: "user", tool_call_id: "n", text: "look", task_id: "t2" }),
      message({ ...sub, say: "completion_result", text: "found" }),
      message({ ...sub, task_id: "t1", say: "subtask_result", text: "found", tool_call_id: "n" }),
      message({}),
    ];
    const rows = rowsOf(list);
    expect(rows.map((r) => r.kind)).toEqual(["group", "text"]);
    expect(rows[0]!.inner!.map((r) => r.kind)).toEqual(["brief", "result"]);
    expect(kinds(list.slice(2))).toEqual(["result", "text"]); // its group is further up than what is loaded
  });

  test("what a run tells the agent of a step is no person's word", () => {
    const told = message({ role: "user", task_id: "t2", text: "You carry out one step of a plan." });
    const rows = rowsOf([user(), told, message({ agent_id: "a2", agent_kind: "task" as const, task_id: "t2" })]);
    expect(rows.map((r) => r.kind)).toEqual(["user", "group"]);
    expect(rows[1]!.inner!.map((r) => r.kind)).toEqual(["brief", "text"]);
    expect(kinds([message({ role: "user", agent_id: undefined })])).toEqual(["user"]); // as imported ones are
  });

  test("what steps say and do at the same time stands with each of them", () => {
    const of = (task: string, more: Partial<TranscriptMessage> = {}) =>
      message({ agent_id: task, agent_kind: "step", task_id: task, ...more });
    const list = [
      user(),
      of("l"),
      of("r"),
      of("l"),
      call("read_file", "a", { agent_kind: "step", task_id: "r" }),
      message({ say: "checkpoint_saved", role: "system" }),
      call("read_file", "b", { agent_kind: "step", task_id: "r" }),
      of("l"),
    ];
    const rows = rowsOf(list);
    expect(rows.map((r) => [r.kind, r.group])).toEqual([
      ["user", undefined],
      ["group", "l"],
      ["group", "r"],
      ["marker", undefined],
    ]);
    expect(rows[1]!.inner!.map((r) => r.kind)).toEqual(["text", "text", "text"]);
    expect(rows[2]!.inner!.map((r) => r.kind)).toEqual(["text", "reads"]);
  });

  test("groups that were at work at the same time share a card; a folded one shows its head and what it asks", () => {
    const of = (task: string) => message({ agent_id: task, agent_kind: "step", task_id: task });
    const rows = rowsOf([of("a"), of("b"), of("c"), of("c")]);
    const task = (id: string, from: number, to?: number) =>
      ({ task_id: id, todo_id: id, created_ms: from, ended_ms: to }) as TaskInfo;
    const facts = factsOf(
      factsKey([task("a", 1, 5), task("b", 5, 9), task("c", 6), { task_id: "main", created_ms: 0 } as TaskInfo]),
    );
    expect([...facts.keys()]).toEqual(["a", "b", "c"]);
    const shown = layOut(
      rows,
      facts,
      (t) => facts.get(t)!.live,
      () => false,
    );
    expect(shown.map((r) => [r.group, r.kind, r.card!.first, r.card!.last, r.card!.live])).toEqual([
      ["a", "group", true, true, false],
      ["b", "group", true, false, true],
      ["c", "group", false, false, true],
      ["c", "text", false, false, true],
      ["c", "text", false, true, true],
    ]);
    expect(
      layOut(
        rows,
        facts,
        () => false,
        (r) => r.group === "a",
      ).map((r) => r.kind),
    ).toEqual(["group", "text", "group", "group"]);
  });

  test("a window's agent that waits for the next press has a calm card", () => {
    const rows = rowsOf([message({ agent_id: "w", agent_kind: "window", task_id: "w" })]);
    const live = (at_work: boolean) => {
      const facts = factsOf(factsKey([{ task_id: "w", agent_kind: "window", created_ms: 1, at_work } as TaskInfo]));
      return layOut(
        rows,
        facts,
        (t) => facts.get(t)!.live,
        () => false,
      ).map((r) => [r.kind, r.card!.live]);
    };
    expect(live(true)).toEqual([
      ["group", true],
      ["text", true],
    ]);
    expect(live(false)).toEqual([
      ["group", false],
      ["text", false],
    ]); // its words stay unfolded
  });

  test("the agent that delegated is told of the end where it speaks itself", () => {
    const task = (id: string, parent?: string) => ({ task_id: id, parent_task_id: parent, created_ms: 1 }) as TaskInfo;
    const facts = factsOf(factsKey([task("main"), task("a", "main"), task("b", "a")]));
    const told = (to: string, by: string) =>
      message({ role: "user", agent_id: `task-${by}`, agent_kind: "task", task_id: to });
    const rows = rowsOf([user(), told("main", "a"), message({}), told("a", "b")], { tasks: facts });
    expect(rows.map((r) => [r.kind, r.group])).toEqual([
      ["user", undefined],
      ["brief", undefined],
      ["text", undefined],
      ["group", "a"],
    ]);
    expect(rows[3]!.inner!.map((r) => r.kind)).toEqual(["brief"]);
  });

  test("a subtask of a subtask stands inside the group of the one that started it, at any depth", () => {
    const of = (task: string, more: Partial<TranscriptMessage> = {}) =>
      message({ agent_id: task, agent_kind: "task", task_id: task, ...more });
    const told = (task: string, by: string) =>
      message({ role: "user", agent_id: by, task_id: task, tool_call_id: "n", text: task });
    const task = (id: string, parent: string, to?: number) =>
      ({ task_id: id, parent_task_id: parent, tool_call_id: "n", created_ms: 1, ended_ms: to }) as TaskInfo;
    const facts = factsOf(
      factsKey([{ task_id: "main", created_ms: 0 } as TaskInfo, task("a", "main"), task("b", "a"), task("c", "b", 5)]),
    );
    const list = [
      told("a", "a1"),
      of("a"),
      told("b", "a"),
      of("b"),
      told("c", "b"),
      of("c", { say: "completion_result" }),
      of("c", { task_id: "b", say: "subtask_result", tool_call_id: "n" }),
      of("b", { say: "completion_result" }),
      of("b", { task_id: "a", say: "subtask_result", tool_call_id: "n" }),
      of("a", { say: "completion_result" }),
      of("a", { task_id: "main", say: "subtask_result", tool_call_id: "n" }),
      message({}),
    ];
    const rows = rowsOf(list, { tasks: facts });
    expect(rows.map((r) => r.key)).toEqual(["group:a", list.at(-1)!.message_id]);
    expect(
      layOut(
        rows,
        facts,
        () => true,
        () => false,
      ).map((r) => [r.kind, r.group, r.card?.depth]),
    ).toEqual([
      ["group", "a", 0],
      ["brief", "a", 1],
      ["text", "a", 1],
      ["group", "b", 1],
      ["brief", "b", 2],
      ["text", "b", 2],
      ["group", "c", 2],
      ["brief", "c", 3],
      ["result", "c", 3],
      ["result", "b", 2],
      ["result", "a", 1],
      ["text", undefined, undefined],
    ]);
    expect(
      layOut(
        rows,
        facts,
        (t) => t === "a",
        () => false,
      ).map((r) => r.key),
    ).toEqual([
      "group:a",
      list[0]!.message_id,
      list[1]!.message_id,
      "group:b",
      list[9]!.message_id,
      list[11]!.message_id,
    ]);
    // What asks deep inside is seen, however much is folded.
    expect(
      layOut(
        rows,
        facts,
        () => false,
        (r) => r.group === "c" && r.kind === "result",
      ).map((r) => [r.kind, r.group]),
    ).toEqual([
      ["group", "a"],
      ["result", "c"],
      ["text", undefined],
    ]);
    // What began further up than what is loaded stands in its groups as well.
    const late = layOut(
      rowsOf(list.slice(5), { tasks: facts }),
      facts,
      () => true,
      () => false,
    );
    expect(late.slice(0, 4).map((r) => [r.kind, r.group])).toEqual([
      ["group", "a"],
      ["group", "b"],
      ["group", "c"],
      ["result", "c"],
    ]);
    expect(late.filter((r) => r.kind === "result").map((r) => r.group)).toEqual(["c", "b", "a"]); // each once
  });

  test("waiting messages are not in the transcript", () => {
    const waiting = user("later");
    expect(kinds([user(), waiting], { queued: new Set([waiting.message_id]) })).toEqual(["user"]);
  });

  test("an ended message without words is nothing, a growing one is something", () => {
    expect(kinds([message({ text: "" })])).toEqual([]);
    expect(kinds([message({ text: "", partial: true })])).toEqual(["text"]);
  });

  test("who begins to speak has a head, who goes on has none", () => {
    const rows = rowsOf([
      user(),
      message({}),
      message({ say: "checkpoint_saved", role: "system" }),
      message({}),
      message({ agent_id: "a2", agent_kind: "task" as const, task_id: "t2" }),
      message({}),
      user(),
    ]);
    expect(rows.map((r) => r.head)).toEqual([true, true, false, false, false, false, true]);
  });

  test("rows of the same messages are the same", () => {
    const list = [call("read_file", "a"), call("read_file", "b")];
    expect(sameRow(rowsOf(list)[0]!, rowsOf(list)[0]!)).toBe(true);
    expect(sameRow(rowsOf(list)[0]!, rowsOf(list.slice(0, 1))[0]!)).toBe(false);
  });

  test("each of ten thousand messages is looked at a few times only", () => {
    const list: TranscriptMessage[] = [];
    for (let i = 0; i < 1_000; i++)
      list.push(
        user(),
        started(),
        message({}),
        finished(),
        call("read_file", `r${i}`),
        call("list_files", `l${i}`),
        call("edit", `e${i}`),
        started(),
        message({}),
        finished("end_turn"),
      );
    const byId = new Map(list.map((m) => [m.message_id, m]));
    let looks = 0;
    const rows = buildRows(
      list.map((m) => m.message_id),
      (id) => (looks++, byId.get(id)),
      none,
    );
    expect(rows).toHaveLength(5_000);
    expect(looks).toBeLessThan(3 * list.length);
  });
});

describe("follow or hold", () => {
  const keys = (...names: string[]) => names.map((key) => ({ key }));

  test("follows within 80 px of the end, holds beyond", () => {
    expect(scrolled(atStart, 80, "a").following).toBe(true);
    expect(scrolled(atStart, 81, "a")).toEqual({ following: false, seen: "a" });
  });

  test("what came while it holds is counted, from where it stopped", () => {
    let s = scrolled(atStart, 300, "b");
    s = scrolled(s, 900, "d"); // further up, with more below: the count goes on
    expect(newSince(s, keys("a", "b", "c", "d"))).toBe(2);
    s = scrolled(s, 10, "d");
    expect(newSince(s, keys("a", "b", "c", "d"))).toBe(0);
  });

  test("older rows before and rows taken back do not count", () => {
    const s = scrolled(atStart, 300, "b");
    expect(newSince(s, keys("x", "y", "a", "b"))).toBe(0);
    expect(newSince(s, keys("a"))).toBe(0);
  });

  test("state is the same object unless it changes", () => {
    expect(scrolled(atStart, 0, "a")).toBe(atStart);
    const held = scrolled(atStart, 300, "b");
    expect(scrolled(held, 301, "c")).toBe(held);
  });
});
