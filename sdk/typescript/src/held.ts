import type { Effect, Message, ProgressStatus, ToolClass, ToolStatus } from "./types.gen.js";

/** A message of the transcript, with what became of its call or question. */
export type TranscriptMessage = Message;

/** A tool call as far as its records told. */
export interface ToolCall {
  tool_call_id: string;
  tool: string;
  status: ToolStatus;
  message_id?: string;
  task_id?: string;
  agent_id?: string;
  request_id?: string;
  input?: unknown;
  effect?: Effect;
  class?: ToolClass;
  output?: unknown;
  output_blob?: string;
  output_bytes?: number;
  images?: string[];
  summary?: string;
  error?: string;
  in_doubt?: boolean;
  duration_ms?: number;
  progress_status?: ProgressStatus;
}
