import type { TranscriptMessage } from "./held.js";
import { idOf } from "./position.js";
import type { HitlResolvedData, MessageAnswer, MessageTool, ToolProgressData } from "./types.gen.js";

// What became of the calls and questions that messages show, and of what people said. It follows from
// the records in the way that the protocol says, so that a client which followed
// them and one which asked for a page hold the same.

const shortRunes = 200;
const pathsShown = 20;

/** The message that a tool_progress is about. One that ends a call without naming it is about the record before. */
export function toolMessage(seq: number, d: ToolProgressData): string | undefined {
  if (d.message_id) return d.message_id;
  return d.status === "running" ? undefined : idOf(seq - 1);
}

/** Where a message's call stands after a tool_progress, undefined if it is not about it. A call ends once. */
export function toolAfter(m: TranscriptMessage, d: ToolProgressData): MessageTool | undefined {
  if (m.tool_call_id !== d.tool_call_id || m.task_id !== d.task_id || (m.tool && m.tool.status !== "running" && m.tool.status !== "waiting")) return undefined;
  const t: MessageTool = { ...m.tool, name: d.tool, status: d.status };
  if (d.status === "running" && (!t.input || m.tool?.status === "waiting")) t.input = d.summary ? clip(d.summary) : undefined;
  if (d.summary) t.summary = clip(d.summary);
  if (d.title) t.title = clip(d.title);
  if (d.allowed_by) t.allowed_by = { ...d.allowed_by, rule: clip(d.allowed_by.rule) };
  if (d.effect) {
    t.has_diff = d.effect.diff ? true : undefined;
    t.paths = d.effect.paths?.length ? d.effect.paths.slice(0, pathsShown).map(clip) : undefined;
    if (!t.command && d.effect.command) t.command = clip(d.effect.command);
    const about = d.effect.command || d.effect.paths?.join(", ") || d.effect.url;
    if (!t.target && about) t.target = clip(firstLine(about));
  }
  t.error = d.error ? clip(d.error) : undefined;
  t.duration_ms = d.duration_ms || undefined;
  t.in_doubt = d.in_doubt || undefined;
  t.output_blob = d.output_blob || undefined;
  t.error_in_output = d.error_in_output || undefined;
  t.exit_code = d.exit_code;
  t.stopped_by = d.stopped_by || undefined;
  t.why_code = d.why_code || undefined;
  return t;
}

/** A call that had no result when its task's turn ended. */
export function endedCall(t: MessageTool): MessageTool {
  return { ...t, status: "error", error: "the turn was over", why_code: "turn_over" };
}

export function answerOf(d: HitlResolvedData, ts: number): MessageAnswer {
  const comment = d.comment || d.instruction;
  const value = d.value === undefined || d.value === null ? "" : typeof d.value === "string" ? d.value : JSON.stringify(d.value);
  return {
    action: d.action,
    by: d.resolved_by || undefined,
    by_timeout: d.by_timeout || undefined,
    ts,
    comment: comment ? clip(comment) : undefined,
    value: value ? clip(value) : undefined,
    why_code: d.why_code || undefined,
  };
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  return line.length < text.trim().length ? `${line} …` : line;
}

function clip(text: string): string {
  if (text.length <= shortRunes) return text;
  const runes = Array.from(text.slice(0, 2 * shortRunes + 2));
  return runes.length <= shortRunes ? text : `${runes.slice(0, shortRunes).join("")}…`;
}
