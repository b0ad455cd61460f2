import type { EventData, RememberedRule } from "./types.gen.js";

/** What is remembered after an event. A task takes with it what was remembered for it. */
export function allowedAfter(allowed: readonly RememberedRule[], type: keyof EventData, data: unknown): readonly RememberedRule[] {
  const d = { [type]: data } as Partial<EventData>;
  const forgotten = d.rule_forgotten?.id;
  const over = d.task_completed?.task_id ?? d.task_aborted?.task_id;
  const left = allowed.filter((r) => r.id !== forgotten && r.task_id !== over);
  return left.length === allowed.length ? allowed : left;
}

/** Whether an event adds to what is remembered, or changes whether it holds: a session_state says what there is. */
export function changesAllowed(type: keyof EventData, data: unknown): boolean {
  if (type === "hitl_resolved") return (data as EventData["hitl_resolved"]).remember?.scope === "task";
  return type === "auto_approval_changed";
}
