import type { CheckpointFile } from "@clew-run/client";
import { ChevronDown, ChevronRight, X } from "lucide-react";
import { memo } from "react";
import { useWords } from "@/i18n";
import { CodeText } from "@/lib/CodeText";
import { cx, IconButton } from "@/ui";
import { CommentForm } from "./CommentForm";
import type { LineComment, Place } from "./comments";
import type { Row } from "./parse";
import { diffWords, type DiffWords } from "./words";

/** What can be done in rows; `index` is where the focus goes after it. */
export interface RowActions {
  cancel(index: number): void;
  add(c: LineComment, index: number): void;
  remove(c: LineComment, index?: number): void;
}

/** Longer lines are cut for the eye: nobody reads a minified file. */
const longest = 400;

export function FileHead({ file, added, removed, folded, onFold }: {
  file: CheckpointFile;
  added: number;
  removed: number;
  folded: boolean;
  onFold(): void;
}) {
  const t = useWords(diffWords);
  return (
    <div className="flex min-h-9 items-center gap-2 border-y border-line bg-sunk px-2">
      <button type="button" aria-expanded={!folded} onClick={onFold} className="flex min-h-(--row) min-w-0 flex-1 items-center gap-1.5 text-left">
        {folded ? <ChevronRight size={14} aria-hidden className="shrink-0" /> : <ChevronDown size={14} aria-hidden className="shrink-0" />}
        <span className="truncate font-mono text-sm">{file.paths.old ? `${file.paths.old} → ` : ""}{file.paths.relative}</span>
      </button>
      <span className="text-sm whitespace-nowrap text-soft">{t.status[file.status ?? ""] ?? file.status}</span>
      {added + removed > 0 && <span className="font-mono text-sm whitespace-nowrap">{added > 0 && <span className="text-add">+{added}</span>} {removed > 0 && <span className="text-del">−{removed}</span>}</span>}
    </div>
  );
}

export function Note({ text }: { text: string }) {
  return <p className="px-4 py-2 text-soft">{text}</p>;
}

/** A remark whose line is not to be seen any more. It is sent all the same. */
export function LostComment({ comment: c, onRemove }: { comment: LineComment; onRemove(): void }) {
  const t = useWords(diffWords);
  return (
    <li className="flex items-start gap-2 py-1 pr-1 pl-3">
      <div className="min-w-0 flex-1">
        <p className="text-sm text-soft"><code className="font-mono break-all">{c.path}:{c.line}</code> {t.lineGone}</p>
        <p className="whitespace-pre-wrap">{c.comment}</p>
      </div>
      <IconButton label={t.removeComment} icon={<X size={14} />} onClick={onRemove} />
    </li>
  );
}

/** One row, with its comments below it. */
export const LineRow = memo(function LineRow({ index, path, row, split, showCr, comments, writing, stop, actions, words: t }: {
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
  words: DiffWords;
}) {
  if (row.kind === "gap") {
    return <div className="border-y border-line bg-sunk px-3 font-mono text-xs leading-5 text-soft"><span className="sr-only">{t.unchanged} </span>{row.before}</div>;
  }
  const here = (p: Place) =>
    p.path === path && ((p.side === "before" && p.line === row.old && (split || row.kind !== "same")) || (p.side === "after" && p.line === row.new));
  const mine = comments.filter(here);
  const open = writing && here(writing) ? writing : null;
  const sides = split ? (["before", "after"] as const) : ([row.kind === "del" ? "before" : "after"] as const);
  return (
    <>
      <div className={cx("font-mono text-sm leading-[18px]", split && "grid grid-cols-2")}>
        {sides.map((side) => (
          <Side key={side} side={side} path={path} row={row} split={split} showCr={showCr} stop={stop !== null && (sides.length === 1 || (row[stop] === undefined ? row[side] !== undefined : side === stop))} open={!!actions} words={t} />
        ))}
      </div>
      {mine.map((c, i) => (
        <div key={i} className="flex items-start gap-2 border-y border-line bg-ask-wash py-1 pr-1 pl-12" data-comment>
          <p className="min-w-0 flex-1 py-1 whitespace-pre-wrap">{c.comment}</p>
          {actions && <IconButton label={t.removeComment} icon={<X size={14} />} onClick={() => actions.remove(c, index)} />}
        </div>
      ))}
      {open && actions && (
        <CommentForm
          place={open}
          text={(open.side === "before" ? row.before : row.after) ?? ""}
          onCancel={() => actions.cancel(index)}
          onComment={(c) => actions.add(c, index)}
        />
      )}
    </>
  );
});

