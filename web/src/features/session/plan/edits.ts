import type { PlanEdit, Todo } from "@clew-run/client";

/** A step of a plan while a person changes it. */
export interface DraftStep {
  id: string;
  task: string;
  comment: string;
  priority: number;
  depends_on: string[];
  removed: boolean;
  /** Where the plan has it: of two with one priority the earlier one begins first. Added ones come last. */
  place: number;
  /** As the plan has it; absent for a step that was added here. */
  was?: Todo;
}

/** Changes of one version of a plan that were not sent yet. Steps stand in the order in which they would begin. */
export interface PlanDraft {
  steps: DraftStep[];
}

export interface PlanChanges {
  modifications: PlanEdit[];
  /** Comments, for the planner. */
  instruction?: string;
}

const prefix = "new-";

/** What a person may still change: steps that are done or under way are as they are. */
export function isFixed(step: DraftStep): boolean {
  return step.was?.status === "completed" || step.was?.status === "in_progress";
}

export function draftOf(todos: readonly Todo[]): PlanDraft {
  const steps = todos.map((was, place) => ({
    id: was.id,
    task: was.task,
    comment: "",
    priority: was.priority,
    depends_on: [...was.depends_on],
    removed: false,
    place,
    was,
  }));
  return { steps: steps.sort(byBeginning) };
}

const byBeginning = (a: DraftStep, b: DraftStep) => b.priority - a.priority || a.place - b.place;

function change(draft: PlanDraft, id: string, to: (s: DraftStep) => DraftStep): PlanDraft {
  return { steps: draft.steps.map((s) => (s.id === id ? to(s) : s)) };
}

export const setTask = (d: PlanDraft, id: string, task: string) => change(d, id, (s) => ({ ...s, task }));
export const setComment = (d: PlanDraft, id: string, comment: string) => change(d, id, (s) => ({ ...s, comment }));

/** Takes a step out, or puts it back. One that was added here is gone for good. */
export function toggleRemoved(d: PlanDraft, id: string): PlanDraft {
  const step = d.steps.find((s) => s.id === id);
  if (step && !step.was) return { steps: d.steps.filter((s) => s.id !== id) };
  return change(d, id, (s) => ({ ...s, removed: !s.removed }));
}

export function addStep(d: PlanDraft, task: string, after?: string): PlanDraft {
  const taken = new Set(d.steps.map((s) => s.id));
  let n = 1;
  while (taken.has(prefix + n)) n++;
  const priority = d.steps.at(-1)?.priority ?? 0;
  const place = Math.max(0, ...d.steps.map((s) => s.place + 1));
  return {
    steps: [
      ...d.steps,
      { id: prefix + n, task, comment: "", priority, depends_on: after ? [after] : [], removed: false, place },
    ],
  };
}

/**
 * Moves a step one place. What begins first has the larger priority, so the
 * priorities are raised, as few as it takes, until they give the order shown.
 */
export function move(d: PlanDraft, id: string, by: -1 | 1): PlanDraft {
  const steps = [...d.steps];
  const from = steps.findIndex((s) => s.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= steps.length || isFixed(steps[from]!) || isFixed(steps[to]!)) return d;
  [steps[from], steps[to]] = [steps[to]!, steps[from]!];
  for (let i = steps.length - 2; i >= 0; i--) {
    const [a, b] = [steps[i]!, steps[i + 1]!];
    if (byBeginning(a, b) > 0 && !isFixed(a)) steps[i] = { ...a, priority: b.priority + 1 };
  }
  return { steps };
}

/** What the draft changes: edits as they stand, and comments as words to the planner. */
export function changesOf(d: PlanDraft): PlanChanges {
  const modifications: PlanEdit[] = [];
  const words: string[] = [];
  for (const s of d.steps) {
    if (s.comment.trim() !== "" && !s.removed) words.push(`On "${s.task}": ${s.comment.trim()}`);
    if (!s.was) {
      // A step that waits for one that is new as well cannot name it yet.
      modifications.push({
        action: "add",
        task: s.task,
        priority: s.priority,
        depends_on: s.depends_on.filter((on) => !on.startsWith(prefix)),
      });
      continue;
    }
    if (s.removed) {
      modifications.push({ action: "remove", todo_id: s.id });
      continue;
    }
    const edit: PlanEdit = { action: "update", todo_id: s.id };
    if (s.task.trim() !== "" && s.task !== s.was.task) edit.task = s.task.trim();
    if (s.priority !== s.was.priority) edit.priority = s.priority;
    if (edit.task !== undefined || edit.priority !== undefined) modifications.push(edit);
  }
  return { modifications, instruction: words.length > 0 ? words.join("\n") : undefined };
}

/** How many changes there are, for the button that sends them. */
export function countOf(c: PlanChanges): number {
  return c.modifications.length + (c.instruction?.split("\n").length ?? 0);
}

/** Takes changes over to a newer version: what no longer fits is left out. */
export function rebase(d: PlanDraft, todos: readonly Todo[]): PlanDraft {
  let next = draftOf(todos);
  for (const old of d.steps) {
    if (!old.was) {
      next = {
        steps: [
          ...next.steps,
          {
            ...old,
            place: next.steps.length,
            depends_on: old.depends_on.filter((on) => todos.some((t) => t.id === on)),
          },
        ],
      };
      continue;
    }
    const was = old.was;
    next = change(next, old.id, (s) =>
      isFixed(s)
        ? s
        : {
            ...s,
            task: old.task !== was.task ? old.task : s.task,
            priority: old.priority !== was.priority ? old.priority : s.priority,
            comment: old.comment,
            removed: old.removed,
          },
    );
  }
  return { steps: next.steps.sort(byBeginning) };
}
