import type { RunView, SessionSnapshot, Todo } from "@clew-run/client";

const none: readonly Todo[] = [];

/** The steps that the agent in front keeps for itself; none while a run is in front. */
export function ownSteps(s: Pick<SessionSnapshot, "plan" | "todos">): readonly Todo[] {
  return s.plan && s.plan.run_id === undefined ? s.todos : none;
}

/** How far steps are: those that were done of all. What was skipped was not done. */
export function progressOf(todos: readonly Pick<Todo, "status">[]): string {
  return todos.length === 0 ? "" : `${todos.filter((d) => d.status === "completed").length}/${todos.length}`;
}

/** The steps whose progress counts: the agent's own, or those of the run in front, or of the newest one. */
export function stepsInFront(
  s: Pick<SessionSnapshot, "plan" | "todos"> & { runs: readonly Pick<RunView, "run_id" | "todos">[] },
): readonly Todo[] {
  const own = ownSteps(s);
  if (own.length > 0) return own;
  return (s.runs.find((r) => r.run_id === s.plan?.run_id) ?? s.runs.at(-1))?.todos ?? none;
}
