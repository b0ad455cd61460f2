import type { InboxItem, SessionSummary } from "@clew-run/client";
import { isRunning } from "@/features/inbox/useSessionList";
import { baseName } from "@/features/start/names";

export interface Sections {
  /** The first question of each session that asks this person, in the inbox's order. */
  asking: { item: InboxItem; session?: SessionSummary }[];
  running: SessionSummary[];
  /** By folder, the one used last first; those whose folder holds no other have none. */
  recent: { folder: string; sessions: SessionSummary[] }[];
}

/** How many sessions at rest the rail shows; the page of all sessions has the others. */
export const recentMost = 30;

/** Sorts what the page follows into the sections of the rail. A session is in one of them. */
export function sectionsOf(items: readonly InboxItem[], sessions: readonly SessionSummary[]): Sections {
  const known = new Map(sessions.map((s) => [s.session_id, s]));
  const asking = new Map<string, Sections["asking"][number]>();
  for (const item of items)
    if (!asking.has(item.session_id)) asking.set(item.session_id, { item, session: known.get(item.session_id) });
  const rest = sessions.filter((s) => !asking.has(s.session_id));
  const recent = rest.filter((s) => !isRunning(s)).slice(0, recentMost);
  const folders = Map.groupBy(recent, (s) => s.workspace ?? "");
  const groups = Map.groupBy(recent, (s) => (folders.get(s.workspace ?? "")!.length > 1 ? (s.workspace ?? "") : ""));
  return {
    asking: [...asking.values()],
    running: rest.filter(isRunning),
    recent: [...groups].map(([folder, list]) => ({ folder: baseName(folder), sessions: list })),
  };
}
