import type { FilesReturned, Receipt, Session } from "@clew-run/client";

/** How a trip ended. Unknown: it did so while the line was down, and others have changed the session since. */
export type Ended = { how: "done"; files?: FilesReturned } | { how: "failed"; reason: string } | { how: "unknown" };

/**
 * Sends a command that takes the session elsewhere, and waits until the state
 * says how that ended. With files it takes a while; a server that was killed
 * meanwhile ends it after its restart.
 */
export async function ending(session: Session, send: () => Promise<Receipt>): Promise<Ended> {
  const before = headOf(session)?.last_move?.message_id;
  await send();
  const trip = headOf(session)?.returning?.rewind_id;
  return new Promise((done) => {
    const look = () => {
      const ended = endOf(session, before, trip);
      if (!ended) return;
      stop();
      done(ended);
    };
    const stop = session.store.subscribe(look);
    look();
  });
}

const headOf = (session: Session) => session.store.getSnapshot().session;

function endOf(session: Session, before: string | undefined, trip: string | undefined): Ended | undefined {
  const head = headOf(session);
  if (
    !session.store.getSnapshot().synced ||
    !head ||
    (head.returning && (trip === undefined || head.returning.rewind_id === trip))
  )
    return undefined;
  const move = head.last_move;
  if (!move || move.message_id === before || (trip !== undefined && move.rewind_id !== trip)) return { how: "unknown" };
  return move.failed === undefined ? { how: "done", files: move.files } : { how: "failed", reason: move.failed };
}
