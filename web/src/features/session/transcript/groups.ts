import type { TaskInfo } from "@clew-run/client";
import type { Row } from "./rows";

/** What the server says of a group's task, as far as it decides how the group is laid out. */
export interface GroupFacts {
  /** Nobody has ended it. */
  live: boolean;
  from: number;
  to: number;
}

/** The facts of subtasks and steps, as one text: the same as long as they say the same. */
export function factsKey(tasks: readonly TaskInfo[]): string {
  return tasks.filter((t) => t.parent_task_id || t.todo_id).map((t) => `${t.task_id} ${t.created_ms} ${t.ended_ms ?? ""}`).join("\n");
}

export function factsOf(key: string): ReadonlyMap<string, GroupFacts> {
  return new Map(key.split("\n").filter(Boolean).map((line) => {
    const [task, from, to] = line.split(" ");
    return [task!, { live: !to, from: Number(from), to: to ? Number(to) : Infinity }];
  }));
}

/**
 * The rows as they are shown: groups that were at work at the same time share a card, and
 * a folded one shows its head alone, besides a question that is open in it.
 */
export function layOut(rows: readonly Row[], facts: ReadonlyMap<string, GroupFacts>, isOpen: (task: string) => boolean, asks: (row: Row) => boolean): Row[] {
  const out: Row[] = [];
  for (let i = 0; i < rows.length; ) {
    const r = rows[i]!;
    if (r.kind !== "group") {
      out.push(r);
      i++;
      continue;
    }
    const end = cardEnd(rows, i, facts);
    const heads = rows.slice(i, end);
    const live = heads.some((h) => facts.get(h.group!)?.live === true);
    const parts = heads.flatMap((h) => {
      const open = isOpen(h.group!);
      const inner = open ? h.inner! : h.inner!.filter(asks);
      const plain = { first: false, last: false, live, open: false, end: false };
      return [{ ...h, card: { ...plain, open } }, ...inner.map((n, j) => ({ ...n, card: { ...plain, end: j === inner.length - 1 } }))];
    });
    parts[0]!.card.first = true;
    parts.at(-1)!.card.last = true;
    out.push(...parts);
    i = end;
  }
  return out;
}

/** Where the card that begins here ends. */
function cardEnd(rows: readonly Row[], start: number, facts: ReadonlyMap<string, GroupFacts>): number {
  let until = facts.get(rows[start]!.group!)?.to ?? 0;
  let i = start + 1;
  for (; rows[i]?.kind === "group"; i++) {
    const next = facts.get(rows[i]!.group!);
    if (!next || next.from >= until) break;
    until = Math.max(until, next.to);
  }
  return i;
}
