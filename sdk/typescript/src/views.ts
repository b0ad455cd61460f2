import type { Entities } from "./replica.js";
import type { PlanView, RunView, SessionHead } from "./snapshot.js";
import type { ConnectedData, Question, RunInfo, Todo } from "./types.gen.js";

/**
 * What a snapshot puts together of several entities. Each is the same object as
 * long as what it is made of is the same, so that nobody renders it again.
 */
export class Views {
  readonly #runViews = new WeakMap<RunInfo, RunView>();
  #plan: PlanView | null = null;
  #todos: readonly Todo[] = [];

  readonly session = remembered(
    (
      id: string,
      e: Entities["session"],
      status: Entities["status"],
      connected: ConnectedData | undefined,
    ): SessionHead => ({ id, ...e, ...status, ...connected }),
  );

  readonly runs = remembered((runs: Entities["run"], todos: Entities["todo"]): readonly RunView[] =>
    runs.map((run) => {
      const own = todos.filter((t) => t.of === run.run_id);
      const last = this.#runViews.get(run);
      if (last && same(last.todos, own)) return last;
      const view = { ...run, todos: own };
      this.#runViews.set(run, view);
      return view;
    }),
  );

  /** The plan in front: that of a run, or of a task. */
  plan({ run: runs, task: tasks, status }: Entities): PlanView | null {
    const run = runs.find((r) => r.run_id === status.front);
    const found = run ? run.plan : tasks.find((t) => t.task_id === status.front)?.plan;
    const plan = found ? { ...found, run_id: run?.run_id } : null;
    if (!plan || !this.#plan || !same(Object.entries(plan).flat(), Object.entries(this.#plan).flat()))
      this.#plan = plan;
    return this.#plan;
  }

  /** Its todos. */
  todos({ todo, status }: Entities): readonly Todo[] {
    const todos = todo.filter((t) => t.of === status.front);
    if (!same(todos, this.#todos)) this.#todos = todos;
    return this.#todos;
  }

  /** The nearest deadline first, then the oldest; those without a deadline last. */
  readonly questions = remembered((open: Entities["question"]): readonly Question[] => {
    const at = (q: Question): number => q.deadline_ms ?? Infinity;
    return [...open].sort((a, b) => at(a) - at(b) || 0); // Infinity - Infinity is not a number
  });
}

/** Calls fn only if what it is called with is not what it was called with before. */
function remembered<A extends readonly unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  let last: { args: A; result: R } | undefined;
  return (...args) => {
    if (!last || !same(last.args, args)) last = { args, result: fn(...args) };
    return last.result;
  };
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
