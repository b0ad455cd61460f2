import { usePrefs } from "@/app/prefs";

/*
 * Words stand beside what shows them: every feature has a words.ts with both
 * languages, and the types hold them equal, key by key. An entry is a string or
 * a function of what it speaks about. So a lazy page brings its own words.
 */
export type Language = "en" | "ko";
export const languages: { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "ko", name: "한국어" },
];

/** A dictionary's shape, with its literals widened. */
type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { [K in keyof T]: Widened<T[K]> };

export interface Words<T> {
  en: T;
  ko: T;
}

export function words<T>(both: { en: T; ko: Widened<NoInfer<T>> }): Words<Widened<T>> {
  return both as unknown as Words<Widened<T>>;
}

/** The words in the language in use. */
export function useWords<T>(w: Words<T>): T {
  return w[usePrefs((p) => p.language)];
}

/** The same outside of components. */
export function wordsNow<T>(w: Words<T>): T {
  return w[usePrefs.getState().language];
}
