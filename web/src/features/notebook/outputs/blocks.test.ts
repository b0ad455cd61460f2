import { expect, test } from "vitest";
import { blocksOf } from "./blocks";
import type { Output } from "./output";

const data = (n: number): Output => ({ kind: "data", key: `d${n}`, data: { "text/plain": String(n) } });
const picture = (n: number): Output => ({ kind: "data", key: `p${n}`, data: { "image/png": "", "text/plain": "" } });
const text = (n: number, length: number): Output => ({
  kind: "stream",
  key: `s${n}`,
  name: "stdout",
  text: "x".repeat(length),
});
const sizes = (list: readonly Output[]) => blocksOf(list).map((b) => b.outputs.length);

test("few outputs are drawn at once", () => {
  expect(sizes([])).toEqual([]);
  expect(sizes(Array.from({ length: 12 }, (_, i) => data(i)))).toEqual([5, 5, 2]);
  expect(sizes(Array.from({ length: 6 }, (_, i) => picture(i)))).toEqual([4, 2]);
});

test("and little text: one that is long has a block of its own", () => {
  expect(sizes([data(0), text(1, 10_000), data(2), text(3, 10_000), text(4, 1_000_000), data(5)])).toEqual([
    3, 1, 1, 1,
  ]);
});

test("what comes later changes no block but the last, and the others stay the same objects", () => {
  const list = Array.from({ length: 40 }, (_, i) => text(i, 3_500));
  let before = blocksOf(list.slice(0, 1));
  for (let n = 2; n <= list.length; n++) {
    const now = blocksOf(list.slice(0, n), before);
    expect(now.flatMap((b) => b.outputs)).toEqual(list.slice(0, n));
    for (const [i, b] of before.slice(0, -1).entries()) expect(now[i]).toBe(b);
    before = now;
  }
});
