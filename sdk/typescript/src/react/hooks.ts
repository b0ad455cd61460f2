import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Inbox, InboxSnapshot } from "../inbox.js";
import type { Session } from "../session.js";
import type { Connection, SessionSnapshot } from "../snapshot.js";
import type { TranscriptMessage } from "../transcript.js";
import type { WindowState } from "../types.gen.js";
import { useClew } from "./provider.js";

/** The session of this id, connected as long as somebody shows it. */
export function useSession(id: string): Session {
  const client = useClew();
  const session = useMemo(() => client.session(id), [client, id]);
  useEffect(() => client.use(id), [client, id]);
  return session;
}

interface Store<S> {
  getSnapshot(): S;
  subscribe(fn: () => void): () => void;
}

function useStore<S, T>(store: Store<S>, selector: (snapshot: S) => T, equal: (a: T, b: T) => boolean = Object.is): T {
  // What was selected last stays the same object as long as it is equal.
  const last = useRef<{ value: T } | null>(null);
  const get = (): T => {
    const value = selector(store.getSnapshot());
    if (last.current && equal(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  };
  return useSyncExternalStore(store.subscribe, get, get);
}

/** A part of the session's snapshot; renders again only if it is not equal to the last. */
export function useSnapshot<T>(
  session: Session,
  selector: (snapshot: SessionSnapshot) => T,
  equal?: (a: T, b: T) => boolean,
): T {
  return useStore(session.store, selector, equal);
}

/** How the connection of a session, or of the inbox, stands. */
export function useConnection(source: Session | Inbox): Connection {
  return useStore(source.store as Store<{ connection: Connection }>, (s) => s.connection);
}

/** A hook for one part of the snapshot. */
function part<K extends keyof SessionSnapshot>(key: K): (session: Session) => SessionSnapshot[K] {
  return (session) => useSnapshot(session, (s) => s[key]);
}

export const useMessageIds = part("messageIds");
/** Open questions, the nearest deadline first. */
export const useQuestions = part("questions");
export const usePlan = part("plan");
export const useTodos = part("todos");
export const useUsage = part("usage");
export const useViewers = part("viewers");
/** The agents that have a turn now, oldest first. */
export const useAgents = part("agents");
export const useMonitors = part("monitors");

/** One window; undefined once it is closed. */
export function useWindow(session: Session, id: string): WindowState | undefined {
  return useSnapshot(session, (s) => s.windows.find((w) => w.window_id === id));
}

/** One message; renders again when it grows or changes, and for no other. */
export function useMessage(session: Session, id: string): TranscriptMessage | undefined {
  const subscribe = useCallback((fn: () => void) => session.store.subscribeMessage(id, fn), [session, id]);
  const get = (): TranscriptMessage | undefined => session.store.message(id);
  return useSyncExternalStore(subscribe, get, get);
}

/** The inbox, connected as long as somebody shows it. */
export function useInbox(): InboxSnapshot & { inbox: Inbox } {
  const client = useClew();
  const inbox = useMemo(() => client.inbox(), [client]);
  useEffect(() => client.useInbox(), [client]);
  const snapshot = useStore(inbox.store, (s: InboxSnapshot) => s);
  return useMemo(() => ({ ...snapshot, inbox }), [snapshot, inbox]);
}

/** What knows the server's time: a session, the inbox, or a function. */
export type Clock = { serverNow(): number } | (() => number);

/**
 * The whole seconds until a deadline by the server's clock, 0 once it is over,
 * undefined without a deadline. Renders once a second.
 */
export function useCountdown(clock: Clock, deadlineMs: number | undefined): number | undefined {
  const now = typeof clock === "function" ? clock : clock.serverNow;
  const left = secondsLeft(now, deadlineMs);
  const [, render] = useState<number | undefined>(left);
  useEffect(() => {
    if (deadlineMs === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      render(secondsLeft(now, deadlineMs)); // the same figure renders nothing
      const ms = deadlineMs - now();
      // Just after the second changes. It goes on when the time is over: that may
      // have been said by a clock that is not the server's yet.
      timer = setTimeout(wait, ms > 0 ? (ms % 1000) + 5 : 1000);
    };
    wait();
    return () => clearTimeout(timer);
  }, [now, deadlineMs]);
  return left;
}

function secondsLeft(now: () => number, deadlineMs: number | undefined): number | undefined {
  return deadlineMs === undefined ? undefined : Math.max(0, Math.ceil((deadlineMs - now()) / 1000));
}
