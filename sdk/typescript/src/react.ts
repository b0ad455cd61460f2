export { ClewProvider, useClew } from "./react/provider.js";
export * from "./react/hooks.js";
export {
  useAgentWebSocket,
  type AgentSessionState,
  type AgentWebSocket,
  type HitlPending,
  type HitlResponse,
  type UseAgentWebSocketOptions,
} from "./react/agent_web_socket.js";
