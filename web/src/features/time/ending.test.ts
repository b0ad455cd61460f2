import type { LastMove, Receipt, Session, SessionHead } from "@clew-run/client";
import { expect, test } from "vitest";
import { ending, type Ended } from "./ending";

const receipt: Receipt = { clientMessageId: "mine", records: [], repeat: false };
const move = (n: number, more: Partial<LastMove> = {}): LastMove => ({
  kind: "rewind",
  message_id: `msg_${n}`,
  ...more,
});
const turn = () => new Promise((go) => setTimeout(go));

/** A session of which only the state matters, and a trip in it that begins as told. */
async function begin(was: Partial<SessionHead>, begun: Partial<SessionHead>) {
  const subscribers = new Set<() => void>();
  let snapshot = { synced: true, session: was as SessionHead };
  const session = {
    store: {
      getSnapshot: () => snapshot,
      subscribe: (fn: () => void) => (subscribers.add(fn), () => subscribers.delete(fn)),
    },
  } as unknown as Session;
  const f = {
    ended: undefined as Ended | undefined,
    waits: () => subscribers.size > 0,
    become: async (head: Partial<SessionHead>, synced = true) => {
      snapshot = { synced, session: head as SessionHead };
      subscribers.forEach((fn) => fn());
      await turn();
    },
  };
  void ending(session, async () => (await f.become(begun), receipt)).then((e) => (f.ended = e));
  await turn();
  await turn();
  return f;
}

test("without files it is over with the answer", async () => {
  const f = await begin({ last_move: move(1) }, { last_move: move(2) });
  expect(f.ended).toEqual({ how: "done", files: undefined });
  expect(f.waits()).toBe(false);
});

test("with files it ends with its own trip, over a broken line too", async () => {
  const returning = { rewind_id: "r1" } as SessionHead["returning"];
  const f = await begin({ last_move: move(1) }, { last_move: move(1), returning });
  await f.become({ last_move: move(1), returning }, false);
  await f.become({ last_move: move(1) }, false);
  expect(f.ended).toBeUndefined();
  await f.become({ last_move: move(2, { rewind_id: "r1", files: { hash: "h1" } }) });
  expect(f.ended).toEqual({ how: "done", files: { hash: "h1" } });
  const bad = await begin({}, { returning });
  await bad.become({ last_move: move(2, { rewind_id: "r1", failed: "no room" }) });
  expect(bad.ended).toEqual({ how: "failed", reason: "no room" });
});

test("an end that others have written over is not made up", async () => {
  const returning = { rewind_id: "r1" } as SessionHead["returning"];
  const f = await begin({ last_move: move(1) }, { returning });
  await f.become({
    last_move: move(3, { rewind_id: "r2" }),
    returning: { rewind_id: "r3" } as SessionHead["returning"],
  });
  expect(f.ended).toEqual({ how: "unknown" });
});
