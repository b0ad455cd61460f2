import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ClewError } from "../../src/index.js";
import { connected, fakeClient, FakeSocket, FakeSurroundings, settle } from "./fake_socket.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Goes on in time, and lets what follows happen. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

const answer = (status: number, code: string): Response =>
  new Response(
    JSON.stringify({ error: { code, number: 1, message: "no", recoverable: false, suggested_action: "none" } }),
    { status },
  );

// Covers: WS-090, WS-091, WS-092, WS-093
describe("how a connection is kept", () => {
  test("goes through its states, and says the token first", async () => {
    const s = fakeClient({ token: () => "secret" }).session("s");
    const states: string[] = [];
    s.store.subscribe(() => states.push(s.connection.state));
    expect(s.connection.state).toBe("disconnected");
    s.connect();
    s.connect(); // once is enough
    await settle();
    expect(s.connection.state).toBe("connecting");
    FakeSocket.last.open();
    expect(s.connection.state).toBe("connected");
    expect(FakeSocket.last.sent[0]).toEqual({ type: "auth", data: { token: "secret" } });
    FakeSocket.last.sync(1);
    expect(s.connection.state).toBe("active");
    s.disconnect();
    expect(s.connection.state).toBe("disconnected");
    expect(FakeSocket.last.closedWith).toEqual({ code: 1000, reason: "BYE" });
    await pass(120_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  test("waits 1, 2, 4, 8 and 16 s, then stops and says so", async () => {
    const { s, socket } = await connected();
    socket.end(1006);
    for (const [i, seconds] of [1, 2, 4, 8, 16].entries()) {
      await settle();
      expect(s.connection).toMatchObject({ state: "reconnecting", attempt: i + 1, nextRetryMs: seconds * 1000 });
      await pass(seconds * 1000 - 1);
      expect(FakeSocket.all).toHaveLength(1 + i);
      await pass(1);
      expect(FakeSocket.all).toHaveLength(2 + i);
      FakeSocket.last.end(1006);
      await settle();
    }
    expect(s.connection).toMatchObject({ state: "failed", lastError: { code: "CONNECTION_FAILED" } });
    await pass(120_000);
    expect(FakeSocket.all).toHaveLength(6);
  });

  test("chance shortens a wait to no less than its half, and none is over 30 s", async () => {
    const { s, socket } = await connected({ random: () => 0, retry: { maxRetries: 9 } });
    socket.end(1006);
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 7; i++) {
      await settle();
      waits.push(s.connection.nextRetryMs);
      await pass(30_000);
      FakeSocket.last.end(1006);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000]);
  });

  test("resumes from the last record, with the epoch and the same client id", async () => {
    const { s, socket } = await connected({}, 7);
    expect([...socket.query.keys()]).toEqual(["client_id", "view"]);
    expect(socket.query.get("view")).toBe("state");
    socket.change(7, 8, { session: { title: "New", owner: "o" } });
    socket.end(1006);
    await pass(1000);
    const q = FakeSocket.last.query;
    expect(q.get("resume_from")).toBe("msg_000000000008");
    expect(q.get("epoch")).toBe("e1");
    expect(q.get("client_id")).toBe(s.clientId);
    FakeSocket.last.open();
    FakeSocket.last.sync(8);
    expect(s.connection).toMatchObject({ state: "active", attempt: 0 });
  });

  test.each([
    [1000, "BYE", "disconnected"],
    [1000, "TAKEN_OVER", "failed"],
    [1001, "STOPPING", "reconnecting"],
    [1002, "INVALID_MESSAGE", "failed"],
    [1007, "INVALID_MESSAGE", "failed"],
    [1008, "AUTH_FAILED", "failed"],
    [1008, "SESSION_NOT_FOUND", "failed"],
    [1008, "RATE_LIMITED", "reconnecting"],
    [1008, "TOKEN_EXPIRED", "failed"],
    [1009, "MESSAGE_TOO_LARGE", "failed"],
    [1011, "INTERNAL", "reconnecting"],
    [1011, "CURSOR_LOST", "reconnecting"],
    [1011, "SESSION_DAMAGED", "failed"],
    [1013, "TOO_SLOW", "reconnecting"],
    [1006, "", "reconnecting"],
    [4321, "SOMETHING_NEW", "reconnecting"],
  ])("close %i %s leads to %s", async (code, reason, state) => {
    const { s, socket } = await connected();
    socket.end(code, reason);
    await settle();
    expect(s.connection.state).toBe(state);
  });

  test("TOO_SLOW comes back at once", async () => {
    const { s, socket } = await connected();
    socket.end(1013, "TOO_SLOW");
    expect(s.connection.nextRetryMs).toBe(0);
    await pass(0);
    expect(FakeSocket.all).toHaveLength(2);
  });

  test("an expired token is replaced if there is a way to", async () => {
    let n = 0;
    const { s, socket } = await connected({ token: () => `t${++n}` });
    socket.end(1008, "TOKEN_EXPIRED");
    await pass(0);
    FakeSocket.last.open();
    expect(FakeSocket.last.sent[0]).toEqual({ type: "auth", data: { token: "t2" } });
    expect(s.connection.state).toBe("connected");
  });

  test("a wait that the server asks for is kept", async () => {
    const { s, socket } = await connected();
    socket.say("error", {
      code: "RATE_LIMITED",
      number: 1004,
      message: "slow down",
      recoverable: true,
      suggested_action: "wait",
      retry_after_ms: 12_000,
    });
    socket.end(1008, "RATE_LIMITED");
    expect(s.connection).toMatchObject({
      nextRetryMs: 12_000,
      lastError: { code: "RATE_LIMITED", message: "slow down" },
    });
  });

  test("a server that asks to wait is waited for, as often as it asks, and not sooner", async () => {
    const surroundings = new FakeSurroundings();
    const { s, socket } = await connected({ surroundings });
    const refuse = (to: FakeSocket) => {
      to.say("error", {
        code: "RATE_LIMITED",
        number: 1004,
        message: "too many connects",
        recoverable: true,
        suggested_action: "wait",
        retry_after_ms: 12_000,
      });
      to.end(1008, "RATE_LIMITED");
    };
    refuse(socket);
    for (let n = 2; n < 10; n++) {
      // more often than a lost line is tried
      await pass(11_000);
      surroundings.on!.visible(); // somebody looks at the page again
      await settle();
      expect(FakeSocket.all).toHaveLength(n - 1);
      await pass(1_000);
      expect(FakeSocket.all).toHaveLength(n);
      FakeSocket.last.open();
      refuse(FakeSocket.last);
      expect(s.connection.state).toBe("reconnecting");
    }
  });

  test("a refused handshake is looked into: final ones end it, others do not", async () => {
    let response = answer(401, "AUTH_FAILED");
    const s = fakeClient({ fetch: () => Promise.resolve(response) }).session("s");
    s.connect();
    await settle();
    FakeSocket.last.end(1006);
    await pass(0);
    expect(s.connection).toMatchObject({ state: "failed", lastError: { code: "AUTH_FAILED", status: 401 } });
    response = answer(503, "UNAVAILABLE");
    s.connect();
    await settle();
    FakeSocket.last.end(1006);
    await pass(0);
    expect(s.connection).toMatchObject({ state: "connecting", attempt: 1, lastError: { code: "UNAVAILABLE" } });
  });

  test("answers pings, and gives a silent line up", async () => {
    const { s, socket } = await connected();
    await pass(40_000);
    socket.say("ping");
    expect(socket.sent.at(-1)).toEqual({ type: "pong" });
    await pass(40_000);
    expect(s.connection.state).toBe("active");
    await pass(20_000);
    expect(s.connection.state).toBe("reconnecting");
  });

  test("gives up a line that says nothing for a minute", async () => {
    const { s, socket } = await connected();
    await pass(59_999);
    expect(s.connection.state).toBe("active");
    await pass(1);
    expect(s.connection).toMatchObject({ state: "reconnecting", lastError: { code: "CONNECTION_TIMEOUT" } });
    socket.change(1, 2, { session: { title: "late", owner: "o" } }); // what comes over the old line does not count
    await settle();
    expect(s.store.getSnapshot().session?.title).toBe("T");
  });

  test("a change that does not go on from what is held, and a frame that is none: it connects again", async () => {
    for (const wrong of [
      (x: FakeSocket) => x.change(4, 5),
      (x: FakeSocket) => x.onmessage?.({ data: "{" } as never),
      (x: FakeSocket) => x.onmessage?.({ data: "[]" } as never),
      (x: FakeSocket) => x.change(0, 5),
    ]) {
      const { s, socket } = await connected();
      wrong(socket);
      expect(s.connection.state).toBe("reconnecting");
      expect(socket.closedWith).toBeDefined();
      s.disconnect();
    }
  });

  test("a server that greets well and then always sends nonsense is not asked for ever", async () => {
    const { s, socket } = await connected();
    socket.change(4, 5);
    for (let i = 0; i < 10 && s.connection.state !== "failed"; i++) {
      await pass(30_000);
      FakeSocket.last.open();
      FakeSocket.last.sync(1);
      FakeSocket.last.change(4, 5);
    }
    expect(s.connection.state).toBe("failed");
    expect(FakeSocket.all.length).toBeLessThanOrEqual(7);
  });
});

describe("what a browser tells", () => {
  test("offline is said at once; online tries at once", async () => {
    const surroundings = new FakeSurroundings();
    const { s, socket } = await connected({ surroundings });
    surroundings.isOffline = true;
    surroundings.on!.offline();
    expect(s.connection).toMatchObject({ state: "active", offline: true });
    socket.end(1006);
    await settle();
    expect(s.connection).toMatchObject({ state: "reconnecting", offline: true, nextRetryMs: 1000 });
    surroundings.isOffline = false;
    surroundings.on!.online();
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
    expect(s.connection.offline).toBe(false);
  });

  test("a page that is looked at again probes its line, and gives a dead one up soon", async () => {
    const surroundings = new FakeSurroundings();
    const { s, socket } = await connected({ surroundings });
    await pass(1000);
    socket.answersProbes = false;
    surroundings.on!.visible();
    expect(socket.probes).toBe(2); // the first was for the figure
    await pass(30);
    socket.say("messages_page", { messages: [], total: 0, client_message_id: "clew-probe" });
    expect(s.connection).toMatchObject({ state: "active", rttMs: 30 });
    surroundings.on!.visible();
    await pass(4000);
    socket.change(1, 2); // a sign of life, if not the answer
    await pass(1000);
    expect(s.connection.state).toBe("active");
    surroundings.on!.visible();
    await pass(5000);
    expect(s.connection.state).toBe("reconnecting");
  });

  test("online brings back a connection that had given up, but not one that was refused", async () => {
    const surroundings = new FakeSurroundings();
    const { s, socket } = await connected({ surroundings, retry: { maxRetries: 0 } });
    socket.end(1006);
    await settle();
    expect(s.connection.state).toBe("failed");
    surroundings.on!.online();
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.last.open();
    FakeSocket.last.sync(1);
    FakeSocket.last.end(1000, "TAKEN_OVER");
    surroundings.on!.online();
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
    expect(s.connection.lastError).toBeInstanceOf(ClewError);
  });
});
