import type { SessionSummary } from "@clew-run/client";
import { ChevronRight } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { count, fullTime, money } from "@/lib/format";
import { lastWords, standing } from "@/lib/standing";
import { useLoaded } from "@/lib/useLoaded";
import { Ago, Badge, cx, ErrorNote, IconButton, Loading, Mark, Progress, Status, Time, toneOf } from "@/ui";
import { SessionMenu } from "./SessionMenu";
import { taskTree, type TaskNode } from "./tree";
import { historyWords } from "./words";

/** One session in a list: what it is, how it stands, what it cost; its tasks on demand. */
export function SessionRow({
  session: s,
  aside,
  onChange,
}: {
  session: SessionSummary;
  aside?: ReactNode;
  onChange(): void;
}) {
  const t = useWords(historyWords);
  const me = useMe();
  const [open, setOpen] = useState(false);
  const id = useId();
  const title = s.title || s.session_id;
  return (
    <li className="border-b border-line">
      <div className="flex items-center gap-1 py-1">
        <IconButton
          label={t.showTasks(title)}
          aria-expanded={open}
          aria-controls={id}
          icon={
            <ChevronRight size={15} className={cx("transition-transform duration-(--motion)", open && "rotate-90")} />
          }
          onClick={() => setOpen(!open)}
        />
        <Link
          href={`/s/${s.session_id}`}
          className="group flex min-w-0 flex-1 flex-col rounded px-1.5 py-1 hover:bg-hover sm:flex-row sm:items-center sm:gap-4"
        >
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-2">
              <span className="truncate font-medium">{title}</span>
              {!aside && s.owner !== undefined && me && s.owner !== me.user_id && <Badge>{t.of(s.owner)}</Badge>}
              {s.forked_from && <Badge>{t.forked}</Badge>}
              {s.erase_ms !== undefined && <Badge tone="fail">{t.erasedOn(fullTime(s.erase_ms))}</Badge>}
              {!!s.questions && <Badge tone="ask">{s.questions}</Badge>}
            </span>
            <span className="block truncate text-sm text-soft">
              {s.last_line ? lastWords(s.last_line, title) : s.workspace || s.session_id}
            </span>
          </span>
          <span className="flex shrink-0 items-center gap-3 text-sm text-soft">
            {s.plan && (
              <span className="w-20">
                <Progress done={s.plan.done} total={s.plan.total} label={`${s.plan.done}/${s.plan.total}`} />
              </span>
            )}
            <Status status={standing(s, me?.user_id)} className="sm:min-w-24" />
            <span className="whitespace-nowrap sm:w-14 sm:text-right">{s.cost_usd ? money(s.cost_usd) : "–"}</span>
            <Ago ms={s.updated_ms} className="whitespace-nowrap sm:w-24 sm:text-right" />
          </span>
        </Link>
        {aside}
        <SessionMenu session={s} onChange={onChange} />
      </div>
      {open && (
        <div id={id} className="pb-3 pl-9 sm:pl-11">
          <Tasks session={s.session_id} running={s.status === "planning" || s.status === "executing"} />
        </div>
      )}
    </li>
  );
}

function Tasks({ session, running }: { session: string; running: boolean }) {
  const t = useWords(historyWords);
  const tasks = useLoaded(session, () => client.rest.sessions.tasks(session));
  if (tasks.error !== undefined) return <ErrorNote error={tasks.error} retry={tasks.reload} />;
  if (!tasks.value) return <Loading />;
  const tree = taskTree(tasks.value.tasks);
  if (tree.length === 0) return <p className="text-soft">{t.noTasks}</p>;
  return (
    <ul>
      {tree.map((n) => (
        <TaskLine key={n.item.id} node={n} session={session} running={running} />
      ))}
    </ul>
  );
}

/** A task and, on a thread below it, its subtasks. */
function TaskLine({ node, session, running }: { node: TaskNode; session: string; running: boolean }) {
  const t = useWords(historyWords);
  const { item } = node;
  return (
    <li>
      <Link href={`/s/${session}`} className="flex min-h-(--row) items-center gap-2.5 rounded px-1.5 hover:bg-hover">
        <Mark tone={item.status === "active" && !running ? "wait" : toneOf(item.status)} />
        <span className="min-w-0 flex-1 truncate">{item.task}</span>
        <span className="flex shrink-0 gap-3 text-sm text-soft">
          <span title={`${t.tokens}: ${t.in} ${node.tokensIn}, ${t.out} ${node.tokensOut}`} className="max-sm:hidden">
            {count(node.tokensIn + node.tokensOut)}
          </span>
          <span className="w-14 text-right">{money(node.cost)}</span>
          <Time ms={item.ts} className="w-24 text-right max-sm:hidden" />
        </span>
      </Link>
      {node.children.length > 0 && (
        <ul className="ml-3 border-l-2 border-line pl-3">
          {node.children.map((c) => (
            <TaskLine key={c.item.id} node={c} session={session} running={running} />
          ))}
        </ul>
      )}
    </li>
  );
}
