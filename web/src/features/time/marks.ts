import type { TimelineMark } from "@clew-run/client";
import type { Words } from "@/i18n";
import type { timeWords } from "./words";

type T = typeof timeWords extends Words<infer W> ? W : never;

/** The message that a rewind went to, as its record names it. */
export interface Target {
  messageId: string;
  /** It stayed: the session went to right after it. */
  kept: boolean;
}

export function targetOf(m: TimelineMark): Target | null {
  const named = m.kind === "rewind" ? /^back to (before|after) (\S+)$/.exec(m.label) : null;
  return named ? { messageId: named[2]!, kept: named[1] === "after" } : null;
}

/**
 * A mark in one line of plain words. The server's labels name records and
 * choices as programs do; where one is not known it is shown as it came.
 */
export function describe(m: TimelineMark, t: T, tools: Record<string, string>): string {
  switch (m.kind) {
    case "answer":
      return answer(m.label, t);
    case "rewind":
      return rewind(m, t);
    case "checkpoint":
      return checkpoint(m.label, t, tools);
    case "fork":
      return t.forkMade;
    case "run":
      return t.runs[m.label] ?? m.label.replace(/^began: /, "");
    case "tool": {
      const [tool = "", ...rest] = m.label.split(" ");
      return [tools[tool] ?? tool, about(rest.join(" "))].filter(Boolean).join(" ");
    }
    case "question": {
      const command = /^run: (.*)$/s.exec(m.label);
      return command ? t.mayRun(command[1]!) : m.label;
    }
    default:
      return m.label;
  }
}

/** What a call is about: of its input, which may be cut short, what tells it apart. */
function about(input: string): string {
  if (!input.startsWith("{")) return input;
  const value = /"(?:command|path|pattern|url|query|task|name|question)":("(?:[^"\\]|\\.)*")/.exec(input)?.[1];
  return value === undefined ? "" : (JSON.parse(value) as string);
}

function answer(label: string, t: T): string {
  const parts = /^(nobody answered in time: )?(\w*)(?:: ?(.*))?$/s.exec(label);
  if (!parts) return label;
  const [, late, action = "", words] = parts;
  const said = t.answers[action];
  if (said === undefined && action !== "") return label;
  return [late ? t.answeredLate : undefined, said, words].filter(Boolean).join(": ");
}

function rewind(m: TimelineMark, t: T): string {
  const target = targetOf(m);
  if (!target && !/^the rewind was undone$/.test(m.label)) return m.label;
  const counts = [m.removed ? t.tookBack(m.removed) : "", m.restored ? t.broughtBack(m.restored) : ""].filter(Boolean).join(", ");
  return [target ? "" : t.undoneMark, counts].filter(Boolean).join(": ") || t.nothingTaken;
}

function checkpoint(label: string, t: T, tools: Record<string, string>): string {
  const call = /^(before|after|after the server stopped during) (\w+)$/.exec(label);
  if (call) {
    const tool = tools[call[2]!] ?? call[2]!;
    return call[1] === "before" ? t.savedBefore(tool) : call[1] === "after" ? t.savedAfter(tool) : t.savedAfterStop(tool);
  }
  return t.saved[label] ?? label;
}

const said = new Set<TimelineMark["kind"]>(["user", "assistant", "tool", "question"]);

/** The last rewind, which an undo would take back, and what was said since: that would go. */
export function sinceRewind(marks: readonly TimelineMark[]): TimelineMark[] {
  const from = marks.findLastIndex((m) => !m.hidden && targetOf(m) !== null);
  return from < 0 ? [] : marks.slice(from + 1).filter((m) => !m.hidden && said.has(m.kind));
}
