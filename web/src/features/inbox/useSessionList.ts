import type { SessionSummary } from "@clew-run/client";
import { useEffect } from "react";
import { client } from "@/app/client";
import { useInboxState } from "@/app/inbox";
import { useLoaded, type Loaded } from "@/lib/useLoaded";

const everyMs = 5_000;
const works = new Set(["planning", "executing", "awaiting_input", "paused"]);

export function isRunning(s: SessionSummary): boolean {
  return works.has(s.status);
}

/** The newest sessions. They are asked for again while the page is looked at, and at once when a question comes or goes. */
export function useSessionList(limit: number): Loaded<SessionSummary[]> {
  const list = useLoaded(`sessions ${limit}`, () => client.rest.sessions.list({ limit }).then((p) => p.sessions));
  const { reload } = list;
  const { counts } = useInboxState();
  useEffect(() => reload(), [reload, counts]);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) reload();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [reload]);
  return list;
}
