import type { Session, TaskInfo, TranscriptMessage } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "@/i18n";
import { spent } from "@/lib/format";
import { Badge, Counts, cx, Mark, type Tone } from "@/ui";
import { findWords } from "../find/words";
import { useFind } from "../find/find";
import { useServerNow } from "../plan/useServerNow";
import { isIdle } from "./groups";
import { everyRow, type Row } from "./rows";
import { Thread } from "./Thread";
import { transcriptWords } from "./words";

/** How a subtask or a step stands, by its task; a task that the server no longer holds has ended. */
export function toneOfTask(task: TaskInfo | undefined): Tone {
  if (!task) return "done";
  if (task.request_id) return "ask";
  if (!task.ended_ms) return isIdle(task) ? "done" : "run";
  const how = task.outcome?.status ?? (task.status === "completed" ? "done" : "stopped");
  return how === "done" ? "done" : how === "failed" ? "fail" : "past";
}

/** The thread beside the head of a group. */
export function GroupThread({ session, group, line }: { session: Session; group: string; line: "run" | "past" }) {
  return (
    <Thread
      mark={useSnapshot(session, (s) => toneOfTask(s.tasks.find((k) => k.task_id === group)))}
      line={line}
      place="card"
    />
  );
}

/** The head of a group: what it is, how it stands, and what came of it. */
export function GroupHead({
  session,
  row,
  message: m,
  onToggle,
}: {
  session: Session;
  row: Row;
  message: TranscriptMessage;
  onToggle(task: string, open: boolean): void;
}) {
  const find = useWords(findWords);
  const task = useSnapshot(session, (s) => s.tasks.find((k) => k.task_id === row.group));
  const number = useSnapshot(session, (s) => numberOf(s.runs, task));
  const tone = toneOfTask(task);
  const now = useServerNow(session, tone === "run" || tone === "ask");
  const open = row.card?.open === true;
  const inside = useFind((s) =>
    open || s.session !== session.id
      ? 0
      : everyRow(row.inner!)
          .filter((r) => r.kind !== "group")
          .reduce((n, r) => n + [r.id, ...r.more].reduce((m, id) => m + (s.matches.get(id) ?? 0), 0), 0),
  );
  return (
    <GroupLine
      group={row.group!}
      title={titleOf(task, m)}
      number={number}
      tone={tone}
      live={tone === "run"}
      open={open}
      depth={row.card?.depth ?? 0}
      result={task?.result || resultOf(session, row)}
      task={task}
      took={task && task.agent_kind !== "window" ? (task.ended_ms ?? now) - task.created_ms : 0}
      badge={inside > 0 && <Badge>{find.inside(inside)}</Badge>}
      onToggle={() => onToggle(row.group!, !open)}
      className={cx(row.card?.first && "rounded-t-lg", row.card?.last && "rounded-b-lg")}
    />
  );
}

interface LineProps {
  group: string;
  title: string;
  /** Of a step: its place in the plan. */
  number: number;
  tone: Tone;
  live?: boolean;
  open: boolean;
  depth: number;
  result?: string;
  task?: TaskInfo;
  took: number;
  badge?: ReactNode;
  onToggle(): void;
  className?: string;
}

/** A group in a line, which unfolds it. What came of it is said as long as it is folded. */
export function GroupLine({
  group,
  title,
  number,
  tone,
  live,
  open,
  depth,
  result,
  task,
  took,
  badge,
  onToggle,
  className,
}: LineProps) {
  const t = useWords(transcriptWords);
  const shown = open ? undefined : result;
  const kind =
    task?.agent_kind === "window" ? t.windowAgent : depth === 0 && task?.agent_kind === "task" && t.taskAgent;
  return (
    <button
      type="button"
      aria-expanded={open}
      data-group={group}
      data-tone={tone}
      data-depth={depth}
      onClick={onToggle}
      className={cx(
        "flex w-full min-w-0 items-center gap-2 text-left hover:bg-hover/50 -outline-offset-2 pointer-coarse:min-h-(--row)",
        depth > 0 ? "min-h-[30px] rounded py-0.5" : cx("py-1.5 pr-3 pl-2.5", shown ? "min-h-[50px]" : "min-h-[38px]"),
        className,
      )}
    >
      <ChevronRight
        size={15}
        aria-hidden
        className={cx("shrink-0 text-soft transition-transform duration-(--motion) slim:hidden", open && "rotate-90")}
      />
      {number > 0 && (
        <span className="h-[18px] min-w-[18px] shrink-0 rounded-[5px] bg-hover px-[5px] text-center text-xs leading-[18px] font-semibold text-soft">
          <span className="sr-only">{t.step} </span>
          {number}
        </span>
      )}
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-semibold" dir="auto">
            {title}
          </span>
          {badge}
        </span>
        {shown && (
          <span className="block truncate text-sm text-soft" dir="auto" data-result>
            {shown}
          </span>
        )}
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-2.5 pl-1 text-sm whitespace-nowrap text-faint">
        {kind && <span>{kind}</span>}
        <Counts added={task?.added} removed={task?.removed} />
        {took >= 500 && (
          <span className="slim:hidden" data-took>
            {spent(took)}
          </span>
        )}
        <Mark tone={tone} live={live} />
        <span className="sr-only">{t.groupStatus[tone]}</span>
      </span>
    </button>
  );
}

/** What a group is called: as its task, or as what it was told. */
export function titleOf(task: TaskInfo | undefined, m: TranscriptMessage): string {
  return task?.text || m.summary || (m.text ?? "").trimStart().split("\n", 1)[0]!.slice(0, 300);
}

/** The place of a step in its plan, from 1; 0 for what is none. */
export function numberOf(
  runs: readonly { run_id: string; todos: readonly { id: string }[] }[],
  task: TaskInfo | undefined,
): number {
  if (!task?.todo_id) return 0;
  return (runs.find((r) => r.run_id === task.run_id)?.todos.findIndex((d) => d.id === task.todo_id) ?? -1) + 1;
}

/** What came of a task that the server no longer holds: its own message says it. */
function resultOf(session: Session, row: Row): string | undefined {
  const last = row.inner?.findLast((r) => r.kind === "result");
  return last && session.store.message(last.id)?.text?.trimStart().split("\n", 1)[0]!.slice(0, 200);
}
