import type { TaskInfo } from "./snapshot.js";
import type { EventData, TaskCreatedData, Usage } from "./types.gen.js";

type Status = TaskInfo["status"];

const statuses: { [T in keyof EventData]?: Status } = {
  task_started: "active",
  task_active: "active",
  task_unpaused: "active",
  task_interactive: "interactive",
  task_resumable: "resumable",
  task_idle: "idle",
  task_paused: "paused",
  task_completed: "completed",
  task_aborted: "aborted",
};

const tasksKept = 500;

/** The tasks that events told of. */
export class Tasks {
  #byId = new Map<string, TaskInfo>();
  #list: readonly TaskInfo[] | undefined;
  current = "";
  /** There are tasks that this client has not heard of. */
  partial = false;

  clear(partial: boolean): void {
    this.#byId = new Map();
    this.#list = undefined;
    this.current = "";
    this.partial = partial;
  }

  get(id: string | undefined): TaskInfo | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  list(): readonly TaskInfo[] {
    this.#list ??= [...this.#byId.values()];
    return this.#list;
  }

  set(task: TaskInfo): void {
    this.#byId.set(task.task_id, task);
    this.#list = undefined;
    if (this.#byId.size > tasksKept) this.#forget();
  }

  /** Folds a task event. */
  fold(type: keyof EventData, data: { task_id: string; parent_task_id?: string; root_task_id?: string; monitor_id?: string }): void {
    if (type === "task_created") {
      this.#create(data as TaskCreatedData);
      return;
    }
    const old: TaskInfo = this.#byId.get(data.task_id) ?? {
      task_id: data.task_id,
      parent_task_id: data.parent_task_id,
      root_task_id: data.root_task_id ?? data.task_id,
      monitor_id: data.monitor_id,
      status: "idle",
      focused: false,
    };
    const d = { [type]: data } as Partial<EventData>;
    if (d.task_focused) this.#focus(old);
    else if (d.task_unfocused) {
      if (this.current === old.task_id) this.current = "";
      this.set({ ...old, focused: false });
    } else if (d.task_mode_switched) this.set({ ...old, mode: d.task_mode_switched.mode });
    else if (d.task_token_usage_updated) this.set({ ...old, usage: d.task_token_usage_updated.token_usage });
    else if (d.task_completed) {
      this.set({ ...old, status: "completed", request_id: undefined, usage: d.task_completed.token_usage, result_summary: d.task_completed.result_summary });
    } else {
      const status = statuses[type];
      if (status) this.set({ ...old, status, request_id: (data as { request_id?: string }).request_id });
    }
  }

  /** What a task used before this event, if that is known. */
  usageOf(id: string): Usage | undefined {
    return this.#byId.get(id)?.usage;
  }

  #create(d: TaskCreatedData): void {
    this.set({
      task_id: d.task_id,
      parent_task_id: d.parent_task_id,
      root_task_id: d.root_task_id,
      monitor_id: d.monitor_id,
      run_id: d.run_id,
      todo_id: d.todo_id,
      task: d.task,
      mode: d.mode,
      status: "idle",
      focused: false,
      usage: noUsage,
    });
  }

  #focus(task: TaskInfo): void {
    const before = this.#byId.get(this.current);
    if (before && before.task_id !== task.task_id) this.set({ ...before, focused: false });
    this.current = task.task_id;
    this.set({ ...task, focused: true });
  }

  #forget(): void {
    for (const t of this.#byId.values()) {
      if (this.#byId.size <= tasksKept * 0.9) return;
      if (t.status === "completed" || t.status === "aborted") this.#byId.delete(t.task_id);
    }
  }
}

export const noUsage: Usage = { tokens_in: 0, tokens_out: 0, cache_writes: 0, cache_reads: 0, cost_usd: 0 };

/** Adds what a task used since the figure before. */
export function addUsage(sum: Usage, now: Usage, before: Usage): Usage {
  const next = { ...noUsage };
  for (const k of Object.keys(next) as (keyof Usage)[]) next[k] = sum[k] + now[k] - before[k];
  next.cost_usd = Math.round(next.cost_usd * 1e9) / 1e9;
  return next;
}
