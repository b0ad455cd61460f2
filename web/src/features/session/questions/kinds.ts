import type { Question, RememberOffer } from "@clew-run/client";

/** What a question is about, as people sort them. */
export type Kind =
  | "command"
  | "edit"
  | "fetch"
  | "server"
  | "step"
  | "tool"
  | "limit"
  | "retry"
  | "resume"
  | "plan"
  | "input"
  | "files"
  | "kernel"
  | "clarification";

type Approval = Extract<Question, { type: "hitl_approval_request" }>;

export function kindOf(q: Question): Kind {
  switch (q.type) {
    case "hitl_plan_review":
      return "plan";
    case "hitl_input_request":
      return q.missing_workspace ? "files" : q.kernel ? "kernel" : "input";
    case "hitl_clarification":
      return "clarification";
    case "hitl_approval_request":
      return approvalKind(q);
  }
}

function approvalKind(q: Approval): Kind {
  if (q.limit) return "limit";
  switch (q.ask) {
    case "api_req_failed":
      return "retry";
    case "resume_task":
    case "resume_completed_task":
      return "resume";
    case "mistake_limit_reached":
    case "auto_approval_max_req_reached":
      return "limit";
  }
  if (q.todo) return "step";
  if (q.effect?.command || q.ask === "command" || q.ask === "command_output") return "command";
  if (q.ask === "use_mcp_server") return "server";
  if (q.effect?.url) return "fetch";
  if (q.effect?.diff) return "edit";
  if (q.effect?.server) return "server";
  return "tool";
}

/** By which title it is asked: code for a kernel is no command to people. */
export function askedAs(q: Question): Kind | "cell" {
  return (q as Approval).tool === "run_cell" ? "cell" : kindOf(q);
}

/** Whether it is about a kernel of a notebook: the command is not all that there is to say then. */
export function ofKernel(q: Approval): boolean {
  return q.tool === "run_cell" || q.tool === "kernel";
}

/** What may be remembered about an approval. Only then there is a choice of scope. */
export function offerOf(q: Question): RememberOffer | undefined {
  return q.type === "hitl_approval_request" ? (q as { remember?: RememberOffer }).remember : undefined;
}

/** Who asks: "" is the session's agent. The agents of steps, subtasks and windows have no names that people know. */
export function askerOf(q: Question): "" | ":step" | ":sub" | ":window" | (string & {}) {
  switch (q.agent_kind) {
    case "step":
      return ":step";
    case "task":
      return ":sub";
    case "window":
      return ":window";
    case "ephemeral":
      return q.agent_id ?? "";
    default:
      return "";
  }
}

/** Whether a question offers a choice. */
export function offers(q: Question, choice: "approve" | "modify" | "skip" | "reject"): boolean {
  return "options" in q && (q.options as readonly unknown[] | undefined)?.includes(choice) === true;
}

/** What a text says of a question in one line: for lists and for those who listen. */
export function subjectOf(q: Question): string {
  switch (q.type) {
    case "hitl_approval_request":
      return q.effect?.command ?? q.effect?.url ?? q.effect?.summary ?? q.todo?.task ?? q.reason;
    case "hitl_plan_review":
      return q.message;
    default:
      return q.question;
  }
}
