import type { Session, TableColumn, WindowContent } from "@clew-run/client";
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { saveAs } from "@/lib/saveAs";
import { useLoaded } from "@/lib/useLoaded";
import { cx, ErrorNote, IconButton, Loading } from "@/ui";
import { WindowFoot } from "../WindowBox";
import { windowWords } from "../words";
import { csvOf, nextSorting, sorted, tableIn, type Cell, type Rows, type Sorting } from "./table";

const pageSize = 200;

interface Props {
  session: Session;
  table: WindowContent;
  title: string;
  label: string;
}

/** A table: its rows are in the window itself or, if there are many, in a file of the session that is read whole and shown page by page. */
export function TableView({ session, table, title, label }: Props) {
  const blob = table.blob ?? "";
  const file = useLoaded(blob, async () => {
    if (blob === "") return null;
    return tableIn(await (await client.rest.sessions.blob(session.id, blob)).text(), table.media_type ?? "text/csv", table.columns ?? []);
  });
  if (blob !== "" && file.error !== undefined) return <div className="p-3"><ErrorNote error={file.error} /></div>;
  if (blob !== "" && !file.value) return <Loading />;
  const { columns, rows } = file.value ?? { columns: table.columns ?? [], rows: (table.rows ?? []) as Rows };
  return <Whole columns={columns} rows={rows} total={Math.max(table.total ?? 0, rows.length)} title={title} label={label} />;
}

function Whole({ columns, rows, total, title, label }: { columns: readonly TableColumn[]; rows: Rows; total: number; title: string; label: string }) {
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
        <Grid columns={columns} rows={shown} caption={title} sorting={sorting} onSort={sort} />
      </div>
      <WindowFoot>
        {pages > 1 && <IconButton label={t.pageBefore} icon={<ChevronLeft size={14} />} disabled={at === 0} onClick={() => setPage(at - 1)} className="-ml-2 [--row:24px] pointer-coarse:[--row:44px]" />}
        <span className="min-w-0 truncate" data-rows>{pages > 1 ? t.rowsOf(at * pageSize + 1, at * pageSize + shown.length, total) : total > shown.length ? t.firstOf(shown.length, total) : t.rows(total)}</span>
        {pages > 1 && <IconButton label={t.pageAfter} icon={<ChevronRight size={14} />} disabled={at === pages - 1} onClick={() => setPage(at + 1)} className="[--row:24px] pointer-coarse:[--row:44px]" />}
        <span className="flex-1" />
        <button type="button" className="shrink-0 rounded font-medium text-run hover:underline pointer-coarse:min-h-11" onClick={() => saveAs(new Blob([csvOf(columns, ordered)], { type: "text/csv" }), `${fileName(title)}.csv`)}>{t.exportCsv}</button>
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
}

/** The table itself, which forms show as well. */
export function Grid({ columns, rows, caption, sorting, onSort }: GridProps) {
  const t = useWords(windowWords);
  const right = (c: TableColumn) => (c.align ?? (c.numeric ? "right" : "left")) === "right";
  return (
    <table className="w-full border-separate border-spacing-0" data-table>
      <caption className="sr-only">{caption}</caption>
      <thead className="sticky top-0 z-10 bg-sheet text-sm">
        <tr>
          {columns.map((c, i) => {
            const way = sorting?.column === i ? (sorting.down ? "descending" : "ascending") : undefined;
            return (
              <th key={i} scope="col" aria-sort={way} className={cx("border-b border-line2 px-3 py-2 font-medium whitespace-nowrap", way ? "text-ink" : "text-soft", right(c) ? "text-right" : c.align === "center" ? "text-center" : "text-left")}>
                {onSort ? (
                  <button type="button" title={t.sortBy(nameOf(c))} onClick={() => onSort(i)} className="inline-flex min-h-5 items-center gap-1 rounded hover:text-ink pointer-coarse:min-h-9">
                    {nameOf(c)}
                    {way && (way === "ascending" ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />)}
                  </button>
                ) : nameOf(c)}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={r} className="hover:bg-well">
            {columns.map((c, i) => <td key={i} dir="auto" className={cx("border-b border-line px-3 py-1.5 align-top", right(c) ? "text-right whitespace-nowrap" : c.align === "center" && "text-center", i > 0 && right(c) && "text-soft")}>{shownAs(row[i])}</td>)}
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
  return title.replace(/[^\p{L}\p{N} ._-]+/gu, "").trim().slice(0, 80) || "table";
}
