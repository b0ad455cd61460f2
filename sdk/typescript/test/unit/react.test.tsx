// @vitest-environment happy-dom
import { act, cleanup, render, renderHook } from "@testing-library/react";
import { StrictMode, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ClewClient, Question, StatePut, TodoInfo } from "../../src/index.js";
import { idOf } from "../../src/position.js";
import * as clew from "../../src/react.js";
import { fakeClient, FakeSocket, messageOf, settle } from "./fake_socket.js";

let client: ClewClient;
const wrapper = (props: { children: ReactNode }): ReactNode => (
  <StrictMode>
    <clew.ClewProvider client={client}>{props.children}</clew.ClewProvider>
  </StrictMode>
);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  client = fakeClient();
});
afterEach(() => {
  cleanup();
  client.close();
  vi.useRealTimers();
});

async function pass(ms = 20): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await settle();
  });
}

async function sync(last = 1, put: StatePut = {}): Promise<FakeSocket> {
  await pass();
  const socket = FakeSocket.last;
  socket.open();
  socket.sync(last, put);
  await pass();
  return socket;
}

describe("hooks", () => {
  test("agents, monitors and one window, which is gone once it is closed", async () => {
    let renders = 0;
    const view = renderHook(
      () => {
        renders++;
        const s = clew.useSession("s");
        return { agents: clew.useAgents(s), monitors: clew.useMonitors(s), window: clew.useWindow(s, "a") };
      },
      { wrapper },
    );
    const windows = ["a", "b"].map((window_id) => ({
      window_id,
      monitor_id: "monitor-0",
      title: window_id,
      content: { kind: "text" as const, text: "" },
    }));
    const agents = [
      {
        agent_id: "main-monitor-0",
        kind: "main" as const,
        role: "main-monitor-0-m1",
        monitor_id: "monitor-0",
        task_id: "t",
        since_ms: 1,
      },
    ];
    const socket = await sync(1, {
      agents,
      monitors: [{ monitor_id: "monitor-0", busy: true, queued: 0, title: "Orders" }],
      window: windows as StatePut["window"],
    });
    expect(view.result.current.agents.map((a) => a.agent_id)).toEqual(["main-monitor-0"]);
    expect(view.result.current.monitors[0]?.title).toBe("Orders");
    expect(view.result.current.window?.title).toBe("a");
    const before = renders;
    socket.change(1, 2, {}, { del: { window: ["b"] } }); // another one
    await pass();
    expect(renders).toBe(before);
    socket.change(2, 3, { agents: [] }, { del: { window: ["a"] } });
    await pass();
    expect(view.result.current.agents).toEqual([]);
    expect(view.result.current.window).toBeUndefined();
  });

  test("a session connects on mount, once, in StrictMode too, and leaves after the last page", async () => {
    const view = renderHook(() => clew.useConnection(clew.useSession("s")).state, { wrapper });
    await pass();
    expect(view.result.current).toBe("connecting");
    await sync();
    expect(view.result.current).toBe("active");
    expect(FakeSocket.all).toHaveLength(1);
    view.unmount();
    await pass(500);
    expect(client.session("s").connection.state).toBe("active");
    const next = renderHook(() => clew.useConnection(clew.useSession("s")).state, { wrapper }); // another page
    await pass(5000);
    expect(next.result.current).toBe("active");
    expect(FakeSocket.all).toHaveLength(1);
    next.unmount();
    await pass(5000);
    expect(client.session("s").connection.state).toBe("disconnected");
  });

  test("each message renders by itself", async () => {
    const renders: Record<string, number> = {};
    let lists = 0;
    function Line(props: { id: string }): ReactNode {
      renders[props.id] = (renders[props.id] ?? 0) + 1;
      return <p>{clew.useMessage(clew.useSession("s"), props.id)?.text}</p>;
    }
    function List(): ReactNode {
      lists++;
      return clew.useMessageIds(clew.useSession("s")).map((id) => <Line key={id} id={id} />);
    }
    const view = render(
      <clew.ClewProvider client={client}>
        <List />
      </clew.ClewProvider>,
    );
    const socket = await sync(3, { message: [messageOf(2), messageOf(3, { partial: true, text: "" })] });
    expect(view.container.textContent).toBe("m2");
    const before = { lists, two: renders[idOf(2)] };
    for (let i = 0; i < 50; i++) socket.say("text", { message_id: idOf(3), offset: i, delta: "x" });
    await pass();
    expect(view.container.textContent).toBe(`m2${"x".repeat(50)}`);
    expect({ lists, two: renders[idOf(2)] }).toEqual(before);
    expect(renders[idOf(3)]).toBeLessThan(5);
  });

  test("a selector renders only for what it selects, with its own idea of equal", async () => {
    let renders = 0;
    const view = renderHook(
      () => {
        renders++;
        return clew.useSnapshot(
          clew.useSession("s"),
          (x) => ({ title: x.session?.title }),
          (a, b) => a.title === b.title,
        );
      },
      { wrapper },
    );
    const socket = await sync();
    const before = renders;
    socket.change(1, 2, { message: [messageOf(2)] });
    await pass();
    expect(renders).toBe(before);
    socket.change(2, 3, { session: { title: "New", owner: "o" } });
    await pass();
    expect(view.result.current).toEqual({ title: "New" });
  });

  test("a countdown goes by the server's clock and ends at 0", async () => {
    const skewed = fakeClient({ now: () => Date.now() + 300_000 });
    client = skewed;
    const deadline = Date.now() + 4500;
    const view = renderHook(() => clew.useCountdown(clew.useSession("s"), deadline), { wrapper });
    await sync();
    await pass(2000);
    expect(view.result.current).toBe(3);
    await pass(1000);
    expect(view.result.current).toBe(2);
    await pass(5000);
    expect(view.result.current).toBe(0);
    expect(renderHook(() => clew.useCountdown(() => 0, undefined)).result.current).toBeUndefined();
  });

  test("the inbox: first all of it, then each change", async () => {
    const item = (id: string, deadline?: number): object => ({
      session_id: "s",
      title: "T",
      owner: "o",
      kind: "k",
      asked_ms: 1,
      seq: 1,
      question: { type: "hitl_approval_request", request_id: id, deadline_ms: deadline },
    });
    const view = renderHook(() => clew.useInbox(), { wrapper });
    await pass();
    expect(FakeSocket.last.url).toBe("ws://clew.test/api/v1/inbox/feed");
    FakeSocket.last.open();
    FakeSocket.last.say("inbox_state", {
      items: [item("a"), item("b", 5)],
      counts: { total: 2, by_kind: { k: 2 }, due_soon: 0 },
    });
    await pass();
    expect(view.result.current).toMatchObject({ synced: true, connection: { state: "active" }, counts: { total: 2 } });
    expect(view.result.current.items.map((i) => i.question.request_id)).toEqual(["b", "a"]);
    FakeSocket.last.say("inbox_changed", {
      added: [item("c", 1)],
      removed: ["b"],
      counts: { total: 2, by_kind: { k: 2 }, due_soon: 1 },
    });
    await pass();
    expect(view.result.current.items.map((i) => i.question.request_id)).toEqual(["c", "a"]);
  });
});

