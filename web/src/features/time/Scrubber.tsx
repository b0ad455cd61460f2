import type { TimelineMark } from "@clew-run/client";
import { memo, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { cx, Mark, type Tone } from "@/ui";
import { transcriptWords } from "@/features/session/transcript/words";
import { describe } from "./marks";
import { step, type StepBy } from "./steps";
import { timeWords } from "./words";

const tones: Record<TimelineMark["kind"], Tone> = {
  user: "run", assistant: "wait", tool: "wait", question: "ask", answer: "done", checkpoint: "done", error: "fail", run: "run", rewind: "past", fork: "past",
};
/** These get a mark of their own; the others are ticks. */
const tall = new Set<TimelineMark["kind"]>(["user", "question", "checkpoint", "error", "run", "rewind"]);

/**
 * The session as one thread from left to right. A slider: arrows step, with
 * Shift by what people said, Page keys by tens, Home and End to the ends.
 */
export function Scrubber({ marks, at, by, onMove }: { marks: readonly TimelineMark[]; at: number; by: StepBy; onMove(i: number): void }) {
  const t = useWords(timeWords);
  const { tools } = useWords(transcriptWords);
  const line = useRef<HTMLDivElement>(null);
  const last = marks.length - 1;
  const here = marks[at];

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
  const x = (i: number) => `${last > 0 ? (100 * i) / last : 50}%`;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={t.scrub}
      aria-valuemin={1}
      aria-valuemax={last + 1}
      aria-valuenow={at + 1}
      aria-valuetext={here && `${t.position(at + 1, last + 1)}: ${t.kinds[here.kind]}, ${clockTime(here.ts)}, ${describe(here, t, tools)}`}
      onKeyDown={onKey}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        toPointer(e);
      }}
      onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && toPointer(e)}
      className="relative h-12 cursor-pointer touch-none px-3 select-none"
    >
      <div ref={line} className="relative mx-auto h-full">
        <div className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 bg-line" />
        <div className="absolute top-1/2 left-0 h-0.5 -translate-y-1/2 bg-run" style={{ width: x(at) }} />
        <Marks marks={marks} />
        <div className="absolute top-1/2 size-4 -translate-1/2 rounded-full border-2 border-paper bg-run ring-1 ring-run" style={{ left: x(at) }} />
      </div>
    </div>
  );
}

/** So many marks have room; of more, only what people look for is drawn. */
const roomy = 300;

/** All marks. They change with the session, not with the scrubbing. */
const Marks = memo(function Marks({ marks }: { marks: readonly TimelineMark[] }) {
  const last = marks.length - 1;
  const crowded = marks.length > roomy;
  return marks.map((m, i) => {
    if (crowded && !tall.has(m.kind)) return null;
    const left = `${last > 0 ? (100 * i) / last : 50}%`;
    return tall.has(m.kind) && !(crowded && m.kind === "user") ? (
      <span key={m.message_id + m.kind} className={cx("absolute top-1/2 -translate-1/2 bg-paper", m.hidden && "opacity-50")} style={{ left }}>
        <Mark tone={m.hidden ? "past" : tones[m.kind]} size={10} />
      </span>
    ) : (
      <span key={m.message_id + m.kind} className={cx("absolute top-1/2 h-2 w-px -translate-y-1/2", m.hidden ? "bg-line" : "bg-past")} style={{ left }} />
    );
  });
});
