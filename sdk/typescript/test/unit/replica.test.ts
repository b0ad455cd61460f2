import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { idOf, ProtocolFault } from "../../src/position.js";
import { Replica } from "../../src/replica.js";
import { Transcript } from "../../src/transcript.js";
import type { SessionState, StateChangedData, TextData } from "../../src/types.gen.js";
import { comparable, stateOf } from "../state.js";
import { messageOf } from "./fake_socket.js";

interface Line {
  change?: StateChangedData;
  text?: TextData;
  session_state?: SessionState;
}

const dir = new URL("../vectors/", import.meta.url);

describe("the plays that the server's tests have written", () => {
  const names = readdirSync(dir);
  test("are there", () => expect(names.length).toBeGreaterThanOrEqual(10));

  test.each(names)("%s", (name) => {
    const r = new Replica(new Transcript(20_000));
    let compared = 0;
    for (const [i, line] of readFileSync(new URL(name, dir), "utf8").trim().split("\n").entries()) {
      const { change, text, session_state: state } = JSON.parse(line) as Line;
      if (change) r.apply(change);
      if (text) r.text(text);
      if (!state) continue;
      compared++;
      expect(stateOf(r), `${name}:${i + 1}`).toEqual({ ...comparable(state), last_message_id: r.cursor });
    }
    expect(compared).toBeGreaterThan(0);
  });
});

const replica = (): Replica => {
  const r = new Replica(new Transcript(100));
  r.apply({
    to: idOf(5),
    total: 3,
    put: {
      message: [messageOf(4)],
      task: [{ task_id: "t", root_task_id: "t", status: "active", state: "running", created_ms: 1 }],
    },
  });
  return r;
};

test("a change that does not go on from what is held is not taken", () => {
  expect(() => new Replica(new Transcript(1)).apply({ from: idOf(1), to: idOf(2), total: 0 })).toThrow(ProtocolFault);
  const r = replica();
  expect(() => r.apply({ from: idOf(4), to: idOf(6), total: 0 })).toThrow(ProtocolFault);
  expect(() => r.apply({ from: idOf(6), to: idOf(7), total: 0 })).toThrow(ProtocolFault);
  expect(r.cursor).toBe(idOf(5));
  r.filtered = true; // what is left out is not told
  r.apply({ from: idOf(6), to: idOf(7), total: 0 });
  expect(() => r.apply({ from: idOf(6), to: idOf(8), total: 0 })).toThrow(ProtocolFault);
});

test("what did not change stays the same object; kinds that are unknown are ignored", () => {
  const r = replica();
  const before = r.entities;
  const strange = { constructor: { x: 1 }, agent: [{ agent_id: "a" }], queue: [] };
  r.apply({
    from: idOf(5),
    to: idOf(6),
    total: 3,
    put: strange as never,
    reset: ["agent" as never],
    del: { agent: ["a"] },
  });
  expect(r.entities).toEqual(before);
  expect(r.entities.task).toBe(before.task);
});

test("a whole state drops what is held, and says whether there is more", () => {
  const r = replica();
  expect(r.transcript.hasOlder).toBe(true);
  r.apply({ to: idOf(9), total: 1, put: { message: [messageOf(9)] } });
  expect(r.transcript.publish().ids).toEqual([idOf(9)]);
  expect(r.transcript.hasOlder).toBe(false);
  expect(r.entities.task).toEqual([]);
  r.apply({
    from: idOf(9),
    to: idOf(12),
    total: 300,
    reset: ["message"],
    put: { message: [messageOf(11), messageOf(12)] },
  });
  expect(r.transcript.publish().ids).toEqual([11, 12].map(idOf));
  expect(r.transcript.hasOlder).toBe(true);
});

test("cells are told apart by their notebook and their own id", () => {
  const r = replica();
  const cell = (notebook_id: string, cell_id: string, source: string) => ({
    notebook_id,
    cell_id,
    type: "code" as const,
    source,
    outputs: [],
  });
  r.apply({ from: idOf(5), to: idOf(6), total: 3, put: { cell: [cell("nb_1", "a", "1"), cell("nb_2", "a", "2")] } });
  r.apply({ from: idOf(6), to: idOf(7), total: 3, put: { cell: [cell("nb_1", "a", "3")] } });
  expect(r.entities.cell.map((c) => c.source)).toEqual(["3", "2"]);
  r.apply({ from: idOf(7), to: idOf(8), total: 3, del: { cell: ["nb_1/a"] } });
  expect(r.entities.cell.map((c) => c.source)).toEqual(["2"]);
});
