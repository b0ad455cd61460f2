import { X } from "lucide-react";
import { memo, useMemo, type ReactNode } from "react";
import { CodePieces } from "@/lib/CodeText";
import { piecesOf } from "@/lib/code_scopes";
import { pieces as revealed, deceives } from "@/features/session/questions/reveal";
import { cx, IconButton } from "@/ui";
import type { FileColours, SideColours } from "./colours";
import { CommentForm } from "./CommentForm";
import type { LineComment, Place } from "./comments";
import { marksOf, type Range } from "./marks";
import type { Row } from "./parse";
import type { DiffWords } from "./words";
import "./diff.css";

/** What can be done in rows; `index` is where the focus goes after it. */
export interface RowActions {
  cancel(index: number): void;
  add(c: LineComment, index: number): void;
  remove(c: LineComment, index?: number): void;
}

/** Longer lines are cut for the eye: nobody reads a minified file. */
export const longest = 400;
const noMarks: Range[] = [];

/** Lines that did not change and are not shown. */
export function Gap({ row, onShow, words: t }: { row: Row; onShow?(): void; words: DiffWords }) {
  return (
    <div className="diff flex min-h-6 items-center gap-3 border-y border-line bg-well px-3 text-xs text-faint">
      <span className="shrink-0">{t.unchangedLines(row.skipped ?? 0)}</span>
      {onShow && (
        <button
          type="button"
          onClick={onShow}
          aria-label={t.showUnchanged(row.skipped ?? 0)}
          className="shrink-0 py-1 font-sans text-sm text-run hover:underline pointer-coarse:min-h-(--row) pointer-coarse:px-2"
        >
          {t.show}
        </button>
      )}
      {row.section && <span className="min-w-0 truncate">{row.section}</span>}
    </div>
  );
}

/** One row, with its comments below it. */
export const LineRow = memo(function LineRow({
  index,
  path,
  row,
  split,
  showCr,
  comments,
  writing,
  stop,
  actions,
  colours,
  author,
  words: t,
}: {
  index: number;
  path: string;
  row: Row;
  split: boolean;
  showCr: boolean;
  comments: readonly LineComment[];
  writing: Place | null;
  /** The keyboard is on this line, on that side where there are two. */
  stop: Place["side"] | null;
  actions?: RowActions;
  colours?: FileColours;
  /** Whose comments they are. */
  author?: string;
  words: DiffWords;
}) {
  const here = (p: Place) =>
    p.path === path &&
    ((p.side === "before" && p.line === row.old && (split || row.kind !== "same")) ||
      (p.side === "after" && p.line === row.new));
  const mine = comments.filter(here);
  const open = writing && here(writing) ? writing : null;
  const sides = split ? (["before", "after"] as const) : ([row.kind === "del" ? "before" : "after"] as const);
  const aside = (side: Place["side"]) =>
    cx(
      "my-1.5 mr-3.5 ml-13",
      split && side === "after" && "ml-[calc(50%+2.75rem)] max-md:ml-13",
      split && side === "before" && "mr-[calc(50%+0.5rem)] max-md:mr-3.5",
    );
  return (
    <>
      <div className={cx("diff", split && "grid grid-cols-2")}>
        {sides.map((side) => (
          <Side
            key={side}
            side={side}
            row={row}
            split={split}
            showCr={showCr}
            colours={colours?.[side]}
            stop={
              stop !== null &&
              (sides.length === 1 || (row[stop] === undefined ? row[side] !== undefined : side === stop))
            }
            open={!!actions}
            words={t}
          />
        ))}
      </div>
      {mine.map((c, i) => (
        <div key={i} className={cx(aside(c.side), "rounded-lg border border-line2 bg-sheet shadow-card")} data-comment>
          <div className="flex items-center gap-2 pt-1 pr-1 pl-3">
            <span className="min-w-0 truncate font-semibold">{author}</span>
            <span className="min-w-0 flex-1 text-xs text-faint">{t.lineNotSent(c.line)}</span>
            {actions && (
              <IconButton label={t.removeComment} icon={<X size={14} />} onClick={() => actions.remove(c, index)} />
            )}
          </div>
          <p className="px-3 pb-2.5 whitespace-pre-wrap">{c.comment}</p>
        </div>
      ))}
      {open && actions && (
        <div className={aside(open.side)}>
          <CommentForm
            place={open}
            text={(open.side === "before" ? row.before : row.after) ?? ""}
            onCancel={() => actions.cancel(index)}
            onComment={(c) => actions.add(c, index)}
          />
        </div>
      )}
    </>
  );
});

