import type { Session } from "@clew-run/client";
import { useEffect, useRef, type RefObject } from "react";
import { useSearch } from "wouter";
import type { Row } from "./rows";

/** Goes to what the address names: ?question=… or ?message=…, once for each. `unfold` opens the group that a message stands in. */
export function useTarget(session: Session, rows: readonly Row[], scrollTo: (index: number) => void, box: RefObject<HTMLElement | null>, unfold: (messageId: string) => void): void {
  const search = useSearch();
  const done = useRef("");
  const go = useRef(scrollTo);
  go.current = scrollTo;
  const open = useRef(unfold);
  open.current = unfold;
  useEffect(() => {
    const given = new URLSearchParams(search);
    const question = given.get("question");
    const message = given.get("message");
    if ((!question && !message) || done.current === search || rows.length === 0) return;
    const at = rows.findIndex((r) =>
      r.kind === "group" ? false : question ? r.key === `question:${question}` || session.store.message(r.id)?.request_id === question : r.id === message || r.more.includes(message!),
    );
    if (at < 0) {
      if (message) open.current(message); // if it is in a folded group, the rows come anew
      return;
    }
    done.current = search;
    const selector = question ? `[data-question="${CSS.escape(question)}"]` : `[data-index="${at}"] > article`;
    let tries = 0;
    const focus = () => {
      go.current(at); // rows that were never measured move: aim again until it is there
      const el = box.current?.querySelector<HTMLElement>(selector) ?? box.current?.querySelector<HTMLElement>(`[data-index="${at}"] > article`);
      if (el && tries > 1) el.focus({ preventScroll: true });
      else if (tries < 20) requestAnimationFrame(focus);
      tries++;
    };
    requestAnimationFrame(focus);
  }, [search, rows, session, box]);
}
