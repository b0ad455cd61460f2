import { afterEach, expect, test, vi } from "vitest";
import { whenReleased } from "./press";

afterEach(() => vi.useRealTimers());

test("what a press would move stays until the press is over", () => {
  vi.useFakeTimers();
  const fold = vi.fn();
  whenReleased(fold);
  expect(fold).toHaveBeenCalledTimes(1); // by keyboard: at once
  window.dispatchEvent(new Event("pointerdown"));
  whenReleased(fold);
  vi.runAllTimers();
  expect(fold).toHaveBeenCalledTimes(1);
  window.dispatchEvent(new Event("pointerup"));
  expect(fold).toHaveBeenCalledTimes(1); // the click comes first
  vi.runAllTimers();
  expect(fold).toHaveBeenCalledTimes(2);
  window.dispatchEvent(new Event("pointerup"));
  vi.runAllTimers();
  expect(fold).toHaveBeenCalledTimes(2);
});
