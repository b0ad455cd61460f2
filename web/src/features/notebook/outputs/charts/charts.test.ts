/* oxlint-disable react/no-children-prop -- the props have to have them */
import type { Session } from "@clew-run/client";
import { act, cleanup, render, screen } from "@testing-library/react";
import { createElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ChartOutput } from "./ChartOutput";
import { drawsCharts } from "./frame";

vi.mock("./scripts", () => ({ chartPage: async () => "<page>" }));
vi.mock("@/features/windows/FramePage", () => ({ FramePage: () => null }));

let hidden = false;
const look = (seen: boolean) => {
  hidden = !seen;
  document.dispatchEvent(new Event("visibilitychange"));
};
beforeEach(() => {
  vi.useFakeTimers();
  hidden = false;
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const chart = (value: unknown) =>
  createElement(ChartOutput, {
    session: { id: "s" } as Session,
    kind: "vega" as const,
    value,
    n: 1,
    children: "another form",
  });
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const givenUp = () => screen.queryByText("another form") !== null;

test("a chart is given up after a while, but not while nobody sees the page", async () => {
  look(false);
  render(chart({ a: 1 }));
  await wait(60_000);
  expect(givenUp()).toBe(false);
  look(true);
  await wait(19_000);
  look(false);
  await wait(60_000);
  expect(givenUp()).toBe(false);
  look(true);
  await wait(20_000);
  expect(givenUp()).toBe(true);
});

test("a chart that was changed is drawn anew", async () => {
  const { rerender } = render(chart({ a: 1 }));
  await wait(0);
  await wait(20_000);
  expect(givenUp()).toBe(true);
  rerender(chart({ a: 1 }));
  expect(givenUp()).toBe(true);
  rerender(chart({ a: 2 }));
  await wait(0);
  expect(givenUp()).toBe(false);
});

test("a frame says that its chart is drawn, though nothing observes it", async () => {
  document.body.innerHTML = '<div id="chart"></div>';
  const told: unknown[] = [];
  vi.spyOn(window, "postMessage").mockImplementation((answer: unknown) => void told.push(answer));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
    },
  ); // as in a page that nobody sees
  vi.stubGlobal("parent", window);
  const drawn: unknown[] = [];
  drawsCharts(async (value) => void drawn.push(value));
  const order = { chart: '{"mark":"bar"}', kind: "vega" };
  dispatchEvent(new MessageEvent("message", { data: order, source: window }));
  await wait(0);
  expect(drawn).toEqual([{ mark: "bar" }]);
  expect(told).toEqual([{ chart: "drawn", height: 0 }]);
  vi.unstubAllGlobals();
});
