// Sessions, their messages and what is done in them.

import type {
  CommandData,
  CommandType,
  Effect,
  EventType,
  ForkPoint,
  HistoryItem,
  OutcomeStatus,
  Role,
  SessionStatus,
  TaskInfo,
  ToolClass,
  ToolStatus,
  Usage,
} from "../types.gen.js";
import type { TranscriptMessage } from "../transcript.js";

export interface SessionSummary {
  session_id: string;
  title: string;
  status: SessionStatus;
  /** How the work ended that came last; absent while something is under way. */
  outcome?: OutcomeStatus;
  workspace?: string;
  created_ms: number;
  updated_ms: number;
  last_seq: number;
  owner?: string;
  cost_usd?: number;
  tokens_in?: number;
  tokens_out?: number;
  /** How many questions are open. */
  questions?: number;
  /** How far a run under way is. */
  plan?: { done: number; total: number };
  last_line?: string;
  forked_from?: ForkPoint;
  /** It was put away. */
  archived?: boolean;
  /** It was deleted, and can be brought back until then (Unix ms). */
  erase_ms?: number;
}

export interface SessionPage {
  sessions: SessionSummary[];
  next?: string;
}

export interface SessionQuery {
  limit?: number;
  cursor?: string;
  q?: string;
  /** Whose; `*` is everybody's. Only administrators may ask for others'. */
  owner?: string;
  status?: SessionStatus | SessionStatus[];
  /** Those that were put away, in place of the others. */
  archived?: boolean;
  /** Those that were deleted and can be brought back, in place of the others. */
  deleted?: boolean;
}

export interface NewSession {
  session_id?: string;
  title?: string;
  workspace?: string;
}

export interface SessionDetail {
  session_id: string;
  status: SessionStatus;
  owner: string;
  workspace: string;
  title: string;
  /** It was put away. */
  archived?: boolean;
  last_message_id: string | null;
  epoch: string;
  role: Role;
  usage: Usage;
  runs: { run_id: string; status: SessionStatus; phase: string; report_paths: string[] }[];
  can_undo?: boolean;
  can_redo?: boolean;
  forked_from?: ForkPoint;
}

export interface Deletion {
  session_id: string;
  owner: string;
  /** Who deleted it; absent if its retention time was over. */
  by?: string;
  expired?: boolean;
  deleted_ms: number;
  /** Until then it can be brought back. */
  erase_ms: number;
  /** When nothing was left of it. */
  erased_ms?: number;
}

export interface DeletionPreview {
  session_id: string;
  title: string;
  owner: string;
  records: number;
  questions?: number;
  checkpoints?: number;
  directory?: string;
  /** The server made the directory and erases it. */
  directory_erased?: boolean;
  /** Forks keep what was said before them. */
  forks: { session_id: string; owner: string }[];
  erase_ms: number;
  /** It is deleted already. */
  deleted?: Deletion;
}

export interface MessageQuery {
  limit?: number;
  /** Messages to leave out, counted from the newest. */
  offset?: number;
  /** Only messages older than this one. */
  before?: string;
  /** Only messages newer than this one, the next ones. */
  after?: string;
  /** A page with this message in its middle. */
  around?: string;
  /** The transcript as it was right after this message. */
  as_of?: string;
}

export interface MessagePage {
  messages: TranscriptMessage[];
  total: number;
  /** There are older ones, before this message. */
  next?: string;
  /** There are newer ones, after this message. */
  newer?: string;
  /** With `as_of`: the tasks of the messages, and those that started them, as they stood then. */
  tasks?: TaskInfo[];
}

/** What a command did. */
export interface RestReceipt {
  client_message_id?: string;
  records: string[];
  /** The session that the command made. */
  session_id?: string;
  answer?: { type: EventType; data: unknown };
}

/** A command as `POST …/commands` takes it. */
export interface RestCommand<T extends CommandType = CommandType> {
  type: T;
  message_id?: string;
  data?: CommandData[T];
}

/** A tool call whole. */
export interface ToolDetail {
  tool_call_id: string;
  tool: string;
  input?: unknown;
  effect?: Effect;
  class?: ToolClass;
  status: ToolStatus;
  output?: unknown;
  output_blob?: string;
  error?: string;
  started_ms?: number;
  ended_ms?: number;
  images?: string[];
}

export interface TaskList {
  tasks: HistoryItem[];
}

export interface Draft {
  text: string;
  images?: string[];
  updated_ms: number;
  revision: number;
}

export interface DraftChange {
  text: string;
  images?: string[];
  /** Of the draft that this one replaces; 0 for a new one. */
  revision: number;
}

/** What files are compared with: those when the session began, the last commit, or the commit that its work tree began with. */
export type DiffAgainst = "start" | "head" | "base";

export interface SessionDiff {
  against: DiffAgainst;
  files: FileChange[];
  /** All that differ; there may be more than are listed. */
  files_count: number;
  /** Lines of all files listed. */
  added: number;
  deleted: number;
}

export interface FileChange {
  path: string;
  old_path?: string;
  status: string;
  added: number;
  deleted: number;
  binary?: boolean;
  truncated?: boolean;
  unified?: string;
}
