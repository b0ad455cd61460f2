export { ClewProvider, useClew } from "./react/provider.js";
export * from "./react/hooks.js";
export {
  useAgentWebSocket,
  type AgentWebSocket,
  type HitlResponse,
  type TodoUpdateData,
  type UseAgentWebSocketOptions,
} from "./react/agent_web_socket.js";
export { messageHandlers, type AgentSessionState, type HitlPending, type HitlRequestData } from "./react/agent_state.js";
