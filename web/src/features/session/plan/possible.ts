import type { RunView, Todo } from "@clew-run/client";

/** What can be done to a run where it stands. The server has the last word; this is what buttons show. */
export interface RunActions {
  pause: boolean;
  resume: boolean;
  cancel: boolean;
  edit: boolean;
}

const ended = new Set(["completed", "failed", "cancelled"]);
const planned = new Set(["review", "executing"]);

export function isOver(run: RunView): boolean {
  return run.ended !== undefined || ended.has(run.status) || ended.has(run.phase ?? "");
}

export function runActions(run: RunView): RunActions {
  const live = !isOver(run);
  return {
    pause: live && !run.paused,
    resume: live && run.paused === true,
    cancel: live,
    edit: live && planned.has(run.phase ?? ""),
  };
}

/** What can be done to one todo of it. */
export function todoActions(run: RunView, todo: Todo): { retry: boolean; skip: boolean } {
  const works = !isOver(run) && run.phase === "executing";
  return {
    retry: works && todo.status === "failed",
    skip: works && (todo.status === "pending" || todo.status === "in_progress" || todo.status === "failed"),
  };
}

/** The four layers and where the run is among them. */
export const layers = ["cognitive", "planning", "execution", "response"] as const;
export type LayerName = (typeof layers)[number];

export type LayerState = "done" | "now" | "ahead";

const layerOfPhase: Record<string, LayerName> = {
  understanding: "cognitive",
  planning: "planning",
  review: "planning",
  executing: "execution",
  responding: "response",
};

/** Where each layer stands. A run that ended badly stops at the layer it was in. */
export function layerStates(run: RunView): { layer: LayerName; state: LayerState }[] {
  const complete = run.ended?.status === "done" || run.status === "completed" || run.phase === "completed";
  const now = layerOfPhase[run.phase ?? ""] ?? run.current_layer;
  const at = complete ? layers.length : now ? layers.indexOf(now) : -1;
  return layers.map((layer, i) => ({ layer, state: i < at ? "done" : i === at ? "now" : "ahead" }));
}

export interface Tally {
  total: number;
  done: number;
  working: number;
  failed: number;
  skipped: number;
}

export function tally(todos: readonly Todo[]): Tally {
  const of = (s: Todo["status"]) => todos.filter((t) => t.status === s).length;
  return {
    total: todos.length,
    done: of("completed"),
    working: of("in_progress"),
    failed: of("failed"),
    skipped: of("skipped"),
  };
}
