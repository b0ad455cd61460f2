import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ClewError, errorOf } from "../error.js";
import type { Session } from "../session.js";
import type { ConnectionState, PlanView, SessionHead } from "../snapshot.js";
import type {
  CommandData,
  CommandType,
  HitlApprovalResponseData,
  HitlClarificationResponseData,
  HitlInputResponseData,
  HitlPlanResponseData,
  Layer,
  Question,
  RunInfo,
  StatePut,
  Todo,
  TodoInfo,
} from "../types.gen.js";
import { useSnapshot } from "./hooks.js";
import { useClewOrOwn } from "./provider.js";

/** The question that waits for a person. */
export interface HitlPending {
  type: "plan_review" | "approval" | "input" | "clarification";
  data: Question;
}

export interface AgentSessionState extends SessionHead {
  plan: PlanView | null;
  todos: readonly Todo[];
  hitlPending: HitlPending | null;
}

export interface UseAgentWebSocketOptions {
  sessionId: string;
  /** The run in front entered a layer. */
  onLayerStart?: (layer: Layer) => void;
  /** A todo is new or another one now. */
  onTodoUpdate?: (todo: TodoInfo) => void;
  onHitlRequest?: (question: Question) => void;
  /** A run is done; its `ended` says how. */
  onComplete?: (run: RunInfo) => void;
  onError?: (error: ClewError) => void;
}

/** An answer: the kind of question, and the fields of its response. */
export type HitlResponse =
  | ({ type: "plan" } & Omit<HitlPlanResponseData, "request_id">)
  | ({ type: "approval" } & Omit<HitlApprovalResponseData, "request_id">)
  | ({ type: "input" } & Omit<HitlInputResponseData, "request_id">)
  | ({ type: "clarification" } & Omit<HitlClarificationResponseData, "request_id">);

export interface AgentWebSocket {
  connectionState: ConnectionState;
  sessionState: AgentSessionState | null;
  todos: readonly Todo[];
  plan: PlanView | null;
  hitlPending: HitlPending | null;
  connect: () => void;
  disconnect: () => void;
  sendHitlResponse: (requestId: string, response: HitlResponse) => void;
  pause: () => void;
  resume: () => void;
}

/** One session in one hook: connects when it is told to, and calls back. Types that nobody knows are warned of once. */
export function useAgentWebSocket(options: UseAgentWebSocketOptions): AgentWebSocket {
  const client = useClewOrOwn();
  const { sessionId } = options;
  const session = useMemo(() => client.session(sessionId, {}), [client, sessionId]);
  const [connectionState, setConnectionState] = useState<ConnectionState>("disconnected");
  const callbacks = useRef(options);
  useEffect(() => {
    callbacks.current = options;
  });

  useEffect(() => {
    const warned = new Set<string>();
    const seen = { questions: new Set<string>(), done: new Set<string>() };
    const stop = [
      session.store.subscribe(() => setConnectionState(session.connection.state)),
      session.onUnknown((env) => {
        if (!warned.has(env.type)) console.warn("Unknown message type:", env.type);
        warned.add(env.type);
      }),
      session.on("error", (env) => callbacks.current.onError?.(errorOf(env.data))),
      // The whole state tells what was before.
      session.on("state_changed", ({ data: { from, put = {} } }) =>
        callBack(from === undefined ? undefined : callbacks.current, put, seen),
      ),
    ];
    return () => {
      for (const fn of stop) fn();
      session.disconnect();
      setConnectionState("disconnected");
    };
  }, [session]);

  const { connect, disconnect } = session;
  const sendHitlResponse = useCallback(
    (requestId: string, { type, ...fields }: HitlResponse) => {
      const data = { request_id: requestId, ...fields };
      sayIfOpen(session, `hitl_${type}_response`, data as never, callbacks.current);
    },
    [session],
  );
  const pause = useCallback(() => sayIfOpen(session, "control_pause", {}, callbacks.current), [session]);
  const resume = useCallback(() => sayIfOpen(session, "control_resume", {}, callbacks.current), [session]);

  const head = useSnapshot(session, (s) => s.session);
  const plan = useSnapshot(session, (s) => s.plan);
  const todos = useSnapshot(session, (s) => s.todos);
  const question = useSnapshot(session, (s) => s.questions[0]);
  const hitlPending = useMemo(() => (question ? { type: kindOf(question), data: question } : null), [question]);
  const sessionState = useMemo(() => head && { ...head, plan, todos, hitlPending }, [head, plan, todos, hitlPending]);
  return {
    connectionState,
    sessionState,
    todos,
    plan,
    hitlPending,
    connect,
    disconnect,
    sendHitlResponse,
    pause,
    resume,
  };
}

/** "hitl_approval_request" is an "approval". */
function kindOf(question: Question): HitlPending["type"] {
  return question.type.replace(/^hitl_|_request$/g, "") as HitlPending["type"];
}

interface Seen {
  layer?: Layer;
  questions: Set<string>;
  done: Set<string>;
}

/** Tells what is new of the entities that changed. */
function callBack(to: UseAgentWebSocketOptions | undefined, put: StatePut, seen: Seen): void {
  const layer = put.status ? put.status.current_layer : seen.layer;
  if (layer && layer !== seen.layer) to?.onLayerStart?.(layer);
  seen.layer = layer;
  for (const t of put.todo ?? []) to?.onTodoUpdate?.(t);
  for (const q of put.question ?? []) if (first(seen.questions, q.request_id)) to?.onHitlRequest?.(q);
  for (const r of put.run ?? []) if (r.ended?.status === "done" && first(seen.done, r.run_id)) to?.onComplete?.(r);
  for (const p of put.problem ?? []) to?.onError?.(errorOf(p));
}

function first(set: Set<string>, id: string): boolean {
  return !set.has(id) && set.add(id) !== undefined;
}

/** Sends a command only while the socket is open; a refusal goes to onError. */
function sayIfOpen<T extends CommandType>(
  session: Session,
  type: T,
  data: CommandData[T],
  callbacks: UseAgentWebSocketOptions,
): void {
  const { state } = session.connection;
  if (state !== "connected" && state !== "active") return;
  const send = session.send as (type: CommandType, data: unknown) => Promise<unknown>;
  send.call(session, type, data).catch((error: unknown) => {
    if (error instanceof ClewError && error.context === undefined) callbacks.onError?.(error); // others came as an event
  });
}