function Side({ side, path, row, split, showCr, stop, open, words: t }: {
  side: "before" | "after";
  path: string;
  row: Row;
  split: boolean;
  showCr: boolean;
  stop: boolean;
  /** Its lines can be remarked on. */
  open: boolean;
  words: DiffWords;
}) {
  const text = side === "before" ? row.before : row.after;
  const number = side === "before" ? row.old : row.new;
  const changed = row.kind !== "same" && text !== undefined;
  const numbers = "w-11 shrink-0 pr-2 text-right text-xs leading-[18px] text-soft select-none";
  return (
    <div
      className={cx(
        "flex min-w-0 pointer-coarse:py-0.5",
        split && side === "before" && "border-r border-line",
        text === undefined && "bg-sunk",
        changed && (side === "before" ? "bg-del-wash" : "bg-add-wash"),
      )}
    >
      {open && number !== undefined && stop ? (
        // The one number that the keyboard is on; a pointer may take any of them.
        <button type="button" data-line={number} data-side={side} aria-label={t.comment(number, side === "before" ? t.before : t.after)} title={t.commentHelp} className={cx(numbers, "relative -my-[3px] h-6 -outline-offset-2 hover:bg-hover hover:text-ink")}>{number}</button>
      ) : open && number !== undefined ? (
        <span data-line={number} data-side={side} title={t.commentHelp} className={cx(numbers, "cursor-pointer hover:bg-hover hover:text-ink")}>{number}</span>
      ) : (
        <span className={numbers}>{number}</span>
      )}
      <span aria-hidden className={cx("w-3 shrink-0 select-none", side === "before" ? "text-del" : "text-add")}>{changed ? (side === "before" ? "−" : "+") : ""}</span>
      <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">
        {text !== undefined && <LineText text={text} mark={row.marks?.[side]} side={side} lang={path.split(".").at(-1) ?? ""} words={t} />}
        {showCr && row.cr?.[side] && <span title={t.cr} className="text-soft select-none">␍</span>}
        {row.noEnd?.[side] && row.noEnd.before !== row.noEnd.after && <span className="pl-2 text-xs text-soft select-none">{t.noEnd}</span>}
      </span>
    </div>
  );
}

function LineText({ text: whole, mark, side, lang, words: t }: { text: string; mark?: [number, number]; side: "before" | "after"; lang: string; words: DiffWords }) {
  // What differs has to be seen, wherever in the line it is.
  const from = whole.length > longest && mark && mark[0] > longest / 2 ? mark[0] - longest / 2 : 0;
  const text = whole.slice(from, from + longest);
  const cut = whole.length - text.length;
  return (
    <>
      {from > 0 && "…"}
      {mark ? (
        <>
          {text.slice(0, mark[0] - from)}
          <mark className={cx("rounded-sm text-ink", side === "before" ? "bg-del/25" : "bg-add/25")}>{text.slice(mark[0] - from, mark[1] - from)}</mark>
          {text.slice(mark[1] - from)}
        </>
      ) : (
        <CodeText code={text} lang={lang} />
      )}
      {cut > 0 && <span className="pl-1 text-xs text-soft select-none">{t.cut(cut)}</span>}
    </>
  );
}
