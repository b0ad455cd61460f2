import type { SessionSummary } from "@clew-run/client";
import { useEffect, useMemo, useRef } from "react";
import { create } from "zustand";
import { client } from "@/app/client";
import { inTruth, useConfirmed } from "@/features/history/confirmed";
import { useFreshList } from "@/features/history/useFreshList";
import type { Loaded } from "@/lib/useLoaded";

const most = 40;
const homeMs = 5_000;
const works = new Set(["planning", "executing", "awaiting_input", "paused"]);

export function isRunning(s: Pick<SessionSummary, "status">): boolean {
  return works.has(s.status);
}

interface Shared {
  value?: SessionSummary[];
  error?: unknown;
  loading: boolean;
}

/** One list for the rail, Home and the palette: they cannot say different things, and it is asked for once. */
const useShared = create<Shared>(() => ({ loading: true }));
let round = 0;

/** Asks for the sessions again; what is shown stays until they are there. */
export function refreshSessions(): void {
  const mine = ++round;
  useShared.setState({ loading: true });
  client.rest.sessions.list({ limit: most }).then(
    (p) =>
      mine === round &&
      useShared.setState({
        value: p.sessions.toSorted((a, b) => b.updated_ms - a.updated_ms),
        error: undefined,
        loading: false,
      }),
    (error: unknown) => mine === round && useShared.setState({ error, loading: false }),
  );
}

/**
 * Keeps the list true while the page is looked at. The frame calls it, once. It asks
 * when a question comes or goes, when another page is opened, and now and then: also
 * while nothing works, since work begins on other devices.
 */
export function useSessionKeeper(path: string): void {
  useFreshList(refreshSessions, path === "/" ? homeMs : undefined);
  const at = useRef(path);
  useEffect(() => {
    if (at.current !== path) refreshSessions();
    at.current = path;
  }, [path]);
  useEffect(
    () => () => {
      round++; // an answer on its way is for somebody who signed out
      useShared.setState({ value: undefined, error: undefined, loading: true }, true);
    },
    [],
  );
}

/** The sessions in which something happened last. */
export function useSessionList(): Loaded<SessionSummary[]> {
  const { value, error, loading } = useShared();
  const changes = useConfirmed();
  const shown = useMemo(() => value && inTruth(value, changes, false), [value, changes]);
  return { value: shown, error, loading, reload: refreshSessions, set: (v) => useShared.setState({ value: v }) };
}
