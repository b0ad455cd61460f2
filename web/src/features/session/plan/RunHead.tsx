import type { RunView, Session } from "@clew-run/client";
import { useWords } from "@/i18n";
import { duration } from "@/lib/format";
import { cx, Mark, Progress, type Tone } from "@/ui";
import { Revealed } from "../questions/Revealed";
import { isOver, layerStates, tally, type LayerState } from "./possible";
import { useServerNow } from "./useServerNow";
import { planWords } from "./words";

/** Where a run is: its four layers as a thread, and how many steps are done. */
export function RunHead({ session, run }: { session: Session; run: RunView }) {
  const t = useWords(planWords);
  const over = isOver(run);
  const n = tally(run.todos);
  const began = Math.min(...run.todos.map((d) => d.started_ms ?? Infinity));
  const now = useServerNow(session, !over && !run.paused && n.working > 0);
  const tone = (s: LayerState): Tone => {
    if (s === "done") return "done";
    if (s === "ahead") return "wait";
    if (over) return run.status === "failed" || run.ended?.status === "failed" ? "fail" : "past";
    return run.paused || run.phase === "review" ? "ask" : "run";
  };
  const paused = run.paused === true && !over;
  const finishing = paused ? run.todos.filter((d) => d.status === "in_progress") : [];
  const says = paused
    ? finishing.length > 0
      ? t.pausedFirst
      : t.paused
    : (t.phases[run.phase ?? run.status] ?? run.phase);
  const counts = [
    run.todos.length > 0 ? t.doneOf(n.done, n.total) : "",
    n.working > 0 && !run.paused ? t.working(n.working) : "",
    n.failed > 0 ? t.failed(n.failed) : "",
    n.skipped > 0 ? t.skipped(n.skipped) : "",
    !over && !run.paused && n.working > 0 && Number.isFinite(began) ? duration(now - began) : "",
  ].filter(Boolean);
  return (
    <div className="flex flex-col gap-2">
      <ol aria-label={t.layersLabel} className="flex items-center">
        {layerStates(run).map(({ layer, state }, i) => (
          <li
            key={layer}
            aria-current={state === "now" && !over ? "step" : undefined}
            className={cx("flex min-w-0 items-center", i > 0 && "flex-1")}
          >
            {i > 0 && (
              <span
                aria-hidden
                className={cx("mx-1.5 h-0.5 min-w-2 flex-1", state === "ahead" ? "bg-line" : "bg-run")}
              />
            )}
            <Mark tone={tone(state)} live={state === "now" && !over && !run.paused && run.phase !== "review"} />
            <span
              className={cx(
                "ml-1 truncate text-sm",
                state === "now" ? "font-medium" : "text-soft",
                state !== "now" && "max-sm:sr-only",
              )}
            >
              {t.layers[layer]}
            </span>
          </li>
        ))}
      </ol>
      {run.todos.length > 0 && <Progress done={n.done} total={n.total} label={t.doneOf(n.done, n.total)} />}
      <p className="flex flex-wrap gap-x-2 text-sm text-soft">
        <span className={cx("font-medium", paused ? "text-ask" : "text-ink")}>{says}</span>
        {finishing.length > 0 && (
          <span className="min-w-0 truncate">
            <Revealed text={t.finishing(finishing[0]!.task, finishing.length - 1)} />
          </span>
        )}
        {counts.map((c) => (
          <span key={c}>{c}</span>
        ))}
      </p>
    </div>
  );
}
