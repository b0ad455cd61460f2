import { cx, Mark, type Tone } from "@/ui";

export type ThreadMark = Tone | "user" | "agent" | "none";

const lines = { past: "bg-line", run: "bg-run", ask: "bg-ask" };

/**
 * The thread beside a row: one line through all of them, with a mark where
 * something begins. Teal runs, amber needs you, grey is past.
 */
export function Thread({ mark, line = "past", live, sub, head, slim }: {
  mark: ThreadMark;
  line?: keyof typeof lines;
  live?: boolean;
  sub?: boolean;
  /** The row begins with a name: the mark stands beside that. */
  head?: boolean;
  slim?: boolean;
}) {
  return (
    <span aria-hidden className="absolute inset-y-0 left-0 w-10 max-sm:w-8" data-thread={line}>
      <span className={cx("absolute inset-y-0 left-[19px] w-0.5 max-sm:left-[15px]", lines[line])} />
      {sub && <span className="absolute inset-y-0 left-[27px] w-px bg-line max-sm:left-[23px]" />}
      {mark !== "none" && (
        <span className={cx("absolute left-[12px] flex size-4 items-center justify-center rounded-full bg-paper max-sm:left-[8px]", head ? "top-[13px]" : slim ? "top-2 pointer-coarse:top-4" : "top-[10px]")}>
          {mark === "user" ? <span className="size-2 rounded-full bg-ink" /> : mark === "agent" ? <span className={cx("size-2 rounded-full border-2", line === "run" ? "border-run" : "border-past", live && "breathe bg-run")} /> : <Mark tone={mark} size={11} live={live} />}
        </span>
      )}
    </span>
  );
}
