import type { InboxItem } from "@clew-run/client";

/** A question as it is listed. One that is settled stays where it was for a while, inert. */
export interface InboxRow {
  item: InboxItem;
  /** When it went, by this machine's clock; absent while it is open. */
  goneAt?: number;
}

const idOf = (i: InboxItem) => i.question.request_id;

/** Brings the list up to date without moving what somebody may be about to press. */
export function updateRows(before: readonly InboxRow[], items: readonly InboxItem[], now: number): InboxRow[] {
  const open = new Map(items.map((i, at) => [idOf(i), { item: i, at }]));
  const rows: InboxRow[] = before.map((r) => {
    const found = open.get(idOf(r.item));
    return found ? { item: found.item } : { item: r.item, goneAt: r.goneAt ?? now };
  });
  const known = new Set(before.map((r) => idOf(r.item)));
  for (const [at, item] of items.entries()) {
    if (known.has(idOf(item))) continue;
    const next = rows.findIndex((r) => r.goneAt === undefined && (open.get(idOf(r.item))?.at ?? -1) > at);
    rows.splice(next < 0 ? rows.length : next, 0, { item });
  }
  return rows;
}

/** Drops what has been gone for long enough, but not what has the focus. */
export function pruneRows(
  rows: readonly InboxRow[],
  now: number,
  keepMs: number,
  focused: string | undefined,
): readonly InboxRow[] {
  const kept = rows.filter((r) => r.goneAt === undefined || now - r.goneAt < keepMs || idOf(r.item) === focused);
  return kept.length === rows.length ? rows : kept;
}
