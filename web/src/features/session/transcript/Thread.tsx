import { cx, Mark, type Tone } from "@/ui";

export type ThreadMark = Tone | "user" | "agent" | "none";

const lines = { past: "bg-line", run: "bg-run", ask: "bg-ask" };

/** How far down the first line is: a name, a call, what unfolds, a slim note, a text. Fingers get higher rows. */
const places = { head: "top-[13px]", call: "top-2 pointer-coarse:top-4", fold: "top-[10px] pointer-coarse:top-[22px]", note: "top-[5px]", text: "top-[10px]" };

/**
 * The thread beside a row: one line through all of them, with a mark where
 * something begins. Teal runs, amber needs you, grey is past.
 */
export function Thread({ mark, line = "past", live, sub, place = "text" }: {
  mark: ThreadMark;
  line?: keyof typeof lines;
  live?: boolean;
  sub?: boolean;
  /** What the row begins with: the mark stands beside its first line. */
  place?: keyof typeof places;
}) {
  return (
    <span aria-hidden className="absolute inset-y-0 left-0 w-10 max-sm:w-8" data-thread={line}>
      <span className={cx("absolute inset-y-0 left-[19px] w-0.5 max-sm:left-[15px]", lines[line])} />
      {sub && <span className="absolute inset-y-0 left-[27px] w-px bg-line max-sm:left-[23px]" />}
      {mark !== "none" && (
        <span className={cx("absolute left-[12px] flex size-4 items-center justify-center rounded-full bg-paper max-sm:left-[8px]", places[place])}>
          {mark === "user" ? <span className="size-2 rounded-full bg-ink" /> : mark === "agent" ? <span className={cx("size-2 rounded-full border-2", line === "run" ? "border-run" : "border-past", live && "breathe bg-run")} /> : <Mark tone={mark} size={11} live={live} />}
        </span>
      )}
    </span>
  );
}
