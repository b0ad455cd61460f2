import type { CellInfo, NotebookInfo, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { Plus } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useSearch } from "wouter";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button } from "@/ui";
import type { Book } from "./book";
import { CellView } from "./CellView";
import { Gone } from "./Conflict";
import { useCellActs } from "./useCellActs";
import { useCellFocus } from "./useCellFocus";
import { notebookWords } from "./words";

interface Props {
  session: Session;
  book: Book;
  notebook: NotebookInfo;
  mayChange: boolean;
}

const gap = 12;

/** Goes once to the cell that the address names, ?cell=… */
function useNamedCell(cells: readonly CellInfo[], go: (id: string, at: number) => void): void {
  const named = new URLSearchParams(useSearch()).get("cell");
  const done = useRef<string | null>(null);
  const now = useRef(go);
  now.current = go;
  useEffect(() => {
    const at = named === null || done.current === named ? -1 : cells.findIndex((c) => c.cell_id === named);
    if (at < 0) return;
    done.current = named;
    now.current(named!, at);
  }, [named, cells]);
}

/** The cells of a notebook. Only those in view are made; the one that is written in stays though it is not. */
export function Cells({ session, book, notebook, mayChange }: Props) {
  const t = useWords(notebookWords);
  const box = useRef<HTMLDivElement>(null);
  const cells = useCells(session, notebook);
  const focus = useCellFocus(notebook.notebook_id, cells, box);
  const at = useMemo(() => cells.findIndex((c) => c.cell_id === focus.active), [cells, focus.active]);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range);
      return at < 0 || at >= range.count || seen.includes(at) ? seen : [...seen, at].sort((a, b) => a - b);
    },
    [at],
  );
  const virtual = useVirtualizer({
    count: cells.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => guess(cells[i]),
    getItemKey: (i) => cells[i]?.cell_id ?? i,
    rangeExtractor,
    overscan: 4,
    paddingStart: gap,
    paddingEnd: gap,
    gap,
  });
  const acts = useCellActs({
    book,
    cells,
    focus,
    mayChange,
    scrollTo: (i) => virtual.scrollToIndex(i, { align: "auto" }),
  });
  useNamedCell(cells, (id, at) => {
    virtual.scrollToIndex(at, { align: "start" });
    focus.select(id);
  });
  useSpokenEnds(cells, focus.active);
  const addAtEnd = (type: "code" | "markdown") => acts.insert(cells.at(-1)?.cell_id ?? "", "below", type);
  return (
    <div
      ref={box}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      data-cells={cells.length}
    >
      <div className="mx-auto w-full max-w-[800px] pr-4 phone:px-3">
        <div role="feed" aria-label={t.cells} className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const cell = cells[item.index];
            if (!cell) return null;
            const active = cell.cell_id === focus.active;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtual.measureElement}
                className="absolute inset-x-0"
                style={{ top: item.start, zIndex: active ? 1 : undefined }}
              >
                <CellView
                  session={session}
                  book={book}
                  notebook={notebook}
                  cell={cell}
                  n={item.index + 1}
                  of={cells.length}
                  active={active}
                  editing={active ? focus.editing : undefined}
                  mayChange={mayChange}
                  acts={acts}
                />
              </div>
            );
          })}
        </div>
        <Lost book={book} cells={cells} />
        {mayChange && (
          <div className="flex nb-inset gap-2 pb-10">
            <Button look="quiet" icon={<Plus size={14} />} onClick={() => addAtEnd("code")}>
              {t.addCode}
            </Button>
            <Button look="quiet" icon={<Plus size={14} />} onClick={() => addAtEnd("markdown")}>
              {t.addText}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** About how high a cell is before it was measured. */
function guess(cell: CellInfo | undefined): number {
  if (!cell) return 60;
  const lines = (cell.source ?? "").split("\n", 60).length;
  return 18 + 20 * lines + (cell.outputs.length > 0 || cell.saved_outputs ? 100 : 0);
}

/** The cells in the notebook's order; each the same object until it changes. */
function useCells(session: Session, notebook: NotebookInfo): readonly CellInfo[] {
  const all = useSnapshot(session, (s) => s.cells);
  const held = useRef<readonly CellInfo[]>([]);
  return useMemo(() => {
    const byId = new Map(all.filter((c) => c.notebook_id === notebook.notebook_id).map((c) => [c.cell_id, c]));
    const next = notebook.cells.flatMap((id) => byId.get(id) ?? []);
    const same = next.length === held.current.length && next.every((c, i) => c === held.current[i]);
    return same ? held.current : (held.current = next);
  }, [all, notebook.cells, notebook.notebook_id]);
}

/** What was written into cells that somebody else deleted. */
function Lost({ book, cells }: { book: Book; cells: readonly CellInfo[] }) {
  const ids = useSyncExternalStore(
    book.drafts.subscribe,
    useCallback(() => book.drafts.ids.join(" "), [book]),
  );
  const lost = ids.split(" ").filter((id) => id !== "" && !cells.some((c) => c.cell_id === id));
  return lost.map((id) => (
    <div key={id} className="nb-inset pb-3">
      <Gone book={book} id={id} draft={book.drafts.get(id)!} after={cells.at(-1)?.cell_id ?? ""} />
    </div>
  ));
}

/** Says aloud how the run of the chosen cell ended. */
function useSpokenEnds(cells: readonly CellInfo[], active: string | null): void {
  const t = useWords(notebookWords);
  const [ran, setRan] = useState<string | null>(null);
  const n = cells.findIndex((c) => c.cell_id === (ran ?? active)) + 1;
  const status = cells[n - 1]?.status;
  useEffect(() => {
    if (status === "running" || status === "queued") return setRan((was) => was ?? active);
    if (ran === null) return;
    setRan(null);
    if (status === "ok") announce(t.ran(n));
    if (status === "error") announce(t.broke(n));
  }, [status, ran, active, n, t]);
}
