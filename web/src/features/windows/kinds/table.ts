import type { TableColumn } from "@clew-run/client";

export type Cell = string | number | boolean | null;
export type Rows = readonly (readonly Cell[])[];

/** Which column the rows are sorted by. */
export interface Sorting {
  column: number;
  down: boolean;
}

/** The next way of sorting after a press on a column's head: up, down, as it came. */
export function nextSorting(now: Sorting | null, column: number): Sorting | null {
  if (now?.column !== column) return { column, down: false };
  return now.down ? null : { column, down: true };
}

/** The rows in order; equal ones stay as they came, and empty cells come last. */
export function sorted(rows: Rows, sorting: Sorting | null): Rows {
  if (!sorting) return rows;
  const { column, down } = sorting;
  const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
  return [...rows].sort((a, b) => {
    const x = a[column] ?? "";
    const y = b[column] ?? "";
    if (x === "" || y === "") return x === y ? 0 : x === "" ? 1 : -1;
    const p = numberIn(x);
    const q = numberIn(y);
    const order = p !== undefined && q !== undefined ? p - q : compare(String(x), String(y));
    return down ? -order : order;
  });
}

function numberIn(cell: Cell): number | undefined {
  if (typeof cell === "number") return cell;
  const n = typeof cell === "string" && cell.trim() !== "" ? Number(cell) : NaN;
  return Number.isNaN(n) ? undefined : n;
}

/** Splits CSV: commas, quotes that are doubled inside quotes, line breaks inside quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length; i++) {
    const c = text[i]!;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") endCell();
    else if (c === "\n") endRow();
    else if (c !== "\r" || text[i + 1] !== "\n") cell += c;
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}

/** What a file holds: columns and rows. A file of CSV begins with the names of its columns. */
export function tableIn(
  text: string,
  mediaType: string,
  columns: readonly TableColumn[],
): { columns: readonly TableColumn[]; rows: Rows } {
  if (!/json/.test(mediaType)) {
    const [head = [], ...rows] = parseCsv(text);
    return { columns: columns.length > 0 ? columns : head.map((name) => ({ name })), rows };
  }
  const lines = text
    .split("\n")
    .filter((l) => l.trim() !== "")
    .map((l) => JSON.parse(l) as Cell[] | Record<string, Cell>);
  const names =
    columns.length > 0
      ? columns
      : [...new Set(lines.flatMap((l) => (Array.isArray(l) ? [] : Object.keys(l))))].map((name) => ({ name }));
  return { columns: names, rows: lines.map((l) => (Array.isArray(l) ? l : names.map((c) => l[c.name] ?? null))) };
}

/** The rows as CSV. What a spreadsheet would take for a formula is marked as text. */
export function csvOf(columns: readonly TableColumn[], rows: Rows): string {
  const line = (cells: readonly Cell[]) => cells.map(quoted).join(",");
  return [line(columns.map((c) => c.title || c.name)), ...rows.map(line)].join("\r\n") + "\r\n";
}

function quoted(cell: Cell): string {
  let text = cell === null ? "" : String(cell);
  if (typeof cell === "string" && /^[=+\-@\t\r]/.test(text) && numberIn(text) === undefined) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
