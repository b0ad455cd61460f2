import { create } from "zustand";
import type { LineComment } from "./comments";

/*
 * Remarks that are not sent yet, by session. They outlive the panel that shows
 * them, new checkpoints and a reload of the page; they go with the tab.
 */
const none: readonly LineComment[] = [];
const useReviews = create<Record<string, readonly LineComment[]>>(() => ({}));
const place = (session: string) => `clew.review.${session}`;

/** Those of before a reload, read once: what is selected has to stay the same object. */
const before = new Map<string, readonly LineComment[]>();
function stored(session: string): readonly LineComment[] {
  let list = before.get(session);
  if (list) return list;
  try {
    list = JSON.parse(sessionStorage.getItem(place(session)) ?? "[]") as LineComment[];
  } catch {
    list = none; // no storage, or not ours
  }
  before.set(session, list);
  return list;
}

export function useReview(session: string | undefined): readonly LineComment[] {
  return useReviews((s) => (session === undefined ? none : (s[session] ?? stored(session))));
}

export function changeReview(session: string, change: (list: readonly LineComment[]) => readonly LineComment[]): void {
  const next = change(useReviews.getState()[session] ?? stored(session));
  useReviews.setState({ [session]: next });
  try {
    if (next.length > 0) sessionStorage.setItem(place(session), JSON.stringify(next));
    else sessionStorage.removeItem(place(session));
  } catch {
    // without storage they live as long as the page
  }
}
