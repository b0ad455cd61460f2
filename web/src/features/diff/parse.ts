/** One line of a side-by-side view. A side that is not there has no number. */
export interface Row {
  kind: "same" | "change" | "add" | "del" | "gap";
  old?: number;
  new?: number;
  before?: string;
  after?: string;
  /** The part that differs between both sides of a change: from, to in each. */
  marks?: { before: [number, number]; after: [number, number] };
  /** The sides whose line ends with CR LF; the texts are without it. */
  cr?: Sides;
  /** The sides whose last line has no end. */
  noEnd?: Sides;
}

export interface Sides {
  before?: boolean;
  after?: boolean;
}

interface Line {
  n: number;
  text: string;
  cr: boolean;
  noEnd?: boolean;
}

/**
 * Reads a unified diff of one file into rows. Removed and added lines that stand
 * together are paired, so that they face each other. A file without a last line
 * end says so by a "\" line behind it, which carries no text of its own.
 */
export function rowsOf(unified: string): Row[] {
  const rows: Row[] = [];
  let oldAt = 0;
  let newAt = 0;
  let removed: Line[] = [];
  let added: Line[] = [];
  let inHunk = false;
  let last: Line | undefined; // whom a "\" line is about

  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      const del = removed[i];
      const add = added[i];
      if (del && add) rows.push({ kind: "change", old: del.n, new: add.n, before: del.text, after: add.text, marks: marksOf(del.text, add.text), ...endsOf(del, add) });
      else if (del) rows.push({ kind: "del", old: del.n, before: del.text, ...endsOf(del, undefined) });
      else if (add) rows.push({ kind: "add", new: add.n, after: add.text, ...endsOf(undefined, add) });
    }
    removed = [];
    added = [];
  };

  const lines = unified.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      flush();
      const from = Number(hunk[1]);
      if (inHunk || from > 1) rows.push({ kind: "gap", before: line });
      inHunk = true;
      oldAt = from;
      newAt = Number(hunk[3]);
      continue;
    }
    if (!inHunk) continue; // the head names the files, which the caller knows
    if (line[0] === "\\") {
      if (last) last.noEnd = true;
      continue;
    }
    const cr = line.endsWith("\r");
    const text = line.slice(1, cr ? -1 : undefined);
    switch (line[0]) {
      case "-":
        if (added.length > 0) flush();
        removed.push((last = { n: oldAt++, text, cr }));
        break;
      case "+":
        added.push((last = { n: newAt++, text, cr }));
        break;
      default:
        flush();
        last = undefined; // it is the same on both sides
        rows.push({ kind: "same", old: oldAt++, new: newAt++, before: text, after: text, ...(cr && { cr: { before: true, after: true } }) });
    }
  }
  flush();
  return rows;
}

function endsOf(del: Line | undefined, add: Line | undefined): Pick<Row, "cr" | "noEnd"> {
  return {
    ...((del?.cr || add?.cr) && { cr: { before: del?.cr, after: add?.cr } }),
    ...((del?.noEnd || add?.noEnd) && { noEnd: { before: del?.noEnd, after: add?.noEnd } }),
  };
}

/** Whether some lines end with CR LF and others do not: then it has to be shown. */
export function mixedEnds(rows: readonly Row[]): boolean {
  let some = false;
  let others = false;
  for (const r of rows) {
    for (const side of ["before", "after"] as const) {
      if (r.kind === "gap" || r[side] === undefined) continue;
      if (r.cr?.[side]) some = true;
      else others = true;
      if (some && others) return true;
    }
  }
  return false;
}

/** What is left between the common beginning and the common end. */
function marksOf(before: string, after: string): Row["marks"] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  // Lines that have little in common are simply another line.
  if (start + end < Math.max(before.length, after.length) * 0.3) return undefined;
  return { before: [start, before.length - end], after: [start, after.length - end] };
}

/** How many lines came and went. */
export function countOf(rows: readonly Row[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const r of rows) {
    if (r.kind === "add" || r.kind === "change") added++;
    if (r.kind === "del" || r.kind === "change") removed++;
  }
  return { added, removed };
}

/** The same rows one under the other: what went above what came. */
export function stacked(rows: readonly Row[]): Row[] {
  const out: Row[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]!.kind !== "change") {
      out.push(rows[i]!);
      continue;
    }
    const block: Row[] = [];
    while (rows[i]?.kind === "change") block.push(rows[i++]!);
    i--;
    for (const { new: _n, after: _a, ...r } of block) out.push({ ...r, kind: "del" });
    for (const { old: _o, before: _b, ...r } of block) out.push({ ...r, kind: "add" });
  }
  return out;
}
