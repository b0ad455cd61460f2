import { ClewError, type AgentState, type Session } from "@clew-run/client";
import { notifyError } from "@/app/notices";

/** Stops what one agent is doing; the others work on. In a window there may be several of one id: their roles tell them apart. */
export function stopAgent(session: Session, a: AgentState): Promise<unknown> {
  return session.send("interrupt_agent", { agent: a.kind === "window" ? a.role : a.agent_id }).catch((e: unknown) => {
    if (!(e instanceof ClewError && e.code === "TASK_NOT_FOUND")) notifyError(e); // it has finished meanwhile
  });
}
