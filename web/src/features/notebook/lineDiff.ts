/** A line of one version or of both. */
export interface DiffLine {
  kind: "same" | "add" | "del";
  text: string;
}

const mostLines = 2_000;

/** How two texts differ by lines. What is too long to compare is shown as all different. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...a.slice(0, start).map(same),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function between(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > mostLines ** 2)
    return [...a.map((text) => ({ kind: "del" as const, text })), ...b.map((text) => ({ kind: "add" as const, text }))];
  // The length of the longest common part from each pair of places on.
  const long = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      long[i]![j] = a[i] === b[j] ? long[i + 1]![j + 1]! + 1 : Math.max(long[i + 1]![j]!, long[i]![j + 1]!);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i++]! });
      j++;
    } else if (i < a.length && (j === b.length || long[i + 1]![j]! >= long[i]![j + 1]!))
      lines.push({ kind: "del", text: a[i++]! });
    else lines.push({ kind: "add", text: b[j++]! });
  }
  return lines;
}
