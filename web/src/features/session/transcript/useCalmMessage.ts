import type { Session, TranscriptMessage } from "@clew-run/client";
import { useEffect, useState } from "react";

/** A message that grows is shown at most this often: 20 times a second. */
export const flushMs = 50;

/** A message, no more than 20 times a second while it grows; its end comes at once. */
export function useCalmMessage(session: Session, id: string): TranscriptMessage | undefined {
  const [held, setHeld] = useState<{ id: string; message: TranscriptMessage | undefined }>(() => ({ id, message: session.store.message(id) }));
  useEffect(() => {
    let shown = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      shown = performance.now();
      const message = session.store.message(id);
      setHeld((h) => (h.id === id && h.message === message ? h : { id, message }));
    };
    const changed = () => {
      const message = session.store.message(id);
      if (!message?.partial) {
        clearTimeout(timer);
        return show();
      }
      timer ??= setTimeout(show, Math.max(0, flushMs - (performance.now() - shown)));
    };
    show();
    const stop = session.store.subscribeMessage(id, changed);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [session, id]);
  return held.id === id ? held.message : session.store.message(id);
}
