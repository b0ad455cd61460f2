import { newId } from "@clew-run/client";
import type { Session, UserMessageData } from "@clew-run/client";
import { create } from "zustand";

/** A message that was sent and that the server has not acknowledged. */
export interface Pending {
  id: string;
  data: UserMessageData;
  error?: unknown;
}

interface PendingState {
  bySession: Readonly<Record<string, readonly Pending[]>>;
}

export const usePending = create<PendingState>(() => ({ bySession: {} }));
const none: readonly Pending[] = [];

export function pendingOf(sessionId: string): (s: PendingState) => readonly Pending[] {
  return (s) => s.bySession[sessionId] ?? none;
}

const key = (sessionId: string) => `clew.pending.${sessionId}`;

function set(sessionId: string, change: (list: readonly Pending[]) => readonly Pending[]): void {
  const next = change(usePending.getState().bySession[sessionId] ?? none);
  usePending.setState((s) => ({ bySession: { ...s.bySession, [sessionId]: next } }));
  try {
    const kept = next.filter((p) => p.error === undefined);
    if (kept.length > 0) localStorage.setItem(key(sessionId), JSON.stringify(kept));
    else localStorage.removeItem(key(sessionId));
  } catch {
    // images may be too much for it: then it is kept for this page
  }
}

export interface Outcome {
  /** True when the server has the message. */
  ok: boolean;
  error?: unknown;
  waits?: boolean;
}

/**
 * Sends a message under a name of its own. It is remembered until the server has
 * it, so that a page that is loaded again sends it again, and it counts once.
 */
export async function sendMessage(session: Session, data: UserMessageData, id: string = newId()): Promise<Outcome> {
  set(session.id, (list) => [...list.filter((p) => p.id !== id), { id, data }]);
  try {
    const receipt = await session.send("user_message", data, { id });
    drop(session.id, id);
    return { ok: true, waits: receipt.position !== undefined };
  } catch (error) {
    set(session.id, (list) => list.map((p) => (p.id === id ? { ...p, error } : p)));
    return { ok: false, error };
  }
}

export function drop(sessionId: string, id: string): void {
  set(sessionId, (list) => list.filter((p) => p.id !== id));
}

/** Messages that are on their way: of this page, or those that an earlier one could not send. */
export function onTheirWay(sessionId: string): readonly Pending[] {
  const here = usePending.getState().bySession[sessionId];
  if (here !== undefined) return here.filter((p) => p.error === undefined);
  try {
    return (JSON.parse(localStorage.getItem(key(sessionId)) ?? "[]") as Pending[]).filter((p) => p?.id && p.data);
  } catch {
    return none; // unreadable: nothing to send
  }
}

/** Says of each message once how it ended: the server has it, or refused it. Returns how to stop listening. */
export function whenOver(sessionId: string, list: readonly Pending[], over: (ok: boolean) => void): () => void {
  const open = new Set(list.map((p) => p.id));
  return usePending.subscribe(({ bySession }) => {
    const now = bySession[sessionId];
    if (now === undefined) return; // what is left over is not sent yet
    for (const id of open) {
      const p = now.find((x) => x.id === id);
      if (p && p.error === undefined) continue;
      open.delete(id);
      over(p === undefined);
    }
  });
}

/** Sends again what an earlier page could not. */
export function sendLeftOver(session: Session): void {
  if (usePending.getState().bySession[session.id] !== undefined) return;
  const left = onTheirWay(session.id);
  usePending.setState((s) => ({ bySession: { ...s.bySession, [session.id]: left } }));
  for (const p of left) void sendMessage(session, p.data, p.id);
}
