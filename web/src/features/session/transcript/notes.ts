import type { ForkPoint, TimelineMark } from "@clew-run/client";
import type { Row } from "./rows";

/** The session was taken elsewhere in its history, or another one was made from it. */
export interface Note {
  /** The record: where it stands among the messages. */
  id: string;
  what: "back" | "forth" | "forked" | "forkedFrom";
  /** Messages that were taken back, or brought back. */
  count: number;
  ts?: number;
  /** The other session of a fork. */
  session?: string;
}

/** What the timeline has of returns and forks. */
export function notesOf(marks: readonly TimelineMark[], from: ForkPoint | undefined): Note[] {
  const notes = marks
    .filter((m) => (m.kind === "rewind" || m.kind === "fork") && !m.hidden)
    .map((m): Note => {
      const { message_id: id, ts, session } = m;
      if (m.kind === "fork") return { id, ts, what: "forked", count: 0, session };
      return m.restored
        ? { id, ts, what: "forth", count: m.restored }
        : { id, ts, what: "back", count: m.removed ?? 0 };
    });
  if (from) notes.push({ id: from.message_id, what: "forkedFrom", count: 0, session: from.session_id });
  return notes.sort((a, b) => (before(a.id, b.id) ? -1 : before(b.id, a.id) ? 1 : 0));
}

/** Puts notes, in order, where they happened among the rows that are held. */
export function withNotes(rows: Row[], notes: readonly Note[], hasOlder: boolean, hasNewer: boolean): Row[] {
  if (notes.length === 0) return rows;
  const out: Row[] = [];
  let n = notes.length - 1;
  for (let i = rows.length - 1; i >= 0; i--) {
    // from the end: the row of a turn's model calls comes after younger ones
    for (; n >= 0 && before(rows[i]!.id, notes[n]!.id, true); n--)
      if (!hasNewer || i < rows.length - 1) out.push(rowOf(notes[n]!));
    out.push(rows[i]!);
  }
  if (!hasOlder) for (; n >= 0; n--) out.push(rowOf(notes[n]!));
  return out.reverse();
}

function rowOf(note: Note): Row {
  return {
    key: `note:${note.what}:${note.id}`,
    kind: "return",
    id: note.id,
    more: [],
    voice: "system",
    head: false,
    note,
  };
}

/** Ids are numbers in order; longer ones are younger. */
function before(a: string, b: string, orSame = false): boolean {
  return a.length !== b.length ? a.length < b.length : a < b || (orSame && a === b);
}
