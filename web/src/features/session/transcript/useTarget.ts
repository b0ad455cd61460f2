import type { Session } from "@clew-run/client";
import { useEffect, useRef, type RefObject } from "react";
import { useSearch } from "wouter";
import { useFind } from "../find/find";
import { everyRow, type Row } from "./rows";

interface Ways {
  scrollTo(index: number): void;
  /** Opens the groups that a message stands in; false if it stands in none. */
  unfold(messageId: string): boolean;
  /** Somebody is taken to a place: the view no longer follows the end. */
  leave(): void;
}

/**
 * Goes to what the address names, ?question=… or ?message=…, once for each, and to what
 * finding in the session came to. A message that is not held is loaded with those around it.
 */
export function useTarget(
  session: Session,
  rows: readonly Row[],
  box: RefObject<HTMLElement | null>,
  ready: boolean,
  ways: Ways,
): void {
  const search = useSearch();
  const jump = useFind((s) => (s.session === session.id ? s.jump : null));
  const done = useRef("");
  const asked = useRef("");
  const now = useRef({ ways, rows });
  now.current = { ways, rows };
  const given = new URLSearchParams(search);
  const question = given.get("question");
  const named = given.get("message");
  useEffect(() => {
    if (!ready || rows.length === 0) return;
    const key = `${question} ${named}`;
    if ((question || named) && done.current !== key && go(question, named, key, true)) done.current = key;
    // oxlint-disable-next-line react/exhaustive-deps -- go reads what is newest from refs
  }, [question, named, rows, ready, session, box]);
  const jumped = useRef(jump);
  useEffect(() => {
    if (!ready || rows.length === 0 || !jump || jumped.current === jump) return;
    if (go(null, jump.message, `jump ${jump.turn}`, false)) jumped.current = jump;
    // oxlint-disable-next-line react/exhaustive-deps -- go, as above
  }, [jump, rows, ready, session, box]);

  /** Whether it is on its way there; otherwise it is tried again with the rows to come. Who finds on keeps the focus where it is. */
  function go(question: string | null, message: string | null, key: string, focus: boolean): boolean {
    const find = () =>
      now.current.rows.findIndex((r) =>
        r.kind === "group"
          ? r.id === message && !everyRow(r.inner!).some((n) => n.id === message)
          : question
            ? r.key === `question:${question}` || session.store.message(r.id)?.request_id === question
            : r.id === message || r.more.includes(message!),
      );
    let target = find;
    if (find() < 0) {
      if (!message) return false;
      if (now.current.ways.unfold(message)) return false; // the rows come anew
      if (!session.store.message(message) && asked.current !== key) {
        asked.current = key;
        now.current.ways.leave();
        session.loadAround(message).catch(() => {}); // it may be gone: a rewind takes messages away
        return false;
      }
      if (!session.store.message(message)) return false;
      // It has no row of its own: the one before it is the place.
      target = () => now.current.rows.findLastIndex((r) => r.id !== "" && r.id <= message);
      if (target() < 0) return false;
    }
    now.current.ways.leave();
    let tries = 0;
    const aim = () => {
      const at = target();
      if (at < 0) return;
      now.current.ways.scrollTo(at); // rows that were never measured move: aim again until it is there
      const card = question ? document.getElementById(`question-${question}`) : null; // in its row, or in a phone's sheet
      const el = card ?? box.current?.querySelector<HTMLElement>(`[data-index="${at}"] > article`);
      if (el && tries > 3) return focus ? el.focus({ preventScroll: true }) : undefined;
      if (tries++ < 20) requestAnimationFrame(aim);
    };
    requestAnimationFrame(aim);
    return true;
  }
}
