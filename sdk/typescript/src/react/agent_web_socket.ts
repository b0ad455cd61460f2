import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ClewError, errorOf } from "../error.js";
import { seqOf, type AnyEnvelope } from "../position.js";
import type { Session } from "../session.js";
import type { ConnectionState } from "../snapshot.js";
import {
  eventTypes,
  type CommandData,
  type CommandType,
  type EventData,
  type HitlApprovalResponseData,
  type HitlClarificationResponseData,
  type HitlInputResponseData,
  type HitlPlanResponseData,
} from "../types.gen.js";
import { messageHandlers, type AgentSessionState, type HitlPending, type HitlRequestData } from "./agent_state.js";
import { useClewOrOwn } from "./provider.js";

export type TodoUpdateData =
  | EventData["todo_started"]
  | EventData["todo_progress"]
  | EventData["todo_completed"]
  | EventData["todo_failed"]
  | EventData["todo_retried"]
  | EventData["todo_skipped"];

export interface UseAgentWebSocketOptions {
  sessionId: string;
  onLayerStart?: (data: EventData["layer_start"]) => void;
  onTodoUpdate?: (data: TodoUpdateData) => void;
  onHitlRequest?: (data: HitlRequestData) => void;
  onComplete?: (data: EventData["complete"]) => void;
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
  todos: AgentSessionState["todos"];
  plan: AgentSessionState["plan"];
  hitlPending: HitlPending | null;
  connect: () => void;
  disconnect: () => void;
  sendHitlResponse: (requestId: string, response: HitlResponse) => void;
  pause: () => void;
  resume: () => void;
}

const known = new Set<string>(eventTypes);

/**
 * One session in one hook: connects when it is told to, keeps the state by a
 * table of event types, and calls back. Types that nobody knows are warned of
 * once.
 */
export function useAgentWebSocket(options: UseAgentWebSocketOptions): AgentWebSocket {
  const client = useClewOrOwn();
  const { sessionId } = options;
  const session = useMemo(() => client.session(sessionId, {}), [client, sessionId]);
  const [connectionState, setConnectionState] = useState<ConnectionState>("disconnected");
  const [sessionState, setSessionState] = useState<AgentSessionState | null>(null);
  const callbacks = useRef(options);
  useEffect(() => {
    callbacks.current = options;
  });

  useEffect(() => {
    setSessionState(null);
    const warned = new Set<string>();
    let stateSeq = 0; // records up to here are in the session_state already
    const stop = [
      session.store.subscribe(() => setConnectionState(session.connection.state)),
      session.onUnknown((env) => {
        if (!warned.has(env.type)) console.warn("Unknown message type:", env.type);
        warned.add(env.type);
      }),
      session.on("*", (env) => {
        if (env.type === "session_state") stateSeq = seqOf(env.data.last_message_id);
        if (!known.has(env.type) || (env.message_id?.startsWith("msg_") && seqOf(env.message_id) <= stateSeq)) return;
        const handler = messageHandlers[env.type] as ((s: AgentSessionState | null, d: unknown) => AgentSessionState | null) | undefined;
        if (handler) setSessionState((state) => handler(state, env.data));
        callBack(callbacks.current, env);
      }),
    ];
    return () => {
      for (const fn of stop) fn();
      session.disconnect();
      setConnectionState("disconnected");
    };
  }, [session]);

  const connect = useCallback(() => session.connect(), [session]);
  const disconnect = useCallback(() => session.disconnect(), [session]);
  const sendHitlResponse = useCallback(
    (requestId: string, { type, ...fields }: HitlResponse) => {
      const data = { request_id: requestId, ...fields };
      sayIfOpen(session, `hitl_${type}_response`, data as never, callbacks.current);
    },
    [session],
  );
  const pause = useCallback(() => sayIfOpen(session, "control_pause", {}, callbacks.current), [session]);
  const resume = useCallback(() => sayIfOpen(session, "control_resume", {}, callbacks.current), [session]);

  return {
    connectionState,
    sessionState,
    todos: sessionState?.todos ?? [],
    plan: sessionState?.plan ?? null,
    hitlPending: sessionState?.hitlPending ?? null,
    connect,
    disconnect,
    sendHitlResponse,
    pause,
    resume,
  };
}

/** Sends a command only while the socket is open; a refusal goes to onError. */
function sayIfOpen<T extends CommandType>(session: Session, type: T, data: CommandData[T], callbacks: UseAgentWebSocketOptions): void {
  const { state } = session.connection;
  if (state !== "connected" && state !== "active") return;
  const send = session.send as (type: CommandType, data: unknown) => Promise<unknown>;
  send.call(session, type, data).catch((error: unknown) => {
    if (error instanceof ClewError && error.context === undefined) callbacks.onError?.(error); // others came as an event
  });
}

function callBack(to: UseAgentWebSocketOptions, env: AnyEnvelope): void {
  switch (env.type) {
    case "layer_start":
      to.onLayerStart?.(env.data as EventData["layer_start"]);
      break;
    case "todo_started":
    case "todo_progress":
    case "todo_completed":
    case "todo_failed":
    case "todo_retried":
    case "todo_skipped":
      to.onTodoUpdate?.(env.data as TodoUpdateData);
      break;
    case "hitl_plan_review":
    case "hitl_approval_request":
    case "hitl_input_request":
    case "hitl_clarification":
      to.onHitlRequest?.(env.data as HitlRequestData);
      break;
    case "complete":
      to.onComplete?.(env.data as EventData["complete"]);
      break;
    case "error":
      to.onError?.(errorOf(env.data as EventData["error"]));
      break;
  }
}
