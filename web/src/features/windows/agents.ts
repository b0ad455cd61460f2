import type { AgentState, Session } from "@clew-run/client";
import { notifyError } from "@/app/notices";

/** Stops what one agent is doing; the others work on. */
export function stopAgent(session: Session, agent: AgentState): Promise<unknown> {
  return session.send("interrupt_agent", { agent: agent.agent_id }).catch(notifyError);
}
