import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "../../src/index.js";
import { idOf } from "../../src/position.js";
import { connected, FakeSocket, fakeClient, messageOf, settle, stateOf } from "./fake_socket.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const accepted = (id: string, seq: number): [number, string, object, Record<string, unknown>] => [
  seq, "message_accepted", { client_message_id: id, message_id: idOf(seq - 1), delivery: "direct" }, { client_message_id: id },
];

/** Connects again after a cut. */
async function again(s: Session, last: number): Promise<FakeSocket> {
  await vi.advanceTimersByTimeAsync(1000);
  await settle();
  FakeSocket.last.open();
  FakeSocket.last.sync(last);
  expect(s.connection.state).toBe("active");
  return FakeSocket.last;
}

// Covers: WS-130
describe("sending", () => {
  test("a command is kept until there is a word about it, over a broken line, under one id", async () => {
    const { s, socket } = await connected();
    const sent = s.send("user_message", { text: "hi" });
    const id = socket.sent.at(-1)!.message_id!;
    expect(id).toBeTruthy();
    s.store.flush();
    expect(s.store.getSnapshot().outgoing).toMatchObject([{ id, state: "sent" }]);
    socket.end(1006);
    s.store.flush();
    expect(s.store.getSnapshot().outgoing).toMatchObject([{ id, state: "unconfirmed" }]);
    const next = await again(s, 1);
    expect(next.sent).toEqual([{ type: "user_message", message_id: id, data: { text: "hi" } }]);
    next.record(2, "message_created", { message: messageOf(2, { role: "user" }) }, { client_message_id: id });
    next.record(...accepted(id, 3));
    expect(await sent).toMatchObject({ clientMessageId: id, delivery: "direct", repeat: false });
    expect(s.store.getSnapshot().outgoing).toEqual([]);
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]); // read your own writes
  });

  test("a replay brings the word: nothing is said again", async () => {
    const { s, socket } = await connected();
    const sent = s.send("rename_session", { title: "N" }, { id: "mine" });
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    next.greet(2, { title: "N" });
    next.record(2, "session_renamed", { title: "N" }, { client_message_id: "mine" });
    next.say("sync_complete", { last_message_id: idOf(2), replayed: 1 });
    expect(await sent).toMatchObject({ clientMessageId: "mine" });
    expect(next.sent).toEqual([]);
  });

  test("without a line it says so, and goes out with the first one", async () => {
    const s = fakeClient().session("s");
    const sent = s.send("interrupt");
    s.store.flush();
    expect(s.store.getSnapshot().outgoing).toMatchObject([{ type: "interrupt", state: "unsent" }]);
    s.connect();
    await settle();
    FakeSocket.last.open();
    FakeSocket.last.sync(1);
    const id = FakeSocket.last.sent.at(-1)!.message_id!;
    FakeSocket.last.say("message_accepted", { client_message_id: id });
    expect(await sent).toMatchObject({ repeat: true });
  });

  test("a refusal, a time limit and a withdrawal reject", async () => {
    const { s, socket } = await connected();
    const refused = s.send("control_skip", { todo_id: "t" }, { id: "a" });
    socket.say("error", {
      code: "RATE_LIMITED", number: 1004, message: "later", recoverable: true, suggested_action: "wait", retry_after_ms: 900, context: { client_message_id: "a" },
    });
    await expect(refused).rejects.toMatchObject({ code: "RATE_LIMITED", number: 1004, suggestedAction: "wait", retryAfterMs: 900 });
    const late = s.send("interrupt", {}, { timeoutMs: 500 });
    const end = expect(late).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(500);
    await end;
    const gone = s.send("interrupt", {}, { id: "b" });
    expect(s.withdraw("b")).toBe(true);
    await expect(gone).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    s.store.flush();
    expect(s.store.getSnapshot().outgoing).toEqual([]);
  });

  test("answers find their questions", async () => {
    const { s, socket } = await connected();
    const page = s.ask("get_messages", { limit: 2 });
    const id = socket.sent.at(-1)!.message_id;
    socket.say("messages_page", { messages: [], total: 0, client_message_id: "another" });
    socket.say("messages_page", { messages: [], total: 7, client_message_id: id });
    expect((await page).total).toBe(7);
    const state = s.ask("get_state");
    socket.greet(1, { title: "asked" });
    expect((await state).title).toBe("asked");
  });

  test("that it was archived is told by the state, and by the record", async () => {
    const { s, socket } = await connected();
    const archived = () => (s.store.flush(), s.store.getSnapshot().session!.archived);
    expect(archived()).toBe(false);
    socket.record(2, "session_archived", { archived: true });
    expect(archived()).toBe(true);
    socket.greet(2, { archived: true });
    expect(archived()).toBe(true);
    socket.record(3, "session_archived", { archived: false });
    expect(archived()).toBe(false);
    socket.greet(4, { archived: true });
    expect(archived()).toBe(true);
    socket.greet(5);
    expect(archived()).toBe(false);
  });

  test("monitors that were asked for are asked for again", async () => {
    const { s, socket } = await connected();
    await s.send("subscribe_monitor", { monitor_id: "monitor-1" });
    socket.record(5, "session_renamed", { title: "a gap is right now" });
    expect(s.connection.state).toBe("active");
    socket.end(1006);
    const next = await again(s, 5);
    expect(next.sent).toMatchObject([{ type: "subscribe_monitor", data: { monitor_id: "monitor-1" } }]);
  });
});

