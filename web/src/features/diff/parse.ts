import { likeness } from "./marks";

/** One line of a side-by-side view. A side that is not there has no number. */
export interface Row {
  kind: "same" | "change" | "add" | "del" | "gap";
  old?: number;
  new?: number;
  before?: string;
  after?: string;
  /** The line of the other side that each is most like: what differs from it is marked. */
  mate?: { before?: string; after?: string };
  /** Of a gap: how many lines it leaves out, if that is known, and where they begin. */
  skipped?: number;
  /** Of a gap: what git says the lines below it belong to. */
  section?: string;
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
  let oldLeft = 0; // lines of this hunk: what stands in it is text, whatever it looks like
  let newLeft = 0;
  let last: Line | undefined; // whom a "\" line is about

  const flush = () => {
    const mates = pairs(removed, added);
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      const del = removed[i];
      const add = added[i];
      const mate = { before: del && mates.get(del)?.text, after: add && mates.get(add)?.text };
      if (del && add)
        rows.push({
          kind: "change",
          old: del.n,
          new: add.n,
          before: del.text,
          after: add.text,
          mate,
          ...endsOf(del, add),
        });
      else if (del) rows.push({ kind: "del", old: del.n, before: del.text, mate, ...endsOf(del, undefined) });
      else if (add) rows.push({ kind: "add", new: add.n, after: add.text, mate, ...endsOf(undefined, add) });
    }
    removed = [];
    added = [];
  };

  const lines = unified.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const hunk = oldLeft + newLeft > 0 ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/.exec(line);
    if (hunk) {
      flush();
      const from = Number(hunk[1]);
      oldLeft = Number(hunk[2] ?? 1);
      newLeft = Number(hunk[4] ?? 1);
      // An empty side is named by the line before it.
      const oldFrom = oldLeft === 0 ? from + 1 : from;
      const newFrom = newLeft === 0 ? Number(hunk[3]) + 1 : Number(hunk[3]);
      const skipped = newFrom - (inHunk ? newAt : 1);
      if (inHunk || skipped > 0)
        rows.push({ kind: "gap", old: oldFrom - skipped, new: newFrom - skipped, skipped, section: hunk[5] });
      inHunk = true;
      oldAt = oldFrom;
      newAt = newFrom;
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
        oldLeft--;
        removed.push((last = { n: oldAt++, text, cr }));
        break;
      case "+":
        newLeft--;
        added.push((last = { n: newAt++, text, cr }));
        break;
      default:
        flush();
        oldLeft--;
        newLeft--;
        last = undefined; // it is the same on both sides
        rows.push({
          kind: "same",
          old: oldAt++,
          new: newAt++,
          before: text,
          after: text,
          ...(cr && { cr: { before: true, after: true } }),
        });
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

/**
 * Which removed line became which added one: in order, and those that are most
 * alike. Blocks that are too large for that are paired line by line.
 */
function pairs(removed: readonly Line[], added: readonly Line[]): Map<Line, Line> {
  const found = new Map<Line, Line>();
  const pair = (del: Line, add: Line) => found.set(del, add).set(add, del);
  if (removed.length === added.length || removed.length * added.length > 400) {
    for (let i = 0; i < Math.min(removed.length, added.length); i++) pair(removed[i]!, added[i]!);
    return found;
  }
  const width = added.length + 1;
  const best = new Float64Array((removed.length + 1) * width);
  const like = (i: number, j: number) => likeness(removed[i]!.text, added[j]!.text);
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      best[i * width + j] = Math.max(
        best[(i + 1) * width + j]!,
        best[i * width + j + 1]!,
        like(i, j) + best[(i + 1) * width + j + 1]!,
      );
    }
  }
  for (let i = 0, j = 0; i < removed.length && j < added.length;) {
    const here = best[i * width + j]!;
    if (here === best[(i + 1) * width + j]) i++;
    else if (here === best[i * width + j + 1]) j++;
    else pair(removed[i++]!, added[j++]!);
  }
  return found;
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
    for (const { new: _n, after: _a, ...r } of block) out.push({ ...r, kind: "del" });
    while (rows[i]?.kind === "del") out.push(rows[i++]!);
    i--;
    for (const { old: _o, before: _b, ...r } of block) out.push({ ...r, kind: "add" });
  }
  return out;
}

/** One file of a text that may hold the differences of several. */
export interface FileText {
  path: string;
  old?: string;
  unified: string;
}

const hunkHead = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const nameOf = (line: string) =>
  line
    .slice(4)
    .replace(/\t.*$/, "")
    .replace(/^[ab]\//, "");

/** The files of a unified diff. Lines inside a hunk are text, whatever they look like. */
export function filesOf(diff: string): FileText[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const heads: number[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  lines.forEach((line, i) => {
    if (oldLeft > 0 || newLeft > 0) {
      if (line[0] !== "+" && line[0] !== "\\") oldLeft--;
      if (line[0] !== "-" && line[0] !== "\\") newLeft--;
      return;
    }
    const hunk = hunkHead.exec(line);
    if (hunk) [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ")) heads.push(i);
  });
  if (heads.length === 0) return [{ path: "", unified: diff }];
  return heads.map((from, i) => {
    const before = nameOf(lines[from]!);
    const after = nameOf(lines[from + 1]!);
    const path = after === "/dev/null" ? before : after;
    return {
      path,
      ...(before !== path && before !== "/dev/null" && { old: before }),
      unified: `${lines.slice(from, heads[i + 1]).join("\n")}\n`,
    };
  });
}
