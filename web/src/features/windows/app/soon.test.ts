import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { soon } from "./soon";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Asks, and notes the answers. */
function asker(so: () => boolean) {
  const ask = soon(so), told: string[] = [];
  return { told, ask: (name: string) => void ask().then((is) => told.push(`${name} ${is}`)) };
}

test("what is so is told at once", async () => {
  const a = asker(() => true);
  a.ask("first");
  await Promise.resolve();
  expect(a.told).toEqual(["first true"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what becomes so in time is told in order, and the rest that it was not so", async () => {
  let is = false;
  const a = asker(() => is);
  a.ask("early");
  await vi.advanceTimersByTimeAsync(900);
  a.ask("late");
  await vi.advanceTimersByTimeAsync(200);
  expect(a.told).toEqual(["early false"]);
  a.ask("last");
  is = true;
  await vi.advanceTimersByTimeAsync(20);
  expect(a.told).toEqual(["early false", "late true", "last true"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("of what comes without end only some may wait", async () => {
  const a = asker(() => false);
  for (let i = 0; i < 1_000; i++) a.ask(String(i));
  await Promise.resolve();
  expect(a.told).toHaveLength(970);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(a.told).toHaveLength(1_000);
  expect(a.told.some((t) => t.endsWith("true"))).toBe(false);
});
