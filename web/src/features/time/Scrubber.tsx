import type { TimelineMark, TimelineStep } from "@clew-run/client";
import { memo, useMemo, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { cx, Mark, type Tone } from "@/ui";
import { transcriptWords } from "@/features/session/transcript/words";
import { describe } from "./marks";
import { drawnMarks, segmentAt, segmentsOf, type Segment } from "./segments";
import { step, type StepBy } from "./steps";
import { timeWords } from "./words";

const tones: Partial<Record<TimelineMark["kind"], Tone>> = {
  question: "ask",
  error: "fail",
  rewind: "past",
  fork: "past",
};
const mostMarks = 60; // side by side
const namedFrom = 6; // percent of the line: a narrower step has no room for its name

/**
 * The session as one line of named steps from left to right. A slider: arrows step, with
 * Shift by what people said, Page keys by tens, Home and End to the ends.
 */
export function Scrubber({
  marks,
  steps,
  at,
  by,
  onMove,
}: {
  marks: readonly TimelineMark[];
  steps: readonly TimelineStep[];
  at: number;
  by: StepBy;
  onMove(i: number): void;
}) {
  const t = useWords(timeWords);
  const { tools } = useWords(transcriptWords);
  const line = useRef<HTMLDivElement>(null);
  const last = marks.length - 1;
  const here = marks[at];
  const segments = useMemo(() => segmentsOf(steps, marks), [steps, marks]);
  const within = segmentAt(segments, at);

  const toPointer = (e: PointerEvent) => {
    const box = line.current!.getBoundingClientRect();
    onMove(Math.round(Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)) * last));
  };
  const onKey = (e: KeyboardEvent) => {
    const moves: Record<string, () => number> = {
      ArrowLeft: () => step(marks, at, e.shiftKey ? "people" : by, -1),
      ArrowDown: () => step(marks, at, e.shiftKey ? "people" : by, -1),
      ArrowRight: () => step(marks, at, e.shiftKey ? "people" : by, 1),
      ArrowUp: () => step(marks, at, e.shiftKey ? "people" : by, 1),
      PageUp: () => Math.max(0, at - 10),
      PageDown: () => Math.min(last, at + 10),
      Home: () => 0,
      End: () => last,
    };
    const move = moves[e.key];
    if (!move) return;
    e.preventDefault();
    onMove(move());
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={t.scrub}
      aria-valuemin={1}
      aria-valuemax={last + 1}
      aria-valuenow={at + 1}
      aria-valuetext={
        here &&
        [
          within?.step.title,
          `${t.position(at + 1, last + 1)}: ${t.kinds[here.kind]}, ${clockTime(here.ts)}, ${describe(here, t, tools)}`,
        ]
          .filter(Boolean)
          .join(". ")
      }
      onKeyDown={onKey}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        toPointer(e);
      }}
      onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && toPointer(e)}
      className="relative h-[62px] cursor-pointer touch-none px-5 select-none"
    >
      <div ref={line} className="relative mx-auto h-full">
        <div className="absolute inset-x-0 top-[22px] h-2.5 rounded-full bg-line2" />
        <div className="absolute top-[22px] left-0 h-2.5 rounded-full bg-run" style={{ width: x(at, last) }} />
        {segments.slice(1).map((s) => (
          <span
            key={s.step.message_id + s.from}
            className="absolute top-[22px] h-2.5 w-[3px] -translate-x-1/2 bg-paper"
            style={{ left: x(s.from, last) }}
          />
        ))}
        <Marks marks={marks} />
        <Names segments={segments} last={last} current={within} />
        <div
          className="absolute top-[27px] size-5 -translate-1/2 rounded-full border-2 border-paper bg-run ring-3 ring-run/25"
          style={{ left: x(at, last) }}
        />
      </div>
    </div>
  );
}

function x(i: number, last: number): string {
  return `${last > 0 ? (100 * i) / last : 50}%`;
}

/** What people look for, on the line. It changes with the session, not with the scrubbing. */
const Marks = memo(function Marks({ marks }: { marks: readonly TimelineMark[] }) {
  const drawn = useMemo(() => drawnMarks(marks, mostMarks), [marks]);
  return drawn.map(({ at, mark: m }) => (
    <span
      key={m.message_id + m.kind}
      className={cx(
        "absolute top-[27px] flex h-3.5 w-4 -translate-1/2 items-center justify-center rounded-full bg-paper",
        m.hidden && "opacity-50",
      )}
      style={{ left: x(at, marks.length - 1) }}
    >
      {m.kind === "user" ? (
        <span className="size-2 rounded-full bg-ink" />
      ) : (
        <Mark tone={m.hidden ? "past" : (tones[m.kind] ?? "past")} size={11} />
      )}
    </span>
  ));
});

/** The names of the steps under the line, where they have room. */
const Names = memo(function Names({
  segments,
  last,
  current,
}: {
  segments: readonly Segment[];
  last: number;
  current?: Segment;
}) {
  const ends = (i: number) => (i + 1 < segments.length ? segments[i + 1]!.from : last);
  return segments.map((s, i) => {
    const width = last > 0 ? (100 * (ends(i) - s.from)) / last : 100;
    if (width < namedFrom) return null;
    return (
      <span
        key={s.step.message_id + i}
        data-step={s.step.title}
        className={cx(
          "absolute top-[38px] truncate pr-2 text-xs",
          s === current ? "font-semibold text-run" : "text-soft",
        )}
        style={{ left: x(s.from, last), width: `${width}%` }}
        dir="auto"
      >
        {s.step.title}
      </span>
    );
  });
});
