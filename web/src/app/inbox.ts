import type { InboxItem } from "@clew-run/client";
import { useInbox } from "@clew-run/client/react";
import { useCallback, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { announce, notify } from "./notices";
import { closeSettled, mayNotify, notifyOutside } from "./worker";
import { appWords } from "./words";

/** The open questions of this person, live. */
export const useInboxState = useInbox;

/**
 * Goes to the open question after the one gone to last: over all sessions, the
 * nearest deadline first. It never goes anywhere by itself.
 */
export function useNextQuestion(): () => void {
  const t = useWords(appWords);
  const [, navigate] = useLocation();
  const { items } = useInboxState();
  const seen = useRef(new Set<string>());
  return useCallback(() => {
    if (items.length === 0) return announce(t.noQuestion);
    let next = items.find((i) => !seen.current.has(i.question.request_id));
    if (!next) {
      seen.current.clear();
      next = items[0]!;
    }
    seen.current.add(next.question.request_id);
    navigate(`/s/${next.session_id}?question=${next.question.request_id}`);
  }, [items, navigate, t]);
}

/** Tells of new questions: in the title, aloud, and by notification if wanted and out of sight. */
export function useQuestionBell(): void {
  const t = useWords(appWords);
  const { items, counts, synced } = useInboxState();
  const [path, navigate] = useLocation();
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!synced) return; // nothing is known yet
    document.title = counts.total > 0 ? `(${counts.total}) clew` : "clew";
    void (navigator as { setAppBadge?: (n: number) => Promise<void> }).setAppBadge?.(counts.total).catch(() => {});
  }, [counts.total, synced]);
  useEffect(() => {
    if (!synced) return;
    const open = new Set(items.map((i) => i.question.request_id));
    const close = () => void (!document.hidden && closeSettled(open).catch(() => {}));
    close();
    document.addEventListener("visibilitychange", close);
    return () => document.removeEventListener("visibilitychange", close);
  }, [items, synced]);
  useEffect(() => {
    if (!synced) return; // what was there before is no news
    const before = known.current;
    known.current = new Set(items.map((i) => i.question.request_id));
    if (!before) return;
    for (const item of items) if (!before.has(item.question.request_id)) ring(item);

    function ring(item: InboxItem) {
      const text = t.newQuestion(item.title || item.session_id);
      const here = path.startsWith(`/s/${item.session_id}`) || path === "/inbox" || path === "/";
      announce(text);
      if (!here)
        notify({
          tone: "ask",
          text,
          action: {
            label: t.nextQuestion,
            run: () => navigate(`/s/${item.session_id}?question=${item.question.request_id}`),
          },
        });
      if (mayNotify()) {
        void notifyOutside(
          text,
          item.question.request_id,
          `/s/${item.session_id}?question=${item.question.request_id}`,
        ).catch(() => {});
      }
    }
  }, [items, synced, path, t, navigate]);
}
