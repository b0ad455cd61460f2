import type { PlanView, RunView } from "./snapshot.js";
import type {
  EventData,
  Layer,
  PlanGeneratedData,
  PlanModifiedData,
  PlanStatus,
  Question,
  HitlResolvedData,
  SessionStatus,
  Todo,
} from "./types.gen.js";

/** A run with what its events told beside its state. */
export interface FoldedRun extends RunView {
  readonly details?: PlanGeneratedData;
  readonly review?: string; // the open question about the plan
}

const phases: Record<Layer, string> = {
  cognitive: "understanding",
  planning: "planning",
  execution: "executing",
  response: "responding",
};

const over = new Set(["completed", "failed", "cancelled"]);

export function runEnded(run: FoldedRun): boolean {
  return over.has(run.phase ?? "");
}

function statusOf(run: FoldedRun): SessionStatus {
  if (runEnded(run)) return run.phase as SessionStatus;
  if (run.paused) return "paused";
  if (run.phase === "review") return "awaiting_input";
  return run.phase === "understanding" || run.phase === "planning" ? "planning" : "executing";
}

export function newRun(runId: string, taskId: string, monitorId: string): FoldedRun {
  return { run_id: runId, monitor_id: monitorId, task_id: taskId, status: "planning", phase: "understanding", plan: null, todos: [] };
}

/** Folds one of a run's own events. Others leave the run as it is. */
export function foldRun<T extends keyof EventData>(run: FoldedRun, type: T, data: EventData[T], ts: number): FoldedRun {
  const next = change(run, type, data, ts);
  return next === run ? run : { ...next, status: statusOf(next) };
}

function change<T extends keyof EventData>(run: FoldedRun, type: T, data: EventData[T], ts: number): FoldedRun {
  const d = { [type]: data } as Partial<EventData>;
  if (d.layer_start) return { ...run, current_layer: d.layer_start.layer, phase: phases[d.layer_start.layer] };
  if (d.plan_generated) return generated(run, d.plan_generated);
  if (d.plan_modified) return modified(run, d.plan_modified);
  if (d.plan_approved) return { ...run, plan: withStatus(run, "approved"), phase: "executing" };
  if (d.plan_rejected) return { ...run, plan: withStatus(run, "rejected") };
  if (d.hitl_paused) return { ...run, paused: true, paused_since_ms: run.paused ? run.paused_since_ms : ts };
  if (d.hitl_resumed) return { ...run, paused: undefined, paused_since_ms: undefined };
  if (d.complete) {
    return { ...ended(run, "completed"), report_paths: d.complete.report_paths, ended: { type: "complete", ...d.complete } };
  }
  if (d.failed) return { ...ended(run, "failed"), ended: { type: "failed", ...d.failed } };
  if (d.cancelled) return { ...ended(run, "cancelled"), ended: { type: "cancelled", ...d.cancelled } };
  return foldTodo(run, d, ts);
}

function generated(run: FoldedRun, d: PlanGeneratedData): FoldedRun {
  return {
    ...run,
    plan: { id: d.plan_id, status: d.status, version: d.version, total_todos: d.todos.length },
    todos: d.todos,
    details: d,
  };
}

/** A new version does not repeat the results, and has no approval yet. */
function modified(run: FoldedRun, d: PlanModifiedData): FoldedRun {
  const results = new Map(run.todos.map((t) => [t.id, t.result_summary]));
  const todos = d.updated_todos.map((t) => (t.status === "completed" ? { result_summary: results.get(t.id), ...t } : t));
  return {
    ...run,
    todos,
    plan: { id: d.plan_id, status: "pending_approval", version: d.new_version, total_todos: todos.length },
  };
}

function withStatus(run: FoldedRun, status: PlanStatus): FoldedRun["plan"] {
  return run.plan && { ...run.plan, status };
}

function ended(run: FoldedRun, phase: string): FoldedRun {
  const todos = run.todos.map((t) =>
    t.status === "in_progress" ? { ...t, status: "pending" as const, current_step: undefined, progress_percentage: undefined } : t,
  );
  return { ...run, phase, paused: undefined, paused_since_ms: undefined, review: undefined, todos };
}

function foldTodo(run: FoldedRun, d: Partial<EventData>, ts: number): FoldedRun {
  const [data] = Object.values(d) as [{ todo_id?: string } | undefined];
  const old = run.todos.find((t) => t.id === data?.todo_id);
  const next = old && todoAfter(old, d, ts);
  return next ? { ...run, todos: run.todos.map((t) => (t === old ? { ...t, ...next } : t)) } : run;
}

/** What an event changes of the todo that it names. */
function todoAfter(t: Todo, d: Partial<EventData>, ts: number): Partial<Todo> | undefined {
  const none = { progress_percentage: undefined, current_step: undefined };
  if (d.todo_started) return { ...none, status: "in_progress", task_id: d.todo_started.task_id, started_ms: ts, error: undefined };
  if (d.todo_progress) {
    const { progress_percentage, current_step } = d.todo_progress;
    return { progress_percentage, current_step: current_step || undefined };
  }
  if (d.todo_completed) {
    const { result_summary, duration_ms } = d.todo_completed;
    return { status: "completed", result_summary, duration_ms, progress_percentage: 100, current_step: undefined };
  }
  if (d.todo_failed) {
    const duration_ms = t.started_ms === undefined ? undefined : Math.max(0, ts - t.started_ms) || undefined;
    return { status: "failed", error: d.todo_failed.error, current_step: undefined, duration_ms };
  }
  if (d.todo_retried) return { status: "pending", retry_count: d.todo_retried.retry_count, task_id: undefined, progress_percentage: undefined };
  return d.todo_skipped && { status: "skipped", current_step: undefined };
}

/** A question of the run itself was asked. */
export function openedIn(run: FoldedRun, q: Question): FoldedRun {
  if (q.task_id !== run.task_id || q.type !== "hitl_plan_review") return run;
  const next: FoldedRun = { ...run, review: q.request_id, phase: "review", plan: withStatus(run, "pending_approval") };
  return { ...next, status: statusOf(next) };
}

/** A question of the run itself was settled. */
export function settledIn(run: FoldedRun, q: Question, d: HitlResolvedData): FoldedRun {
  if (runEnded(run) || q.task_id !== run.task_id || run.review !== q.request_id) return run;
  const again = d.action === "modify" && d.instruction;
  const next: FoldedRun = { ...run, review: undefined, ...(again ? { phase: "planning" } : {}) };
  return { ...next, status: statusOf(next) };
}

export function planOf(run: FoldedRun | undefined): PlanView | null {
  return run?.plan ? { ...run.plan, run_id: run.run_id, details: run.details } : null;
}
