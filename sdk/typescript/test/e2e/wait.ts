import type { Session } from "../../src/index.js";
import type { SessionSnapshot } from "../../src/snapshot.js";

/** Waits until a session's snapshot is as wanted. The limit is for what is broken: a busy machine may be slow. */
export function until(
  s: Session,
  what: (snapshot: SessionSnapshot) => boolean,
  withinMs = 60_000,
): Promise<SessionSnapshot> {
  return new Promise((done, fail) => {
    const stop: (() => void)[] = [];
    const end = (fn: () => void): void => {
      for (const x of stop) x();
      fn();
    };
    const look = (): void => {
      const snapshot = s.store.getSnapshot();
      if (what(snapshot)) end(() => done(snapshot));
    };
    const timer = setTimeout(() => {
      const { connection, session, messageIds } = s.store.getSnapshot();
      end(() =>
        fail(
          new Error(
            `not in time: ${what.toString()}\n${JSON.stringify({ connection, session, messages: messageIds.length })}`,
          ),
        ),
      );
    }, withinMs);
    stop.push(
      () => clearTimeout(timer),
      s.store.subscribe(look),
      s.on("*", () => queueMicrotask(look)),
    );
    look();
  });
}

export const active = (s: SessionSnapshot): boolean => s.connection.state === "active" && s.synced;
export const idle = (s: SessionSnapshot): boolean =>
  active(s) && s.session?.status === "idle" && s.streaming.length === 0;