describe("what is held", () => {
  test("a replayed record fills in the transcript and does not set the state back", async () => {
    const { s, socket } = await connected({}, 3);
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    next.greet(6, { title: "newest", status: "awaiting_input", open_messages: [{ message_id: idOf(5), text: "so far" }] });
    next.record(4, "session_renamed", { title: "older" });
    next.record(5, "message_created", { message: messageOf(5, { partial: true, text: "so" }) });
    next.record(6, "message_accepted", { message_id: idOf(5) });
    next.say("sync_complete", { last_message_id: idOf(6), replayed: 3 });
    next.say("agent_response", { message_id: idOf(5), agent_id: "a", offset: 6, delta: ", so good" });
    s.store.flush();
    expect(s.store.getSnapshot()).toMatchObject({ session: { title: "newest", status: "awaiting_input" }, messageIds: [idOf(5)], synced: true });
    expect(s.store.message(idOf(5))?.text).toBe("so far, so good");
  });

  test("a record that comes again is not taken again", async () => {
    const { s, socket } = await connected({}, 1);
    let heard = 0;
    s.on("session_renamed", () => heard++);
    socket.record(2, "session_renamed", { title: "two" });
    socket.record(3, "session_renamed", { title: "three" });
    socket.record(2, "session_renamed", { title: "two" });
    s.store.flush();
    expect(heard).toBe(2);
    expect(s.store.getSnapshot()).toMatchObject({ lastMessageId: idOf(3), session: { title: "three" }, connection: { state: "active" } });
  });

  test("who watches is told as it changes", async () => {
    const { s, socket } = await connected({}, 1);
    socket.say("presence", { viewers: [{ user_id: "ann", clients: 2, since_ms: 1 }] });
    s.store.flush();
    expect(s.store.getSnapshot().viewers).toMatchObject([{ user_id: "ann", clients: 2 }]);
  });

  test("CURSOR_LOST drops what is held", async () => {
    const { s, socket } = await connected({}, 3);
    socket.record(4, "message_created", { message: messageOf(4) });
    socket.end(1011, "CURSOR_LOST");
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    next.say("error", { code: "CURSOR_LOST", number: 3006, message: "lost", recoverable: true, suggested_action: "resync" });
    next.sync(2, { epoch: "e2", messages: [messageOf(2)] });
    s.store.flush();
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]);
    next.record(3, "session_renamed", { title: "on" });
    s.store.flush();
    expect(s.store.getSnapshot().session).toMatchObject({ title: "on", epoch: "e2" });
  });

  test("a rewind drops messages at once and asks for the rest once", async () => {
    const { s, socket } = await connected({}, 1);
    for (const seq of [2, 3, 4]) socket.record(seq, "message_created", { message: messageOf(seq) });
    const before = socket.sent.length;
    socket.record(5, "history_rewound", { to: idOf(2), from_message_id: idOf(3), keep_target: false, removed_message_ids: [], removed_count: 2 });
    socket.record(6, "task_idle", { task_id: "t", root_task_id: "t" });
    s.store.flush();
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]);
    expect(s.store.getSnapshot().session).toMatchObject({ canUndo: true });
    expect(socket.sent.slice(before)).toEqual([{ type: "get_state" }]);
    socket.greet(5, { title: "behind" }); // the line was faster
    expect(socket.sent.slice(before)).toHaveLength(1); // not all the time
    await vi.advanceTimersByTimeAsync(1000);
    expect(socket.sent.slice(before)).toEqual([{ type: "get_state" }, { type: "get_state" }]);
    socket.greet(6, { messages: [messageOf(2)], can_undo: true, usage: { tokens_in: 1, tokens_out: 2, cache_writes: 0, cache_reads: 0, cost_usd: 0 } });
    s.store.flush();
    expect(s.store.getSnapshot()).toMatchObject({ messageIds: [idOf(2)], usage: { tokens_out: 2 }, session: { title: "T" } });
    await vi.advanceTimersByTimeAsync(1000);
    socket.record(7, "rewind_undone", { to: idOf(4), from_message_id: idOf(3), restored_message_ids: [idOf(3), idOf(4)], restored_count: 2 });
    socket.greet(7, { messages: [2, 3, 4].map((i) => messageOf(i)), can_redo: true });
    s.store.flush();
    expect(s.store.getSnapshot().messageIds).toEqual([2, 3, 4].map(idOf));
  });

  test("questions: nearest deadline first, and how they were settled", async () => {
    const { s, socket } = await connected({}, 1);
    const ask = (seq: number, id: string, deadline?: number): void =>
      socket.record(seq, "hitl_approval_request", { request_id: id, timeout_sec: 0, deadline_ms: deadline, message_id: idOf(2), reason: "?", options: ["approve", "reject"] });
    socket.record(2, "message_created", { message: messageOf(2, { type: "ask", ask: "command", say: undefined, request_id: "a" }) });
    ask(3, "a");
    ask(4, "b", 2000);
    ask(5, "c", 1000);
    s.store.flush();
    expect(s.store.getSnapshot().questions.map((q) => q.request_id)).toEqual(["c", "b", "a"]);
    socket.record(6, "hitl_resolved", { request_id: "a", action: "skip", by_timeout: true });
    s.store.flush();
    const x = s.store.getSnapshot();
    expect(x.questions.map((q) => q.request_id)).toEqual(["c", "b"]);
    expect(x.settled).toMatchObject([{ question: { request_id: "a" }, resolved: { by_timeout: true } }]);
    expect(s.store.message(idOf(2))).toMatchObject({ is_answered: true, answer: { action: "skip", by_timeout: true } });
  });

  test("a question that a rewind opens again is open, not settled", async () => {
    const { s, socket } = await connected({}, 1);
    const question = { request_id: "a", timeout_sec: 0, message_id: idOf(2), reason: "?", options: ["approve", "reject"] };
    socket.record(2, "message_created", { message: messageOf(2, { type: "ask", ask: "command", say: undefined, request_id: "a" }) });
    socket.record(3, "hitl_approval_request", question);
    socket.record(4, "hitl_resolved", { request_id: "a", action: "reject", by_timeout: false });
    s.store.flush();
    expect(s.store.getSnapshot().settled).toHaveLength(1);
    socket.record(5, "history_rewound", { to: idOf(3), from_message_id: idOf(4), keep_target: false, removed_message_ids: [], removed_count: 0 });
    socket.greet(5, { messages: [messageOf(2, { type: "ask", ask: "command", say: undefined, request_id: "a" })], hitl_pending: { type: "hitl_approval_request", ...question } });
    s.store.flush();
    const x = s.store.getSnapshot();
    expect(x.questions.map((q) => q.request_id)).toEqual(["a"]);
    expect(x.settled).toEqual([]);
    expect(s.store.message(idOf(2))?.answer).toBeUndefined();
  });

  test("how somebody's words reached the agent: the first word counts, and is kept", async () => {
    const { s, socket } = await connected({}, 1);
    socket.record(2, "message_created", { message: messageOf(2, { role: "user" }) });
    socket.record(3, "message_accepted", { message_id: idOf(2), delivery: "steer", task_id: "child" });
    socket.record(4, "message_accepted", { message_id: idOf(2), delivery: "direct", task_id: "root" });
    socket.record(5, "message_updated", { message: messageOf(2, { role: "user", text: "edited" }) });
    s.store.flush();
    expect(s.store.message(idOf(2))).toMatchObject({ text: "edited", delivery: "steer" });
  });

  test("the queue: waits, is edited, reordered, taken back and handed over", async () => {
    const { s, socket } = await connected({}, 1);
    const ids = (): string[] => {
      s.store.flush();
      return s.store.getSnapshot().queue.map((q) => `${q.message_id.slice(-1)}:${q.text}`);
    };
    for (const seq of [2, 4]) {
      socket.record(seq, "message_created", { message: messageOf(seq, { role: "user", say: "user_feedback" }) });
      socket.record(seq + 1, "message_queued", { message_id: idOf(seq), position: 1 });
    }
    expect(ids()).toEqual(["2:m2", "4:m4"]);
    socket.record(6, "message_updated", { message: messageOf(2, { role: "user", text: "edited" }) });
    socket.record(7, "queue_changed", { queue: [idOf(4), idOf(2)] });
    expect(ids()).toEqual(["4:m4", "2:edited"]);
    socket.record(8, "queue_changed", { queue: [idOf(2)], removed: idOf(4) });
    expect(ids()).toEqual(["2:edited"]);
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]);
    socket.record(9, "message_accepted", { message_id: idOf(2), delivery: "steer" });
    expect(ids()).toEqual([]);
  });

  test("what waits is in the transcript once it is heard, behind what was said meanwhile", async () => {
    const { s, socket } = await connected({}, 1);
    const seen = (): [string[], readonly string[]] => {
      s.store.flush();
      const now = s.store.getSnapshot();
      return [now.queue.map((q) => `${q.message_id.slice(-1)}:${q.text}:${q.user_id}`), now.messageIds];
    };
    socket.record(2, "message_queued", { message_id: idOf(2), text: "later", user_id: "ann", position: 1 });
    expect(seen()).toEqual([["2:later:ann"], []]);
    expect(s.store.getSnapshot().queue[0]!.ts).toBeGreaterThan(0);
    socket.record(3, "queue_changed", { queue: [idOf(2)], edited: { message_id: idOf(2), text: "much later" } });
    socket.record(4, "message_created", { message: messageOf(4, {}) });
    expect(seen()).toEqual([["2:much later:ann"], [idOf(4)]]);
    socket.record(5, "message_created", { message: messageOf(5, { role: "user", say: "user_feedback", queued_as: idOf(2) }) });
    expect(seen()).toEqual([[], [idOf(4), idOf(5)]]);
  });

  test("types that nobody knows are told apart and do no harm", async () => {
    const { s, socket } = await connected({}, 1);
    const unknown: string[] = [];
    const all: string[] = [];
    s.onUnknown((env) => unknown.push(env.type));
    s.on("*", (env) => all.push(env.type));
    socket.record(2, "from_the_future", { x: 1 });
    socket.record(3, "session_renamed", { title: "on", more: "fields" });
    expect(unknown).toEqual(["from_the_future"]);
    expect(all).toEqual(["from_the_future", "session_renamed"]);
  });

  test("listeners hear once a frame, and deltas reach only their message", async () => {
    const { s, socket } = await connected({}, 1);
    for (const seq of [2, 3]) socket.record(seq, "message_created", { message: messageOf(seq, { partial: true, text: "" }) });
    await vi.advanceTimersByTimeAsync(50);
    const ids = s.store.getSnapshot().messageIds;
    const heard = { all: 0, two: 0, three: 0 };
    s.store.subscribe(() => heard.all++);
    s.store.subscribeMessage(idOf(2), () => heard.two++);
    s.store.subscribeMessage(idOf(3), () => heard.three++);
    const three = s.store.message(idOf(3));
    for (let i = 0; i < 100; i++) {
      socket.say("agent_response", { message_id: idOf(2), agent_id: "a", offset: i, delta: "x" });
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(20);
    expect(s.store.message(idOf(2))?.text).toBe("x".repeat(100));
    expect(heard).toMatchObject({ all: 0, three: 0 });
    expect(heard.two).toBeLessThanOrEqual(9);
    expect(heard.two).toBeGreaterThan(3);
    expect(s.store.message(idOf(3))).toBe(three);
    expect(s.store.getSnapshot().messageIds).toBe(ids);
  });

  test("the server's time is right with a clock that is wrong, and the slowest way does not count", async () => {
    const { s, socket } = await connected({ now: () => Date.now() - 300_000 });
    expect(Math.abs(s.serverNow() - Date.now())).toBeLessThan(5);
    socket.say("ping", undefined, { timestamp: new Date(Date.now() - 4000).toISOString() }); // four seconds on its way
    expect(Math.abs(s.serverNow() - Date.now())).toBeLessThan(5);
  });

  test("a state from elsewhere does not break it", async () => {
    const { s, socket } = await connected();
    socket.say("session_state", { ...stateOf(1), messages: undefined });
    expect(s.connection.state).toBe("reconnecting");
  });
});

