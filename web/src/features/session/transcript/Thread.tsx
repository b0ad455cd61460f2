import { cx, Mark, type Tone } from "@/ui";

export type ThreadMark = Tone | "user" | "agent" | "none";

const lines = { past: "bg-line2", run: "bg-run", ask: "bg-ask" };

/** How far down the first line is: a name, a call, what unfolds, a slim note, a text, a card. Fingers get higher rows. */
const places = {
  head: "top-[13px]",
  call: "top-[9px] pointer-coarse:top-4",
  fold: "top-[10px] pointer-coarse:top-[22px]",
  note: "top-[5px]",
  text: "top-[11px]",
  card: "top-[15px] pointer-coarse:top-5",
};

/**
 * The thread beside a row: one line through all of them, with a mark where
 * something begins. Teal runs, amber needs you, grey is past.
 */
export function Thread({
  mark,
  line = "past",
  live,
  place = "text",
}: {
  mark: ThreadMark;
  line?: keyof typeof lines;
  live?: boolean;
  /** What the row begins with: the mark stands beside its first line. */
  place?: keyof typeof places;
}) {
  return (
    <span aria-hidden className="absolute inset-y-0 left-0 w-10 slim:w-[34px]" data-thread={line}>
      <span className={cx("absolute inset-y-0 left-[11px] w-0.5 slim:left-[15px]", lines[line])} />
      {mark !== "none" && (
        <span
          className={cx("absolute left-1 flex h-5 w-4 items-center justify-center bg-paper slim:left-2", places[place])}
        >
          {mark === "user" ? (
            <span className="size-2 rounded-full bg-ink" />
          ) : mark === "agent" ? (
            <Mark tone={line === "run" || live ? "run" : "wait"} live={live} />
          ) : (
            <Mark tone={mark} live={live} />
          )}
        </span>
      )}
    </span>
  );
}
