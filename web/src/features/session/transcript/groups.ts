import type { TaskInfo } from "@clew-run/client";
import { everyRow, type Card, type Row } from "./rows";

/** What the server says of a group's task, as far as it decides how the group is laid out. */
export interface GroupFacts {
  /** Nobody has ended it. */
  live: boolean;
  /** A window's agent that has nothing to do: it stays for the next press. */
  idle: boolean;
  from: number;
  to: number;
  /** The task that started it. */
  parent?: string;
  /** The call by which it did. */
  call?: string;
}

/** Whether a task is that of a window's agent that waits for the next press. */
export function isIdle(t: TaskInfo): boolean {
  return t.agent_kind === "window" && !t.ended_ms && !t.at_work;
}

/** The facts of subtasks, steps and window agents, as one text: the same as long as they say the same. */
export function factsKey(tasks: readonly TaskInfo[]): string {
  return tasks
    .filter((t) => t.parent_task_id || t.todo_id || t.agent_kind === "window")
    .map(
      (t) =>
        `${t.task_id} ${t.created_ms} ${t.ended_ms ?? ""} ${isIdle(t) ? 1 : ""} ${t.parent_task_id ?? ""} ${t.tool_call_id ?? ""}`,
    )
    .join("\n");
}

export function factsOf(key: string): ReadonlyMap<string, GroupFacts> {
  return new Map(
    key
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [task, from, to, idle, parent, ...call] = line.split(" ");
        return [
          task!,
          {
            live: !to,
            idle: !!idle,
            from: Number(from),
            to: to ? Number(to) : Infinity,
            parent: parent || undefined,
            call: call.join(" ") || undefined,
          },
        ];
      }),
  );
}

/**
 * The rows as they are shown: groups that were at work at the same time share a card, and
 * a folded one shows its head alone, besides a question that is open in it. A group of a
 * group stands inside it.
 */
export function layOut(
  rows: readonly Row[],
  facts: ReadonlyMap<string, GroupFacts>,
  isOpen: (task: string) => boolean,
  asks: (row: Row) => boolean,
): Row[] {
  const out: Row[] = [];
  for (let i = 0; i < rows.length;) {
    const r = rows[i]!;
    if (r.kind !== "group") {
      out.push(r);
      i++;
      continue;
    }
    const end = cardEnd(rows, i, facts);
    const heads = rows.slice(i, end);
    const live = heads.map((h) => facts.get(h.group!)).some((f) => f?.live && !f.idle);
    const part = (row: Row, depth: number, open = false): InCard => ({
      ...row,
      card: { first: false, last: false, live, open, end: false, depth },
    });
    const shown = (h: Row, depth: number): InCard[] => {
      const open = isOpen(h.group!);
      const inner = open
        ? h.inner!.flatMap((n) => (n.kind === "group" ? shown(n, depth + 1) : part(n, depth + 1)))
        : everyRow(h.inner!)
            .filter(asks)
            .map((n) => part(n, depth + 1));
      return [part(h, depth, open), ...inner];
    };
    const parts = heads.flatMap((h) => {
      const group = shown(h, 0);
      if (group.length > 1) group.at(-1)!.card.end = true;
      return group;
    });
    parts[0]!.card.first = true;
    parts.at(-1)!.card.last = true;
    out.push(...parts);
    i = end;
  }
  return out;
}

type InCard = Row & { card: Card };

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
