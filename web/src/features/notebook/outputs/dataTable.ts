import type { TableColumn } from "@clew-run/client";
import DOMPurify from "dompurify";
import { sorted, type Cell, type Rows, type Sorting } from "@/features/windows/kinds/table";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A data frame as rows and columns, and what stood below it. */
export interface DataTable {
  columns: TableColumn[];
  rows: Rows;
  /** How many of the first columns name the row. */
  index: number;
  note: string;
}

const mostCells = 50_000;
const longestHtml = 2_000_000;
const around = ["table", "thead", "tbody", "tfoot", "tr", "th", "td", "div", "p", "small", "br", "span"];

/**
 * The table in the HTML of a data frame, read cell by cell: only words are taken out of it, and none of
 * its elements. Null if it is something else, or has more than the table and a line around it.
 */
export function tableOf(html: string): DataTable | null {
  if (html.length > longestHtml || !/<table\b[^>]*\bdataframe\b/i.test(html)) return null;
  if ([...html.matchAll(/<t[dh]\b/gi)].length > mostCells) return null;
  // Its styles are nothing to us, and a parser would tell the content policy of each. What is left after this is still cleaned.
  const bare = html
    .replace(/<(style|script)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/gi, "");
  const page = DOMPurify.sanitize(bare, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: around,
    ALLOWED_ATTR: ["class", "colspan", "rowspan"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  const tables = page.querySelectorAll("table");
  const table = tables[0];
  if (tables.length !== 1 || !table?.classList.contains("dataframe")) return null;
  const head = grid([...table.querySelectorAll("thead tr")]);
  const body = [...table.querySelectorAll("tbody tr")];
  const rows = grid(body);
  const width = Math.max(0, ...head.map((r) => r.length), ...rows.map((r) => r.length));
  if (width === 0 || width * rows.length > 2 * mostCells) return null; // some stand in several places
  const index = Math.min(...body.map((r) => leading(r)), width);
  const columns = Array.from({ length: width }, (_, i): TableColumn => ({
    name: nameOf(head, i),
    numeric: i >= index && numeric(rows, i),
  }));
  table.remove();
  return {
    columns,
    rows,
    index: Number.isFinite(index) ? index : 0,
    note: (page.textContent ?? "").replace(/\s+/g, " ").trim(),
  };
}

/** The table of a data resource (application/vnd.dataresource+json); null if it is none, or too large. */
export function tableOfResource(value: unknown): DataTable | null {
  if (!isObject(value) || !isObject(value.schema) || !Array.isArray(value.schema.fields) || !Array.isArray(value.data))
    return null;
  const names = value.schema.fields.map((f: unknown) => (isObject(f) && typeof f.name === "string" ? f.name : ""));
  if (names.length === 0 || names.length * value.data.length > mostCells) return null;
  const keys: unknown[] = Array.isArray(value.schema.primaryKey) ? value.schema.primaryKey : [];
  const rows = value.data.map((row: unknown) =>
    names.map((name) => wordsOf(isObject(row) && Object.hasOwn(row, name) ? row[name] : null)),
  );
  const index = names.filter((name) => keys.includes(name)).length;
  return {
    columns: names.map((name, i) => ({
      name: name === "index" && i < index ? "" : name,
      numeric: i >= index && numeric(rows, i),
    })),
    rows,
    index,
    note: "",
  };
}

function wordsOf(value: unknown): Cell {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : (JSON.stringify(value) ?? "");
}

/** How many cells at the start of a row name it. */
function leading(row: Element): number {
  const at = [...row.children].findIndex((c) => c.tagName !== "TH");
  return at < 0 ? row.children.length : at;
}

/** The words of each place, with cells over several rows or columns in all of them. */
function grid(rows: readonly Element[]): string[][] {
  const all: string[][] = rows.map(() => []);
  rows.forEach((row, r) => {
    let at = 0;
    for (const cell of row.children) {
      while (all[r]![at] !== undefined) at++;
      const wide = span(cell, "colspan");
      const high = Math.min(span(cell, "rowspan"), rows.length - r);
      const text = (cell.textContent ?? "").trim();
      for (let i = 0; i < high; i++) for (let j = 0; j < wide; j++) all[r + i]![at + j] = text;
      at += wide;
    }
  });
  return all.map((r) => Array.from(r, (text) => text ?? ""));
}

function span(cell: Element, name: string): number {
  const n = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(n) && n > 0 && n <= 1000 ? n : 1;
}

/** The name of a column: its levels from above, each once. */
function nameOf(head: readonly string[][], i: number): string {
  const levels = head.map((r) => r[i] ?? "").filter((l) => l !== "");
  return levels.filter((l, at) => l !== levels[at - 1]).join(" · ");
}

const empty = new Set(["", "NaN", "NaT", "None", "<NA>", "nan", "null", "..."]);

function numeric(rows: Rows, i: number): boolean {
  const told = rows.map((r) => r[i] ?? "").filter((c) => !empty.has(String(c)));
  return told.length > 0 && told.every((c) => /^[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?%?$/i.test(String(c)));
}

/** The rows in order, as they were written. The one that stands for those left out has no place among sorted ones. */
export function inOrder(table: DataTable, sorting: Sorting | null): Rows {
  if (!sorting) return table.rows;
  const whole = table.rows.filter((r) => !r.every((c) => c === "..." || c === "…"));
  const keyOf = (c: Cell): Cell =>
    empty.has(String(c)) ? "" : table.columns[sorting.column]?.numeric ? Number(String(c).replace(/[,%]/g, "")) : c;
  const keys = whole.map((r, i) => [keyOf(r[sorting.column] ?? ""), i]);
  return sorted(keys, { column: 0, down: sorting.down }).map((k) => whole[k[1] as number]!);
}
