import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** When it began, µs. */
  ts: number;
  /** How long by the clock, µs. */
  dur?: number;
  /** How long the thread worked, µs. */
  tdur?: number;
  args?: { name?: string };
}

/** What the main thread did, in ms of its own time: what others take of the machine does not count. */
export interface Traced {
  frames: number;
  /** Script in a frame, with what it makes the browser do at once: 95 of 100 frames had that at most. */
  scriptP95: number;
  scriptMax: number;
  /** The longest task. */
  task: number;
}

const categories = ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"];
/** What Chromium calls the work of scripts. */
const script = new Set([
  "FunctionCall",
  "EvaluateScript",
  "TimerFire",
  "FireAnimationFrame",
  "FireIdleCallback",
  "RunMicrotasks",
  "BlinkScheduler_PerformMicrotaskCheckpoint",
  "EventDispatch",
  "MinorGC",
  "MajorGC",
]);

/** Watches the page's main thread during something, by a trace of the browser. */
export async function traced(browser: Browser, page: Page, during: () => Promise<unknown>): Promise<Traced> {
  await browser.startTracing(page, { categories });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  return read(busiest(traceEvents));
}

/** What is on record of the main thread of the page: other pages of the browser rest meanwhile. */
function busiest(events: readonly TraceEvent[]): TraceEvent[] {
  const threads = new Map<string, TraceEvent[]>();
  const of = (e: TraceEvent) => `${e.pid} ${e.tid}`;
  for (const e of events) if (e.name === "thread_name" && e.args?.name === "CrRendererMain") threads.set(of(e), []);
  for (const e of events) if (e.ph === "X") threads.get(of(e))?.push(e);
  return [...threads.values()]
    .reduce((a, b) => (b.length > a.length ? b : a), [])
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
}

function read(events: readonly TraceEvent[]): Traced {
  const inFrames: number[] = [];
  let now = 0;
  let end = 0; // of the script that is under way: what it calls is part of it
  let task = 0;
  for (const e of events) {
    if (e.name === "Commit") {
      inFrames.push(now);
      now = 0;
    } else if (e.name === "RunTask") {
      task = Math.max(task, worked(e));
    } else if (script.has(e.name) && e.ts >= end) {
      now += worked(e);
      end = e.ts + (e.dur ?? 0);
    }
  }
  inFrames.sort((a, b) => a - b);
  return {
    frames: inFrames.length,
    scriptP95: inFrames[Math.ceil(inFrames.length * 0.95) - 1] ?? 0,
    scriptMax: inFrames.at(-1) ?? 0,
    task,
  };
}

const worked = (e: TraceEvent): number => (e.tdur ?? e.dur ?? 0) / 1000;
