import type { RunView, Session, Todo } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { ChevronRight, RotateCw, SkipForward } from "lucide-react";
import { memo, useState } from "react";
import { useWords } from "@/i18n";
import { duration, money } from "@/lib/format";
import { Button, cx, IconButton, Mark, Pre, Progress, toneOf } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { isOver, todoActions } from "./possible";
import type { Controls } from "./useControls";
import { useServerNow } from "./useServerNow";
import { planWords } from "./words";

/** A button at the end of a row stands beside its first line, which is lower than the button. */
export const besideLine = "-my-1.5 pointer-coarse:-mt-3 pointer-coarse:mb-0";

/** A result in words, with what else it carries below. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return "";
  if (typeof result === "string") return result;
  const { text, ...rest } = result as { text?: unknown };
  if (typeof text !== "string") return JSON.stringify(result, null, 2);
  return Object.keys(rest).length === 0 ? text : `${text}\n\n${JSON.stringify(rest, null, 2)}`;
}

/** One step: what it is, how far it is, what it waits for, and what can be done about it. */
export const TodoRow = memo(function TodoRow({
  session,
  run,
  todo: d,
  number,
  controls,
  onGo,
  last,
  alone,
}: {
  session: Session;
  run: RunView;
  todo: Todo;
  number: number;
  controls?: Controls;
  onGo(id: string): void;
  last?: boolean;
  /** Shown by itself, open. */
  alone?: boolean;
}) {
  const t = useWords(planWords);
  const [open, setOpen] = useState(alone ?? false);
  const can = todoActions(run, d);
  const works = d.status === "in_progress";
  const asks = useSnapshot(session, (s) => works && !isOver(run) && s.questions.some((q) => q.todo_id === d.id));
  const now = useServerNow(session, works && !run.paused && !isOver(run));
  const cost = useSnapshot(session, (s) =>
    d.task_id ? s.tasks.find((k) => k.task_id === d.task_id)?.usage?.cost_usd : undefined,
  );
  const spent = d.duration_ms ?? (works && d.started_ms ? Math.max(0, now - d.started_ms) : undefined);
  const result = resultText(d.result_summary);
  const more = result !== "" || d.error !== undefined;
  const act = (name: "retry" | "skip") => {
    const data = { todo_id: d.id, monitor_id: run.monitor_id };
    void controls?.run(`${name} ${d.id}`, name === "retry" ? "control_retry" : "control_skip", data);
  };
  const busy = (name: string) => controls?.pending.has(`${name} ${d.id}`) ?? false;
  return (
    <li
      data-todo={d.id}
      data-status={d.status}
      tabIndex={-1}
      className={cx(
        "group relative flex gap-2.5 rounded py-1.5 pr-1 focus:outline-2 focus:outline-run",
        !last && !alone && "before:absolute before:top-6 before:-bottom-2 before:left-[5px] before:w-0.5",
        !last && !alone && (d.status === "completed" ? "before:bg-run" : "before:bg-line"),
      )}
    >
      <span className="z-10 mt-1 h-3 bg-paper">
        <Mark tone={asks ? "ask" : toneOf(d.status)} live={works && !asks && !run.paused && !isOver(run)} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-2">
          <p
            className={cx(
              "min-w-0 flex-1",
              d.status === "skipped" && "text-soft line-through",
              d.status === "completed" && "text-soft",
            )}
          >
            <span className="mr-1.5 text-soft">{number}.</span>
            <Revealed text={d.task} />
            <span className="sr-only"> ({asks ? t.asks : t.todoStatus[d.status]})</span>
          </p>
          <span className="flex shrink-0 gap-2 text-sm text-soft">
            {spent !== undefined && spent >= 50 && <span title={t.took}>{duration(spent)}</span>}
            {cost !== undefined && cost > 0 ? (
              <span title={t.cost}>{money(cost)}</span>
            ) : d.estimated_cost_usd ? (
              <span title={t.estimated}>≈ {money(d.estimated_cost_usd)}</span>
            ) : null}
          </span>
        </div>
        <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-soft">
          {d.tool !== "agent" && <span className="font-mono">{d.tool}</span>}
          {d.depends_on.length > 0 && (
            <span>
              {t.waitsFor}{" "}
              {d.depends_on.map((id, i) => {
                const n = run.todos.findIndex((o) => o.id === id) + 1;
                return (
                  <span key={id}>
                    {i > 0 && ", "}
                    <a
                      href={`#${id}`}
                      title={run.todos[n - 1]?.task}
                      className="text-run underline decoration-run/40 underline-offset-2 hover:decoration-run pointer-coarse:py-1.5"
                      onClick={(e) => {
                        e.preventDefault();
                        onGo(id);
                      }}
                    >
                      {n > 0 ? t.stepNumber(n) : id}
                    </a>
                  </span>
                );
              })}
            </span>
          )}
          {(d.retry_count ?? 0) > 0 && <span>{t.retries(d.retry_count!)}</span>}
        </p>
        {works && (
          <div className="flex flex-col gap-0.5 pt-1">
            <Progress done={d.progress_percentage ?? 0} total={100} label={t.progressOf(number)} />
            {d.current_step && (
              <p className="text-sm text-soft">
                <Revealed text={d.current_step} />
              </p>
            )}
          </div>
        )}
        {d.status === "failed" && d.error && (
          <p className="pt-0.5 text-sm text-fail">
            <Revealed text={d.error.message} />
          </p>
        )}
        {controls && (can.retry || (d.status === "failed" && can.skip) || busy("retry") || busy("skip")) && (
          <div className="flex flex-wrap gap-2 pt-1.5">
            {(can.retry || busy("retry")) && (
              <Button icon={<RotateCw size={13} />} busy={busy("retry")} onClick={() => act("retry")}>
                {busy("retry") ? t.retrying : t.retry}
              </Button>
            )}
            {(can.skip || busy("skip")) && (
              <Button icon={<SkipForward size={13} />} busy={busy("skip")} onClick={() => act("skip")}>
                {busy("skip") ? t.skipping : t.skip}
              </Button>
            )}
          </div>
        )}
        {open && result !== "" && (
          <Pre label={t.resultOf(number)} className="mt-1 max-h-60 whitespace-pre-wrap">
            <Revealed text={result} />
          </Pre>
        )}
      </div>
      {controls && can.skip && d.status !== "failed" && !busy("skip") && (
        <IconButton
          label={t.skipNumber(number)}
          icon={<SkipForward size={14} />}
          onClick={() => act("skip")}
          className={cx(
            besideLine,
            "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus:opacity-100 pointer-coarse:opacity-100",
          )}
        />
      )}
      {more && !alone && (
        <IconButton
          label={open ? t.fold(number) : t.unfold(number)}
          aria-expanded={open}
          icon={
            <ChevronRight size={15} className={cx("transition-transform duration-(--motion)", open && "rotate-90")} />
          }
          onClick={() => setOpen(!open)}
          className={besideLine}
        />
      )}
    </li>
  );
});
