import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "../../src/index.js";
import { idOf } from "../../src/position.js";
import type { Question, RunInfo, Todo, TodoInfo } from "../../src/types.gen.js";
import { connected, FakeSocket, fakeClient, messageOf, settle } from "./fake_socket.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

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
    next.change(
      1,
      3,
      { message: [messageOf(2, { role: "user", client_message_id: id, delivery: "direct" })] },
      { commands: ["another", id] },
    );
    expect(await sent).toMatchObject({ clientMessageId: id, delivery: "direct", repeat: false });
    expect(s.store.getSnapshot().outgoing).toEqual([]);
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]); // read your own writes
  });

  test("what changed meanwhile brings the word: nothing is said again", async () => {
    const { s, socket } = await connected();
    const sent = s.send("rename_session", { title: "N" }, { id: "mine" });
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    expect(next.query.get("resume_from")).toBe(idOf(1));
    next.change(1, 2, { session: { title: "N", owner: "o" } }, { commands: ["mine"] });
    next.synced(2);
    expect(await sent).toMatchObject({ clientMessageId: "mine" });
    expect(next.sent).toEqual([]);
  });

  test("nothing is sent before the line has told all: the whole state does not say what took effect", async () => {
    const { s, socket } = await connected();
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    const sent = s.send("rename_session", { title: "N" }, { id: "mine" });
    expect(next.sent).toEqual([]);
    next.sync(2);
    expect(next.sent).toMatchObject([{ message_id: "mine" }]);
    next.change(2, 3, { session: { title: "N", owner: "o" } }, { commands: ["mine"] });
    expect(await sent).toMatchObject({ clientMessageId: "mine" });
  });

  test("after disconnect it rejects, until somebody connects again", async () => {
    const { s } = await connected();
    s.disconnect();
    await expect(s.send("user_message", { text: "hi" })).rejects.toMatchObject({
      name: "ClewError",
      code: "CONNECTION_FAILED",
    });
    await expect(s.query("get_messages", {})).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    s.connect();
    await settle();
    FakeSocket.last.open();
    FakeSocket.last.sync(1);
    void s.send("user_message", { text: "again" });
    expect(FakeSocket.last.sent.at(-1)).toMatchObject({ data: { text: "again" } });
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
      code: "RATE_LIMITED",
      number: 1004,
      message: "later",
      recoverable: true,
      suggested_action: "wait",
      retry_after_ms: 900,
      context: { client_message_id: "a" },
    });
    await expect(refused).rejects.toMatchObject({
      code: "RATE_LIMITED",
      number: 1004,
      suggestedAction: "wait",
      retryAfterMs: 900,
    });
    const late = s.send("interrupt", {}, { timeoutMs: 500 });
    // oxlint-disable-next-line vitest/valid-expect -- awaited when the time is over
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
    const page = s.query("get_messages", { limit: 2 });
    const id = socket.sent.at(-1)!.message_id;
    socket.say("messages_page", { messages: [], total: 0, client_message_id: "another" });
    socket.say("messages_page", { messages: [], total: 7, client_message_id: id });
    expect((await page).total).toBe(7);
    const state = s.query("get_state");
    socket.say("session_state", { title: "asked" });
    expect((await state).title).toBe("asked");
    const preview = s.query("edit_message", { message_id: idOf(1), text: "x" });
    socket.say("rewind_preview", { to: idOf(1), client_message_id: socket.sent.at(-1)!.message_id });
    expect(await preview).toMatchObject({ to: idOf(1) });
  });

  test("words that wait have their place in line", async () => {
    const { s, socket } = await connected();
    const sent = s.send("user_message", { text: "later" }, { id: "mine" });
    const waiting = (id: string) => ({ message_id: idOf(2), text: "later", ts: 1, client_message_id: id });
    socket.change(1, 2, { queue: [waiting("another"), waiting("mine")] }, { commands: ["mine"] });
    expect(await sent).toMatchObject({ position: 2, repeat: false });
  });

  test("monitors that were asked for are asked for again", async () => {
    const { s, socket } = await connected();
    await s.send("subscribe_monitor", { monitor_id: "monitor-1" });
    socket.change(4, 5); // a gap is right now
    expect(s.connection.state).toBe("active");
    socket.end(1006);
    const next = await again(s, 5);
    expect(next.sent).toMatchObject([{ type: "subscribe_monitor", data: { monitor_id: "monitor-1" } }]);
  });
});

