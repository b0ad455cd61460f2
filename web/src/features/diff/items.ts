import type { CheckpointFile } from "@clew-run/client";
import { countOf, mixedEnds, stacked, type Row } from "./parse";

/** One row of the whole list, over all files. */
export type Item =
  | { kind: "head"; file: CheckpointFile; added: number; removed: number }
  | { kind: "note"; file: CheckpointFile; text: string }
  | { kind: "row"; file: CheckpointFile; row: Row; showCr: boolean };

interface Words {
  binary: string;
  truncated: string;
  renamedOnly: string;
  modeOnly(mode: string): string;
  noLines: string;
}

export function itemsOf(parsed: readonly { file: CheckpointFile; rows: readonly Row[] }[], folded: ReadonlySet<string>, layout: "split" | "stacked", t: Words): Item[] {
  return parsed.flatMap(({ file, rows }) => {
    const head: Item = { kind: "head", file, ...countOf(rows) };
    if (folded.has(file.paths.relative)) return [head];
    const note = noteOf(file, rows, t);
    const showCr = mixedEnds(rows);
    return [
      head,
      ...(note ? [{ kind: "note", file, text: note } as const] : []),
      ...(layout === "split" ? rows : stacked(rows)).map((row): Item => ({ kind: "row", file, row, showCr })),
    ];
  });
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
