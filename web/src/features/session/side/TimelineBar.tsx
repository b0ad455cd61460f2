import type { Session, Timeline } from "@clew-run/client";
import { History } from "lucide-react";
import { memo, useMemo, type MouseEvent } from "react";
import { Link, useLocation } from "wouter";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { cx, Mark } from "@/ui";
import { markIn, segmentsOf, toneOfStep, type Segment } from "@/features/time/segments";
import { sessionWords } from "../words";

const roomy = 16; // segments; with more of them only what needs a look is marked

/**
 * The whole session as its steps, lying down: each opens time travel where it is clicked.
 * However long the session is, there are 40 of them at most.
 */
export const TimelineBar = memo(function TimelineBar({ session, timeline }: { session: Session; timeline?: Timeline }) {
  const t = useWords(sessionWords);
  const [, navigate] = useLocation();
  const marks = useMemo(() => timeline?.marks ?? [], [timeline]);
  const segments = useMemo(() => segmentsOf(timeline?.steps ?? [], marks), [timeline, marks]);
  const last = marks.at(-1);
  const go = (e: MouseEvent<HTMLElement>, s: Segment) => {
    const box = e.currentTarget.getBoundingClientRect();
    const mark = markIn(s, (e.clientX - box.left) / box.width, marks);
    if (mark) navigate(`/s/${session.id}/time?at=${mark.message_id}`);
  };
  return (
    <nav
      aria-label={t.openTimeline}
      className="flex h-[34px] shrink-0 items-center gap-3 border-t border-line bg-paper pr-3.5 pl-5 text-sm text-soft phone:hidden"
      data-timeline={marks.length}
    >
      <Link
        href={`/s/${session.id}/time`}
        title={t.timeline}
        className="flex shrink-0 items-center gap-3 rounded hover:text-ink"
      >
        <History size={15} aria-hidden />
        {t.openTimeline}
      </Link>
      <div aria-hidden className="flex h-5 min-w-0 flex-1 items-center gap-[3px]">
        {segments.map((s) => (
          <span key={s.step.message_id + s.step.title} className="contents">
            <span
              data-segment={s.step.status}
              title={s.step.count ? t.stepAndMore(s.step.title, s.step.count - 1) : s.step.title}
              onClick={(e) => go(e, s)}
              className="group/seg flex h-5 min-w-1 cursor-pointer items-center"
              style={{ flex: `${Math.max(1, s.to - s.from)} 1 0` }}
            >
              <span
                className={cx(
                  "h-1.5 w-full rounded-full group-hover/seg:h-2",
                  s.step.status === "asking"
                    ? "bg-ask"
                    : s.step.status === "running"
                      ? "bg-run"
                      : "bg-line2 group-hover/seg:bg-past",
                )}
              />
            </span>
            {marked(s, segments.length) && <Mark tone={toneOfStep[s.step.status]} size={11} />}
          </span>
        ))}
      </div>
      {last && <span className="shrink-0 tabular-nums">{clockTime(last.ts)}</span>}
    </nav>
  );
});

/** Whether how a step ended is shown at its end. */
function marked({ step }: Segment, of: number): boolean {
  if (step.status === "asking" || step.status === "failed") return true;
  return of <= roomy && step.kind !== "request" && step.status !== "running";
}
