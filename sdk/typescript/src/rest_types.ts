// The shapes of the REST API. The document at /openapi.json is the contract.

import type {
  CommandData,
  CommandType,
  Effect,
  ErrorData,
  EventType,
  ForkPoint,
  HistoryItem,
  OutcomeStatus,
  PlanEdit,
  Question,
  Remember,
  RememberScope,
  Role,
  SessionStatus,
  StateData,
  TaskInfo,
  ToolClass,
  ToolStatus,
  Usage,
} from "./types.gen.js";
import type { TranscriptMessage } from "./transcript.js";

export interface Me {
  user_id: string;
  role: Role;
  auth: "on" | "off";
  expires_ms?: number;
  key_id?: string;
  version: string;
  server_time_ms: number;
}

export interface SignedIn {
  user_id: string;
  role: Role;
  expires_ms: number;
}

export interface Ticket {
  ticket: string;
  expires_ms: number;
}

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

export type FoundKind = "message" | "command" | "file" | "title";

export interface SearchQuery {
  /** Words that all have to be there. */
  q: string;
  kind?: FoundKind;
  /** In this session alone: every match, in order of time. */
  session?: string;
  workspace?: string;
  /** What this person said. */
  person?: string;
  /** Nothing older, Unix ms. */
  since?: number;
  /** In whose list of sessions: `*` is everybody's, for administrators. */
  owner?: string;
  sort?: "best" | "newest";
  limit?: number;
  cursor?: string;
}

export interface SearchHit {
  /** Where to open the session; a title has none. */
  message_id?: string;
  /** Its place among `last_seq` records. */
  seq?: number;
  kind: FoundKind;
  /** It is a command's output. */
  output?: boolean;
  /** Who said it; absent for an agent. */
  by?: string;
  at_ms: number;
  /** Plain text in pieces. */
  excerpt: { text: string; match?: boolean }[];
}

export interface SearchGroup extends Pick<SessionSummary, "session_id" | "title" | "workspace" | "status" | "outcome" | "questions" | "owner" | "updated_ms" | "last_seq"> {
  matches: number;
  hits: SearchHit[];
}

