import { create } from "zustand";

/*
 * Which files somebody has seen, on this device: by session and path, with a sum
 * of the change that was seen. A file that changes again has not been seen.
 */
const place = "clew.viewed";
const most = 1_000;
type Seen = Record<string, number>;

function stored(): Seen {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}") as Seen;
  } catch {
    return {}; // no storage, or not ours
  }
}

const useSeen = create<{ seen: Seen }>(() => ({ seen: stored() }));
const keyOf = (session: string, path: string) => `${session} ${path}`;

/** A short name for a text; the same text has the same. */
export function sumOf(text: string): number {
  let sum = 2_166_136_261;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16_777_619);
  return sum >>> 0;
}

export function useViewed(session: string | undefined): {
  has(path: string, sum: number): boolean;
  set(path: string, sum: number, on: boolean): void;
} {
  const seen = useSeen((s) => s.seen);
  return {
    has: (path, sum) => session !== undefined && seen[keyOf(session, path)] === sum,
    set: (path, sum, on) => {
      const { [keyOf(session!, path)]: _, ...others } = useSeen.getState().seen;
      const all = on ? { ...others, [keyOf(session!, path)]: sum } : others;
      const kept = Object.fromEntries(Object.entries(all).slice(-most));
      useSeen.setState({ seen: kept });
      try {
        localStorage.setItem(place, JSON.stringify(kept));
      } catch {
        // without storage it lives as long as the page
      }
    },
  };
}
