import type { TimelineMark } from "@clew-run/client";
import type { Words } from "@/i18n";
import type { timeWords } from "./words";

type T = typeof timeWords extends Words<infer W> ? W : never;

/** The message that a rewind went to. */
export interface Target {
  messageId: string;
  /** It stayed: the session went to right after it. */
  kept: boolean;
}

export function targetOf(m: TimelineMark): Target | null {
  if (m.kind !== "rewind" || !m.subject || (m.what !== "before" && m.what !== "after")) return null;
  return { messageId: m.subject, kept: m.what === "after" };
}

/** The answer that stands at a place, if the session can go back to before it. */
export function answerAt(marks: readonly TimelineMark[], record: string): TimelineMark | undefined {
  return marks.find((m) => m.message_id === record && m.kind === "answer" && m.target);
}

/**
 * A mark in one line of plain words, from the fields that are for programs. A
 * mark that has none, as from an older server, is shown by its label.
 */
export function describe(m: TimelineMark, t: T, tools: Record<string, string>): string {
  switch (m.kind) {
    case "answer":
      return answer(m, t, tools);
    case "rewind":
      return rewind(m, t);
    case "checkpoint":
      return checkpoint(m, t, tools);
    case "fork":
      return t.forkMade;
    case "run":
      return (m.what === "began" ? m.subject : t.runs[m.what ?? ""]) ?? m.label;
    case "tool":
      return m.what === undefined ? m.label : [tools[m.what] ?? m.what, m.subject].filter(Boolean).join(" ");
    case "question":
      return question(m, t, tools) ?? m.label;
    default:
      return m.label;
  }
}

/** How a question was answered, without the question. */
export function choice(m: TimelineMark, t: T): string {
  const said = t.answers[m.what ?? ""];
  return [m.by_timeout && t.answeredLate, said, m.words].filter(Boolean).join(": ") || m.label;
}

function answer(m: TimelineMark, t: T, tools: Record<string, string>): string {
  return [choice(m, t), question(m, t, tools) ?? m.subject].filter(Boolean).join(" · ");
}

/** What is asked. Agents' own words stay as they are. */
function question(m: TimelineMark, t: T, tools: Record<string, string>): string | undefined {
  const a = m.asked;
  if (!a || !Object.hasOwn(t.asked, a.kind)) return undefined; // a kind of a newer server
  const tool = a.tool === undefined ? "" : (tools[a.tool] ?? a.tool);
  return t.asked[a.kind](a.subject ?? "", tool);
}

function rewind(m: TimelineMark, t: T): string {
  const undone = m.what === "undone";
  if (!undone && !targetOf(m)) return m.label;
  const counts = [m.removed ? t.tookBack(m.removed) : "", m.restored ? t.broughtBack(m.restored) : ""]
    .filter(Boolean)
    .join(", ");
  return [undone && t.undoneMark, counts].filter(Boolean).join(": ") || t.nothingTaken;
}

/** Why the files were saved; a person's reason as it was given. */
function checkpoint(m: TimelineMark, t: T, tools: Record<string, string>): string {
  const subject = m.subject ?? "";
  return m.words ?? t.saved[m.what ?? ""]?.(m.what === "person" ? subject : (tools[subject] ?? subject)) ?? m.label;
}

const said = new Set<TimelineMark["kind"]>(["user", "assistant", "tool", "question"]);

/** The last rewind, which an undo would take back, and what was said since: that would go. */
export function sinceRewind(marks: readonly TimelineMark[]): TimelineMark[] {
  const from = marks.findLastIndex((m) => !m.hidden && targetOf(m) !== null);
  return from < 0 ? [] : marks.slice(from + 1).filter((m) => !m.hidden && said.has(m.kind));
}
