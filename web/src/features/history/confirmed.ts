import { seqOf, type RestReceipt, type SessionSummary } from "@clew-run/client";
import { create } from "zustand";

type Change = Partial<Pick<SessionSummary, "title" | "archived">>;
type Confirmed = Record<string, Change & { seq: number }>;

/** How long the server's lists may take to follow a change. */
export const followMs = 2_500;

/** What the server confirmed for sessions and its lists may not say yet. */
export const useConfirmed = create<Confirmed>(() => ({}));

export function confirmed(sessionId: string, receipt: RestReceipt, change: Change): void {
  const seq = seqOf(receipt.records.at(-1));
  if (seq > 0) useConfirmed.setState((all) => ({ [sessionId]: { ...all[sessionId], ...change, seq } }));
}

/** A list as the server will give it in a moment: lines older than a change are shown with it. */
export function inTruth(list: readonly SessionSummary[], all: Confirmed, archived: boolean): SessionSummary[] {
  return list
    .map((s) => {
      const c = all[s.session_id];
      return c && s.last_seq < c.seq ? { ...s, title: c.title ?? s.title, archived: c.archived ?? s.archived } : s;
    })
    .filter((s) => (s.archived ?? false) === archived);
}
