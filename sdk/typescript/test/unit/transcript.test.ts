import { expect, test } from "vitest";
import { idOf } from "../../src/position.js";
import { Transcript } from "../../src/transcript.js";
import { dropBytes, utf8Length } from "../../src/utf8.js";
import { messageOf } from "./fake_socket.js";

const message = messageOf;

const bytes = (text: string): number => new TextEncoder().encode(text).length;

test("bytes are counted as UTF-8 has them", () => {
  for (const text of ["", "a", "é", "한국", "👋🏽", "a\ud800b", "𐍈x", "\u07ff\u0800\uffff"]) {
    expect(utf8Length(text)).toBe(bytes(text));
    for (let i = 0; i < text.length; i++) {
      const head = text.slice(0, i);
      if (/[\ud800-\udbff]$/.test(head)) continue; // the middle of a character
      expect(dropBytes(text, bytes(head))).toBe(text.slice(i));
    }
  }
});

// Covers: C-57
test("streamed text: appended, overlapping, repeated and missing pieces", () => {
  const t = new Transcript(100);
  const text = (): string | undefined => {
    t.publish();
    return t.get(idOf(1))?.text;
  };
  t.put(message(1, { partial: true, text: "" }));
  t.write(idOf(1), "text", 0, "안녕 ");
  t.write(idOf(1), "text", 7, "👋");
  expect(text()).toBe("안녕 👋");
  t.write(idOf(1), "text", 7, "👋 there"); // an overlap
  expect(text()).toBe("안녕 👋 there");
  t.write(idOf(1), "text", 0, "안녕"); // a repeat: what lies behind stays
  expect(text()).toBe("안녕 👋 there");
  t.write(idOf(1), "text", 12, "THE"); // it is written over what stands there
  expect(text()).toBe("안녕 👋 THEre");
  t.write(idOf(1), "text", 99, "lost"); // something is missing
  t.write(idOf(9), "text", 0, "nobody's");
  expect(text()).toBe("안녕 👋 THEre");
  t.put(message(1, { partial: true, text: "안녕 👋 there, you." }));
  t.write(idOf(1), "text", utf8Length("안녕 👋 there, you."), " Yes");
  expect(text()).toBe("안녕 👋 there, you. Yes");
  t.put(message(1, { partial: true, text: undefined })); // the call is made again
  t.write(idOf(1), "text", 0, "Anew");
  t.write(idOf(1), "reasoning", 0, "why");
  expect(text()).toBe("Anew");
  expect(t.get(idOf(1))?.reasoning).toBe("why");
  expect(t.streaming).toEqual([idOf(1)]);
  t.put(message(1, { text: "Anew." }));
  expect(text()).toBe("Anew.");
  expect(t.streaming).toEqual([]);
});

test("any way of cutting a text into deltas gives the text, whatever is repeated", () => {
  let seed = 3;
  const chance = (n: number): number => (seed = (seed * 1664525 + 1013904223) >>> 0) % n;
  for (let round = 0; round < 200; round++) {
    const runes = Array.from({ length: 30 }, () => ["a", "é", "한", "👋", "\n"][chance(5)]!);
    const whole = runes.join("");
    const t = new Transcript(10);
    t.put(message(1, { partial: true, text: "" }));
    for (let at = 0; at < runes.length;) {
      const back = chance(at + 1 > 4 ? 4 : at + 1); // how much of it is known already
      const from = at - back;
      const to = Math.min(runes.length, at + 1 + chance(5));
      t.write(idOf(1), "text", utf8Length(runes.slice(0, from).join("")), runes.slice(from, to).join(""));
      at = Math.max(at, to);
    }
    t.publish();
    expect(t.get(idOf(1))?.text).toBe(whole);
  }
});

test("messages stay in order, and one before all that are held is not put", () => {
  const t = new Transcript(100);
  for (const seq of [2, 9, 4, 7, 1]) t.put(message(seq));
  expect(t.publish().ids).toEqual([2, 4, 7, 9].map(idOf));
  expect(t.prepend([message(1), message(2)])).toBe(1);
  expect(t.publish().ids).toEqual([1, 2, 4, 7, 9].map(idOf));
  t.remove([idOf(4), idOf(5)]);
  expect(t.publish().ids).toEqual([1, 2, 7, 9].map(idOf));
  expect(t.get(idOf(4))).toBeUndefined();
  expect(t.newest(2)).toMatchObject([{ message_id: idOf(9) }, { message_id: idOf(7) }]);
});

test("the list of ids stays the same object while texts grow", () => {
  const t = new Transcript(100);
  t.put(message(1, { partial: true, text: "" }));
  const { ids } = t.publish();
  const first = t.get(idOf(1));
  t.write(idOf(1), "text", 0, "more");
  const next = t.publish();
  expect(next.ids).toBe(ids);
  expect([...next.changed]).toEqual([idOf(1)]);
  expect(t.get(idOf(1))).not.toBe(first);
});

test("over the limit the end that nobody looks at goes", () => {
  const t = new Transcript(32);
  for (let i = 1; i <= 40; i++) t.put(message(i));
  expect(t.hasOlder).toBe(true);
  expect(t.publish().ids.at(-1)).toBe(idOf(40));
  expect(t.publish().ids.length).toBeLessThanOrEqual(32);
  t.view = "oldest";
  t.prepend([message(-5), message(1), message(2), message(3), message(4)].slice(1));
  expect(t.hasNewer).toBe(true);
  const held = t.publish().ids;
  expect(held[0]).toBe(idOf(1));
  t.put(message(41)); // its place is not held
  expect(t.publish().ids).toEqual(held);
});
