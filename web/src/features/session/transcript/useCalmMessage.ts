import type { Session, TranscriptMessage } from "@clew-run/client";
import { useEffect, useState } from "react";
import { isTyping } from "@/lib/typing";

/** A message that grows is shown at most this often: 20 times a second. */
export const flushMs = 50;

const slowestMs = 150;
const lateMs = 8; // half a frame
const whileTypingMs = 120;

/**
 * How long to wait before the next time. A timer that comes late tells that the
 * page has more to do than it can, and then a key or a frame matters more than
 * the newest words.
 */
export function paceAfter(pace: number, lateBy: number): number {
  return lateBy > lateMs ? Math.min(slowestMs, pace * 1.5) : Math.max(flushMs, pace * 0.9);
}

/** Whoever writes looks at what they write: the agent's words come less often meanwhile. */
export function paceNow(pace: number, typing: boolean): number {
  return typing ? Math.max(pace * 1.6, whileTypingMs) : pace;
}

/** A message, no more than 20 times a second while it grows; its end comes at once. */
export function useCalmMessage(session: Session, id: string): TranscriptMessage | undefined {
  const [held, setHeld] = useState<{ id: string; message: TranscriptMessage | undefined }>(() => ({
    id,
    message: session.store.message(id),
  }));
  useEffect(() => {
    let shown = 0;
    let pace = flushMs;
    let due = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      shown = performance.now();
      if (timer !== undefined) pace = paceAfter(pace, shown - due);
      timer = undefined;
      const message = session.store.message(id);
      setHeld((h) => (h.id === id && h.message === message ? h : { id, message }));
    };
    const changed = () => {
      const message = session.store.message(id);
      if (!message?.partial) {
        clearTimeout(timer);
        timer = undefined;
        return show();
      }
      if (timer !== undefined) return;
      const now = performance.now();
      due = Math.max(now, shown + paceNow(pace, isTyping()));
      timer = setTimeout(show, due - now);
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