// Covers: WS-130, WS-131, WS-132, WS-133, WS-134, WS-135, WS-136, WS-137
describe("useAgentWebSocket", () => {
  const todo = (id: string, more: Partial<TodoInfo> = {}): TodoInfo => ({
    of: "r",
    id,
    task: id,
    tool: "t",
    status: "pending",
    priority: 1,
    depends_on: [],
    ...more,
  });

  test("starts unconnected, connects when told to, and returns what it should", async () => {
    const view = renderHook(() => clew.useAgentWebSocket({ sessionId: "s" }), { wrapper });
    expect(view.result.current).toMatchObject({ connectionState: "disconnected", sessionState: null });
    await pass();
    expect(FakeSocket.all).toHaveLength(0);
    act(() => view.result.current.connect());
    await pass();
    FakeSocket.last.open();
    await pass();
    expect(view.result.current.connectionState).toBe("connected");
    FakeSocket.last.sync(1, { session: { title: "Hello", owner: "o" } });
    await pass();
    expect(view.result.current.sessionState).toMatchObject({ title: "Hello" });
    act(() => view.result.current.disconnect());
    await pass();
    expect(view.result.current.connectionState).toBe("disconnected");
  });

  test("a clean close ends it, a broken line is opened again", async () => {
    const view = renderHook(() => clew.useAgentWebSocket({ sessionId: "s" }), { wrapper });
    act(() => view.result.current.connect());
    (await sync()).end(1000, "BYE");
    await pass(60_000);
    expect(view.result.current.connectionState).toBe("disconnected");
    expect(FakeSocket.all).toHaveLength(1);
    act(() => view.result.current.connect());
    (await sync()).end(1006);
    await pass(1000);
    expect(FakeSocket.all).toHaveLength(3);
  });

  test("what changed is in the state, and is called back once; what was before is not", async () => {
    const heard: string[] = [];
    const view = renderHook(
      () =>
        clew.useAgentWebSocket({
          sessionId: "s",
          onLayerStart: (layer) => heard.push(`layer ${layer}`),
          onTodoUpdate: (t) => heard.push(`todo ${t.id} ${t.status}`),
          onHitlRequest: (q) => heard.push(`ask ${q.request_id}`),
          onComplete: (r) => heard.push(`complete ${r.ended?.status}`),
          onError: (e) => heard.push(`error ${e.code}`),
        }),
      { wrapper },
    );
    act(() => view.result.current.connect());
    const run = { run_id: "r", monitor_id: "monitor-0", status: "executing", plan: null } as const;
    const socket = await sync(1, {
      status: { status: "executing", front: "r", current_layer: "planning" },
      run: [run],
      todo: [todo("a"), todo("b")],
    });
    const ask = (type: Question["type"], request_id: string): Question =>
      ({ type, request_id, reason: "?", options: [] }) as unknown as Question;
    socket.change(1, 2, { status: { status: "executing", front: "r", current_layer: "execution" } });
    socket.change(2, 3, { todo: [todo("a", { status: "in_progress", progress_percentage: 40 })] });
    socket.change(3, 5, { question: [ask("hitl_approval_request", "q")] });
    await pass();
    expect(view.result.current.sessionState).toMatchObject({
      current_layer: "execution",
      todos: [{ status: "in_progress", progress_percentage: 40 }, { status: "pending" }],
    });
    expect(view.result.current.hitlPending).toMatchObject({ type: "approval", data: { request_id: "q" } });
    socket.change(5, 6, { question: [{ ...ask("hitl_approval_request", "q"), assignee: "ann" } as Question] });
    socket.change(6, 7, { question: [ask("hitl_plan_review", "p")] }, { del: { question: ["q"] } });
    socket.change(7, 8, { todo: [todo("a", { status: "completed", result_summary: { text: "done" } })] });
    await pass();
    expect(view.result.current.hitlPending).toMatchObject({ type: "plan_review" });
    expect(view.result.current.todos[0]).toMatchObject({ status: "completed", result_summary: { text: "done" } });
    const error = {
      code: "TODO_FAILED",
      number: 4002,
      message: "",
      recoverable: true,
      suggested_action: "retry",
    } as const;
    socket.change(8, 9, {
      run: [{ ...run, status: "completed", ended: { status: "done" } }],
      status: { status: "completed", front: "r" },
    });
    socket.change(9, 10, { problem: [{ ...error, message_id: idOf(10), ts: 1 }] });
    socket.say("error", { ...error, code: "RATE_LIMITED" });
    await pass();
    expect(view.result.current.sessionState).toMatchObject({ status: "completed" });
    expect(heard).toEqual([
      "layer execution",
      "todo a in_progress",
      "ask q",
      "ask p",
      "todo a completed",
      "complete done",
      "error TODO_FAILED",
      "error RATE_LIMITED",
    ]);
  });

  test("answers, pause and resume go out while the socket is open, and only then", async () => {
    const view = renderHook(() => clew.useAgentWebSocket({ sessionId: "s" }), { wrapper });
    act(() => view.result.current.pause());
    act(() => view.result.current.connect());
    const socket = await sync();
    expect(socket.sent).toEqual([]);
    act(() => {
      view.result.current.sendHitlResponse("q", { type: "approval", action: "approve", comment: "go" });
      view.result.current.sendHitlResponse("p", { type: "plan", action: "reject" });
      view.result.current.pause();
      view.result.current.resume();
    });
    expect(socket.sent).toMatchObject([
      { type: "hitl_approval_response", data: { request_id: "q", action: "approve", comment: "go" } },
      { type: "hitl_plan_response", data: { request_id: "p", action: "reject" } },
      { type: "control_pause", data: {} },
      { type: "control_resume", data: {} },
    ]);
    expect(socket.sent[0]!.data).not.toHaveProperty("type"); // the server would refuse it
  });

  test("an unknown type is warned of, and otherwise ignored", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const view = renderHook(() => clew.useAgentWebSocket({ sessionId: "s" }), { wrapper });
    act(() => view.result.current.connect());
    const socket = await sync();
    socket.say("from_the_future", {});
    socket.say("from_the_future", {});
    socket.change(1, 3, { session: { title: "known", owner: "o" } });
    await pass();
    expect(warn.mock.calls).toEqual([["Unknown message type:", "from_the_future"]]);
    expect(view.result.current.connectionState).toBe("active");
    warn.mockRestore();
  });
});
