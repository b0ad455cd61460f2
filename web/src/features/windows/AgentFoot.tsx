import type { Session, WindowState } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useWords } from "@/i18n";
import { Mark } from "@/ui";
import { stopAgent } from "./agents";
import { useMayChange } from "./desk";
import { WindowFoot } from "./WindowBox";
import { windowWords } from "./words";

/** What the agent of a window does now, with a button to stop it. */
export function AgentFoot({ session, window: w }: { session: Session; window: WindowState }) {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  const agent = useSnapshot(session, (s) => s.agents.find((a) => a.window_id === w.window_id));
  if (!agent) return null;
  return (
    <WindowFoot>
      <Mark tone={agent.waiting ? "ask" : "run"} size={10} live={!agent.waiting} />
      <span className="min-w-0 flex-1 truncate">{agent.waiting ? t.agentAsks : agent.title || t.agentWorks}</span>
      {mayChange && <button type="button" className="shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11" onClick={() => void stopAgent(session, agent)}>{t.stop}</button>}
    </WindowFoot>
  );
}
