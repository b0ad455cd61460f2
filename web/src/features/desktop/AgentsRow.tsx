import type { AgentState, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Square } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useServerNow } from "@/features/session/plan/useServerNow";
import { mainMonitor } from "@/features/session/transcript/scope";
import { stopAgent } from "@/features/windows/agents";
import { bringToFront, numberOf, useMayChange } from "@/features/windows/desk";
import { useWords } from "@/i18n";
import { spent } from "@/lib/format";
import { Button, IconButton, Mark } from "@/ui";
import { transcriptId } from "./layout";
import type { MonitorView } from "./monitors";
import { desktopWords } from "./words";

interface Props {
  session: Session;
  monitor: string;
  views: readonly MonitorView[];
}

/** The agents that have a turn: those that need you first, since the rest may be out of sight, then those of this monitor; with what they do and a button to stop each. */
export function AgentsRow({ session, monitor, views }: Props) {
  const t = useWords(desktopWords);
  const agents = useSnapshot(session, (s) => s.agents);
  const here = (a: AgentState) => (a.monitor_id ?? mainMonitor) === monitor;
  const rank = (a: AgentState) => (a.waiting ? 0 : 2) + (here(a) ? 0 : 1);
  const order = [...agents].sort((a, b) => rank(a) - rank(b));
  return (
    <ul
      aria-label={t.agents}
      className="-m-1 flex min-w-0 flex-1 gap-2 overflow-x-auto p-1 max-sm:m-0 max-sm:px-2"
      data-agents={order.length}
    >
      {order.map((a) => (
        <Pill key={a.role} session={session} agent={a} here={here(a)} views={views} />
      ))}
    </ul>
  );
}

function Pill({
  session,
  agent: a,
  here,
  views,
}: {
  session: Session;
  agent: AgentState;
  here: boolean;
  views: readonly MonitorView[];
}) {
  const t = useWords(desktopWords);
  const [, navigate] = useLocation();
  const mayChange = useMayChange(session);
  const [stopping, setStopping] = useState(false);
  const window = useSnapshot(session, (s) =>
    a.window_id ? s.windows.find((w) => w.window_id === a.window_id)?.title : undefined,
  );
  const question = useSnapshot(session, (s) => s.questions.find((q) => q.task_id === a.task_id)?.request_id);
  const now = useServerNow(session, a.kind === "task");
  const monitor = a.monitor_id ?? mainMonitor;
  const n = numberOf(monitor);
  const name = nameOf();
  function nameOf(): string {
    switch (a.kind) {
      case "ephemeral":
        return t.helper;
      case "window":
        return window || t.windowAgent;
      case "main":
        return here ? t.main : views.find((v) => v.id === monitor)?.title || t.on(n);
      default:
        return a.title || t.taskAgent;
    }
  }
  const alone = a.kind === "main" && !here; // its title is its name then
  const does = a.waiting
    ? here
      ? t.needsYou
      : t.asks(n)
    : a.kind === "task"
      ? t.task(spent(Math.max(0, now - a.since_ms)))
      : (!alone && a.kind !== "step" && a.title !== name && a.title) || (here ? t.works : t.on(n));
  const open = () => {
    bringToFront(session, transcriptId);
    navigate(`/s/${session.id}/desktop/${monitor}${question ? `?question=${question}` : ""}`);
  };
  const stop = () => {
    setStopping(true);
    void stopAgent(session, a).finally(() => setStopping(false));
  };
  return (
    <li
      data-agent={a.agent_id}
      className="flex h-11.5 max-w-72 min-w-40 flex-1 items-center gap-2.5 rounded-xl bg-sheet pr-1.5 pl-3 shadow-card ring-1 ring-line2 data-asks:min-w-52 max-sm:min-w-56"
      data-asks={a.waiting || undefined}
    >
      <Mark tone={a.waiting ? "ask" : "run"} live={!a.waiting} />
      <span className="min-w-0 flex-1" title={a.title || name}>
        <span className="block truncate leading-4.5 font-medium" dir="auto">
          {name}
        </span>
        <span className="block truncate text-xs text-soft" dir="auto">
          {does}
        </span>
      </span>
      {a.waiting ? (
        <Button className="h-7" aria-label={t.openAgent(name)} onClick={open}>
          {t.open}
        </Button>
      ) : (
        mayChange && (
          <IconButton
            label={t.stop(name)}
            icon={<Square size={11} fill="currentColor" />}
            aria-busy={stopping || undefined}
            onClick={stopping ? undefined : stop}
            className="[--row:28px] pointer-coarse:[--row:44px]"
          />
        )
      )}
    </li>
  );
}
