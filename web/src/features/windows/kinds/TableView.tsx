import type { Session, TableColumn, WindowContent, WindowState } from "@clew-run/client";
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState, type KeyboardEvent } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { saveAs } from "@/lib/saveAs";
import { useLoaded } from "@/lib/useLoaded";
import { cx, ErrorNote, IconButton, Loading } from "@/ui";
import { useMayChange } from "../desk";
import { WindowFoot } from "../WindowBox";
import { windowWords } from "../words";
import { csvOf, nextSorting, sorted, tableIn, type Cell, type Rows, type Sorting } from "./table";

const pageSize = 200;

interface Props {
  session: Session;
  window: WindowState;
  table: WindowContent;
  title: string;
  label: string;
}

/** A table: its rows are in the window itself or, if there are many, in a file of the session that is read whole and shown page by page. */
export function TableView({ session, window: w, table, title, label }: Props) {
  const choose = useChoose(session, w, table.row_action);
  const blob = table.blob ?? "";
  const file = useLoaded(blob, async () => {
    if (blob === "") return null;
    return tableIn(
      await (await client.rest.sessions.blob(session.id, blob)).text(),
      table.media_type ?? "text/csv",
      table.columns ?? [],
    );
  });
  if (blob !== "" && file.error !== undefined)
    return (
      <div className="p-3">
        <ErrorNote error={file.error} />
      </div>
    );
  if (blob !== "" && !file.value) return <Loading />;
  const { columns, rows } = file.value ?? { columns: table.columns ?? [], rows: (table.rows ?? []) as Rows };
  return (
    <Whole
      columns={columns}
      rows={rows}
      total={Math.max(table.total ?? 0, rows.length)}
      title={title}
      label={label}
      choose={choose}
    />
  );
}

/** How rows are chosen, where that means something to the window's agent. */
interface Choose {
  /** The place of the row that was chosen last, in the table as it came. */
  chosen: number | undefined;
  busy: boolean;
  error: unknown;
  row(columns: readonly TableColumn[], row: readonly Cell[], index: number): void;
}

function useChoose(session: Session, w: WindowState, action: string | undefined): Choose | undefined {
  const t = useWords(windowWords);
  const mayChange = useMayChange(session);
  const [state, setState] = useState<{ chosen?: number; of?: number; busy: boolean; error?: unknown }>({ busy: false });
  if (!action || !mayChange) return undefined;
  const row = (columns: readonly TableColumn[], cells: readonly Cell[], index: number) => {
    if (state.busy) return;
    const chosen = { chosen: index, of: w.version };
    setState({ ...chosen, busy: true });
    const named = Object.fromEntries(columns.map((c, i) => [c.name, cells[i] ?? null]));
    session.send("component_action", { window_id: w.window_id, action, form_data: { index, row: named } }).then(
      () => {
        setState({ ...chosen, busy: false });
        announce(t.chosen(shownAs(cells.find((c) => c !== null && c !== ""))));
      },
      (error: unknown) => setState({ busy: false, error }),
    );
  };
  return { chosen: state.of === w.version ? state.chosen : undefined, busy: state.busy, error: state.error, row };
}

interface WholeProps {
  columns: readonly TableColumn[];
  rows: Rows;
  total: number;
  title: string;
  label: string;
  choose?: Choose;
}

function Whole({ columns, rows, total, title, label, choose }: WholeProps) {
  const t = useWords(windowWords);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [page, setPage] = useState(0);
  const ordered = useMemo(() => sorted(rows, sorting), [rows, sorting]);
  const pages = Math.max(1, Math.ceil(ordered.length / pageSize));
  const at = Math.min(page, pages - 1);
  const shown = ordered.slice(at * pageSize, (at + 1) * pageSize);
  const sort = (i: number) => {
    const next = nextSorting(sorting, i);
    setSorting(next);
    setPage(0);
    announce(next ? t.sortedBy(nameOf(columns[i]!), next.down) : t.unsorted);
  };
  return (
    <div className="flex size-full flex-col">
      <div tabIndex={0} role="group" aria-label={label} className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]">
        <Grid
          columns={columns}
          rows={shown}
          caption={title}
          sorting={sorting}
          onSort={sort}
          chosen={choose?.chosen === undefined ? undefined : rows[choose.chosen]}
          busy={choose?.busy}
          onChoose={choose && ((row) => choose.row(columns, row, rows.indexOf(row)))}
        />
      </div>
      {choose?.error !== undefined && (
        <div className="p-2">
          <ErrorNote error={choose.error} />
        </div>
      )}
      <WindowFoot>
        {pages > 1 && (
          <IconButton
            label={t.pageBefore}
            icon={<ChevronLeft size={14} />}
            disabled={at === 0}
            onClick={() => setPage(at - 1)}
            className="-ml-2 [--row:24px] pointer-coarse:[--row:44px]"
          />
        )}
        <span className="min-w-0 truncate" data-rows>
          {pages > 1
            ? t.rowsOf(at * pageSize + 1, at * pageSize + shown.length, total)
            : total > shown.length
              ? t.firstOf(shown.length, total)
              : t.rows(total)}
        </span>
        {pages > 1 && (
          <IconButton
            label={t.pageAfter}
            icon={<ChevronRight size={14} />}
            disabled={at === pages - 1}
            onClick={() => setPage(at + 1)}
            className="[--row:24px] pointer-coarse:[--row:44px]"
          />
        )}
        <span className="flex-1" />
        <button
          type="button"
          className="shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11"
          onClick={() => saveAs(new Blob([csvOf(columns, ordered)], { type: "text/csv" }), `${fileName(title)}.csv`)}
        >
          {t.exportCsv}
        </button>
      </WindowFoot>
    </div>
  );
}