export interface SearchResult {
  /** The index is behind: there may be more. */
  indexing: boolean;
  /** How many sessions are known to have something new. */
  waiting?: number;
  /** There are more matches than are counted. */
  more?: boolean;
  total: number;
  sessions: number;
  counts: Record<FoundKind, number>;
  took_ms: number;
  next?: string;
  groups: SearchGroup[];
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

export type TimelineKind = "user" | "assistant" | "tool" | "question" | "answer" | "checkpoint" | "error" | "run" | "rewind" | "fork";

/** What a question is about. */
export interface TimelineAsked {
  kind:
    | "command" | "edit" | "fetch" | "server" | "tool"
    | "requests" | "mistakes" | "steps" | "budget" | "month" | "time" | "retries" | "cost"
    | "model" | "resume" | "doubt" | "plan" | "input" | "clarification";
  /** The command, file, address, input, step, failure, calls, plan or question. */
  subject?: string;
  /** The tool that would be called. */
  tool?: string;
}

export interface TimelineMark {
  message_id: string;
  ts: number;
  kind: TimelineKind;
  label: string;
  /** Which of its kind: of an answer the choice, of a tool its name, of a run or a rewind what happened, of a checkpoint why. */
  what?: string;
  /** What it is about: of an answer the question, of a tool its input, of a run its task, of a rewind the message, of a checkpoint the tool or who asked for it. */
  subject?: string;
  /** What was said with an answer, or the value that was given; of a checkpoint a person's reason. */
  words?: string;
  /** Of a question and its answer: what is asked. */
  asked?: TimelineAsked;
  by_timeout?: boolean;
  /** A rewind or a fork can name it: the session goes to before it. */
  target?: boolean;
  request_id?: string;
  checkpoint?: string;
  task_id?: string;
  hidden?: boolean;
  /** Messages that a rewind took back, and brought back. */
  removed?: number;
  restored?: number;
  /** The session that a fork made. */
  session?: string;
}

/** A part of the history that has a name; it reaches to where the next one begins. */
export interface TimelineStep {
  /** The record that it begins with. */
  message_id: string;
  ts: number;
  kind: "request" | "step" | "subtask";
  title: string;
  status: "asking" | "failed" | "running" | "stopped" | "done";
  /** How many are put together here, if there are too many for one each. */
  count?: number;
}

export interface Timeline {
  marks: TimelineMark[];
  steps: TimelineStep[];
  total: number;
  from_ts: number;
  to_ts: number;
}

export interface TimelineQuery {
  from?: number;
  to?: number;
  hidden?: boolean;
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

export interface InboxItem {
  session_id: string;
  title: string;
  owner: string;
  question: Question;
  /** Questions of one kind can be answered in a batch. */
  kind: string;
  asked_ms: number;
  reminded_ms?: number;
  seq: number;
}

export interface InboxCounts {
  total: number;
  by_kind: Record<string, number>;
  due_soon: number;
}

export interface InboxPage {
  items: InboxItem[];
  counts: InboxCounts;
  next?: string;
}

export interface InboxResponse {
  action?: "approve" | "modify" | "skip" | "reject";
  value?: unknown;
  comment?: string;
  instruction?: string;
  modifications?: PlanEdit[];
  remember?: Remember;
  client_message_id?: string;
}

export interface BatchRequest {
  request_ids: string[];
  action: "approve" | "skip" | "reject";
  comment?: string;
}

export interface BatchResult {
  request_id: string;
  session_id?: string;
  ok: boolean;
  records?: string[];
  error?: ErrorData;
}

export interface Setting {
  key: string;
  value: unknown;
  layer: string;
  hidden?: boolean;
  unknown?: boolean;
  group?: string;
  doc?: string;
  /** Which values are valid, for people. */
  allowed?: string;
  default?: unknown;
  /** How it is edited. */
  kind?: "switch" | "choice" | "number" | "text" | "long_text" | "lines" | "json";
  /** The values there are, with kind choice. */
  choices?: string[];
  /** The bounds, with kind number. */
  min?: number;
  max?: number;
  /** What a session may do with it for itself: any value, a stricter one, nothing. */
  session?: "free" | "tighten" | "never";
}

export interface ApiKey {
  id: string;
  name?: string;
  user: string;
  role: Role;
  created_ms: number;
  expires_ms?: number;
  revoked_ms?: number;
  last_four: string;
  /** A browser's, made by a sign-in, or one that somebody made. */
  kind?: "browser" | "key";
  /** Of a browser: which one, on what, for people. */
  device?: string;
  /** Made by a sign-in; it is in a browser's cookie. */
  browser?: boolean;
  /** The key with which that was done; this one ends with it. */
  parent?: string;
}

export interface NewKey {
  name?: string;
  user: string;
  role?: "admin" | "owner" | "approver" | "viewer";
  expires_ms?: number;
}

export interface PushSubscriptionInfo {
  id: string;
  name: string;
  created_ms: number;
  last_ms?: number;
}

export interface PushInfo {
  public_key: string;
  subscriptions: PushSubscriptionInfo[];
}

export interface NewPush {
  endpoint: string;
  /** Browsers give it; it is not looked at. */
  expirationTime?: number | null;
  keys: { p256dh: string; auth: string };
  /** For people, such as the device. */
  name?: string;
}

export interface PushTried {
  id: string;
  ok: boolean;
  error?: string;
}

export interface RuleQuestion {
  session_id: string;
  request_id: string;
  pattern: string;
}

export interface RuleCheck {
  covers: boolean;
  match?: string;
  near_miss?: string;
  problem?: string;
  /** Commands that the pattern covers run code of the workspace, such as its tests. */
  runs_workspace?: boolean;
}

/** A rule that the server keeps for you, with the scope `workspace` or `always`. */
export interface KeptRule {
  id: string;
  scope: RememberScope;
  /** The directory that it counts in, with the scope `workspace`. */
  dir?: string;
  tool: string;
  /** Of commands: a pattern; of fetch: the host. */
  pattern?: string;
  ts: number;
}

/** A command as `POST …/commands` takes it. */
export interface RestCommand<T extends CommandType = CommandType> {
  type: T;
  message_id?: string;
  data?: CommandData[T];
}

/** A model of a profile, or of the catalogue. */
export interface ModelInfo {
  /** Empty for a model of the catalogue. */
  profile: string;
  in_use?: boolean;
  provider: string;
  model: string;
  /** The API for a new profile to name. */
  api?: string;
  default?: boolean;
  context_window: number;
  /** USD per million tokens, if `priced`. */
  price_in: number;
  price_out: number;
  priced: boolean;
  local?: boolean;
  images?: boolean;
  thinking?: boolean;
  usable: boolean;
  /** The variable of the server's environment that has the key; for administrators. */
  key_variable?: string;
  /** For people. */
  why_not?: string;
  why_not_code?: string;
}

export interface ModelInUse extends ModelInfo {
  why: string;
  /** `none` if no model is set up, `missing` if the chosen profile is not there. */
  why_code: string;
}

/** A model profile, without its key. */
export interface NamedModelProfile {
  name: string;
  in_use: boolean;
  /** The variable of the server's environment that made it; then it is not stored. */
  variable?: string;
  /** It contains a secret and is left out. */
  hidden?: boolean;
  provider?: string;
  model?: string;
  api?: string;
  base_url?: string;
  key_name?: string;
  thinking?: "off" | "low" | "medium" | "high";
  context_window?: number;
  [field: string]: unknown;
}

/** How the trial of a tool server came out. */
export interface ToolServerTried {
  ok: boolean;
  latency_ms: number;
  tools: string[];
  /** For people. */
  error?: string;
}

/** A tool server as a person writes it down. */
export interface ToolServerForm {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  dir?: string;
  url?: string;
  headers?: Record<string, string>;
  timeout_sec?: number;
}

export interface DiskQuota {
  bytes: number;
  /** 0 is no limit. */
  quota_bytes: number;
}

/** What the caller has on the server's disk. */
export interface DiskUsage {
  workspaces: DiskQuota;
  blobs: DiskQuota;
  checkpoints: DiskQuota;
}

/** How the last backup goes or went since the server started. */
export interface BackupState {
  to?: string;
  running: boolean;
  started_ms?: number;
  ended_ms?: number;
  /** For people. */
  problem?: string;
  number?: number;
  sessions?: number;
  bytes?: number;
}

export interface ModelProvider {
  id: string;
  title: string;
  /** Where one gets a key. */
  key_page?: string;
  needs_key: boolean;
  needs_address?: boolean;
  /** The one to take if nothing else is known. */
  model: string;
  api?: string;
}

export interface ModelList {
  models: ModelInfo[];
  providers: ModelProvider[];
}

/** A model server on the server's machine. */
export interface LocalModelServer {
  name: string;
  title: string;
  address: string;
  base_url: string;
  loading?: boolean;
  models: { name: string; context_window: number; /** For people. */ why_not?: string }[];
}

export interface ModelTested {
  ok: boolean;
  latency_ms: number;
  model: string;
  error?: { kind: "overloaded" | "unstable" | "auth" | "request" | "context_length" | "quota"; /** For people. */ message: string; next: string };
}

export interface FolderList {
  path: string;
  parent?: string;
  /** A session can work in it. */
  usable: boolean;
  /** For people. */
  why_not?: string;
  folders: { name: string; path: string; git?: boolean }[];
  more?: boolean;
}

/** What counts in a session for which nobody chose anything yet, as in the event state. */
export type SessionDefaults = Pick<StateData, "mode" | "auto_approval_enabled" | "always_allow_write" | "always_allow_execute" | "permissions"> & {
  custom_modes: Record<string, unknown>[];
};

export type Preset = "ask" | "edits" | "sandbox";

export interface Permissions {
  workspace: string;
  chosen: Preset | "";
  holds: Preset;
  /** Somebody chose. */
  decided: boolean;
}

export interface FoundFile {
  path: string;
  directory?: boolean;
  /** The path as it stands in a message. */
  mention: string;
}

export interface FoundFiles {
  /** The best first. */
  files: FoundFile[];
  /** There is more than was looked at. */
  more?: boolean;
}

export interface SlashCommand {
  name: string;
  description: string;
  argument_hint?: string;
  path: string;
}

export interface SlashCommands {
  commands: SlashCommand[];
  skills: SlashCommand[];
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
