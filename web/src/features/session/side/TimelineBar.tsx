import type { Session, TimelineKind, TimelineMark } from "@clew-run/client";
import { History } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { sessionWords } from "../words";

const looks: Partial<Record<TimelineKind, string>> = {
  user: "fill-ink", question: "fill-ask", error: "fill-fail", checkpoint: "fill-run", rewind: "fill-past", run: "fill-run", fork: "fill-past",
};

/** The thread of the whole session, lying down; it leads to time travel. */
export const TimelineBar = memo(function TimelineBar({ session, marks }: { session: Session; marks: readonly TimelineMark[] }) {
  const t = useWords(sessionWords);
  const told = marks.map((m, i) => ({ m, at: marks.length > 1 ? i / (marks.length - 1) : 1 })).filter(({ m }) => looks[m.kind]);
  const crowded = told.length > 80;
  return (
    <Link href={`/s/${session.id}/time`} aria-label={t.timeline} title={t.timeline} className="group/bar flex h-7 shrink-0 items-center gap-3 border-t border-line bg-sunk px-4 text-sm text-soft hover:text-ink max-md:hidden" data-timeline={marks.length}>
      <History size={13} aria-hidden />
      <svg aria-hidden className="h-3 min-w-0 flex-1 overflow-visible">
        <rect x="0" y="5" width="100%" height="2" className="fill-line group-hover/bar:fill-run" />
        {told.map(({ m, at }) => {
          const x = `${(at * 100).toFixed(2)}%`;
          const key = m.message_id + m.kind;
          if (crowded && m.kind === "user") return <rect key={key} x={x} y="3" width="1" height="6" className="fill-past" />;
          return <circle key={key} cx={x} cy="6" r={m.kind === "checkpoint" ? 2 : 3} className={looks[m.kind]} />;
        })}
      </svg>
      <span className="tabular-nums">{t.openTimeline}</span>
    </Link>
  );
});
