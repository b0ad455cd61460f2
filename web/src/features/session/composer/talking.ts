import type { Question, WordsEffect } from "@clew-run/client";

/** What words without an address do to a question that they reach. */
export type Effect = Exclude<WordsEffect, "steers">;

/** What plain words would do to the question that they would reach; null if they reach none. */
export function talking(questions: readonly Question[]): Effect | null {
  for (const { words_effect: effect } of questions) if (effect && effect !== "steers") return effect;
  return null;
}
