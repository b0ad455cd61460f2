import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { client } from "@/app/client";
import { useLoaded } from "@/lib/useLoaded";

/** Whether a session was put away: what the list of sessions says, until it changes before our eyes. */
export function useArchived(session: Session): boolean {
  const told = useSnapshot(session, (s) => s.session?.archived);
  const greeted = useSnapshot(session, (s) => s.session?.clientId ?? "");
  const listed = useLoaded(greeted && `${session.id} ${greeted}`, async () => {
    if (greeted === "") return false;
    const page = await client.rest.sessions.list({ q: session.id, archived: true, limit: 1 });
    return page.sessions.some((s) => s.session_id === session.id);
  });
  return told ?? listed.value ?? false;
}
