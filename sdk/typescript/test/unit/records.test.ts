import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RecordsOptions, RecordStream } from "../../src/index.js";
import { idOf } from "../../src/position.js";
import { fakeClient, FakeSocket, messageOf, settle } from "./fake_socket.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const state = (socket: FakeSocket, last: number, epoch = "e1"): void =>
  socket.say("session_state", { last_message_id: idOf(last), epoch, messages: [] }, { message_id: "snap_1" });

async function begin(
  options: RecordsOptions = {},
  last = 1,
): Promise<{ s: RecordStream; socket: FakeSocket; heard: string[] }> {
  const s = fakeClient().records("s", options);
  const heard: string[] = [];
  s.on(
    "*",
    (env) => env.message_id?.startsWith("msg_") && heard.push(`${env.type} ${Number(env.message_id.slice(4))}`),
  );
  s.connect();
  await settle();
  const socket = FakeSocket.last;
  socket.open();
  state(socket, last);
  if (options.resumeFrom === undefined) socket.synced(last);
  return { s, socket, heard };
}

async function again(s: RecordStream): Promise<FakeSocket> {
  await vi.advanceTimersByTimeAsync(1000);
  await settle();
  expect(s.connection.state).toBe("reconnecting");
  FakeSocket.last.open();
  return FakeSocket.last;
}

test("each record once and in order, over a broken line", async () => {
  const { s, socket, heard } = await begin({ resumeFrom: "start" }, 3);
  expect(socket.query.get("view")).toBe("records");
  expect(socket.query.get("resume_from")).toBe("start");
  for (const seq of [1, 2, 3, 2]) socket.record(seq, "session_renamed", { title: "t" });
  socket.synced(3, 3);
  socket.record(4, "session_renamed", { title: "t" });
  expect(s.position).toEqual({ resumeFrom: idOf(4), epoch: "e1" });
  socket.end(1006);
  const next = await again(s);
  expect(next.query.get("resume_from")).toBe(idOf(4));
  state(next, 5);
  next.record(5, "from_the_future", {});
  next.synced(5, 1);
  expect(heard).toEqual([1, 2, 3, 4].map((n) => `session_renamed ${n}`).concat("from_the_future 5"));
  expect(s.connection.state).toBe("active");
});

test("a gap, a record before the state, and one that has no number: it connects again", async () => {
  for (const seq of [5, 0]) {
    const { s, socket } = await begin();
    socket.record(seq, "session_renamed", { title: "?" });
    expect(s.connection.state).toBe("reconnecting");
    s.disconnect();
  }
  const { s, socket } = await begin();
  await s.send("subscribe_monitor", { monitor_id: "monitor-1" });
  socket.record(5, "session_renamed", { title: "a gap is right now" });
  expect(s.connection.state).toBe("active");
  socket.end(1006);
  const next = await again(s);
  next.record(6, "session_renamed", { title: "too soon" });
  expect(s.connection.state).toBe("reconnecting");
});

test("after CURSOR_LOST it goes on from the state that came with it", async () => {
  const { s, socket } = await begin({}, 7);
  socket.end(1011, "CURSOR_LOST");
  const cut = await again(s);
  state(cut, 9, "e2");
  cut.end(1006); // before the word that explains it
  expect(s.position).toEqual({ resumeFrom: idOf(7), epoch: "e1" });
  await vi.advanceTimersByTimeAsync(10_000); // the second pause is longer
  const next = await again(s);
  expect(next.query.get("epoch")).toBe("e1");
  state(next, 2, "e2");
  next.say("error", {
    code: "CURSOR_LOST",
    number: 3006,
    message: "lost",
    recoverable: true,
    suggested_action: "resync",
  });
  next.synced(2);
  next.record(3, "session_renamed", { title: "on" });
  expect(s.connection.state).toBe("active");
  expect(s.position).toEqual({ resumeFrom: idOf(3), epoch: "e2" });
});

test("a command comes back with its records", async () => {
  const { s, socket } = await begin();
  const sent = s.send("user_message", { text: "hi" }, { id: "mine" });
  socket.record(2, "message_created", { message: messageOf(2, { role: "user" }) }, { client_message_id: "mine" });
  socket.record(
    3,
    "message_accepted",
    { client_message_id: "mine", message_id: idOf(2), delivery: "direct" },
    { client_message_id: "mine" },
  );
  const receipt = await sent;
  expect(receipt).toMatchObject({ clientMessageId: "mine", delivery: "direct", repeat: false });
  expect(receipt.records.map((r) => r.type)).toEqual(["message_created", "message_accepted"]);
});
