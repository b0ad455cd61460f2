import type { SessionSummary } from "@clew-run/client";
import { useMemo } from "react";
import { client } from "@/app/client";
import { inTruth, useConfirmed } from "@/features/history/confirmed";
import { useFreshList } from "@/features/history/useFreshList";
import { useLoaded, type Loaded } from "@/lib/useLoaded";

const everyMs = 5_000;
const works = new Set(["planning", "executing", "awaiting_input", "paused"]);

export function isRunning(s: SessionSummary): boolean {
  return works.has(s.status);
}

/** The sessions in which something happened last. They are asked for again while the page is looked at, and at once when a question comes or goes. */
export function useSessionList(limit: number): Loaded<SessionSummary[]> {
  const list = useLoaded(`sessions ${limit}`, () => client.rest.sessions.list({ limit }).then((p) => p.sessions.toSorted((a, b) => b.updated_ms - a.updated_ms)));
  const { reload } = list;
  useFreshList(reload, everyMs);
  const changes = useConfirmed();
  const value = useMemo(() => list.value && inTruth(list.value, changes, false), [list.value, changes]);
  return { ...list, value };
}
