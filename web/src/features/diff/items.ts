import type { CheckpointFile } from "@clew-run/client";
import { countOf, mixedEnds, rowsOf, stacked, type Row } from "./parse";
import { sumOf } from "./viewed";

/** A file with its lines, and how many came and went. */
export interface ParsedFile {
  file: CheckpointFile;
  rows: readonly Row[];
  added: number;
  removed: number;
  /** A name for this very change of it. */
  sum: number;
  key: string;
}

export function parsedFile(file: CheckpointFile): ParsedFile {
  const rows = file.unified ? rowsOf(file.unified) : [];
  const sum = sumOf(`${file.status} ${file.mode} ${file.unified ?? file.content.after}`);
  return { file, rows, ...countOf(rows), sum, key: `${sum} ${file.paths.relative}` };
}

/** One row of the whole list, over all files. */
export type Item =
  | { kind: "head"; of: ParsedFile }
  | { kind: "note"; of: ParsedFile; text: string }
  | { kind: "row"; of: ParsedFile; row: Row; showCr: boolean };

interface Words {
  binary: string;
  truncated: string;
  renamedOnly: string;
  modeOnly(mode: string): string;
  noLines: string;
}

/** What of a file is folded away, and which of its gaps are opened. */
export interface Folds {
  folded: ReadonlySet<string>;
  opened: ReadonlySet<string>;
}

/** So few lines take no more room than saying that they are not shown. */
const smallGap = 1;

export const gapKey = (path: string, row: Row): string => `${row.new} ${path}`;

export function itemsOf(
  parsed: readonly ParsedFile[],
  { folded, opened }: Folds,
  layout: "split" | "stacked",
  t: Words,
): Item[] {
  return parsed.flatMap((of) => {
    const { file } = of;
    const head: Item = { kind: "head", of };
    if (folded.has(file.paths.relative)) return [head];
    const rows = withGaps(of, opened);
    const note = noteOf(file, rows, t);
    const showCr = mixedEnds(of.rows);
    return [
      head,
      ...(note ? [{ kind: "note", of, text: note } as const] : []),
      ...(layout === "split" ? rows : stacked(rows)).map((row): Item => ({ kind: "row", of, row, showCr })),
    ];
  });
}

/** The rows with a gap at the end, if lines follow, and with the lines of those gaps that are opened. */
function withGaps({ file, rows }: ParsedFile, opened: ReadonlySet<string>): readonly Row[] {
  const lines = linesOf(file);
  const last = rows.at(-1);
  if (!lines || !last) return rows;
  const next = { old: lastOf(rows, "old") + 1, new: lastOf(rows, "new") + 1 };
  const left = lines.length - (next.new - 1);
  const all =
    left > 0 && next.new > 1 && next.old > 1 ? [...rows, { kind: "gap", ...next, skipped: left } as Row] : rows;
  const isOpen = (row: Row) =>
    row.kind === "gap" && (row.skipped! <= smallGap || opened.has(gapKey(file.paths.relative, row)));
  return all.some(isOpen) ? all.flatMap((row) => (isOpen(row) ? linesIn(row, lines) : [row])) : all;
}

function lastOf(rows: readonly Row[], side: "old" | "new"): number {
  for (let i = rows.length - 1; i >= 0; i--) {
    const n = rows[i]![side];
    if (n !== undefined && rows[i]!.kind !== "gap") return n;
  }
  return 0;
}

function linesIn(gap: Row, lines: readonly string[]): Row[] {
  return Array.from({ length: gap.skipped! }, (_, i): Row => {
    const whole = lines[gap.new! + i - 1] ?? "";
    const cr = whole.endsWith("\r");
    const text = cr ? whole.slice(0, -1) : whole;
    return {
      kind: "same",
      old: gap.old! + i,
      new: gap.new! + i,
      before: text,
      after: text,
      ...(cr && { cr: { before: true, after: true } }),
    };
  });
}

const lines = new WeakMap<CheckpointFile, readonly string[] | null>();

/** The lines of a file as it is after the change, where its text is at hand. */
export function linesOf(file: CheckpointFile): readonly string[] | null {
  let known = lines.get(file);
  if (known === undefined) {
    const text = file.content.after;
    known = text === "" ? null : text.replace(/\n$/, "").split("\n");
    lines.set(file, known);
  }
  return known;
}

/** What lines alone do not say of a file. */
function noteOf(file: CheckpointFile, rows: readonly Row[], t: Words): string | null {
  if (file.binary) return t.binary;
  if (file.truncated) return t.truncated;
  if (rows.length > 0) return null;
  if (file.status === "renamed") return t.renamedOnly;
  if (file.status === "mode") return t.modeOnly(file.mode ?? "");
  return t.noLines;
}

/** Whether an item is a line that can be remarked on. */
export function commentable(item: Item | undefined): boolean {
  return item?.kind === "row" && item.row.kind !== "gap";
}

/** The line so many lines further on, or the last one on the way there. */
export function next(items: readonly Item[], from: number, by: number): number {
  const direction = Math.sign(by);
  let left = Math.abs(by);
  let found = from;
  for (let i = from + direction; i >= 0 && i < items.length && left > 0; i += direction) {
    if (!commentable(items[i])) continue;
    found = i;
    left--;
  }
  return Math.min(items.length - 1, Math.max(0, found));
}
