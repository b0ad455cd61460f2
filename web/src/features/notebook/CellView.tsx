import type { CellInfo, NotebookInfo, Session } from "@clew-run/client";
import { memo, useEffect, type KeyboardEvent, type MouseEvent } from "react";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { cx } from "@/ui";
import type { Book } from "./book";
import { isLocked } from "./book";
import { CellInput } from "./CellInput";
import { CellMeta } from "./CellMeta";
import { Conflict } from "./Conflict";
import { standingOf } from "./drafts";
import { CellOutputs } from "./outputs/CellOutputs";
import { Source, type Start } from "./Source";
import { useDraft } from "./useBook";
import { notebookWords } from "./words";

/** What the list lets a cell do. */
export interface CellActs {
  select(id: string): void;
  edit(id: string, start: Start): void;
  leave(id: string): void;
  run(id: string, then: "next" | "stay" | "insert"): void;
  step(id: string, by: 1 | -1): void;
  insert(id: string, where: "above" | "below", type: "code" | "markdown"): void;
  remove(id: string): void;
  keyDown(e: KeyboardEvent, id: string): void;
}

interface Props {
  session: Session;
  book: Book;
  notebook: NotebookInfo;
  cell: CellInfo;
  n: number;
  of: number;
  active: boolean;
  /** Where its editor begins; undefined while nobody writes in it. */
  editing: Start | undefined;
  mayChange: boolean;
  acts: CellActs;
}

const threads: Record<string, string> = {
  ok: "border-run",
  running: "border-run",
  error: "border-fail",
  in_doubt: "border-ask",
  aborted: "border-line2",
  queued: "border-run-line",
};

/** A cell: its source, how its last run went, and what came of it. */
export const CellView = memo(function CellView({
  session,
  book,
  notebook,
  cell,
  n,
  of,
  active,
  editing,
  mayChange,
  acts,
}: Props) {
  const t = useWords(notebookWords);
  const narrow = useNarrow();
  const draft = useDraft(book, cell.cell_id);
  const standing = standingOf(draft, book.now(cell.cell_id));
  const locked = isLocked(cell);
  useEffect(() => {
    if (!locked) void book.drafts.flush(cell.cell_id); // what was written while it ran
  }, [locked, book, cell.cell_id]);
  const code = cell.type === "code";
  const stale = code && cell.stale === true;
  const meta = (code || active) && (
    <CellMeta
      session={session}
      book={book}
      notebook={notebook}
      cell={cell}
      n={n}
      draft={draft}
      editing={editing !== undefined}
      mayChange={mayChange}
      acts={acts}
    />
  );
  const onMouseDown = (e: MouseEvent) => {
    if (!(e.target as Element).closest("button, a, input, [data-editor]")) acts.select(cell.cell_id);
  };
  const state = [code ? t.statuses[cell.status ?? ""] : "", stale ? t.stale : ""].filter(Boolean).join(", ");
  return (
    <article
      data-cell={cell.cell_id}
      data-status={cell.status ?? ""}
      data-stale={stale || undefined}
      aria-label={t.cell(n, t.kinds[cell.type] ?? "", state)}
      aria-posinset={n}
      aria-setsize={of}
      aria-current={active || undefined}
      tabIndex={active ? 0 : -1}
      onMouseDown={onMouseDown}
      onKeyDown={(e) => acts.keyDown(e, cell.cell_id)}
      className="nb-cell flex outline-none"
    >
      <span aria-hidden className="w-12 shrink-0 pt-2.5 pr-2 text-right font-mono text-sm text-faint phone:hidden">
        {code && `[${cell.status === "running" ? "*" : (cell.execution_count ?? " ")}]`}
      </span>
      <span
        aria-hidden
        className={cx(
          "w-0 shrink-0 border-l-2",
          stale
            ? "border-dashed border-past"
            : code
              ? (threads[cell.status ?? ""] ?? "border-line")
              : "border-transparent",
        )}
        data-thread
      />
      <div className="flex min-w-0 flex-1 flex-col gap-2 pl-3">
        <div
          className={cx(
            "nb-source rounded-lg border",
            code || editing ? "bg-sheet" : "",
            frameOf(active, editing !== undefined, code),
          )}
        >
          <div className={cx("flex items-start gap-2", code || editing ? "px-3 py-2" : "px-3 py-1")}>
            <div className="min-w-0 flex-1">
              <Source
                book={book}
                cell={cell}
                n={n}
                draft={draft}
                editing={editing}
                mayChange={mayChange && !locked}
                language={notebook.kernel.info?.language ?? "python"}
                acts={acts}
              />
            </div>
            {!narrow && meta}
          </div>
        </div>
        {standing === "conflict" && <Conflict book={book} cell={cell} draft={draft!} />}
        {narrow && meta}
        <CellInput session={session} cell={cell} n={n} />
        {code && (
          <div className="nb-outputs">
            <CellOutputs session={session} cell={cell} n={n} />
          </div>
        )}
      </div>
    </article>
  );
});

/** A chosen cell has an edge, one that is written in a stronger one; keys show theirs in colour. */
function frameOf(active: boolean, editing: boolean, code: boolean): string {
  if (editing) return "border-run shadow-raised";
  if (active) return "border-edge shadow-card";
  return code ? "border-line shadow-card" : "border-transparent";
}
