/** What models were sent and wrote, as `GET /usage/tokens` gives it. */
export interface Row {
  day?: string;
  session_id?: string;
  title?: string;
  model?: string;
  owner?: string;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cache_writes: number;
  cache_reads: number;
  cost_usd: number;
}

export interface Usage {
  rows: Row[];
  sessions: number;
  total: Row;
  left_out?: number;
  budgets: Budgets;
}

/** What may be spent before a person is asked; 0 is no limit. */
export interface Budgets {
  task_usd: number;
  month_usd: number;
  /** By the caller, in this month of UTC. */
  month_spent_usd: number;
}

export type Period = "week" | "month" | "year";
export type Kind = "model" | "session" | "person";
export type Measure = "cost" | "tokens";

/** How many days a period has, and how many of them a bar stands for. */
export const periods: Record<Period, { days: number; bar: number }> = {
  week: { days: 7, bar: 1 },
  month: { days: 30, bar: 1 },
  year: { days: 364, bar: 7 },
};

const day = 86_400_000;

/** The day of UTC, as the server counts them. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first day of a period that ends today, and that of the one before it. */
export function since(period: Period, now: number): { first: string; before: string } {
  const { days } = periods[period];
  return { first: dayOf(now - (days - 1) * day), before: dayOf(now - (2 * days - 1) * day) };
}

export const tokensOf = (r: Row): number => r.tokens_in + r.tokens_out + r.cache_reads + r.cache_writes;
export const valueOf = (r: Row, measure: Measure): number => (measure === "cost" ? r.cost_usd : tokensOf(r));

/** Adds rows up. */
export function sum(rows: readonly Row[]): Row {
  const all: Row = { calls: 0, tokens_in: 0, tokens_out: 0, cache_writes: 0, cache_reads: 0, cost_usd: 0 };
  for (const r of rows) {
    all.calls += r.calls;
    all.tokens_in += r.tokens_in;
    all.tokens_out += r.tokens_out;
    all.cache_writes += r.cache_writes;
    all.cache_reads += r.cache_reads;
    all.cost_usd += r.cost_usd;
  }
  return all;
}

/** The share of what models read that came from their cache, 0 to 1. */
export function cached(r: Row): number | undefined {
  const read = r.tokens_in + r.cache_reads + r.cache_writes;
  return read === 0 ? undefined : r.cache_reads / read;
}

/** By how much more the second is than the first, such as 0.12; undefined without a first. */
export function change(before: number, now: number): number | undefined {
  return before <= 0 ? undefined : now / before - 1;
}

export interface Bar {
  /** Its first day, and its last. */
  from: string;
  to: string;
  /** One value for each series. */
  values: number[];
}

export interface Series {
  id: string;
  name: string;
}

/** As many series as there are colours; the last stands for all others. */
const most = 5;

/** Rows of days as bars, each divided by what is asked for: the largest ones by name, the others together. */
export function chart(
  rows: readonly Row[],
  kind: Kind,
  measure: Measure,
  period: Period,
  now: number,
  names: { other: string; unknown: string },
): { series: Series[]; bars: Bar[] } {
  const id = (r: Row) => (kind === "model" ? r.model : kind === "session" ? r.session_id : r.owner) ?? "";
  const totals = new Map<string, { name: string; value: number }>();
  for (const r of rows) {
    const t = totals.get(id(r)) ?? { name: (kind === "session" ? r.title : "") || id(r) || names.unknown, value: 0 };
    t.value += valueOf(r, measure);
    totals.set(id(r), t);
  }
  const ranked = [...totals].filter(([, t]) => t.value > 0).sort((a, b) => b[1].value - a[1].value);
  const named = ranked.length > most ? ranked.slice(0, most - 1) : ranked;
  const series = named.map(([key, t]) => ({ id: key, name: t.name }));
  if (ranked.length > named.length) series.push({ id: "\0other", name: names.other });
  const at = new Map(named.map(([key], i) => [key, i]));

  const { days, bar } = periods[period];
  const bars: Bar[] = [];
  const barOf = new Map<string, number>();
  for (let i = 0; i < days; i++) {
    const d = dayOf(now - (days - 1 - i) * day);
    if (i % bar === 0) bars.push({ from: d, to: d, values: series.map(() => 0) });
    bars.at(-1)!.to = d;
    barOf.set(d, bars.length - 1);
  }
  for (const r of rows) {
    const b = barOf.get(r.day ?? "");
    if (b === undefined || valueOf(r, measure) === 0) continue;
    bars[b]!.values[at.get(id(r)) ?? series.length - 1]! += valueOf(r, measure);
  }
  return { series, bars };
}

/** What a month will have cost at its end if it goes on as until now, and its last day. */
export function onCourse(spent: number, now: number): { usd: number; last: string } {
  const d = new Date(now);
  const begin = Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), 1);
  const end = Date.UTC(d.getUTCFullYear(), d.getUTCMonth() + 1, 1);
  return { usd: (spent * (end - begin)) / Math.max(day, now - begin), last: dayOf(end - day) };
}

/** Round numbers from 0 to at least the largest value, three to six of them. */
export function ticks(largest: number): number[] {
  if (largest <= 0) return [0, 1];
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** A spreadsheet would run a cell that begins like a formula, so that one begins with a quote. */
const cell = (v: string | number): string => {
  const s = typeof v === "string" && /^[=+\-@\t\r]/.test(v) ? `'${v}` : String(v);
  return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
};

export function csv(rows: readonly Row[]): string {
  const columns = [
    "day",
    "owner",
    "session_id",
    "title",
    "model",
    "calls",
    "tokens_in",
    "tokens_out",
    "cache_reads",
    "cache_writes",
    "cost_usd",
  ] as const;
  return [columns.join(","), ...rows.map((r) => columns.map((c) => cell(r[c] ?? "")).join(","))].join("\r\n") + "\r\n";
}