describe("what is allowed without asking", () => {
  const rule = (id: string, task_id: string) => ({ id, task_id, tool: "execute_command", pattern: `${id} *`, by: "ann", ts: 1 });
  const ids = (s: Session) => {
    s.store.flush();
    return s.store.getSnapshot().allowed.map((r) => r.id);
  };

  test("a rule goes when it is forgotten, and with its task", async () => {
    const { s, socket } = await connected();
    socket.greet(1, { allowed: [rule("r1", "task_1"), rule("r2", "task_1"), rule("r3", "task_2")] });
    expect(ids(s)).toEqual(["r1", "r2", "r3"]);
    socket.record(2, "rule_forgotten", { id: "r1", task_id: "task_1", by: "ann" });
    expect(ids(s)).toEqual(["r2", "r3"]);
    socket.record(3, "task_completed", { task_id: "task_2" });
    expect(ids(s)).toEqual(["r2"]);
  });

  test("an answer that shall be remembered makes the client ask what holds now", async () => {
    const { s, socket } = await connected();
    const before = socket.sent.length;
    socket.record(2, "hitl_resolved", { request_id: "q1", action: "approve" });
    expect(socket.sent.slice(before)).toEqual([]);
    socket.record(3, "hitl_resolved", { request_id: "q2", action: "approve", remember: { scope: "task", pattern: "git *" } });
    await vi.advanceTimersByTimeAsync(1000);
    expect(socket.sent.slice(before)).toEqual([{ type: "get_state" }]);
    socket.greet(3, { allowed: [rule("q2", "task_1")] });
    expect(ids(s)).toEqual(["q2"]);
  });
});
