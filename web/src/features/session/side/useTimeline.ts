import type { Session, Timeline } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useEffect, useRef } from "react";
import { client } from "@/app/client";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";

/** The timeline of a session, anew after each turn, and at once when the session was taken back or forked. */
export function useTimeline(session: Session, wanted: boolean): Timeline | undefined {
  const status = useSnapshot(session, (s) => s.session?.status ?? "");
  const asked = useSnapshot(session, (s) => s.questions.length);
  const waiting = useSnapshot(session, (s) => s.queue.length); // the next in line begins without a change of the status
  const turn = useDebounced(`${status} ${asked} ${waiting}`, 1500); // marks change when a turn does, not with each word
  const moved = useSnapshot(session, (s) => `${s.session?.last_move?.message_id} ${s.session?.forks}`);
  const { value, reload } = useLoaded<Timeline | undefined>(`${session.id} ${wanted}`, async () =>
    wanted ? client.rest.sessions.timeline(session.id) : undefined,
  );
  const key = `${turn} ${moved}`;
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    reload(); // what is shown stays until the new one is there
  }, [key, reload]);
  return value;
}
