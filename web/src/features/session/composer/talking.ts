import type { Ask, Question } from "@clew-run/client";

/** What words without an address do to a question: refuse it, ask for another plan, let it go on, or answer it. */
export type Effect = "refuses" | "changes" | "goesOn" | "answers";

/**
 * What plain words would do to the question that they would reach. Those of a
 * plan's steps they do not reach: several may be open, and the words are for all.
 */
export function talking(questions: readonly Question[]): Effect | null {
  const q = questions.find((o) => !o.todo_id && !("todo" in o && o.todo));
  if (!q) return null;
  if (q.type === "hitl_plan_review") return "changes";
  if (q.type !== "hitl_approval_request") return "answers";
  return (q.ask && acts.has(q.ask)) || q.limit === "budget" ? "refuses" : "goesOn";
}

/** Words never allow an act, an end or more money; to other approvals they are a yes with advice, as the server has it. */
const acts: ReadonlySet<Ask> = new Set(["followup", "command", "tool", "browser_action_launch", "use_mcp_server", "completion_result"]);
