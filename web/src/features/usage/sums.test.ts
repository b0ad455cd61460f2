import { expect, test } from "vitest";
import { cached, change, chart, csv, onCourse, since, sum, ticks, type Row } from "./sums";

const now = Date.parse("2026-11-17T09:00:00Z");
const row = (r: Partial<Row>): Row => ({
  calls: 1,
  tokens_in: 0,
  tokens_out: 0,
  cache_writes: 0,
  cache_reads: 0,
  cost_usd: 0,
  ...r,
});
const names = { other: "Other", unknown: "Unknown" };

test("a period ends today, and the one before it is as long", () => {
  expect(since("week", now)).toEqual({ first: "2026-11-11", before: "2026-11-04" });
});

test("bars have every day, also those on which nothing was used", () => {
  const { series, bars } = chart(
    [
      row({ day: "2026-11-11", model: "a", cost_usd: 2 }),
      row({ day: "2026-11-17", model: "b", cost_usd: 3 }),
      row({ day: "2026-11-17", cost_usd: 1 }),
    ],
    "model",
    "cost",
    "week",
    now,
    names,
  );
  expect(series.map((s) => s.name)).toEqual(["b", "a", "Unknown"]);
  expect(bars).toHaveLength(7);
  expect(bars[0]).toEqual({ from: "2026-11-11", to: "2026-11-11", values: [0, 2, 0] });
  expect(bars[6]!.values).toEqual([3, 0, 1]);
});

test("beyond four the smaller ones stand together, and nothing is lost", () => {
  const rows = Array.from({ length: 9 }, (_, i) => row({ day: "2026-11-16", model: `m${i}`, cost_usd: i + 1 }));
  const { series, bars } = chart(rows, "model", "cost", "month", now, names);
  expect(series.map((s) => s.name)).toEqual(["m8", "m7", "m6", "m5", "Other"]);
  expect(bars.flatMap((b) => b.values).reduce((a, b) => a + b)).toBe(45);
});

test("a year is in weeks", () => {
  const { bars } = chart(
    [row({ day: "2026-11-10", model: "a", cost_usd: 1 }), row({ day: "2026-11-11", model: "a", cost_usd: 1 })],
    "model",
    "cost",
    "year",
    now,
    names,
  );
  expect(bars).toHaveLength(52);
  expect(bars.at(-1)).toEqual({ from: "2026-11-11", to: "2026-11-17", values: [1] });
  expect(bars.at(-2)!.values).toEqual([1]);
});

test("shares and changes are said only where there is something to compare", () => {
  expect(cached(sum([row({ tokens_in: 20, cache_reads: 70, cache_writes: 10 })]))).toBe(0.7);
  expect(cached(row({}))).toBeUndefined();
  expect(change(0, 5)).toBeUndefined();
  expect(change(100, 112)).toBeCloseTo(0.12);
});

test("a month that is half over will cost twice as much", () => {
  expect(onCourse(150, Date.parse("2026-11-16T00:00:00Z"))).toEqual({ usd: 300, last: "2026-11-30" });
  expect(onCourse(1, Date.parse("2026-12-01T00:10:00Z"))).toEqual({ usd: 31, last: "2026-12-31" }); // not from ten minutes
});

test("ticks are round and reach the largest value", () => {
  expect(ticks(19.4)).toEqual([0, 5, 10, 15, 20]);
  expect(ticks(0.0031)).toEqual([0, 0.001, 0.002, 0.003, 0.004]);
  for (const n of [1, 7, 99, 100, 101, 12345, 3e-7]) expect(ticks(n).at(-1)).toBeGreaterThanOrEqual(n * (1 - 1e-9));
});

test("a file for spreadsheets runs nothing", () => {
  const text = csv([
    row({ day: "2026-11-16", owner: "ada", session_id: "s", title: '=HYPERLINK("x"),\n', model: "m", cost_usd: 0.5 }),
  ]);
  expect(text.split("\r\n")[0]).toBe(
    "day,owner,session_id,title,model,calls,tokens_in,tokens_out,cache_reads,cache_writes,cost_usd",
  );
  expect(text).toContain(`2026-11-16,ada,s,"'=HYPERLINK(""x""),\n",m,1,0,0,0,0,0.5\r\n`);
});
