/** Places in a line, from and to. */
export type Range = readonly [number, number];
export interface Marks {
  before: Range[];
  after: Range[];
}

const longestLine = 2_000;
const mostWork = 20_000; // pairs of words; beyond that the middle is one mark

/**
 * The words that differ between two lines. Lines that have little in common have
 * no marks: they are simply another line.
 */
export function marksOf(before: string, after: string): Marks | undefined {
  if (before === after || before.length > longestLine || after.length > longestLine) return ends(before, after);
  const a = wordsOf(before);
  const b = wordsOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const kept = left.length * right.length <= mostWork ? common(left, right) : [];
  const at = a.slice(0, start).join("").length;
  const marks = {
    before: rangesOf(
      left,
      kept.map((k) => k[0]),
      at,
    ),
    after: rangesOf(
      right,
      kept.map((k) => k[1]),
      at,
    ),
  };
  const unmarked = (line: string, ranges: Range[]) =>
    line.trim().length - ranges.reduce((n, [from, to]) => n + line.slice(from, to).trim().length, 0);
  const same = Math.min(unmarked(before, marks.before), unmarked(after, marks.after));
  return same < Math.max(before.trim().length, after.trim().length) * 0.3 ? undefined : marks;
}

/** How much of two lines is the same at their ends, 0 to 1. */
export function likeness(before: string, after: string): number {
  const a = before.trim();
  const b = after.trim();
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : sameEnds(a, b).reduce((x, y) => x + y) / longer;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function sameEnds(a: string, b: string): [number, number] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [start, end];
}

function ends(before: string, after: string): Marks | undefined {
  const [start, end] = sameEnds(before, after);
  if (before === after || start + end < Math.max(before.length, after.length) * 0.3) return undefined;
  const range = (line: string): Range[] => (start < line.length - end ? [[start, line.length - end]] : []);
  return { before: range(before), after: range(after) };
}

/** The longest row of words that both have, as places in each. */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] =
        a[i] === b[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

/** What is not kept, as ranges. A comma or a space between two of them is no reason for two marks. */
function rangesOf(words: readonly string[], kept: readonly number[], start: number): Range[] {
  const stays = new Set(kept);
  const ranges: [number, number][] = [];
  let at = start;
  let between = "";
  words.forEach((word, i) => {
    const last = ranges.at(-1);
    if (stays.has(i)) between += word;
    else if (last && (last[1] === at || !/[\p{L}\p{N}_]/u.test(between))) {
      last[1] = at + word.length;
      between = "";
    } else {
      ranges.push([at, at + word.length]);
      between = "";
    }
    at += word.length;
  });
  return ranges;
}
