import type { EndCode, Question, TranscriptMessage } from "@clew-run/client";
import type { Tone } from "@/ui";
import { endedBecause, type endWords } from "../ends";
import { toolName } from "./rows";

/** How a call stands, in the words of the page. */
export type CallStatus =
  | "running"
  | "complete"
  | "error"
  | "waiting"
  | "asking"
  | "denied"
  | "expired"
  | "halted"
  | "stopped"
  | "rewound";

export interface CallView {
  name: string;
  /** What it is about: a path, a pattern, a command. */
  target: string;
  status: CallStatus;
  /** The exit code of a command, once there is one. */
  exit?: number;
}

/** A call that the session was taken into the middle of: its end is in what is hidden. */
const travelled = new Set<EndCode | undefined>(["rewound", "undone", "redone"]);

function statusOf(m: TranscriptMessage, asking: boolean, hasOutput: boolean, halted: boolean): CallStatus {
  if (asking) return "asking";
  if (halted && m.tool?.status === "running") return "halted";
  if (m.tool?.status === "stopped" && travelled.has(m.tool.why_code)) return "rewound";
  if (isRefused(m)) return m.answer?.by_timeout ? "expired" : "denied";
  if (m.tool) return m.tool.status;
  if (m.is_answered) return hasOutput ? "complete" : "waiting";
  return "waiting";
}

/** Whether a call was not made, for nobody allowed it: it was denied, or nobody answered in time. Its record says that it failed. */
function isRefused(m: TranscriptMessage): boolean {
  const action = m.answer?.action;
  if (m.answer?.by_timeout) return action !== "approve";
  return action === "reject" || action === "skip" || (m.tool === undefined && action === "cancelled");
}

/** Whether a call's task stopped with the server and waits for a word to go on: nothing of it runs. */
export function isHalted(questions: readonly Question[], task: string | undefined): boolean {
  return questions.some((q) => "ask" in q && q.ask === "resume_task" && q.task_id === task);
}

/** What a call says of itself beyond its target; its input once more is nothing, nor is what its answer says below. */
export function saysOf(m: TranscriptMessage, status: CallStatus, why: (typeof endWords)["en"]): string | undefined {
  if (status === "stopped" || (m.answer && m.answer.action !== "approve" && m.tool?.error)) return undefined;
  if (m.tool?.error) return endedBecause(why, m.tool.why_code) ?? m.tool.error;
  return status === "complete" || m.tool?.summary === m.tool?.input ? undefined : m.tool?.summary;
}

export function viewOf(m: TranscriptMessage, asking: boolean, hasOutput: boolean, halted = false): CallView {
  return {
    name: toolName(m),
    target: m.tool?.target ?? m.tool?.title ?? "",
    status: statusOf(m, asking, hasOutput, halted),
    exit: m.tool?.exit_code,
  };
}

export function toneOfCall(v: Pick<CallView, "status" | "exit">): Tone {
  if (v.status === "complete" && v.exit !== undefined && v.exit !== 0) return "fail";
  return (
    {
      running: "run",
      complete: "done",
      error: "fail",
      waiting: "wait",
      asking: "ask",
      denied: "past",
      expired: "past",
      halted: "ask",
      stopped: "past",
      rewound: "past",
    } as const
  )[v.status];
}

/** What a run of calls that only look has looked at: files, each counted once, and searches. */
export function exploredOf(list: readonly TranscriptMessage[]): { files: number; searches: number } {
  const files = list.filter((m) => toolName(m) === "read_file" || toolName(m) === "read_output");
  return {
    files: new Set(files.map((m) => m.tool?.target ?? m.message_id)).size,
    searches: list.length - files.length,
  };
}
