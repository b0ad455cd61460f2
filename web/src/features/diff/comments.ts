import type { Row } from "./parse";

/** A line of one side. */
export interface Place {
  path: string;
  side: "before" | "after";
  line: number;
}

/** A remark on one line of a diff. */
export interface LineComment extends Place {
  /** The line itself, so that the reader needs no other copy. */
  text: string;
  comment: string;
}

const longLine = 500;

/** All remarks as one message: where, what stands there, and what is to be said about it. */
export function reviewText(intro: string, comments: readonly LineComment[]): string {
  const parts = comments.map((c) => {
    const text = c.text.length > longLine ? `${c.text.slice(0, longLine)}…` : c.text;
    const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length))));
    return `**${c.path}:${c.line}** (${c.side})\n${fence}\n${text}\n${fence}\n${c.comment.trim()}`;
  });
  return [intro, ...parts].join("\n\n");
}

/**
 * Finds the lines again that remarks were made on, since agents go on working
 * meanwhile: the same line, else the nearest one of the same text. Remarks whose
 * line is nowhere to be seen are lost, and keep the place they had.
 */
export function place(
  comments: readonly LineComment[],
  rowsOf: (path: string) => readonly Row[],
): { placed: LineComment[]; lost: LineComment[] } {
  const placed: LineComment[] = [];
  const lost: LineComment[] = [];
  for (const c of comments) {
    let best: number | undefined;
    for (const r of rowsOf(c.path)) {
      const n = c.side === "before" ? r.old : r.new;
      const text = c.side === "before" ? r.before : r.after;
      if (n === undefined || text !== c.text) continue;
      if (best === undefined || Math.abs(n - c.line) < Math.abs(best - c.line)) best = n;
    }
    if (best === undefined) lost.push(c);
    else placed.push(best === c.line ? c : { ...c, line: best });
  }
  return { placed, lost };
}
