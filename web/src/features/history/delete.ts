import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { wordsNow } from "@/i18n";
import { historyWords } from "./words";

/** Deletes a session, with a way back in the notice while there is one. */
export async function deleteSession(
  sessionId: string,
  title: string,
  onChange: (deleted: boolean) => void,
): Promise<void> {
  const gone = await client.rest.sessions.delete(sessionId);
  onChange(true);
  const t = wordsNow(historyWords);
  const undo = { label: t.bringBack, run: () => undelete(sessionId, title, onChange) };
  notify({ tone: "past", text: t.wasDeleted(title), action: gone.erase_ms > gone.deleted_ms ? undo : undefined });
}

/** Brings a deleted session back. */
export function undelete(sessionId: string, title: string, onChange: (deleted: boolean) => void): void {
  void client.rest.sessions.restore(sessionId).then(() => {
    onChange(false);
    notify({ tone: "done", text: wordsNow(historyWords).cameBack(title) });
  }, notifyError);
}
