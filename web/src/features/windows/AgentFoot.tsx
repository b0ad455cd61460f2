import type { AgentState, QueuedMessage, Session, WindowState } from "@clew-run/client";
import { useMessage, useSnapshot } from "@clew-run/client/react";
import { Clock, X } from "lucide-react";
import { useState } from "react";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Mark, Menu } from "@/ui";
import { stopAgent } from "./agents";
import { useMayChange } from "./desk";
import { WindowFoot } from "./WindowBox";
import { windowWords } from "./words";

const action = "shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11";

/** What the agents of a window say and do, each with a button to stop it, and what waits for them. */
export function AgentFoot({ session, window: w }: { session: Session; window: WindowState }) {
  const agents = useSnapshot(session, (s) => s.agents.filter((a) => a.window_id === w.window_id), sameItems);
  const waiting = useSnapshot(session, (s) => s.queue.filter((q) => q.window_id === w.window_id), sameItems);
  const last = useLastAnswer(session, w, agents.length > 0);
  if (agents.length === 0 && waiting.length === 0)
    return last ? (
      <WindowFoot>
        <Mark tone="done" size={10} />
        <Words session={session} id={last} otherwise="" />
      </WindowFoot>
    ) : null;
  return (
    <>
      {agents.map((a, i) => (
        <AtWork key={a.role} session={session} agent={a} waiting={i === 0 ? waiting : []} />
      ))}
      {agents.length === 0 && (
        <WindowFoot>
          <Waiting session={session} waiting={waiting} />
        </WindowFoot>
      )}
    </>
  );
}

function AtWork({
  session,
  agent: a,
  waiting,
}: {
  session: Session;
  agent: AgentState;
  waiting: readonly QueuedMessage[];
}) {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  const [stopping, setStopping] = useState(false);
  const said = useSnapshot(session, (s) => wordsSince(session, s.messageIds, a.task_id, a.window_id ?? ""));
  const stop = () => {
    setStopping(true);
    void stopAgent(session, a).finally(() => setStopping(false));
  };
  return (
    <WindowFoot>
      <span className="flex min-w-0 flex-1 items-center gap-2" data-agent-foot={a.role}>
        <Mark tone={a.waiting ? "ask" : "run"} size={10} live={!a.waiting} />
        {a.waiting ? (
          <span className="min-w-0 flex-1 truncate">{t.agentAsks}</span>
        ) : (
          <Words session={session} id={said} otherwise={t.agentWorks} />
        )}
      </span>
      <Waiting session={session} waiting={waiting} />
      {mayChange && (
        <button
          type="button"
          className={action}
          aria-busy={stopping || undefined}
          onClick={stopping ? undefined : stop}
        >
          {t.stop}
        </button>
      )}
    </WindowFoot>
  );
}

/** The end of what an agent says, in one line; all of it on request. */
function Words({ session, id, otherwise }: { session: Session; id: string; otherwise: string }) {
  const text = useMessage(session, id)?.text?.trim();
  const line = text?.split("\n").findLast((l) => l.trim() !== "") ?? otherwise;
  return (
    <span className="min-w-0 flex-1 truncate" dir="auto" title={text}>
      {line}
    </span>
  );
}

/** What was pressed and waits for the agent, in order; one can be taken out. */
function Waiting({ session, waiting }: { session: Session; waiting: readonly QueuedMessage[] }) {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  if (waiting.length === 0) return null;
  const remove = (q: QueuedMessage) =>
    void session.send("remove_queued", { message_id: q.message_id }).catch(notifyError);
  const words = (
    <>
      <Clock size={12} aria-hidden />
      {t.waiting(waiting.length)}
    </>
  );
  if (!mayChange) return <span className="flex shrink-0 items-center gap-1">{words}</span>;
  return (
    <Menu
      label={t.waiting(waiting.length)}
      trigger={
        <button type="button" className={`${action} flex items-center gap-1`}>
          {words}
        </button>
      }
      items={waiting.map((q) => ({
        id: q.message_id,
        label: t.remove(q.component?.label || q.text),
        icon: <X size={14} />,
        run: () => remove(q),
      }))}
    />
  );
}

/** The last answer in a window, while nobody works there. */
function useLastAnswer(session: Session, w: WindowState, busy: boolean): string {
  return useSnapshot(session, (s) => {
    const task =
      !busy && w.agent_id
        ? s.tasks.findLast((k) => k.agent_kind === "window" && k.agent_id === w.agent_id)?.task_id
        : undefined;
    return task ? wordsSince(session, s.messageIds, task, w.window_id) : "";
  });
}

/** The newest words of a task since somebody did or said something in this window; "" if there are none. */
function wordsSince(session: Session, ids: readonly string[], task: string, window: string): string {
  let found = "";
  for (let i = ids.length - 1; i >= 0; i--) {
    const m = session.store.message(ids[i]!);
    if (m?.task_id !== task) continue;
    if (m.role === "user") return m.window_id === window ? found : "";
    if (!found && m.role === "assistant" && m.say === "text" && m.text) found = m.message_id;
  }
  return found;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