interface GridProps {
  columns: readonly TableColumn[];
  rows: Rows;
  caption: string;
  sorting?: Sorting | null;
  onSort?(column: number): void;
  chosen?: readonly Cell[];
  busy?: boolean;
  /** Rows can be chosen: by a click, or by keys from one that has the focus. */
  onChoose?(row: readonly Cell[]): void;
}

/** The table itself, which forms show as well. */
export function Grid({ columns, rows, caption, sorting, onSort, chosen, busy, onChoose }: GridProps) {
  const t = useWords(windowWords);
  const right = (c: TableColumn) => (c.align ?? (c.numeric ? "right" : "left")) === "right";
  const [at, setAt] = useState(0);
  const here = Math.min(at, rows.length - 1);
  const pick = (r: number) =>
    onChoose && {
      tabIndex: r === here ? 0 : -1,
      "aria-selected": rows[r] === chosen,
      "aria-busy": (busy && rows[r] === chosen) || undefined,
      onFocus: () => setAt(r),
      onClick: () => onChoose(rows[r]!),
      onKeyDown: (e: KeyboardEvent<HTMLTableRowElement>) => {
        const to = { ArrowDown: r + 1, ArrowUp: r - 1, Home: 0, End: rows.length - 1 }[e.key];
        if (to !== undefined) (e.currentTarget.parentElement!.children[to] as HTMLElement | undefined)?.focus();
        else if (e.key === "Enter" || e.key === " ") onChoose(rows[r]!);
        else return;
        e.preventDefault();
      },
    };
  return (
    <table role={onChoose && "grid"} className="w-full border-separate border-spacing-0" data-table>
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 bg-sheet text-sm">
        <tr>
          {columns.map((c, i) => {
            const way = sorting?.column === i ? (sorting.down ? "descending" : "ascending") : undefined;
            return (
              <th
                key={i}
                scope="col"
                aria-sort={way}
                className={cx(
                  "border-b border-line2 px-3 py-2 font-medium whitespace-nowrap",
                  way ? "text-ink" : "text-soft",
                  right(c) ? "text-right" : c.align === "center" ? "text-center" : "text-left",
                )}
              >
                {onSort ? (
                  <button
                    type="button"
                    title={t.sortBy(nameOf(c))}
                    onClick={() => onSort(i)}
                    className="inline-flex min-h-5 items-center gap-1 rounded hover:text-ink pointer-coarse:min-h-9"
                  >
                    {nameOf(c)}
                    {way &&
                      (way === "ascending" ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />)}
                  </button>
                ) : (
                  nameOf(c)
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr
            key={r}
            {...pick(r)}
            className={cx(
              "-outline-offset-2",
              onChoose && "cursor-pointer",
              onChoose && rows[r] === chosen ? "bg-run-wash" : "hover:bg-well",
            )}
          >
            {columns.map((c, i) => (
              <td
                key={i}
                dir="auto"
                className={cx(
                  "border-b border-line px-3 py-1.5 align-top",
                  right(c) ? "text-right whitespace-nowrap" : c.align === "center" && "text-center",
                  i > 0 && right(c) && "text-soft",
                )}
              >
                {shownAs(row[i])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf(c: TableColumn): string {
  return c.title || c.name;
}

function shownAs(cell: Cell | undefined): string {
  if (typeof cell === "number") return cell.toLocaleString(undefined, { maximumFractionDigits: 10 });
  return cell === null || cell === undefined ? "" : String(cell);
}

function fileName(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N} ._-]+/gu, "")
      .trim()
      .slice(0, 80) || "table"
  );
}
