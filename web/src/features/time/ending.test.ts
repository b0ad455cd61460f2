import type { Receipt, ServerEnvelope, Session } from "@clew-run/client";
import { expect, test } from "vitest";
import { endOf, ending } from "./ending";

const record = (type: string, data: object, by?: string): ServerEnvelope =>
  ({ type, data, client_message_id: by, message_id: "msg_000000000007", session_id: "s", timestamp: "" }) as unknown as ServerEnvelope;
const receipt = (...records: ServerEnvelope[]): Receipt => ({ clientMessageId: "mine", records, repeat: false });

test("of several trips the own one counts", () => {
  const begun = receipt(record("rewind_started", { rewind_id: "r1" }, "mine"));
  expect(endOf([record("history_rewound", { rewind_id: "r0", files: { hash: "h0" } }, "theirs")], begun)).toBeUndefined();
  expect(endOf([record("rewind_failed", { rewind_id: "r1", reason: "no room" })], begun)).toEqual({ how: "failed", reason: "no room" });
  expect(endOf([record("history_rewound", { rewind_id: "r1", files: { hash: "h1" } })], begun)).toEqual({ how: "done", files: { hash: "h1" } });
  expect(endOf([], receipt(record("history_rewound", {}, "mine")))).toEqual({ how: "done", files: undefined });
});

/** A session of which only the line matters. */
function fake() {
  const listeners = new Set<(e: ServerEnvelope) => void>();
  const subscribers = new Set<() => void>();
  let snapshot = { synced: true, session: {} as object | null, lastMessageId: "msg_000000000009" };
  const session = {
    on: (_: string, fn: (e: ServerEnvelope) => void) => (listeners.add(fn), () => listeners.delete(fn)),
    store: { getSnapshot: () => snapshot, subscribe: (fn: () => void) => (subscribers.add(fn), () => subscribers.delete(fn)) },
  } as unknown as Session;
  return {
    session,
    say: (e: ServerEnvelope) => listeners.forEach((fn) => fn(e)),
    become: (next: Partial<typeof snapshot>) => {
      snapshot = { ...snapshot, ...next };
      subscribers.forEach((fn) => fn());
    },
    waits: () => listeners.size > 0,
  };
}

test("records of something else do not end it, a line that broke does once nothing is under way", async () => {
  const f = fake();
  let ended: unknown;
  void ending(f.session, async () => receipt(record("task_paused", {}, "mine"))).then((e) => (ended = e));
  const turn = () => new Promise((go) => setTimeout(go));
  await turn();
  f.become({ lastMessageId: "msg_000000000010" });
  await turn();
  expect(ended).toBeUndefined();
  f.become({ synced: false });
  f.become({ synced: true, session: { returning: {} } });
  await turn();
  expect(ended).toBeUndefined();
  f.become({ session: {} });
  await turn();
  expect(ended).toEqual({ how: "unknown" });
  expect(f.waits()).toBe(false);
});
