import type { AllowedBy } from "@clew-run/client";
import type { Words } from "./words";

/** Why nobody was asked, in a line. Settings have names that people know. */
export function allowedWords(t: Words, by: AllowedBy): string {
  const rule = t.settingNames[by.rule] ?? by.rule;
  return t.allowedBy[by.scope](rule);
}
