import type { Question, TranscriptMessage } from "@clew-run/client";

/** Whose words are shown: all of a monitor, or of one agent on it. */
export interface Scope {
  monitor: string;
  /** "main", "ephemeral" (the helpers), or the task of a window's or a task agent; "" for everyone. */
  agent: string;
}

/** The monitor that is always there. */
export const mainMonitor = "monitor-0";

/** Whether a message belongs to the scope. What is about no monitor is shown on all of them. */
export function inScope(m: TranscriptMessage, scope: Scope): boolean {
  if (m.monitor_id && m.monitor_id !== scope.monitor) return false;
  if (scope.agent === "") return true;
  if (m.task_id === scope.agent) return true;
  return (m.delivery === "ephemeral" ? "ephemeral" : (m.agent_kind ?? "main")) === scope.agent;
}

/** The questions of a monitor. */
export function questionsIn(questions: readonly Question[], monitor: string | undefined): readonly Question[] {
  return monitor === undefined ? questions : questions.filter((q) => (q.monitor_id ?? mainMonitor) === monitor);
}
