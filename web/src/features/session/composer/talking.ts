import type { Question } from "@clew-run/client";

/** What words without an address do to a question: refuse it, ask for another plan, or answer it. */
export type Effect = "refuses" | "changes" | "answers";

/**
 * What plain words would do to the question that they would reach. Those of a
 * plan's steps they do not reach: several may be open, and the words are for all.
 */
export function talking(questions: readonly Question[]): Effect | null {
  const q = questions.find((o) => !o.todo_id && !("todo" in o && o.todo));
  if (!q) return null;
  if (q.type === "hitl_plan_review") return "changes";
  return q.type === "hitl_approval_request" && !q.limit ? "refuses" : "answers";
}
