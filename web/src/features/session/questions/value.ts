import type { Question } from "@clew-run/client";

type Asks = Extract<Question, { type: "hitl_input_request" | "hitl_clarification" }>;
export type InputType = Asks["input_type"];

export interface Suggestion {
  value: unknown;
  label: string;
}

/** What can be answered with one click. */
export function suggestionsOf(q: Asks, words: { yes: string; no: string }): Suggestion[] {
  if (q.type === "hitl_clarification") {
    const given = q.suggestions.map((s) => ({ value: s as unknown, label: s }));
    return given.length === 0 && q.input_type === "boolean" ? yesNo(words) : given;
  }
  const given = (q.options ?? []).map((o) => ({ value: o.value, label: o.label || String(o.value) }));
  return given.length === 0 && q.input_type === "boolean" ? yesNo(words) : given;
}

const yesNo = (words: { yes: string; no: string }): Suggestion[] => [
  { value: true, label: words.yes },
  { value: false, label: words.no },
];

/** What the field begins with: the default, if there is one. */
export function startText(q: Asks): string {
  if (q.type !== "hitl_input_request" || q.default_value === null || q.default_value === undefined) return "";
  return typeof q.default_value === "string" ? q.default_value : JSON.stringify(q.default_value);
}

/** Reads what was written as the type that is asked for. */
export function readValue(
  type: InputType,
  text: string,
  required: boolean,
): { value: unknown } | { problem: "empty" | "number" | "date" } {
  const plain = text.trim();
  if (plain === "")
    return required ? { problem: "empty" } : { value: type === "text" || type === "choice" ? "" : null };
  if (type === "number") {
    const n = Number(plain.replace(",", "."));
    return Number.isFinite(n) ? { value: n } : { problem: "number" };
  }
  if (type === "date") {
    return isDay(plain) ? { value: plain } : { problem: "date" };
  }
  return { value: plain };
}

/** A day that there is: a Date made of 29 February of another year is in March. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