describe("what is held", () => {
  test("the whole state, and then what changed of it", async () => {
    const { s, socket } = await connected({}, 3);
    const todo = (id: string, status: Todo["status"], of = "r"): TodoInfo => ({
      of,
      id,
      task: id,
      tool: "t",
      status,
      priority: 1,
      depends_on: [],
    });
    const run: RunInfo = {
      run_id: "r",
      monitor_id: "monitor-0",
      status: "executing",
      plan: { id: "p", status: "approved", total_todos: 1 },
    };
    socket.change(3, 4, {
      status: { status: "executing", front: "r" },
      run: [run],
      todo: [todo("a", "pending"), todo("a", "pending", "another")],
    });
    s.store.flush();
    const one = s.store.getSnapshot();
    expect(one).toMatchObject({
      session: { id: "s", title: "T", status: "executing", role: "owner", epoch: "e1", client_id: "c" },
      lastMessageId: idOf(4),
      synced: true,
      plan: { id: "p", run_id: "r" },
      todos: [{ of: "r", status: "pending" }],
      runs: [{ run_id: "r", todos: [{ of: "r" }] }],
    });
    socket.change(4, 5, {
      todo: [todo("a", "completed", "another")],
      usage: { tokens_in: 1, tokens_out: 2, cache_writes: 0, cache_reads: 0, cost_usd: 0 },
    });
    s.store.flush();
    const two = s.store.getSnapshot();
    expect(two.usage.tokens_out).toBe(2);
    for (const part of ["session", "plan", "todos", "tasks", "questions"] as const) expect(two[part]).toBe(one[part]);
    expect(two.runs[0]).toBe(one.runs[0]);
    socket.change(5, 6, { todo: [todo("a", "completed")], status: { status: "executing" } });
    s.store.flush();
    expect(s.store.getSnapshot()).toMatchObject({
      plan: null,
      todos: [],
      runs: [{ todos: [{ status: "completed" }] }],
    });
  });

  test("nothing is known before the state is there", () => {
    expect(fakeClient().session("s").store.getSnapshot()).toMatchObject({
      session: null,
      synced: false,
      lastMessageId: null,
    });
  });

  test("the role is told, and told again when it changes", async () => {
    const { s, socket } = await connected();
    socket.say("connected", { client_id: "c", role: "viewer", epoch: "e1", view: "state" });
    s.store.flush();
    expect(s.store.getSnapshot().session).toMatchObject({ role: "viewer", title: "T" });
  });

  test("a text that grows goes on where the state has left it", async () => {
    const { s, socket } = await connected({}, 3);
    socket.end(1006);
    const next = await again(s, 6);
    next.change(6, 7, { message: [messageOf(7, { partial: true, text: "so far" })] });
    next.say("text", { message_id: idOf(7), offset: 6, delta: ", so good" });
    next.say("text", { message_id: idOf(7), field: "reasoning", offset: 0, delta: "hm" });
    s.store.flush();
    expect(s.store.message(idOf(7))).toMatchObject({ text: "so far, so good", reasoning: "hm" });
    expect(s.store.getSnapshot().streaming).toEqual([idOf(7)]);
  });

  test("who watches is told as it changes", async () => {
    const { s, socket } = await connected({}, 1);
    socket.say("presence", { viewers: [{ user_id: "ann", clients: 2, since_ms: 1 }] });
    s.store.flush();
    expect(s.store.getSnapshot().viewers).toMatchObject([{ user_id: "ann", clients: 2 }]);
  });

  test("CURSOR_LOST drops what is held", async () => {
    const { s, socket } = await connected({}, 3);
    socket.change(3, 4, { message: [messageOf(4)] });
    socket.end(1011, "CURSOR_LOST");
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    const next = FakeSocket.last;
    next.open();
    next.greet(2, { message: [messageOf(2)] }, { epoch: "e2" });
    next.say("error", {
      code: "CURSOR_LOST",
      number: 3006,
      message: "lost",
      recoverable: true,
      suggested_action: "resync",
    });
    next.synced(2);
    s.store.flush();
    expect(s.store.getSnapshot().messageIds).toEqual([idOf(2)]);
    next.change(2, 3, { session: { title: "on", owner: "o" } });
    s.store.flush();
    expect(s.store.getSnapshot().session).toMatchObject({ title: "on", epoch: "e2" });
  });

  test("a rewind brings the messages anew", async () => {
    const { s, socket } = await connected({}, 1);
    socket.change(1, 4, { message: [2, 3, 4].map((i) => messageOf(i)) });
    socket.change(
      4,
      5,
      { message: [messageOf(2)], status: { status: "idle", can_undo: true } },
      { reset: ["message"], total: 1 },
    );
    s.store.flush();
    expect(s.store.getSnapshot()).toMatchObject({
      messageIds: [idOf(2)],
      session: { can_undo: true },
      hasOlder: false,
    });
  });

  test("questions: nearest deadline first, and how they were settled", async () => {
    const { s, socket } = await connected({}, 1);
    const ask = (id: string, deadline_ms?: number): Question =>
      ({
        type: "hitl_approval_request",
        request_id: id,
        timeout_sec: 0,
        deadline_ms,
        reason: "?",
        options: ["approve", "reject"],
      }) as Question;
    socket.change(1, 5, { question: [ask("a"), ask("b", 2000), ask("c", 1000)] });
    s.store.flush();
    expect(s.store.getSnapshot().questions.map((q) => q.request_id)).toEqual(["c", "b", "a"]);
    socket.change(
      5,
      6,
      { settled: [{ request_id: "a", type: "hitl_approval_request", action: "skip", by_timeout: true, ts: 1 }] },
      { del: { question: ["a"] } },
    );
    s.store.flush();
    const x = s.store.getSnapshot();
    expect(x.questions.map((q) => q.request_id)).toEqual(["c", "b"]);
    expect(x.settled).toMatchObject([{ request_id: "a", by_timeout: true }]);
  });

  test("types that nobody knows are told apart and do no harm", async () => {
    const { s, socket } = await connected({}, 1);
    const unknown: string[] = [];
    const all: string[] = [];
    s.onUnknown((env) => unknown.push(env.type));
    s.on("*", (env) => all.push(env.type));
    socket.say("from_the_future", { x: 1 });
    socket.change(1, 2, { session: { title: "on", owner: "o", more: "fields" } as never });
    expect(unknown).toEqual(["from_the_future"]);
    expect(all).toEqual(["from_the_future", "state_changed"]);
  });

  test("listeners hear once a frame, and text reaches only its message", async () => {
    const { s, socket } = await connected({}, 1);
    socket.change(1, 3, { message: [2, 3].map((i) => messageOf(i, { partial: true, text: "" })) });
    await vi.advanceTimersByTimeAsync(50);
    const ids = s.store.getSnapshot().messageIds;
    const heard = { all: 0, two: 0, three: 0 };
    s.store.subscribe(() => heard.all++);
    s.store.subscribeMessage(idOf(2), () => heard.two++);
    s.store.subscribeMessage(idOf(3), () => heard.three++);
    const three = s.store.message(idOf(3));
    for (let i = 0; i < 100; i++) {
      socket.say("text", { message_id: idOf(2), offset: i, delta: "x" });
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

  test("after the newest messages were dropped, the whole state brings them back", async () => {
    const s = fakeClient().session("s", { messageLimit: 32 });
    s.connect();
    await settle();
    FakeSocket.last.open();
    FakeSocket.last.sync(40, { message: Array.from({ length: 30 }, (_, i) => messageOf(11 + i)) }, { total: 40 });
    s.setView("oldest");
    const loaded = s.loadOlder(10);
    const page = { messages: Array.from({ length: 10 }, (_, i) => messageOf(1 + i)), total: 40 };
    FakeSocket.last.say("messages_page", { ...page, client_message_id: FakeSocket.last.sent.at(-1)!.message_id });
    expect(await loaded).toBe(10);
    expect(s.store.getSnapshot()).toMatchObject({ hasOlder: false, hasNewer: true });
    const back = s.loadNewest();
    await settle();
    expect(FakeSocket.last.query.has("resume_from")).toBe(false);
    s.store.flush();
    expect(s.store.getSnapshot()).toMatchObject({ session: { title: "T" }, hasNewer: true }); // what is held stays until then
    FakeSocket.last.open();
    FakeSocket.last.sync(41, { message: [messageOf(40), messageOf(41)] }, { total: 41 });
    await back;
    expect(s.store.getSnapshot()).toMatchObject({ messageIds: [40, 41].map(idOf), hasOlder: true, hasNewer: false });
  });

  test("a message that is not held comes with those around it, and what follows them up to the end", async () => {
    const said = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => messageOf(from + i));
    const asked: string[] = [];
    const pages: Record<string, object> = {
      [`around=${idOf(10)}&limit=5`]: { messages: said(8, 12), total: 40, next: idOf(8), newer: idOf(12) },
      [`after=${idOf(12)}&limit=25`]: { messages: said(13, 37), total: 40, newer: idOf(37) },
      [`after=${idOf(37)}&limit=25`]: { messages: said(38, 40), total: 40 },
      [`after=${idOf(40)}&limit=1000`]: { messages: said(41, 42), total: 42 }, // they came meanwhile
    };
    const s = fakeClient({
      fetch: async (url) => {
        const query = new URL(String(url), "http://x").search.slice(1);
        asked.push(query);
        return new Response(JSON.stringify(pages[query]));
      },
    }).session("s");
    s.connect();
    await settle();
    FakeSocket.last.open();
    FakeSocket.last.sync(40, { message: said(36, 40) }, { total: 40 });
    await s.loadAround(idOf(38));
    expect(asked).toEqual([]); // it is held
    await s.loadAround(idOf(10), 5);
    expect(s.store.getSnapshot()).toMatchObject({
      messageIds: [8, 9, 10, 11, 12].map(idOf),
      hasOlder: true,
      hasNewer: true,
    });
    FakeSocket.last.say("state_changed", {
      from: idOf(40),
      to: idOf(41),
      total: 41,
      put: { message: [messageOf(41)] },
    });
    s.store.flush();
    expect(s.store.getSnapshot().messageIds.at(-1)).toBe(idOf(12)); // its place is not held
    expect(await s.loadNewer(25)).toBe(25);
    expect(s.store.getSnapshot().hasNewer).toBe(true);
    expect(await s.loadNewer(25)).toBe(3);
    expect(s.store.getSnapshot()).toMatchObject({ messageIds: said(8, 42).map((m) => m.message_id), hasNewer: false });
    expect(await s.loadNewer()).toBe(0);
  });
});
