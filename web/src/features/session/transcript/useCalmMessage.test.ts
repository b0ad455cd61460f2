import { expect, test } from "vitest";
import { flushMs, paceAfter, paceNow } from "./useCalmMessage";

test("who has time shows 20 times a second, who has none shows less often, and comes back", () => {
  let pace = flushMs;
  for (let i = 0; i < 9; i++) pace = paceAfter(pace, 1);
  expect(pace).toBe(flushMs);
  for (let i = 0; i < 9; i++) pace = paceAfter(pace, 40);
  expect(pace).toBe(150);
  for (let i = 0; i < 20; i++) pace = paceAfter(pace, 1);
  expect(pace).toBe(flushMs);
});

test("while somebody types, words come less often", () => {
  expect(paceNow(flushMs, false)).toBe(flushMs);
  expect(paceNow(flushMs, true)).toBeGreaterThan(flushMs);
  expect(paceNow(150, true)).toBeGreaterThan(150);
});
