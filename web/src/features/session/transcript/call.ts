import type { Question, TranscriptMessage } from "@clew-run/client";
import type { Tone } from "@/ui";
import { toolName, wasStopped } from "./rows";

/** How a call stands, in the words of the page. */
export type CallStatus = "running" | "complete" | "error" | "waiting" | "asking" | "denied" | "halted" | "stopped";

export interface CallView {
  name: string;
  /** What it is about: a path, a pattern, a command. */
  target: string;
  status: CallStatus;
  /** The exit code of a command, once there is one. */
  exit?: string;
}

interface Given {
  tool?: string;
  input?: Record<string, unknown>;
}

/** What a call was given, read from its message; empty if that has only words. */
export function givenTo(m: TranscriptMessage): Given {
  if (!m.text?.startsWith("{")) return {};
  try {
    return JSON.parse(m.text) as Given;
  } catch {
    return {}; // cut short, or no JSON after all
  }
}

const telling = ["command", "path", "pattern", "url", "query", "id", "task", "name", "question"];

function targetOf(m: TranscriptMessage): string {
  if (m.ask === "command") return firstLine((m.text ?? "").replace(/^run: /, ""));
  const input = givenTo(m).input ?? {};
  for (const key of telling) if (typeof input[key] === "string" && input[key] !== "") return firstLine(input[key]);
  if (m.tool?.paths?.length) return m.tool.paths.join(", ");
  const told = [m.tool?.title?.replace(/^run: /, ""), m.text, m.tool?.input].find((words) => words && !isData(words));
  return firstLine(told ?? "");
}

/** Whether a text is for machines; nobody wants to read it in a line. */
function isData(text: string): boolean {
  return /^\s*(?:[{]|\[[{"\]])/.test(text);
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  return line.length < text.trim().length ? `${line} …` : line;
}

function statusOf(m: TranscriptMessage, asking: boolean, hasOutput: boolean, halted: boolean): CallStatus {
  if (asking) return "asking";
  if (halted && m.tool?.status === "running") return "halted";
  if (wasStopped(m)) return "stopped";
  if (m.tool) return m.tool.status;
  if (m.answer && (m.answer.action === "reject" || m.answer.action === "skip" || m.answer.action === "cancelled")) return "denied";
  if (m.is_answered) return hasOutput ? "complete" : "waiting";
  return "waiting";
}

/** The end of a command as its output tells it. */
export function exitCode(output: string | undefined): string | undefined {
  return /\[[^\]\n]*exit code (-?\d+)[^\]\n]*\]\s*$/.exec((output ?? "").slice(-300))?.[1];
}

/** Whether a call's task stopped with the server and waits for a word to go on: nothing of it runs. */
export function isHalted(questions: readonly Question[], task: string | undefined): boolean {
  return questions.some((q) => "ask" in q && q.ask === "resume_task" && q.task_id === task);
}

/** What a call says of itself beyond its target; its input once more is nothing, nor is what its answer says below. */
export function saysOf(m: TranscriptMessage, status: CallStatus): string | undefined {
  if (status === "stopped" || (m.answer && m.answer.action !== "approve" && m.tool?.error)) return undefined;
  if (m.tool?.error) return m.tool.error;
  if (status === "complete" || isData(m.tool?.summary ?? "")) return undefined;
  return m.tool?.summary;
}

export function viewOf(m: TranscriptMessage, asking: boolean, output: string | undefined, halted = false): CallView {
  const exit = toolName(m) === "execute_command" ? exitCode(output) : undefined;
  return { name: toolName(m), target: targetOf(m), status: statusOf(m, asking, output !== undefined, halted), exit };
}

export function toneOfCall(v: Pick<CallView, "status" | "exit">): Tone {
  if (v.status === "complete" && v.exit !== undefined && v.exit !== "0") return "fail";
  return ({ running: "run", complete: "done", error: "fail", waiting: "wait", asking: "ask", denied: "past", halted: "ask", stopped: "past" } as const)[v.status];
}

/** Whether all of a run of calls read files, so that it can say so. */
export function allRead(list: readonly TranscriptMessage[]): boolean {
  return list.every((m) => toolName(m) === "read_file");
}
