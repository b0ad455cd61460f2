import type { Question } from "@clew-run/client";

type Of<T extends Question["type"]> = Extract<Question, { type: T }>;

/** Questions for tests and for the page that shows the components. */
export function approval(over: Partial<Of<"hitl_approval_request">> = {}): Of<"hitl_approval_request"> {
  const command = over.effect?.command ?? "go test ./...";
  return {
    type: "hitl_approval_request",
    request_id: "req_1",
    timeout_sec: 0,
    agent_id: "main-monitor-0",
    ask: "command",
    tool: "execute_command",
    input: { command },
    effect: {
      summary: `run: ${command}`,
      command,
      directory: "/work/till",
      sandbox: "bwrap",
      digest: "3699dbb19811116f",
    },
    reason: `run: ${command}`,
    options: ["approve", "reject"],
    ...over,
  };
}

export function input(over: Partial<Of<"hitl_input_request">> = {}): Of<"hitl_input_request"> {
  return {
    type: "hitl_input_request",
    request_id: "req_2",
    timeout_sec: 0,
    agent_id: "main-monitor-0",
    field: "answer",
    question: "Which one?",
    input_type: "text",
    required: true,
    default_value: null,
    ...over,
  };
}

export function review(over: Partial<Of<"hitl_plan_review">> = {}): Of<"hitl_plan_review"> {
  return {
    type: "hitl_plan_review",
    request_id: "req_3",
    timeout_sec: 300,
    plan_id: "plan_1",
    version: 1,
    message: "Two steps.",
    options: ["approve", "modify", "reject"],
    plan: {
      todos: [
        { id: "a", task: "Look around", tool: "list_files", status: "pending", priority: 5, depends_on: [] },
        { id: "b", task: "Write it down", tool: "write_file", status: "pending", priority: 5, depends_on: ["a"] },
      ],
      dependency_graph: { a: [], b: ["a"] },
      estimated_duration_sec: 10,
      estimated_cost_usd: null,
    },
    ...over,
  };
}
