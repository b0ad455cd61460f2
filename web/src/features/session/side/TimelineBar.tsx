import type { Session, TimelineKind, TimelineMark } from "@clew-run/client";
import { History } from "lucide-react";
import { memo, useMemo } from "react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { sessionWords } from "../words";
import { barOf } from "./bar";

const looks: Partial<Record<TimelineKind, string>> = {
  user: "fill-ink", question: "fill-ask", error: "fill-fail", checkpoint: "fill-run", rewind: "fill-past", run: "fill-run", fork: "fill-past",
};

/** The thread of the whole session, lying down; it leads to time travel. */
export const TimelineBar = memo(function TimelineBar({ session, marks }: { session: Session; marks: readonly TimelineMark[] }) {
  const t = useWords(sessionWords);
  const bar = useMemo(() => barOf(marks), [marks]);
  return (
    <Link href={`/s/${session.id}/time`} aria-label={t.timeline} title={t.timeline} className="group/bar flex h-7 shrink-0 items-center gap-3 border-t border-line bg-sunk px-4 text-sm text-soft hover:text-ink max-md:hidden" data-timeline={marks.length}>
      <History size={13} aria-hidden />
      <svg aria-hidden className="h-3 min-w-0 flex-1 overflow-visible">
        <rect x="0" y="5" width="100%" height="2" className="fill-line group-hover/bar:fill-run" />
        {bar.ticks.length > 0 && (
          <svg viewBox="0 0 1000 12" width="100%" height="12" preserveAspectRatio="none" overflow="visible">
            <path d={bar.ticks.map((at) => `M${(at * 1000).toFixed(1)} 3v6`).join("")} vectorEffect="non-scaling-stroke" className="fill-none stroke-past" />
          </svg>
        )}
        {bar.marks.map(({ at, kind }) => <circle key={`${at} ${kind}`} cx={`${(at * 100).toFixed(2)}%`} cy="6" r={kind === "checkpoint" ? 2 : 3} className={looks[kind]} />)}
      </svg>
      <span className="tabular-nums">{t.openTimeline}</span>
    </Link>
  );
});
