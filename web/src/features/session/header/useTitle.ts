import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { sessionWords } from "../words";

/** The title, or the first words, which name a session that nobody named: the list of sessions has them. Undefined until it is known. */
export function useTitle(session: Session, archived: boolean): string | undefined {
  const t = useWords(sessionWords);
  const given = useSnapshot(session, (s) => s.session && (s.session.title ?? ""));
  const begun = useSnapshot(session, (s) => s.messageIds.length > 0);
  const asks = given === "" && begun;
  const listed = useLoaded(asks ? `${session.id} ${archived}` : "", async () => {
    if (!asks) return null;
    const page = await client.rest.sessions.list({ q: session.id, archived, limit: 1 });
    return page.sessions.find((x) => x.session_id === session.id)?.title ?? "";
  });
  if (given === null || (asks && listed.value == null && listed.error === undefined)) return undefined;
  return given || listed.value || t.untitled;
}
