import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lazyPart } from "./lazyPart";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("a part that cannot be fetched tries again by itself, and the rest of the page stays", async () => {
  let tries = 0;
  const Part = lazyPart<{ name: string }>(async () => {
    if (++tries < 3) throw new TypeError("Failed to fetch");
    return ({ name }) => <p>Here is {name}</p>;
  });
  render(
    <>
      <p>The rest</p>
      <Part name="it" />
    </>,
  );
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(screen.getByText(/Failed to fetch/)).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(tries).toBe(2);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(screen.getByText("Here is it")).toBeTruthy();
  expect(screen.getByText("The rest")).toBeTruthy();
  cleanup();
  render(<Part name="again" />);
  expect(screen.getByText("Here is again")).toBeTruthy(); // at once
  expect(tries).toBe(3);
});

test("a dialog shows nothing until it is there, and says if it cannot be had", async () => {
  let fails = true;
  const Part = lazyPart(async () => {
    if (fails) throw new TypeError("Failed to fetch");
    return () => <p>The dialog</p>;
  }, true);
  const page = render(<Part />);
  expect(page.container.textContent).toBe("");
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(screen.getByText(/Failed to fetch/)).toBeTruthy();
  fails = false;
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(screen.getByText("The dialog")).toBeTruthy();
});