function Side({
  side,
  row,
  split,
  showCr,
  colours,
  stop,
  open,
  words: t,
}: {
  side: "before" | "after";
  row: Row;
  split: boolean;
  showCr: boolean;
  colours?: SideColours;
  stop: boolean;
  /** Its lines can be remarked on. */
  open: boolean;
  words: DiffWords;
}) {
  const text = row[side];
  const number = side === "before" ? row.old : row.new;
  const changed = row.kind !== "same" && text !== undefined;
  const mate = row.mate?.[side];
  const marks = useMemo(() => {
    if (text === undefined || mate === undefined) return noMarks;
    return (side === "before" ? marksOf(text, mate)?.before : marksOf(mate, text)?.after) ?? noMarks;
  }, [text, mate, side]);
  const numbers = "w-10 shrink-0 pr-2 text-right text-xs leading-5 text-faint select-none";
  return (
    <div
      className={cx(
        "flex min-w-0 pointer-coarse:py-0.5",
        split && side === "before" && "border-r border-line",
        text === undefined && "diff-none",
        changed && (side === "before" ? "bg-del-wash" : "bg-add-wash"),
      )}
    >
      {open && number !== undefined && text !== undefined && stop ? (
        // The one number that the keyboard is on; a pointer may take any of them.
        <button
          type="button"
          data-line={number}
          data-side={side}
          aria-label={t.comment(number, side === "before" ? t.before : t.after)}
          title={t.commentHelp}
          className={cx(numbers, "relative -my-0.5 h-6 -outline-offset-2 hover:bg-hover hover:text-ink")}
        >
          {number}
        </button>
      ) : open && number !== undefined && text !== undefined ? (
        <span
          data-line={number}
          data-side={side}
          title={t.commentHelp}
          className={cx(numbers, "cursor-pointer hover:bg-hover hover:text-ink")}
        >
          {number}
        </span>
      ) : (
        <span className={numbers}>{text !== undefined && number}</span>
      )}
      <span aria-hidden className={cx("w-3.5 shrink-0 select-none", side === "before" ? "text-del" : "text-add")}>
        {changed ? (side === "before" ? "−" : "+") : ""}
      </span>
      {changed && <span className="sr-only">{side === "before" ? t.removedLine : t.addedLine}</span>}
      <span className="min-w-0 flex-1 pr-2 wrap-anywhere whitespace-pre-wrap">
        {text !== undefined && (
          <LineText text={text} marks={marks} side={side} colours={colours} number={number} words={t} />
        )}
        {showCr && row.cr?.[side] && (
          <span title={t.cr} className="text-soft select-none">
            ␍
          </span>
        )}
        {row.noEnd?.[side] && row.noEnd.before !== row.noEnd.after && (
          <span className="pl-2 text-xs text-soft select-none">{t.noEnd}</span>
        )}
      </span>
    </div>
  );
}

function LineText({
  text: whole,
  marks,
  side,
  colours,
  number,
  words: t,
}: {
  text: string;
  marks: readonly Range[];
  side: "before" | "after";
  colours?: SideColours;
  number?: number;
  words: DiffWords;
}) {
  // What differs has to be seen, wherever in the line it is.
  const mark = marks[0];
  const from = whole.length > longest && mark && mark[0] > longest / 2 ? mark[0] - longest / 2 : 0;
  const text = whole.slice(from, from + longest);
  const cut = whole.length - text.length;
  const start = number === undefined ? undefined : colours?.startOf(number);
  const inText = marks
    .map(([a, b]): Range => [Math.max(0, a - from), Math.min(text.length, b - from)])
    .filter(([a, b]) => a < b);
  const look = side === "before" ? "bg-del-word" : "bg-add-word";
  return (
    <>
      {from > 0 && "…"}
      {deceives(text) ? (
        <Plain text={text} title={t.hiddenCharacter} />
      ) : (
        <CodePieces
          pieces={piecesOf(text, start === undefined ? null : colours!.colours, (start ?? 0) + from, inText)}
          marked={look}
        />
      )}
      {cut > 0 && <span className="pl-1 text-xs text-soft select-none">{t.cut(cut)}</span>}
    </>
  );
}

/** A line with characters that deceive the eye: they are shown by their number, and nothing else is. */
function Plain({ text, title }: { text: string; title: string }): ReactNode {
  return (
    <bdi dir="ltr">
      {revealed(text).map((p, i) =>
        "text" in p ? (
          p.text
        ) : (
          <mark
            key={i}
            title={title}
            className="mx-px rounded-sm border border-fail/60 bg-fail-wash px-0.5 text-xs text-fail"
          >
            {p.code}
          </mark>
        ),
      )}
    </bdi>
  );
}
