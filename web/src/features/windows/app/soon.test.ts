import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { soon } from "./soon";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Asks, and notes the answers. */
function asker() {
  const told: string[] = [];
  const now = { is: false };
  const s = soon(() => now.is);
  return { now, told, close: s.close, ask: (name: string) => void s.ask().then((is) => told.push(`${name} ${is}`)) };
}

test("what is so is told at once", async () => {
  const a = asker();
  a.now.is = true;
  a.ask("first");
  await Promise.resolve();
  expect(a.told).toEqual(["first true"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what becomes so in time is told in order, and the rest that it was not so", async () => {
  const a = asker();
  a.ask("early");
  await vi.advanceTimersByTimeAsync(900);
  a.ask("late");
  await vi.advanceTimersByTimeAsync(200);
  expect(a.told).toEqual(["early false"]);
  a.ask("last");
  a.now.is = true;
  await vi.advanceTimersByTimeAsync(20);
  expect(a.told).toEqual(["early false", "late true", "last true"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("of what comes without end the newest wait", async () => {
  const a = asker();
  for (let i = 0; i < 1_000; i++) a.ask(String(i));
  await Promise.resolve();
  expect(a.told).toHaveLength(997);
  a.now.is = true;
  a.ask("click");
  await Promise.resolve();
  expect(a.told.slice(997)).toEqual(["997 false", "998 true", "999 true", "click true"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a look that comes late tells nobody whose time is over, and an end tells all", async () => {
  const a = asker();
  a.ask("stalled");
  vi.setSystemTime(Date.now() + 5_000);
  a.now.is = true;
  await vi.advanceTimersByTimeAsync(20);
  expect(a.told).toEqual(["stalled false"]);
  a.now.is = false;
  a.ask("open");
  a.close();
  await Promise.resolve();
  expect(a.told).toEqual(["stalled false", "open false"]);
  expect(vi.getTimerCount()).toBe(0);
});
