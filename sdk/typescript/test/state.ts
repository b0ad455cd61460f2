import type { Replica } from "../src/replica.js";
import type { SessionState, Todo } from "../src/types.gen.js";

/** What session_state shows of a replica, but for what is about the connection. */
export function stateOf({ entities: e, transcript, cursor }: Replica): Partial<SessionState> {
  const todosOf = (of: string | undefined): Todo[] =>
    e.todo.filter((t) => t.of === of).map(({ of: _, ...todo }) => todo);
  const front = e.run.find((r) => r.run_id === e.status.front);
  const { front: _front, last_move: _move, current_layer = null, ...status } = e.status;
  return {
    ...e.session,
    ...status,
    current_layer,
    plan: (front ? front.plan : e.task.find((t) => t.task_id === e.status.front)?.plan) ?? null,
    todos: todosOf(e.status.front),
    hitl_pending: e.question[0] ?? null,
    hitl_queue: e.question.slice(1),
    last_message_id: cursor,
    messages: transcript
      .publish()
      .ids.slice(-200)
      .map((id) => transcript.get(id)!),
    runs: e.run.map((r) => ({ ...r, todos: todosOf(r.run_id).map(({ result_summary: _, ...todo }) => todo) })),
    monitors: [...e.monitors],
    agents: [...e.agents],
    windows: [...e.window],
    notices: [...e.notice],
    queue: [...e.queue],
    allowed: [...e.rules],
    usage: Object.values(e.usage).some((n) => n !== 0) ? e.usage : undefined,
  };
}

/** The same part of a session_state. */
export function comparable({
  client_id: _id,
  epoch: _epoch,
  viewers: _viewers,
  open_messages: _open,
  role: _role,
  current_layer = null,
  ...state
}: SessionState): Partial<SessionState> {
  return { ...state, current_layer };
}
