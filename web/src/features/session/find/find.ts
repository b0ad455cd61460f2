import type { SearchHit } from "@clew-run/client";
import { create } from "zustand";
import { useSide } from "../side/side";

/** A hit with its place in the session. */
export type Hit = SearchHit & { message_id: string };

interface Find {
  /** The session whose bar is open, and null if none is. */
  session: string | null;
  /** Counts each time that somebody asks for the bar, so that its field gets the focus. */
  asked: number;
  /** What it begins with. */
  words: string;
  hits: readonly Hit[];
  lastSeq: number;
  /** Which of the hits one is at. */
  at: number;
  /** How many hits each message has. */
  matches: ReadonlyMap<string, number>;
  /** Where the transcript is to be; another object each time. */
  jump: { message: string; turn: number } | null;
}

const nothing = { hits: [], lastSeq: 0, at: -1, matches: new Map<string, number>(), jump: null };

/** Finding inside of a session: the bar above the transcript asks the server, and the transcript shows what it found. */
export const useFind = create<Find>(() => ({ session: null, asked: 0, words: "", ...nothing }));

let before: Element | null = null;

export function openFind(session: string, words?: string): void {
  useSide.getState().setPhone("chat");
  const now = useFind.getState();
  if (now.session !== session) {
    before = document.activeElement;
    useFind.setState({ ...nothing, session, words: words ?? "" });
  }
  if (words === undefined) useFind.setState({ asked: now.asked + 1 });
}

/** Closes the bar, and the focus is where it was. */
export function closeFind(): void {
  const { hits, at } = useFind.getState();
  const row = document.querySelector<HTMLElement>(
    `[data-transcript] [data-message="${CSS.escape(hits[at]?.message_id ?? "")}"]`,
  );
  useFind.setState({ session: null, words: "", ...nothing });
  const back =
    before instanceof HTMLElement && before.isConnected && before !== document.body && before.checkVisibility()
      ? before
      : (row ?? document.querySelector<HTMLElement>("[data-transcript] article[tabindex='0']"));
  before = null;
  back?.focus({ preventScroll: true });
}

/** Takes what the server found so far. */
export function setHits(hits: readonly Hit[], lastSeq: number): void {
  const matches = new Map<string, number>();
  for (const h of hits) matches.set(h.message_id, (matches.get(h.message_id) ?? 0) + 1);
  useFind.setState({ hits, lastSeq, matches });
}

let turn = 0;

/** Goes to a hit; behind the last one comes the first. */
export function goTo(at: number): void {
  const { hits } = useFind.getState();
  if (hits.length === 0) return useFind.setState({ at: -1 });
  const i = (at + hits.length) % hits.length;
  useFind.setState({ at: i, jump: { message: hits[i]!.message_id, turn: ++turn } });
}

/** The hit to begin with: the first at or after a message, else the last. */
export function nearest(hits: readonly Hit[], message: string | undefined): number {
  const after = message === undefined ? -1 : hits.findIndex((h) => h.message_id >= message);
  return after >= 0 ? after : hits.length - 1;
}
