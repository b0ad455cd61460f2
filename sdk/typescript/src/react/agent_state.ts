import type { EventData, Layer, SessionState, Todo } from "../types.gen.js";

/** The question that waits for a person, as useAgentWebSocket tells it. */
export interface HitlPending {
  type: "plan_review" | "approval" | "input" | "clarification";
  data: HitlRequestData;
}

export type HitlRequestData =
  | EventData["hitl_plan_review"]
  | EventData["hitl_approval_request"]
  | EventData["hitl_input_request"]
  | EventData["hitl_clarification"];

/** A session_state that the events after it changed. */
export type AgentSessionState = SessionState & { hitlPending: HitlPending | null };

type State = AgentSessionState | null;
type Handlers = { [T in keyof EventData]?: (state: State, data: EventData[T]) => State };

const todo = (state: State, id: string, change: Partial<Todo>): State =>
  state && { ...state, todos: state.todos.map((t) => (t.id === id ? { ...t, ...change } : t)) };

const pending = (type: HitlPending["type"]) => (state: State, data: HitlRequestData): State =>
  state && { ...state, hitlPending: { type, data } };

const over = (status: SessionState["status"]) => (state: State): State => state && { ...state, status, current_layer: null };

const layer = (state: State, data: { layer: Layer }): State => state && { ...state, current_layer: data.layer };

/** What each type of event does to the state. */
export const messageHandlers: Handlers = {
  session_state: (_, data) => ({ ...data, hitlPending: pendingOf(data) }),
  layer_start: layer,
  plan_generated: (s, d) =>
    s && { ...s, todos: d.todos, plan: { id: d.plan_id, status: d.status, version: d.version, total_todos: d.todos.length } },
  plan_modified: (s, d) => s && { ...s, todos: d.updated_todos },
  todo_started: (s, d) => todo(s, d.todo_id, { status: "in_progress" }),
  todo_progress: (s, d) => todo(s, d.todo_id, { progress_percentage: d.progress_percentage, current_step: d.current_step }),
  todo_completed: (s, d) => todo(s, d.todo_id, { status: "completed", result_summary: d.result_summary, progress_percentage: 100 }),
  todo_failed: (s, d) => todo(s, d.todo_id, { status: "failed", error: d.error }),
  todo_retried: (s, d) => todo(s, d.todo_id, { status: "pending", retry_count: d.retry_count }),
  todo_skipped: (s, d) => todo(s, d.todo_id, { status: "skipped" }),
  hitl_plan_review: pending("plan_review"),
  hitl_approval_request: pending("approval"),
  hitl_input_request: pending("input"),
  hitl_clarification: pending("clarification"),
  hitl_resolved: (s, d) => (s?.hitlPending?.data.request_id === d.request_id ? { ...s, hitlPending: null } : s),
  complete: over("completed"),
  failed: over("failed"),
  cancelled: over("cancelled"),
};

const names = {
  hitl_plan_review: "plan_review",
  hitl_approval_request: "approval",
  hitl_input_request: "input",
  hitl_clarification: "clarification",
} as const;

function pendingOf(s: SessionState): HitlPending | null {
  return s.hitl_pending && { type: names[s.hitl_pending.type], data: s.hitl_pending };
}
