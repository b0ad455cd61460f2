import { ChevronLeft, ChevronRight, Download } from "lucide-react";
import { useMemo, useState } from "react";
import { announce } from "@/app/notices";
import { csvOf, nextSorting, type Sorting } from "@/features/windows/kinds/table";
import { Grid } from "@/features/windows/kinds/TableView";
import { windowWords } from "@/features/windows/words";
import { useWords } from "@/i18n";
import { saveAs } from "@/lib/saveAs";
import { IconButton } from "@/ui";
import { notebookWords } from "../words";
import { inOrder, type DataTable } from "./dataTable";

const pageSize = 10;
const small = "[--row:26px] pointer-coarse:[--row:44px]";

/** A data frame that can be sorted, page by page. */
export function TableOutput({ table, n }: { table: DataTable; n: number }) {
  const t = useWords(notebookWords);
  const w = useWords(windowWords);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [page, setPage] = useState(0);
  const ordered = useMemo(() => inOrder(table, sorting), [table, sorting]);
  const pages = Math.max(1, Math.ceil(ordered.length / pageSize));
  const at = Math.min(page, pages - 1);
  const shown = ordered.slice(at * pageSize, (at + 1) * pageSize);
  const sort = (i: number) => {
    const next = nextSorting(sorting, i);
    setSorting(next);
    setPage(0);
    announce(next ? w.sortedBy(table.columns[i]!.name, next.down) : w.unsorted);
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet" data-output="table">
      <div
        tabIndex={0}
        role="group"
        aria-label={`${t.table}, ${t.output(n)}`}
        className="nb-table nb-tall -outline-offset-2"
        data-index={table.index > 0 || undefined}
      >
        <Grid columns={table.columns} rows={shown} caption={t.output(n)} sorting={sorting} onSort={sort} />
      </div>
      <footer className="flex min-h-8 items-center gap-1 bg-well pr-1 pl-3 text-sm text-soft">
        <span className="min-w-0 flex-1 truncate" data-rows>
          {table.note || t.columns(table.rows.length, table.columns.length - table.index)}
        </span>
        {pages > 1 && <span>{t.range(at * pageSize + 1, at * pageSize + shown.length)}</span>}
        {pages > 1 && (
          <IconButton
            label={w.pageBefore}
            icon={<ChevronLeft size={14} />}
            disabled={at === 0}
            onClick={() => setPage(at - 1)}
            className={small}
          />
        )}
        {pages > 1 && (
          <IconButton
            label={w.pageAfter}
            icon={<ChevronRight size={14} />}
            disabled={at === pages - 1}
            onClick={() => setPage(at + 1)}
            className={small}
          />
        )}
        <IconButton
          label={t.download}
          icon={<Download size={14} />}
          className={small}
          onClick={() => saveAs(new Blob([csvOf(table.columns, ordered)], { type: "text/csv" }), `cell-${n}.csv`)}
        />
      </footer>
    </div>
  );
}
