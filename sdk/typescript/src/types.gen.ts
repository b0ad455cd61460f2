// Made by internal/gen from the catalogue. Do not edit.

/** Says whether the client is let in, and as whom. */
export interface AuthResult {
  ok: boolean;
  user_id?: string;
  role?: Role;
  code?: Code;
  number?: number;
  message?: string;
}

export type Role =
  | ""
  | "viewer"
  | "approver"
  | "owner"
  | "admin";

export type Code =
  | "CONNECTION_FAILED"
  | "CONNECTION_TIMEOUT"
  | "INVALID_MESSAGE"
  | "RATE_LIMITED"
  | "MESSAGE_TOO_LARGE"
  | "AUTH_REQUIRED"
  | "AUTH_FAILED"
  | "TOKEN_EXPIRED"
  | "FORBIDDEN"
  | "SESSION_NOT_FOUND"
  | "SESSION_EXPIRED"
  | "SESSION_INVALID_STATE"
  | "MESSAGE_NOT_FOUND"
  | "TASK_NOT_FOUND"
  | "CURSOR_LOST"
  | "SESSION_DAMAGED"
  | "SESSION_TOO_NEW"
  | "SESSION_EXISTS"
  | "EXECUTION_FAILED"
  | "TODO_FAILED"
  | "TOOL_TIMEOUT"
  | "TOOL_EXECUTION_FAILED"
  | "QUEUE_FULL"
  | "AGENT_LIMIT"
  | "BUDGET_EXCEEDED"
  | "PROVIDER_ERROR"
  | "HITL_TIMEOUT"
  | "HITL_INVALID_RESPONSE"
  | "HITL_REQUEST_EXPIRED"
  | "STORAGE_FAILED"
  | "CHECKPOINT_FAILED"
  | "SETTINGS_INVALID"
  | "UNAVAILABLE"
  | "INTERNAL";

/** The session as of one record; sent on every connect and on request. */
export interface SessionState {
  status: SessionStatus;
  current_layer: Layer | null;
  plan: PlanSummary | null;
  todos: Todo[];
  hitl_pending: Question | null;
  last_message_id: string | null;
  client_id: string;
  epoch: string;
  title: string;
  owner: string;
  workspace?: string;
  archived?: boolean;
  messages: Message[];
  open_messages: OpenMessage[];
  hitl_queue: Question[];
  runs: RunState[];
  monitors: MonitorState[];
  agents: AgentState[];
  windows: WindowState[];
  notices: NoticeState[];
  queue: QueuedMessage[];
  allowed: RememberedRule[];
  viewers: Viewer[];
  usage?: Usage;
  can_undo?: boolean;
  can_redo?: boolean;
  returning?: RewindStartedData;
  checkpoint?: string;
  forked_from?: ForkPoint;
  environment?: Record<string, string>;
  role?: Role;
}

export type SessionStatus =
  | "idle"
  | "planning"
  | "awaiting_input"
  | "executing"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled";

export type Layer =
  | "cognitive"
  | "planning"
  | "execution"
  | "response";

export interface PlanSummary {
  id: string;
  status: PlanStatus;
  version?: number;
  total_todos: number;
}

export type PlanStatus =
  | "pending_approval"
  | "approved"
  | "rejected";

export interface Todo {
  id: string;
  task: string;
  tool: string;
  status: TodoStatus;
  priority: number;
  depends_on: string[];
  estimated_duration_sec?: number;
  estimated_cost_usd?: number;
  mode?: string;
  profile?: string;
  task_id?: string;
  progress_percentage?: number;
  current_step?: string;
  result_summary?: unknown;
  error?: Failure;
  retry_count?: number;
  started_ms?: number;
  duration_ms?: number;
}

export type TodoStatus =
  | "pending"
  | "in_progress"
  | "completed"
  | "failed"
  | "skipped";

export interface Failure {
  code: Code;
  message: string;
  recoverable: boolean;
  failed_todo?: string;
}

/** An open question: the data of the event that asked it, with the event's type. */
export type Question =
  | ({ type: "hitl_plan_review" } & HitlPlanReviewData)
  | ({ type: "hitl_approval_request" } & HitlApprovalRequestData)
  | ({ type: "hitl_input_request" } & HitlInputRequestData)
  | ({ type: "hitl_clarification" } & HitlClarificationData);

export interface Message {
  message_id: string;
  ts: number;
  type: MessageType;
  ask?: Ask;
  say?: Say;
  role: Speaker;
  text?: string;
  images?: string[];
  reasoning?: string;
  partial?: boolean;
  summary?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  monitor_id?: string;
  window_id?: string;
  task_id?: string;
  reply_to?: string;
  request_id?: string;
  tool_call_id?: string;
  client_message_id?: string;
  user_id?: string;
  queued_as?: string;
  component?: ComponentUse;
  cell?: MessageCell;
  progress_status?: ProgressStatus;
  checkpoint?: Record<string, unknown>;
  context_condense?: ContextCondense;
  context_truncation?: ContextTruncation;
  instructions?: InstructionsRead;
  conversation_history_index?: number;
  is_protected?: boolean;
  is_answered?: boolean;
  api_protocol?: APIProtocol;
  usage?: Usage;
  reserved?: Usage;
  metadata?: Record<string, unknown>;
  stopped_by?: string;
  why_code?: EndCode;
  tool?: MessageTool;
  answer?: MessageAnswer;
  delivery?: Delivery;
}

export type MessageType =
  | "ask"
  | "say";

export type Ask =
  | "followup"
  | "command"
  | "command_output"
  | "completion_result"
  | "tool"
  | "api_req_failed"
  | "resume_task"
  | "resume_completed_task"
  | "mistake_limit_reached"
  | "browser_action_launch"
  | "use_mcp_server"
  | "auto_approval_max_req_reached";

export type Say =
  | "error"
  | "text"
  | "image"
  | "reasoning"
  | "api_req_started"
  | "api_req_finished"
  | "api_req_retried"
  | "api_req_retry_delayed"
  | "api_req_deleted"
  | "model_fallback"
  | "instructions_read"
  | "files_attached"
  | "git"
  | "completion_result"
  | "user_feedback"
  | "user_feedback_diff"
  | "command_output"
  | "subtask_result"
  | "browser_action"
  | "browser_action_result"
  | "browser_session_status"
  | "mcp_server_request_started"
  | "mcp_server_response"
  | "condense_context"
  | "condense_context_error"
  | "sliding_window_truncation"
  | "checkpoint_saved"
  | "shell_integration_warning"
  | "rooignore_error"
  | "diff_error"
  | "codebase_search_result"
  | "user_edit_todos"
  | "cell_executed"
  | "kernel_status";

export type Speaker =
  | "user"
  | "assistant"
  | "system";

export type AgentKind =
  | "main"
  | "ephemeral"
  | "window"
  | "task"
  | "step";

export interface ComponentUse {
  action: string;
  label?: string;
  action_id?: string;
  form_data?: Record<string, unknown>;
  component_path?: string;
}

export interface MessageCell {
  notebook_id: string;
  cell_id?: string;
  run_id: string;
  output: OutputKind;
  display_id?: string;
  cleared?: boolean;
}

export type OutputKind =
  | "stream"
  | "display_data"
  | "execute_result"
  | "error"
  | "status";

export interface ProgressStatus {
  text?: string;
  percentage?: number;
}

export interface ContextCondense {
  condense_id: string;
  summary?: string;
  tokens_before?: number;
  tokens_after?: number;
  cost_usd?: number;
}

export interface ContextTruncation {
  truncation_id: string;
  hidden?: number;
}

export interface InstructionsRead {
  files: InstructionFile[];
  blob?: string;
}

export interface InstructionFile {
  path: string;
  sha256: string;
  bytes: number;
  cut?: boolean;
}

export type APIProtocol =
  | "openai"
  | "anthropic";

export interface Usage {
  tokens_in: number;
  tokens_out: number;
  cache_writes: number;
  cache_reads: number;
  cost_usd: number;
}

export type EndCode =
  | "interrupted"
  | "cancelled"
  | "reset"
  | "put_away"
  | "skipped"
  | "denied"
  | "not_continued"
  | "plan_rejected"
  | "plan_changed"
  | "continued"
  | "rewound"
  | "undone"
  | "redone"
  | "files_restored"
  | "forked"
  | "timed_out"
  | "failed"
  | "turn_over"
  | "in_doubt"
  | "outdated"
  | "files_back";

export interface MessageTool {
  name: string;
  status: ToolStatus;
  target?: string;
  command?: string;
  input?: string;
  summary?: string;
  error?: string;
  error_in_output?: boolean;
  exit_code?: number;
  limit_reached?: CommandLimit;
  stopped_by?: string;
  why_code?: EndCode;
  duration_ms?: number;
  in_doubt?: boolean;
  output_blob?: string;
  has_diff?: boolean;
  added?: number;
  removed?: number;
  paths?: string[];
  title?: string;
  allowed_by?: AllowedBy;
}

export type ToolStatus =
  | "waiting"
  | "running"
  | "complete"
  | "error"
  | "stopped";

export type CommandLimit =
  | "memory"
  | "processes"
  | "file_size"
  | "time"
  | "disk"
  | "workspace";

export interface AllowedBy {
  scope: AllowScope;
  rule: string;
}

export type AllowScope =
  | "task"
  | "session"
  | "workspace"
  | "always"
  | "settings";

export interface MessageAnswer {
  action: Resolution;
  by?: string;
  by_timeout?: boolean;
  ts: number;
  comment?: string;
  value?: string;
  why_code?: EndCode;
}

export type Resolution =
  | "approve"
  | "modify"
  | "skip"
  | "reject"
  | "answer"
  | "cancelled";

export type Delivery =
  | "direct"
  | "steer"
  | "ephemeral"
  | "answer";

export interface OpenMessage {
  message_id: string;
  reply_to?: string;
  agent_id?: string;
  monitor_id?: string;
  text: string;
  reasoning?: string;
}

export interface RunState {
  run_id: string;
  monitor_id: string;
  task_id?: string;
  status: SessionStatus;
  current_layer?: Layer;
  phase?: string;
  paused?: boolean;
  paused_since_ms?: number;
  paused_why?: string;
  plan: PlanSummary | null;
  todos: Todo[];
  report_paths?: string[];
  ended?: Outcome;
}

export interface Outcome {
  status: OutcomeStatus;
  stopped_by?: string;
  why_code?: EndCode;
  message?: string;
}

export type OutcomeStatus =
  | "done"
  | "failed"
  | "cancelled"
  | "stopped"
  | "budget"
  | "denied";

export interface MonitorState {
  monitor_id: string;
  agent_id?: string;
  busy: boolean;
  queued: number;
  task_id?: string;
  title?: string;
  held_until_ms?: number;
}

export interface AgentState {
  agent_id: string;
  kind: AgentKind;
  role: string;
  monitor_id: string;
  task_id: string;
  window_id?: string;
  title?: string;
  waiting?: boolean;
  since_ms: number;
}

export interface WindowState {
  window_id: string;
  monitor_id?: string;
  title: string;
  group_id?: string;
  agent_id?: string;
  status?: WindowAgentStatus;
  content?: WindowContent;
  version: number;
  action_id?: string;
  failed?: string;
  locked_by?: string;
  layouts?: Layouts;
  app?: AppState;
  app_requests?: AppRequest[];
  app_calls?: AppCall[];
}

export type WindowAgentStatus =
  | "assigned"
  | "active"
  | "released";

export interface WindowContent {
  kind: WindowKind;
  text?: string;
  columns?: TableColumn[];
  rows?: unknown[][];
  total?: number;
  row_action?: string;
  root?: Component;
  blob?: string;
  bytes?: number;
  media_type?: string;
  alt?: string;
  server?: string;
  tool?: string;
  uri?: string;
  connect?: string[];
  load?: string[];
  data?: string;
}

export type WindowKind =
  | "markdown"
  | "text"
  | "table"
  | "components"
  | "image"
  | "html"
  | "app"
  | "mcp_app";

export interface TableColumn {
  name: string;
  title?: string;
  align?: "left" | "center" | "right";
  numeric?: boolean;
}

export interface Component {
  type: ComponentType;
  id?: string;
  text?: string;
  label?: string;
  name?: string;
  value?: unknown;
  placeholder?: string;
  input_type?: "text" | "multiline" | "number" | "date" | "time" | "email" | "url";
  options?: ComponentOption[];
  action?: string;
  parallel?: boolean;
  submit?: boolean;
  tone?: "neutral" | "info" | "success" | "warning" | "danger";
  columns?: TableColumn[];
  rows?: unknown[][];
  blob?: string;
  alt?: string;
  max?: number;
  children?: Component[];
}

export type ComponentType =
  | "text"
  | "markdown"
  | "button"
  | "input"
  | "select"
  | "checkbox"
  | "image"
  | "table"
  | "progress"
  | "row"
  | "stack";

export interface ComponentOption {
  value: string;
  label?: string;
}

export interface Layouts {
  wide?: Bounds;
  medium?: Bounds;
}

export interface Bounds {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface AppState {
  app?: string;
  queries?: string[];
  commands?: string[];
}

export interface AppRequest {
  request_id: string;
  kind: AppProtocol;
  name: string;
  params?: unknown;
  deadline_ms: number;
}

export type AppProtocol =
  | "query"
  | "command";

export interface AppCall {
  request_id: string;
  tool: string;
  status: AppCallStatus;
  result?: string;
  error?: string;
}

export type AppCallStatus =
  | "running"
  | "waiting"
  | "done"
  | "refused";

export interface NoticeState {
  notice_id: string;
  title?: string;
  text: string;
  agent_id?: string;
  ts: number;
}

export interface QueuedMessage {
  message_id: string;
  text: string;
  images?: string[];
  monitor_id?: string;
  task_id?: string;
  mode?: string;
  new_task?: boolean;
  user_id?: string;
  client_message_id?: string;
  ts: number;
  window_id?: string;
  component?: ComponentUse;
}

export interface RememberedRule {
  id: string;
  task_id: string;
  tool: string;
  pattern?: string;
  while_auto?: boolean;
  by?: string;
  ts: number;
}

export interface Viewer {
  user_id: string;
  clients: number;
  since_ms: number;
}

/** Files are being taken back; nothing else happens meanwhile. */
export interface RewindStartedData {
  rewind_id: string;
  kind: RewindKind;
  to?: string;
  from_message_id?: string;
  keep_target?: boolean;
  hash: string;
  text?: string;
  images?: string[];
}

export type RewindKind =
  | "rewind"
  | "undo"
  | "redo"
  | "files";

export interface ForkPoint {
  session_id: string;
  message_id: string;
}

/** The replay is over; what follows is live. */
export interface SyncComplete {
  last_message_id: string;
  replayed: number;
}

/** What this connection is; sent in view state, first of all and when its role changes. */
export interface ConnectedData {
  client_id: string;
  role: Role;
  epoch: string;
  view: View;
}

export type View =
  | "records"
  | "state";

/** What changed of the state, or all of it; in view state. */
export interface StateChangedData {
  from?: string;
  to: string;
  total: number;
  commands?: string[];
  reset?: EntityKind[];
  del?: Record<string, string[]>;
  put?: StatePut;
}

export type EntityKind =
  | "session"
  | "status"
  | "usage"
  | "queue"
  | "rules"
  | "monitors"
  | "agents"
  | "viewers"
  | "message"
  | "task"
  | "run"
  | "todo"
  | "question"
  | "window"
  | "notice"
  | "problem"
  | "settled"
  | "notebook"
  | "cell";

export interface StatePut {
  session?: SessionInfo;
  status?: StatusInfo;
  usage?: Usage;
  queue?: QueuedMessage[];
  rules?: RememberedRule[];
  monitors?: MonitorState[];
  agents?: AgentState[];
  viewers?: Viewer[];
  message?: Message[];
  task?: TaskInfo[];
  run?: RunInfo[];
  todo?: TodoInfo[];
  question?: Question[];
  window?: WindowState[];
  notice?: NoticeState[];
  problem?: Problem[];
  settled?: SettledQuestion[];
  notebook?: NotebookInfo[];
  cell?: CellInfo[];
}

export interface SessionInfo {
  title: string;
  owner: string;
  workspace?: string;
  archived?: boolean;
  forked_from?: ForkPoint;
  forks?: number;
  environment?: Record<string, string>;
}

export interface StatusInfo {
  status: SessionStatus;
  current_layer?: Layer;
  front?: string;
  can_undo?: boolean;
  can_redo?: boolean;
  returning?: RewindStartedData;
  checkpoint?: string;
  last_move?: LastMove;
}

export interface LastMove {
  kind: RewindKind;
  message_id: string;
  rewind_id?: string;
  from_message_id?: string;
  removed?: number;
  restored?: number;
  files?: FilesReturned;
  failed?: string;
  by?: string;
}

export interface FilesReturned {
  hash: string;
  before?: string;
  changed?: number;
  removed?: number;
  left?: string[];
}

export interface TaskInfo {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  run_id?: string;
  todo_id?: string;
  tool_call_id?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  window_id?: string;
  text?: string;
  mode?: string;
  status: TaskStatus;
  state: TaskState;
  request_id?: string;
  focused?: boolean;
  at_work?: boolean;
  put_away?: boolean;
  created_ms: number;
  ended_ms?: number;
  usage?: Usage;
  added?: number;
  removed?: number;
  result?: string;
  outcome?: Outcome;
  plan?: PlanSummary;
}

export type TaskStatus =
  | "active"
  | "completed"
  | "delegated"
  | "aborted";

export type TaskState =
  | "running"
  | "interactive"
  | "resumable"
  | "idle";

export interface RunInfo {
  run_id: string;
  monitor_id: string;
  task_id?: string;
  status: SessionStatus;
  current_layer?: Layer;
  phase?: string;
  paused?: boolean;
  paused_since_ms?: number;
  paused_why?: string;
  plan: PlanSummary | null;
  report_paths?: string[];
  ended?: Outcome;
}

export interface TodoInfo {
  of: string;
  id: string;
  task: string;
  tool: string;
  status: TodoStatus;
  priority: number;
  depends_on: string[];
  estimated_duration_sec?: number;
  estimated_cost_usd?: number;
  mode?: string;
  profile?: string;
  task_id?: string;
  progress_percentage?: number;
  current_step?: string;
  result_summary?: unknown;
  error?: Failure;
  retry_count?: number;
  started_ms?: number;
  duration_ms?: number;
}

export interface Problem {
  message_id: string;
  ts: number;
  code: Code;
  number: number;
  message: string;
  recoverable: boolean;
  suggested_action: string;
  context?: ErrorContext;
  retry_after_ms?: number;
  has_advice?: boolean;
}

export interface ErrorContext {
  client_message_id?: string;
  command_type?: CommandType;
  request_id?: string;
  agent_id?: string;
  task_id?: string;
  todo_id?: string;
  tool?: string;
  monitor_id?: string;
}

export type CommandType =
  | "auth"
  | "pong"
  | "get_state"
  | "get_messages"
  | "subscribe_monitor"
  | "hitl_plan_response"
  | "hitl_approval_response"
  | "hitl_input_response"
  | "hitl_clarification_response"
  | "ask_response"
  | "assign_question"
  | "user_message"
  | "edit_queued"
  | "remove_queued"
  | "move_queued"
  | "send_queued"
  | "window_message"
  | "component_action"
  | "new_task"
  | "resume_task"
  | "clear_task"
  | "control_pause"
  | "control_resume"
  | "control_cancel"
  | "control_retry"
  | "control_skip"
  | "edit_plan"
  | "interrupt"
  | "interrupt_agent"
  | "reset"
  | "set_provider"
  | "remove_monitor"
  | "rendering_feedback"
  | "toast_action"
  | "user_interaction"
  | "app_protocol_response"
  | "app_protocol_ready"
  | "app_call"
  | "delete_message"
  | "delete_message_confirm"
  | "edit_message"
  | "edit_message_confirm"
  | "rewind"
  | "rewind_preview"
  | "undo_rewind"
  | "redo_rewind"
  | "clear_messages"
  | "fork_session"
  | "condense_context"
  | "rename_session"
  | "archive_session"
  | "set_access"
  | "forget_rule"
  | "checkpoint_diff"
  | "checkpoint_restore"
  | "checkpoint_save"
  | "update_settings"
  | "reset_settings"
  | "import_settings"
  | "export_settings"
  | "save_model_profile"
  | "load_model_profile"
  | "restart_mcp_server"
  | "toggle_mcp_server"
  | "toggle_tool_always_allow"
  | "test_browser_connection"
  | "kill_browser_session"
  | "notebook_open"
  | "notebook_edit"
  | "notebook_run"
  | "notebook_save"
  | "notebook_close"
  | "kernel_execute"
  | "kernel_interrupt"
  | "kernel_restart"
  | "kernel_shutdown";

export interface SettledQuestion {
  request_id: string;
  type: EventType;
  ask?: Ask;
  limit?: string;
  message_id?: string;
  task_id?: string;
  todo_id?: string;
  action: Resolution;
  by?: string;
  by_timeout?: boolean;
  ts: number;
  comment?: string;
  value?: string;
  why_code?: EndCode;
}

export type EventType =
  | "auth_result"
  | "session_state"
  | "sync_complete"
  | "connected"
  | "state_changed"
  | "text"
  | "ping"
  | "presence"
  | "error"
  | "session_created"
  | "session_renamed"
  | "session_archived"
  | "access_changed"
  | "session_forked"
  | "session_imported"
  | "message_created"
  | "message_updated"
  | "message_accepted"
  | "message_queued"
  | "queue_changed"
  | "model_message"
  | "messages_page"
  | "agent_response"
  | "agent_thinking"
  | "history_rewound"
  | "rewind_undone"
  | "rewind_preview"
  | "rewind_started"
  | "rewind_failed"
  | "condense_requested"
  | "layer_start"
  | "layer_complete"
  | "plan_generated"
  | "plan_approved"
  | "plan_modified"
  | "plan_rejected"
  | "todo_started"
  | "todo_progress"
  | "todo_completed"
  | "todo_failed"
  | "todo_retried"
  | "todo_skipped"
  | "execution_progress"
  | "complete"
  | "failed"
  | "cancelled"
  | "hitl_plan_review"
  | "hitl_approval_request"
  | "hitl_input_request"
  | "hitl_clarification"
  | "hitl_resolved"
  | "hitl_reminder"
  | "hitl_assigned"
  | "rule_forgotten"
  | "hitl_paused"
  | "hitl_resumed"
  | "task_created"
  | "task_started"
  | "task_completed"
  | "task_aborted"
  | "task_focused"
  | "task_unfocused"
  | "task_active"
  | "task_interactive"
  | "task_resumable"
  | "task_idle"
  | "task_paused"
  | "task_unpaused"
  | "task_spawned"
  | "task_mode_switched"
  | "task_ask_responded"
  | "task_user_message"
  | "task_tool_failed"
  | "task_token_usage_updated"
  | "monitor_added"
  | "monitor_removed"
  | "monitor_held"
  | "actions"
  | "user_interacted"
  | "rendering_failed"
  | "toast_dismissed"
  | "provider_status"
  | "tool_progress"
  | "window_agent_status"
  | "app_protocol_request"
  | "app_registered"
  | "app_called"
  | "notebook_opened"
  | "notebook_read"
  | "notebook_changed"
  | "notebook_save_requested"
  | "notebook_saved"
  | "notebook_closed"
  | "cell_queued"
  | "cell_started"
  | "cell_finished"
  | "kernel_changed"
  | "kernel_rerun_requested"
  | "kernel_rerun_started"
  | "kernel_rerun_finished"
  | "checkpoint_initialized"
  | "checkpoint_saved"
  | "checkpoint_restored"
  | "checkpoint_updated"
  | "checkpoint_diff"
  | "state"
  | "show_view"
  | "invoke"
  | "accept_input"
  | "mcp_servers"
  | "commands"
  | "enhanced_prompt"
  | "system_prompt"
  | "auto_approval_changed"
  | "settings_changed"
  | "browser_session_update"
  | "workspace_updated"
  | "tts_start"
  | "tts_stop"
  | "export_settings"
  | "test_browser_connection";

export interface NotebookInfo {
  notebook_id: string;
  path?: string;
  status: NotebookStatus;
  problem?: string;
  conflict?: boolean;
  path_taken?: string;
  version: number;
  hash?: string;
  unsaved?: boolean;
  cells: string[];
  kernel: KernelInfo;
  queue: CellRun[];
  run?: CellRun;
  run_since_ms?: number;
  variables?: string;
  rerun?: RerunInfo;
}

export type NotebookStatus =
  | "opening"
  | "ready"
  | "failed";

export interface KernelInfo {
  kernel_id?: string;
  name?: string;
  state: KernelState;
  wanted?: KernelWish;
  node?: string;
  reason?: string;
  ahead?: boolean;
  info?: KernelLanguage;
}

export type KernelState =
  | "none"
  | "starting"
  | "idle"
  | "busy"
  | "restarting"
  | "dead"
  | "lost"
  | "stopped";

export type KernelWish =
  | "interrupt"
  | "restart"
  | "stop";

export interface KernelLanguage {
  language?: string;
  version?: string;
  implementation?: string;
  file_extension?: string;
}

export interface CellRun {
  run_id: string;
  cell_id: string;
  repeats?: string;
}

export interface RerunInfo {
  rerun_id: string;
  status: RerunStatus;
  total: number;
  done: number;
  reason?: string;
  differences: RunDifference[];
}

export type RerunStatus =
  | "preparing"
  | "running"
  | "ok"
  | "differs"
  | "stopped";

export interface RunDifference {
  cell_id?: string;
  run_id: string;
  was: CellStatus;
  is: CellStatus;
  state?: boolean;
  variables?: string[];
}

export type CellStatus =
  | "queued"
  | "running"
  | "ok"
  | "error"
  | "aborted"
  | "in_doubt";

export interface CellInfo {
  notebook_id: string;
  cell_id: string;
  type: CellType;
  source?: string;
  source_blob?: string;
  status?: CellStatus;
  run_id?: string;
  execution_count?: number;
  by?: string;
  task_id?: string;
  started_ms?: number;
  duration_ms?: number;
  stale?: boolean;
  outputs: string[];
  saved_outputs?: string;
  outputs_lost?: boolean;
  left_out?: number;
  output_blob?: string;
  state_hash?: string;
  reason?: string;
}

export type CellType =
  | "code"
  | "markdown"
  | "raw";

/** The next piece of a message that grows; in view state. */
export interface TextData {
  message_id: string;
  field?: TextField;
  offset: number;
  delta: string;
}

export type TextField =
  | "reasoning";

/** Are you there? Answer with pong. */
export type PingData = Record<string, never>;

/** Who watches the session now; sent when that changes. */
export interface PresenceData {
  viewers: Viewer[];
}

/** Something failed: a client's frame (answer), or a run, agent or question (record). */
export interface ErrorData {
  code: Code;
  number: number;
  message: string;
  recoverable: boolean;
  suggested_action: string;
  context?: ErrorContext;
  retry_after_ms?: number;
  has_advice?: boolean;
}

/** The session came into being; the first record of each journal. */
export interface SessionCreatedData {
  owner: string;
  title: string;
  workspace?: string;
  forked_from?: ForkPoint;
  node?: string;
  environment?: Record<string, string>;
}

/** The session has a new title. */
export interface SessionRenamedData {
  title: string;
}

/** The session was put away, or brought back. */
export interface SessionArchivedData {
  archived: boolean;
  by?: string;
}

/** The owner shared the session with somebody, or took that back. */
export interface AccessChangedData {
  user_id: string;
  role: Role;
}

/** A new session was made from this one's past. */
export interface SessionForkedData {
  session_id: string;
  from_message_id: string;
}

/** The session came from elsewhere. */
export interface SessionImportedData {
  owner: string;
  workspace?: string;
  title?: string;
  from?: string;
  format?: string;
  node?: string;
  missing_blobs?: string[];
}

/** A message appeared in the transcript. */
export interface MessageCreatedData {
  message: Message;
}

/** A message changed; carries all of it. */
export interface MessageUpdatedData {
  message: Message;
}

/** A client's message was handed to an agent. */
export interface MessageAcceptedData {
  client_message_id?: string;
  message_id?: string;
  agent_id?: string;
  monitor_id?: string;
  delivery?: Delivery;
  task_id?: string;
  window_id?: string;
  role?: string;
}

/** A client's message waits, because the agent is busy or a limit is reached. */
export interface MessageQueuedData {
  client_message_id?: string;
  message_id?: string;
  text?: string;
  images?: string[];
  user_id?: string;
  task_id?: string;
  agent_id?: string;
  monitor_id?: string;
  position: number;
  new_task?: boolean;
  mode?: string;
  budget?: Budget;
  window_id?: string;
  component?: ComponentUse;
  role?: string;
  callback?: string;
}

export interface Budget {
  usd?: number;
  tokens?: number;
  time_sec?: number;
}

/** The messages that wait have another order, or one was taken back. */
export interface QueueChangedData {
  queue: string[];
  removed?: string;
  edited?: QueuedWords;
  reset?: boolean;
}

export interface QueuedWords {
  message_id: string;
  text: string;
  images?: string[];
}

/** A task's model history has a new entry; the results of tools are in tool_progress. */
export interface ModelMessageData {
  task_id: string;
  agent_id?: string;
  monitor_id?: string;
  message: ModelMessage;
  hides?: number;
  timeline_to?: number;
  windows_hash?: string;
}

export interface ModelMessage {
  role: Speaker;
  content: Part[];
  ts?: number;
  message_id?: string;
  is_summary?: boolean;
  condense_id?: string;
  condense_parent?: string;
  is_truncation_marker?: boolean;
  truncation_id?: string;
  truncation_parent?: string;
}

export interface Part {
  type: PartType;
  text?: string;
  images?: string[];
  signature?: string;
  encrypted_content?: string;
  tool_call_id?: string;
  tool?: string;
  input?: unknown;
  is_error?: boolean;
}

export type PartType =
  | "text"
  | "image"
  | "thinking"
  | "tool_use"
  | "tool_result";

/** A page of the transcript. */
export interface MessagesPage {
  messages: Message[];
  total: number;
  next?: string;
  newer?: string;
  tasks?: TaskInfo[];
  client_message_id?: string;
}

/** The next piece of an agent's answer. */
export interface AgentResponseData {
  message_id: string;
  reply_to?: string;
  agent_id: string;
  monitor_id?: string;
  offset: number;
  delta: string;
}

/** The next piece of an agent's thinking. */
export interface AgentThinkingData {
  message_id: string;
  reply_to?: string;
  agent_id: string;
  monitor_id?: string;
  offset: number;
  delta: string;
}

/** The conversation was taken back to an earlier message. */
export interface HistoryRewoundData {
  rewind_id?: string;
  to: string;
  files?: FilesReturned;
  from_message_id: string;
  keep_target: boolean;
  removed_message_ids: string[];
  removed_count: number;
  redo?: boolean;
  restored_message_ids?: string[];
  restored_count?: number;
  checkpoint_id?: string;
}

/** The last rewind was undone. */
export interface RewindUndoneData {
  rewind_id?: string;
  to: string;
  files?: FilesReturned;
  from_message_id: string;
  restored_message_ids: string[];
  restored_count: number;
  removed_message_ids?: string[];
  removed_count?: number;
  checkpoint_id?: string;
}

/** What a rewind would take away; also answers delete_message and edit_message. */
export interface RewindPreviewAnswer {
  from_message_id: string;
  keep_target: boolean;
  to?: string;
  count: number;
  removed_message_ids: string[];
  running?: boolean;
  files?: CheckpointFile[];
  files_count?: number;
  files_problem?: string;
  checkpoint_id?: string;
  todos?: TodoChange[];
  reopened?: Question[];
  withdrawn?: Question[];
  forgotten?: RememberedRule[];
  kernels?: KernelPreview[];
  usage?: Usage;
  irreversible?: IrreversibleStep[];
  irreversible_count?: number;
  client_message_id?: string;
}

export interface CheckpointFile {
  paths: FilePaths;
  content: FileContent;
  status?: string;
  kind?: string;
  binary?: boolean;
  truncated?: boolean;
  unified?: string;
  mode?: string;
}

export interface FilePaths {
  relative: string;
  absolute: string;
  old?: string;
}

export interface FileContent {
  before: string;
  after: string;
}

export interface TodoChange {
  id: string;
  task?: string;
  from?: TodoStatus;
  to?: TodoStatus;
}

export interface KernelPreview {
  notebook_id: string;
  path?: string;
  policy?: KernelPolicy;
  cells: number;
  duration_ms: number;
  ends?: boolean;
}

export type KernelPolicy =
  | "ask"
  | "rerun"
  | "fresh"
  | "keep";

export interface IrreversibleStep {
  message_id: string;
  tool_call_id?: string;
  tool: string;
  summary: string;
  reason: string;
  code?: IrreversibleCode;
  server?: string;
  url?: string;
}

export type IrreversibleCode =
  | "tool_server"
  | "url"
  | "network"
  | "outside_workspace";

/** Files could not be taken back; everything is as before. */
export interface RewindFailedData {
  rewind_id: string;
  reason: string;
}

/** Somebody wants a summary in place of old messages to the model. */
export interface CondenseRequestedData {
  task_id: string;
}

/** A run entered a layer. */
export interface LayerStartData {
  layer: Layer;
  description: string;
  run_id?: string;
  monitor_id?: string;
}

/** A run left a layer. */
export interface LayerCompleteData {
  layer: Layer;
  result: LayerResult | null;
  next_layer?: Layer;
  duration_ms: number;
  run_id?: string;
  monitor_id?: string;
}

export interface LayerResult {
  intent?: Intent;
  entities?: Entity[];
  plan_id?: string;
  version?: number;
  total_todos?: number;
  completed?: number;
  skipped?: number;
  format?: ResponseFormat;
  reports?: number;
  extra?: Record<string, unknown>;
}

export interface Intent {
  domain: string;
  category: string;
  confidence: number;
}

export interface Entity {
  type: string;
  value: string;
  confidence: number;
}

export type ResponseFormat =
  | "text"
  | "markdown"
  | "mixed"
  | "json";

/** There is a plan. */
export interface PlanGeneratedData {
  plan_id: string;
  version: number;
  status: PlanStatus;
  todos: Todo[];
  dependency_graph: Record<string, string[]>;
  estimated_duration_sec: number;
  estimated_cost_usd: number | null;
  mermaid_diagram?: string;
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

/** The plan was approved. */
export interface PlanApprovedData {
  plan_id: string;
  approved_by: string;
  execution_starting: boolean;
  run_id?: string;
  monitor_id?: string;
}

/** The plan has a new version. */
export interface PlanModifiedData {
  plan_id: string;
  old_version: number;
  new_version: number;
  changes: PlanChange[];
  updated_todos: Todo[];
  edits?: PlanEdit[];
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

export interface PlanChange {
  action: PlanChangeAction;
  todo_id: string;
  task?: string;
}

export type PlanChangeAction =
  | "add"
  | "remove"
  | "update";

export interface PlanEdit {
  action: PlanChangeAction;
  todo_id?: string;
  task?: string;
  tool?: string;
  priority?: number;
  depends_on?: string[];
  estimated_duration_sec?: number;
  estimated_cost_usd?: number;
  mode?: string;
  profile?: string;
}

/** The plan was rejected. */
export interface PlanRejectedData {
  plan_id: string;
  reason?: string;
  rejected_by?: string;
  run_id?: string;
  monitor_id?: string;
}

/** Work on a todo began. */
export interface TodoStartedData {
  todo_id: string;
  task: string;
  tool: string;
  estimated_duration_sec: number;
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

/** A todo moved on. */
export interface TodoProgressData {
  todo_id: string;
  progress_percentage: number;
  current_step: string;
  items_processed: number;
  items_total: number;
  run_id?: string;
  monitor_id?: string;
}

/** A todo is done. */
export interface TodoCompletedData {
  todo_id: string;
  task: string;
  status: TodoStatus;
  result_summary: unknown;
  duration_ms: number;
  next_todos: string[];
  run_id?: string;
  monitor_id?: string;
}

/** A todo failed. */
export interface TodoFailedData {
  todo_id: string;
  task: string;
  status: TodoStatus;
  error: Failure;
  retry_count: number;
  max_retries: number;
  run_id?: string;
  monitor_id?: string;
}

/** A todo that failed will be tried again. */
export interface TodoRetriedData {
  todo_id: string;
  retry_count: number;
  max_retries: number;
  retried_by?: string;
  reason?: string;
  why_code?: EndCode;
  run_id?: string;
  monitor_id?: string;
}

/** A todo was left out. */
export interface TodoSkippedData {
  todo_id: string;
  reason?: string;
  next_todos: string[];
  run_id?: string;
  monitor_id?: string;
}

/** How far the plan as a whole has come. */
export interface ExecutionProgressData {
  total_todos: number;
  completed: number;
  in_progress: number;
  pending: number;
  failed: number;
  skipped: number;
  progress_percentage: number;
  current_todo: TodoRef | null;
  run_id?: string;
  monitor_id?: string;
}

export interface TodoRef {
  id: string;
  task: string;
}

/** The run ended well; carries its answer. */
export interface CompleteData {
  status: RunResult;
  response: Response;
  statistics: Statistics;
  report_paths: string[];
  reports?: Report[];
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

export type RunResult =
  | "success"
  | "failed"
  | "cancelled";

export interface Response {
  format: ResponseFormat;
  text: string;
  summary: string;
  attachments: Attachment[];
  next_actions: string[];
}

export interface Attachment {
  type: AttachmentType;
  title: string;
  url: string;
}

export type AttachmentType =
  | "chart"
  | "image"
  | "table"
  | "file";

export interface Statistics {
  total_todos: number;
  completed: number;
  failed: number;
  skipped: number;
  execution_time_ms: number;
  tokens_used: number;
  cost_usd: number;
}

export interface Report {
  name: string;
  media_type: string;
  size: number;
  blob: string;
}

/** The run failed; carries what there is. */
export interface FailedData {
  status: RunResult;
  error: Failure;
  partial_results: PartialResults;
  task_id?: string;
  outcome?: Outcome;
  run_id?: string;
  monitor_id?: string;
}

export interface PartialResults {
  completed_todos: string[];
  available_data: Record<string, unknown>;
}

/** The run was cancelled; carries what there is. */
export interface CancelledData {
  status: RunResult;
  reason?: string;
  partial_results: PartialResults;
  task_id?: string;
  outcome?: Outcome;
  run_id?: string;
  monitor_id?: string;
}

/** A person has to review a plan. */
export interface HitlPlanReviewData {
  request_id: string;
  timeout_sec: number;
  deadline_ms?: number;
  assignee?: string;
  message_id?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  task_id?: string;
  todo_id?: string;
  tool_call_id?: string;
  words_effect?: WordsEffect;
  run_id?: string;
  monitor_id?: string;
  plan_id: string;
  version: number;
  plan: Plan;
  message: string;
  options: Choice[];
}

export type WordsEffect =
  | "answers"
  | "denies"
  | "changes"
  | "continues"
  | "steers";

export interface Plan {
  todos: Todo[];
  dependency_graph: Record<string, string[]>;
  estimated_duration_sec: number;
  estimated_cost_usd: number | null;
  mermaid_diagram?: string;
}

export type Choice =
  | "approve"
  | "modify"
  | "skip"
  | "reject";

/** A person has to allow something. */
export interface HitlApprovalRequestData {
  request_id: string;
  timeout_sec: number;
  deadline_ms?: number;
  assignee?: string;
  message_id?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  task_id?: string;
  todo_id?: string;
  tool_call_id?: string;
  words_effect?: WordsEffect;
  run_id?: string;
  monitor_id?: string;
  ask?: Ask;
  todo?: ApprovalTodo;
  tool?: string;
  input?: unknown;
  input_text?: string;
  effect?: Effect;
  limit?: string;
  own_limit?: boolean;
  raise?: number;
  reason: string;
  why?: string;
  why_code?: PolicyCode;
  why_args?: Record<string, string>;
  options: Choice[];
  remember?: RememberOffer;
}

export interface ApprovalTodo {
  id: string;
  task: string;
  tool: string;
  estimated_cost_usd?: number;
}

export interface Effect {
  summary: string;
  command?: string;
  argv?: string[];
  directory?: string;
  environment?: Record<string, string>;
  network?: boolean;
  sandbox?: string;
  limits?: CommandLimits;
  paths?: string[];
  diff?: string;
  diff_cut?: boolean;
  url?: string;
  server?: string;
  digest: string;
}

export interface CommandLimits {
  memory_mb?: number;
  processes?: number;
  cpu_weight?: number;
  file_mb?: number;
  open_files?: number;
}

export type PolicyCode =
  | "auto_approval_off"
  | "directory_untrusted"
  | "protected"
  | "not_read_only"
  | "group_off"
  | "no_setting"
  | "tool_not_allowed"
  | "hidden_text"
  | "unreadable"
  | "other_shell"
  | "sets_variable"
  | "maybe_forbidden"
  | "changed_program"
  | "unknown_line"
  | "runs_others"
  | "reads_input"
  | "no_rule"
  | "risky_argument"
  | "rule_too_wide"
  | "changed_since_approved"
  | "mistakes"
  | "requests"
  | "budget";

export interface RememberOffer {
  scopes: RememberScope[];
  pattern?: string;
  match?: string;
  near_miss?: string;
  host?: string;
  runs_workspace?: boolean;
  while_auto?: boolean;
}

export type RememberScope =
  | "task"
  | "session"
  | "workspace"
  | "always";

/** A person has to fill something in. */
export interface HitlInputRequestData {
  request_id: string;
  timeout_sec: number;
  deadline_ms?: number;
  assignee?: string;
  message_id?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  task_id?: string;
  todo_id?: string;
  tool_call_id?: string;
  words_effect?: WordsEffect;
  run_id?: string;
  monitor_id?: string;
  ask?: Ask;
  field: string;
  question: string;
  input_type: InputType;
  options?: InputOption[];
  strict?: boolean;
  required: boolean;
  default_value: unknown;
  missing_workspace?: MissingWorkspace;
  cell?: CellQuestion;
  kernel?: KernelQuestion;
}

export type InputType =
  | "text"
  | "choice"
  | "number"
  | "boolean"
  | "date";

export interface InputOption {
  value: unknown;
  label: string;
}

export interface MissingWorkspace {
  node?: string;
  here: string;
  dir?: string;
}

export interface CellQuestion {
  notebook_id: string;
  cell_id?: string;
  run_id: string;
  password?: boolean;
}

export interface KernelQuestion {
  notebook_id: string;
  cells: number;
  duration_ms: number;
  files?: boolean;
}

/** A person has to say what was meant. */
export interface HitlClarificationData {
  request_id: string;
  timeout_sec: number;
  deadline_ms?: number;
  assignee?: string;
  message_id?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  task_id?: string;
  todo_id?: string;
  tool_call_id?: string;
  words_effect?: WordsEffect;
  run_id?: string;
  monitor_id?: string;
  original_input: string;
  ambiguity: string;
  question: string;
  input_type: InputType;
  suggestions: string[];
  required: boolean;
}

/** A question is settled, by whomever. */
export interface HitlResolvedData {
  request_id: string;
  action: Resolution;
  resolved_by?: string;
  by_timeout: boolean;
  value?: unknown;
  comment?: string;
  why_code?: EndCode;
  instruction?: string;
  remember?: Remember;
  client_message_id?: string;
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

export interface Remember {
  scope: RememberScope;
  pattern?: string;
}

/** A question's deadline is near. */
export interface HitlReminderData {
  request_id: string;
  deadline_ms: number;
  remaining_sec: number;
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

/** A question is meant for somebody else. */
export interface HitlAssignedData {
  request_id: string;
  assignee: string;
  assigned_by?: string;
  task_id?: string;
  run_id?: string;
  monitor_id?: string;
}

/** What was remembered for a task needs approval again. */
export interface RuleForgottenData {
  id: string;
  task_id: string;
  by?: string;
}

/** The run is paused. */
export interface HitlPausedData {
  paused_by: string;
  reason: string;
  why_code?: EndCode;
  current_todo: string;
  completed_todos: string[];
  can_resume: boolean;
  run_id?: string;
  monitor_id?: string;
}

/** The run continues. */
export interface HitlResumedData {
  resumed_by: string;
  current_todo: string;
  run_id?: string;
  monitor_id?: string;
}

/** There is a new task. */
export interface TaskCreatedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  task: string;
  mode?: string;
  workspace?: string;
  agent_id?: string;
  agent_kind?: AgentKind;
  agent_key?: string;
  window_id?: string;
  action_id?: string;
  tool_call_id?: string;
  run_id?: string;
  todo_id?: string;
  profile?: string;
  budget?: Budget;
  task_profile?: TaskProfile;
  wake?: boolean;
  fork_of?: ForkOf;
}

export type TaskProfile =
  | "default"
  | "web"
  | "code"
  | "app";

export interface ForkOf {
  task_id: string;
  count: number;
  condense?: boolean;
}

/** Work on a task began. */
export interface TaskStartedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
}

/** A task is done. */
export interface TaskCompletedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  token_usage: Usage;
  tool_usage: Record<string, ToolUsage>;
  result_summary?: string;
  outcome?: Outcome;
}

export interface ToolUsage {
  attempts: number;
  failures: number;
}

/** A task was stopped. */
export interface TaskAbortedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  reason?: string;
  outcome?: Outcome;
}

/** A task came to the front. */
export interface TaskFocusedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
}

/** A task left the front. */
export interface TaskUnfocusedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  put_away?: boolean;
}

/** A task is running. */
export interface TaskActiveData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
}

/** A task waits for an answer. */
export interface TaskInteractiveData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  request_id?: string;
}

/** A task can be taken up again. */
export interface TaskResumableData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  request_id?: string;
}

/** A task is at rest. */
export interface TaskIdleData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  request_id?: string;
  outcome?: Outcome;
}

/** A task waits for its child. */
export interface TaskPausedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  awaiting_child_id?: string;
}

/** A task continues after its child. */
export interface TaskUnpausedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  completed_by_child_id?: string;
  completion_result_summary?: string;
}

/** A task started a child. */
export interface TaskSpawnedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  child_task_id: string;
  message_id?: string;
}

/** A task changed its mode. */
export interface TaskModeSwitchedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  mode: string;
}

/** A task's question was answered. */
export interface TaskAskRespondedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  request_id?: string;
}

/** The user sent a task a message. */
export interface TaskUserMessageData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  message_id?: string;
}

/** A tool failed in a task. */
export interface TaskToolFailedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  tool: string;
  error: string;
  tool_call_id?: string;
}

/** A task's usage changed. */
export interface TaskTokenUsageUpdatedData {
  task_id: string;
  parent_task_id?: string;
  root_task_id: string;
  monitor_id?: string;
  token_usage: Usage;
  tool_usage: Record<string, ToolUsage>;
}

/** There is a new monitor, with a main agent of its own. */
export interface MonitorAddedData {
  monitor_id: string;
  agent_id: string;
}

/** A monitor was removed; what was on it is on the main one. */
export interface MonitorRemovedData {
  monitor_id: string;
  moved: string[];
  dropped: string[];
  by?: string;
}

/** The agents of a background monitor wait until its output budget has room, or continue. */
export interface MonitorHeldData {
  monitor_id: string;
  until_ms: number;
}

/** Things the front end should do, in order. */
export interface ActionsData {
  actions: Action[];
  agent_id?: string;
  monitor_id?: string;
  task_id?: string;
  reload_id?: string;
}

export interface Action {
  action_id?: string;
  type: ActionType;
  window_id?: string;
  params?: Record<string, unknown>;
}

export type ActionType =
  | "window.create"
  | "window.update"
  | "window.close"
  | "window.focus"
  | "notification.show"
  | "toast.show"
  | "app.query"
  | "app.command";

/** What a person did to windows. */
export interface UserInteractedData {
  interactions: Interaction[];
  monitor_id?: string;
  user_id?: string;
}

export interface Interaction {
  kind: InteractionKind;
  window_id: string;
  ts?: number;
  bounds?: Bounds;
  layout?: Layout;
  drawing?: unknown;
}

export type InteractionKind =
  | "close"
  | "focus"
  | "move"
  | "resize"
  | "draw";

export type Layout =
  | "wide"
  | "medium";

/** What a window should show could not be drawn. */
export interface RenderingFailedData {
  window_id: string;
  action_id?: string;
  error: string;
}

/** Somebody dismissed a toast or a notice. */
export interface ToastDismissedData {
  toast_id: string;
  by?: string;
}

/** Whether the model provider can be reached. */
export interface ProviderStatusData {
  status: ProviderConnection;
  provider: string;
  message?: string;
}

export type ProviderConnection =
  | "connected"
  | "disconnected"
  | "error";

/** A tool call began, moved on or ended. */
export interface ToolProgressData {
  tool_call_id: string;
  tool: string;
  status: ToolStatus;
  agent_id?: string;
  task_id?: string;
  monitor_id?: string;
  message_id?: string;
  input?: unknown;
  output?: unknown;
  summary?: string;
  title?: string;
  error?: string;
  error_in_output?: boolean;
  exit_code?: number;
  limit_reached?: CommandLimit;
  stopped_by?: string;
  why_code?: EndCode;
  class?: ToolClass;
  effect?: Effect;
  request_id?: string;
  allowed_by?: AllowedBy;
  node?: string;
  in_doubt?: boolean;
  mistake?: boolean;
  images?: string[];
  output_blob?: string;
  output_bytes?: number;
  result_blob?: string;
  duration_ms?: number;
  progress_status?: ProgressStatus;
}

export type ToolClass =
  | "read_only"
  | "repeatable"
  | "checkable"
  | "once";

/** What a window's agent is doing. */
export interface WindowAgentStatusData {
  window_id: string;
  agent_id: string;
  status: WindowAgentStatus;
}

/** An agent asks an app for its state, or tells it to do something. */
export interface AppProtocolRequestData {
  request_id: string;
  window_id: string;
  kind: AppProtocol;
  name: string;
  params?: unknown;
  agent_id?: string;
  monitor_id?: string;
  timeout_ms?: number;
  deadline_ms?: number;
  task_id?: string;
  tool_call_id?: string;
}

/** What the app in a window can be asked and told. */
export interface AppRegisteredData {
  window_id: string;
  app?: string;
  queries?: string[];
  commands?: string[];
}

/** The page of a tool server asked for a tool of its server. */
export interface AppCalledData {
  task_id: string;
  monitor_id?: string;
  agent_id?: string;
  window_id: string;
  request_id: string;
  tool_call_id: string;
  server: string;
  tool: string;
  arguments?: unknown;
}

/** A notebook is open; its file is read next. */
export interface NotebookOpenedData {
  notebook_id: string;
  path?: string;
  kernel_name?: string;
  new?: boolean;
  by?: string;
  task_id?: string;
}

/** What a notebook's file has, or why it could not be read. */
export interface NotebookReadData {
  notebook_id: string;
  hash?: string;
  kernel_name?: string;
  cells: NotebookCell[];
  metadata?: string;
  problem?: string;
}

export interface NotebookCell {
  cell_id: string;
  type: CellType;
  source?: string;
  source_blob?: string;
  execution_count?: number;
  saved_outputs?: string;
  metadata?: unknown;
  attachments?: string;
}

/** Cells of a notebook were changed. */
export interface NotebookChangedData {
  notebook_id: string;
  version: number;
  edits: CellEdit[];
  by?: string;
  task_id?: string;
}

export interface CellEdit {
  op: CellEditOp;
  cell_id?: string;
  after?: string;
  type?: CellType;
  source?: string;
  source_blob?: string;
}

export type CellEditOp =
  | "insert"
  | "replace"
  | "move"
  | "delete"
  | "clear";

/** A notebook is to be written to its file. */
export interface NotebookSaveRequestedData {
  notebook_id: string;
  path?: string;
  conflict?: OnConflict;
  by?: string;
}

export type OnConflict =
  | "overwrite"
  | "take"
  | "beside";

/** A notebook was written to its file, or could not be. */
export interface NotebookSavedData {
  notebook_id: string;
  path: string;
  hash?: string;
  version: number;
  as_of?: string;
  checkpoint_id?: string;
  conflict?: boolean;
  problem?: string;
}

/** A notebook is closed. */
export interface NotebookClosedData {
  notebook_id: string;
  by?: string;
}

/** Cells are to run. */
export interface CellQueuedData {
  notebook_id: string;
  runs: CellRun[];
  code?: string;
  silent?: boolean;
  by?: string;
  task_id?: string;
  tool_call_id?: string;
}

/** A cell is about to run. */
export interface CellStartedData {
  notebook_id: string;
  run_id: string;
  cell_id?: string;
  kernel_id: string;
  msg_id: string;
  source_hash?: string;
}

/** A run of a cell is over. */
export interface CellFinishedData {
  notebook_id: string;
  run_id: string;
  cell_id?: string;
  status: CellStatus;
  execution_count?: number;
  duration_ms?: number;
  outputs_lost?: boolean;
  left_out?: number;
  output_blob?: string;
  error_name?: string;
  error_value?: string;
  reason?: string;
  dropped?: string[];
  output?: string;
  images?: string[];
}

/** A kernel is in another state, or something is wanted of it. */
export interface KernelChangedData {
  notebook_id: string;
  kernel_id?: string;
  name?: string;
  state: KernelState;
  wanted?: KernelWish;
  node?: string;
  reason?: string;
  info?: KernelLanguage;
  by?: string;
  dropped?: string[];
}

/** A fresh kernel is to run again what ran. */
export interface KernelRerunRequestedData {
  notebook_id: string;
  rerun_id: string;
  since: string;
  files?: boolean;
  by?: string;
}

/** What a fresh kernel runs again. */
export interface KernelRerunStartedData {
  notebook_id: string;
  rerun_id: string;
  runs: RepeatedRun[];
  files_before?: string;
  files_after?: string;
}

export interface RepeatedRun {
  run_id: string;
  cell_id: string;
  repeats?: string;
  silent?: boolean;
  status: CellStatus;
  state_hash?: string;
}

/** A fresh kernel has run again what ran, or was stopped. */
export interface KernelRerunFinishedData {
  notebook_id: string;
  rerun_id: string;
  status: RerunStatus;
  reason?: string;
  files_restored?: string;
}

/** Checkpoints of a workspace can be made from here on. */
export interface CheckpointInitializedData {
  task_id?: string;
  kind: CheckpointKind;
  workspace_dir: string;
  base_hash: string;
  duration_ms?: number;
}

export type CheckpointKind =
  | "workspace"
  | "notebook";

/** A checkpoint was made. */
export interface CheckpointSavedData {
  checkpoint_id: string;
  kind: CheckpointKind;
  ts: number;
  message_id?: string;
  task_id?: string;
  from_hash: string;
  to_hash: string;
  duration_ms: number;
  suppress_message: boolean;
  reason?: string;
  files?: number;
  bytes?: number;
  left?: string[];
  notebook_id?: string;
  cell_id?: string;
  cell_index?: number;
  run_id?: string;
  variables?: string;
  same?: boolean;
  differing?: string[];
}

/** Files were taken back to a checkpoint. */
export interface CheckpointRestoredData {
  checkpoint_id: string;
  kind: CheckpointKind;
  commit_hash: string;
  task_id?: string;
  duration_ms: number;
  rewind_id?: string;
  files?: FilesReturned;
}

/** Another checkpoint is the current one. */
export interface CheckpointUpdatedData {
  checkpoint_id: string;
  hash: string;
  task_id?: string;
}

/** How files differ between two checkpoints. */
export interface CheckpointDiffAnswer {
  from?: string;
  to?: string;
  files: CheckpointFile[];
  files_count?: number;
  client_message_id?: string;
}

/** Settings, modes, profiles and task history, for a user interface. */
export interface StateData {
  version: string;
  current_task_item?: HistoryItem;
  current_task_todos?: Todo[];
  task_history: HistoryItem[];
  api_configuration?: Record<string, unknown>;
  current_api_config_name?: string;
  list_api_config_meta?: ModelProfile[];
  mode: string;
  custom_modes?: Record<string, unknown>[];
  auto_approval_enabled: boolean;
  always_allow_read_only: boolean;
  always_allow_write: boolean;
  always_allow_execute: boolean;
  always_allow_browser: boolean;
  always_allow_mcp: boolean;
  permissions?: string;
  experiments?: Record<string, boolean>;
  mcp_enabled: boolean;
  browser_tool_enabled: boolean;
  tts_enabled: boolean;
  mcp_servers?: McpServer[];
  settings?: Record<string, unknown>;
  client_message_id?: string;
}

export interface HistoryItem {
  id: string;
  number: number;
  ts: number;
  task: string;
  tokens_in: number;
  tokens_out: number;
  cache_writes?: number;
  cache_reads?: number;
  total_cost: number;
  size?: number;
  workspace?: string;
  mode?: string;
  status?: TaskStatus;
  root_task_id?: string;
  parent_task_id?: string;
  delegated_to_id?: string;
  child_ids?: string[];
  awaiting_child_id?: string;
  completed_by_child_id?: string;
  completion_result_summary?: string;
  agent_kind?: AgentKind;
  run_id?: string;
  todo_id?: string;
  outcome?: Outcome;
}

export interface ModelProfile {
  id: string;
  name: string;
  provider?: string;
  model?: string;
}

export interface McpServer {
  name: string;
  status: string;
  disabled?: boolean;
  error?: string;
  tools?: McpTool[];
}

export interface McpTool {
  name: string;
  description?: string;
  always_allow?: boolean;
}

/** The user interface should show a view. */
export interface ShowViewData {
  view: string;
}

/** The user interface should act as if the user had. */
export interface InvokeData {
  invoke: string;
  text?: string;
  images?: string[];
}

/** The user interface should send what is typed. */
export type AcceptInputData = Record<string, never>;

/** The tool servers and their tools. */
export interface McpServersData {
  mcp_servers: McpServer[];
}

/** The commands a user may call by name. */
export interface CommandsData {
  commands: UserCommand[];
}

export interface UserCommand {
  name: string;
  description?: string;
  argument_hint?: string;
  source?: string;
}

/** A better wording of a prompt. */
export interface EnhancedPromptData {
  text: string;
  client_message_id?: string;
}

/** The system prompt in use. */
export interface SystemPromptData {
  text: string;
  mode?: string;
  client_message_id?: string;
}

/** What is approved without asking has changed. */
export interface AutoApprovalChangedData {
  auto_approval_enabled: boolean;
  always_allow_read_only: boolean;
  always_allow_write: boolean;
  always_allow_execute: boolean;
  always_allow_browser: boolean;
  always_allow_mcp: boolean;
}

/** Settings of this session alone have changed. */
export interface SettingsChangedData {
  settings: Record<string, unknown>;
}

/** The browser session changed. */
export interface BrowserSessionUpdateData {
  active: boolean;
  url?: string;
  screenshot?: string;
  task_id?: string;
}

/** The workspace changed. */
export interface WorkspaceUpdatedData {
  workspace: string;
  file_paths?: string[];
}

/** A text should be spoken. */
export interface TtsStartData {
  text: string;
  message_id?: string;
}

/** Speech should stop. */
export interface TtsStopData {
  message_id?: string;
}

/** The settings, without secrets. */
export interface ExportSettingsAnswer {
  settings: Record<string, unknown>;
  client_message_id?: string;
}

/** Whether a browser can be reached. */
export interface TestBrowserConnectionAnswer {
  ok: boolean;
  message?: string;
  client_message_id?: string;
}

/** Show credentials, as the first message. */
export interface AuthData {
  token?: string;
  api_key?: string;
}

/** Answer a ping. */
export type PongData = Record<string, never>;

/** Ask for session_state or state. */
export interface GetStateData {
  scope?: StateScope;
}

export type StateScope =
  | "session"
  | "ui";

/** Ask for a page of the transcript. */
export interface GetMessagesData {
  limit?: number;
  offset?: number;
  before?: string;
}

/** From now on send only this monitor's events and those without a monitor; repeat it for more monitors. */
export interface SubscribeMonitorData {
  monitor_id: string;
}

/** Approve, change or reject a plan. */
export interface HitlPlanResponseData {
  type?: "plan";
  request_id: string;
  action: "approve" | "modify" | "reject";
  comment?: string;
  instruction?: string;
  modifications?: PlanEdit[];
}

/** Allow, skip or refuse what was asked. */
export interface HitlApprovalResponseData {
  type?: "approval";
  request_id: string;
  todo_id?: string;
  action: "approve" | "skip" | "reject";
  comment?: string;
  reason?: string;
  remember?: Remember;
}

/** Fill in what was asked for. */
export interface HitlInputResponseData {
  type?: "input";
  request_id: string;
  field?: string;
  value: unknown;
}

/** Say what was meant. */
export interface HitlClarificationResponseData {
  type?: "clarification";
  request_id: string;
  value: unknown;
}

/** Answer an ask by button, text or value. */
export interface AskResponseData {
  request_id?: string;
  ask_response: AskResponse;
  text?: string;
  images?: string[];
  value?: unknown;
}

export type AskResponse =
  | "yes_button_clicked"
  | "no_button_clicked"
  | "message_response"
  | "object_response";

/** Choose who answers a question. */
export interface AssignQuestionData {
  request_id: string;
  user_id?: string;
}

/** Say something to the session; the one way in for a person's words. */
export interface UserMessageData {
  text: string;
  images?: string[];
  monitor_id?: string;
  mode?: string;
  task_id?: string;
  request_id?: string;
  budget?: Budget;
  delivery?: Arrival;
  may_answer?: string[];
}

export type Arrival =
  | "steer"
  | "queue"
  | "ephemeral";

/** Say something else in a message that waits. */
export interface EditQueuedData {
  message_id: string;
  text: string;
  images?: string[];
}

/** Take back a message that waits. */
export interface RemoveQueuedData {
  message_id: string;
}

/** Change the order of the messages that wait. */
export interface MoveQueuedData {
  message_id: string;
  before?: string;
}

/** Do not let a message wait any longer. */
export interface SendQueuedData {
  message_id: string;
}

/** Say something to a window's agent. */
export interface WindowMessageData {
  window_id: string;
  text: string;
  images?: string[];
}

/** A button or form in a window was used. */
export interface ComponentActionData {
  window_id: string;
  action: string;
  action_id?: string;
  form_data?: Record<string, unknown>;
  component_path?: string;
}

/** Start a task. */
export interface NewTaskData {
  text: string;
  images?: string[];
  mode?: string;
  monitor_id?: string;
}

/** Take a task up again. */
export interface ResumeTaskData {
  task_id: string;
}

/** Put a task away without deleting it. */
export interface ClearTaskData {
  task_id?: string;
}

/** Pause the run. */
export interface ControlPauseData {
  reason?: string;
  monitor_id?: string;
}

/** Let the run continue, with changes to the plan if any. */
export interface ControlResumeData {
  modifications?: PlanEdit[];
  monitor_id?: string;
}

/** End the run or task. */
export interface ControlCancelData {
  reason?: string;
  task_id?: string;
  monitor_id?: string;
}

/** Try a failed todo again. */
export interface ControlRetryData {
  todo_id: string;
  monitor_id?: string;
}

/** Leave a todo out. */
export interface ControlSkipData {
  todo_id: string;
  reason?: string;
  monitor_id?: string;
}

/** Change the todos of a run's plan; an approval given before no longer holds. */
export interface EditPlanData {
  modifications: PlanEdit[];
  version?: number;
  monitor_id?: string;
}

/** Stop what all agents are doing; the work stays. */
export type InterruptData = Record<string, never>;

/** Stop what one agent is doing. */
export interface InterruptAgentData {
  agent: string;
}

/** Stop everything and clear the context; the journal stays. */
export type ResetData = Record<string, never>;

/** Use another model provider. */
export interface SetProviderData {
  provider: string;
  model?: string;
}

/** Remove a background monitor. */
export interface RemoveMonitorData {
  monitor_id: string;
}

/** Report whether a window could be drawn. */
export interface RenderingFeedbackData {
  window_id: string;
  action_id?: string;
  success: boolean;
  error?: string;
  width?: number;
  height?: number;
}

/** Dismiss a toast or a notice. */
export interface ToastActionData {
  toast_id: string;
  action: "dismiss";
}

/** What the user did to windows, as a batch. */
export interface UserInteractionData {
  interactions: Interaction[];
  monitor_id?: string;
}

/** An app's answer to an agent. */
export interface AppProtocolResponseData {
  request_id: string;
  window_id?: string;
  result?: unknown;
  error?: string;
}

/** An app is ready to be asked. */
export interface AppProtocolReadyData {
  window_id: string;
  app?: string;
  queries?: string[];
  commands?: string[];
}

/** The page of a tool server asks for a tool of its server. */
export interface AppCallData {
  window_id: string;
  request_id: string;
  tool: string;
  arguments?: Record<string, unknown>;
}

/** Ask what deleting a message would take away. */
export interface DeleteMessageData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
}

/** Delete a message and all after it. */
export interface DeleteMessageConfirmData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
  restore_checkpoint?: boolean;
}

/** Ask what editing a message would take away. */
export interface EditMessageData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
  text: string;
  images?: string[];
}

/** Go back to a message and send it with new words. */
export interface EditMessageConfirmData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
  text: string;
  images?: string[];
  restore_checkpoint?: boolean;
}

/** Take the conversation back to a message. */
export interface RewindData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
  keep_target?: boolean;
  skip_cleanup?: boolean;
  restore_checkpoint?: boolean;
}

/** Ask what a rewind would take away. */
export interface RewindPreviewData {
  message_id?: string;
  ts?: number;
  message_ts?: number;
  index?: number;
  keep_target?: boolean;
  restore_checkpoint?: boolean;
}

/** Undo the last rewind. */
export interface UndoRewindData {
  restore_checkpoint?: boolean;
}

/** Do again the rewind that was undone last. */
export interface RedoRewindData {
  restore_checkpoint?: boolean;
}

/** Take the conversation back to its start. */
export type ClearMessagesData = Record<string, never>;

/** Make a new session from this one's past. */
export interface ForkSessionData {
  message_id?: string;
  keep_target?: boolean;
  title?: string;
  workspace?: string;
}

/** Put a summary in place of a task's old messages to the model. */
export interface CondenseContextData {
  task_id?: string;
}

/** Give the session a title. */
export interface RenameSessionData {
  title: string;
}

/** Put the session away, so that lists leave it out, or bring it back. It is refused while an agent is at work or a question is open; what is said or begun in the session also brings it back. */
export interface ArchiveSessionData {
  archived: boolean;
}

/** Share the session with somebody, or take that back. */
export interface SetAccessData {
  user_id: string;
  role: "" | "viewer" | "approver";
}

/** Have asked again what was remembered for a task. */
export interface ForgetRuleData {
  id: string;
}

/** Ask how files differ between two checkpoints. */
export interface CheckpointDiffData {
  from?: string;
  to?: string;
  task_id?: string;
}

/** Take files back to a checkpoint. */
export interface CheckpointRestoreData {
  ts?: number;
  message_id?: string;
  commit_hash?: string;
  mode?: RestoreMode;
  task_id?: string;
  kind?: CheckpointKind;
  notebook_id?: string;
  cell_index?: number;
}

export type RestoreMode =
  | "files"
  | "both";

/** Make a checkpoint of the files as they are now. */
export interface CheckpointSaveData {
  message?: string;
}

/** Change settings, of this session or, for administrators, of the server. */
export interface UpdateSettingsData {
  settings: Record<string, unknown>;
  scope?: SettingsScope;
}

export type SettingsScope =
  | "session"
  | "server";

/** Set all settings back; for administrators. */
export type ResetSettingsData = Record<string, never>;

/** Take settings over from elsewhere; for administrators. */
export interface ImportSettingsData {
  settings: Record<string, unknown>;
}

/** Ask for the settings, without secrets; for administrators. */
export type ExportSettingsData = Record<string, never>;

/** Store a model profile; for administrators. */
export interface SaveModelProfileData {
  name: string;
  api_configuration: Record<string, unknown>;
}

/** Use a model profile. */
export interface LoadModelProfileData {
  name: string;
}

/** Restart a tool server; for administrators. */
export interface RestartMcpServerData {
  name: string;
}

/** Switch a tool server on or off; for administrators. */
export interface ToggleMcpServerData {
  name: string;
  enabled: boolean;
}

/** Allow a tool without asking, or stop that; for administrators. */
export interface ToggleToolAlwaysAllowData {
  server: string;
  tool: string;
  always_allow: boolean;
}

/** Ask whether a browser can be reached. */
export interface TestBrowserConnectionData {
  url?: string;
}

/** Close the browser session. */
export type KillBrowserSessionData = Record<string, never>;

/** Open a notebook file, or begin a notebook without one. */
export interface NotebookOpenData {
  path?: string;
  kernel_name?: string;
  new?: boolean;
}

/** Change the cells of a notebook. */
export interface NotebookEditData {
  notebook_id: string;
  if_version?: number;
  edits: CellEdit[];
}

/** Run cells of a notebook. */
export interface NotebookRunData {
  notebook_id: string;
  cells?: string[];
  all?: boolean;
  from?: string;
  to?: string;
}

/** Write a notebook to its file, or to another one. */
export interface NotebookSaveData {
  notebook_id: string;
  path?: string;
  conflict?: OnConflict;
}

/** Close a notebook and stop its kernel; the file stays. */
export interface NotebookCloseData {
  notebook_id: string;
}

/** Run code in a notebook's kernel: a cell of it, or a new one at its end. */
export interface KernelExecuteData {
  notebook_id?: string;
  kernel_id?: string;
  code: string;
  silent?: boolean;
  cell_index?: number;
}

/** Interrupt what a kernel runs; cells that wait do not run. */
export interface KernelInterruptData {
  notebook_id?: string;
  kernel_id?: string;
}

/** Start a kernel anew; what it knew is gone. */
export interface KernelRestartData {
  notebook_id?: string;
  kernel_id?: string;
}

/** Shut a kernel down. */
export interface KernelShutdownData {
  notebook_id?: string;
  kernel_id?: string;
  restart?: boolean;
}

/** The first frame a client gets: its id, the server's process ids and its address. */
export interface AckData {
  client_id: string;
  pid: number;
  ppid: number;
  url?: string;
  version?: string;
}

/** Start, cancel, close or resume a task, send it a message, or follow a session. */
export interface TaskCommandData {
  command_name: TaskCommandName;
  session_id?: string;
  client_message_id?: string;
  data?: unknown;
}

export type TaskCommandName =
  | "start_new_task"
  | "cancel_task"
  | "close_task"
  | "resume_task"
  | "send_message"
  | "follow";

/** An envelope of a session that the client follows, or an answer to it alone. */
export interface TaskEventData {
  type: EventType;
  session_id?: string;
  message_id?: string;
  timestamp: string;
  client_message_id?: string;
  data?: unknown;
}

/** The fields that every envelope of a server has. */
export interface ServerEnvelopeBase {
  session_id: string;
  /** "msg_…" for a record, absent for most answers and for streamed text. */
  message_id?: string;
  /** On a record: what the client called the command that led to it. */
  client_message_id?: string;
  /** RFC 3339 in UTC with milliseconds. */
  timestamp: string;
}

/** The fields that every envelope of a client may have. */
export interface ClientEnvelopeBase {
  session_id?: string;
  /** The client's own name for the message; a repeat has no second effect. */
  message_id?: string;
  timestamp?: string;
}

/** The data of each event, by type. */
export interface EventData {
  /** Says whether the client is let in, and as whom. */
  auth_result: AuthResult;
  /** The session as of one record; sent on every connect and on request. */
  session_state: SessionState;
  /** The replay is over; what follows is live. */
  sync_complete: SyncComplete;
  /** What this connection is; sent in view state, first of all and when its role changes. */
  connected: ConnectedData;
  /** What changed of the state, or all of it; in view state. */
  state_changed: StateChangedData;
  /** The next piece of a message that grows; in view state. */
  text: TextData;
  /** Are you there? Answer with pong. */
  ping: PingData;
  /** Who watches the session now; sent when that changes. */
  presence: PresenceData;
  /** Something failed: a client's frame (answer), or a run, agent or question (record). */
  error: ErrorData;
  /** The session came into being; the first record of each journal. */
  session_created: SessionCreatedData;
  /** The session has a new title. */
  session_renamed: SessionRenamedData;
  /** The session was put away, or brought back. */
  session_archived: SessionArchivedData;
  /** The owner shared the session with somebody, or took that back. */
  access_changed: AccessChangedData;
  /** A new session was made from this one's past. */
  session_forked: SessionForkedData;
  /** The session came from elsewhere. */
  session_imported: SessionImportedData;
  /** A message appeared in the transcript. */
  message_created: MessageCreatedData;
  /** A message changed; carries all of it. */
  message_updated: MessageUpdatedData;
  /** A client's message was handed to an agent. */
  message_accepted: MessageAcceptedData;
  /** A client's message waits, because the agent is busy or a limit is reached. */
  message_queued: MessageQueuedData;
  /** The messages that wait have another order, or one was taken back. */
  queue_changed: QueueChangedData;
  /** A task's model history has a new entry; the results of tools are in tool_progress. */
  model_message: ModelMessageData;
  /** A page of the transcript. */
  messages_page: MessagesPage;
  /** The next piece of an agent's answer. */
  agent_response: AgentResponseData;
  /** The next piece of an agent's thinking. */
  agent_thinking: AgentThinkingData;
  /** The conversation was taken back to an earlier message. */
  history_rewound: HistoryRewoundData;
  /** The last rewind was undone. */
  rewind_undone: RewindUndoneData;
  /** What a rewind would take away; also answers delete_message and edit_message. */
  rewind_preview: RewindPreviewAnswer;
  /** Files are being taken back; nothing else happens meanwhile. */
  rewind_started: RewindStartedData;
  /** Files could not be taken back; everything is as before. */
  rewind_failed: RewindFailedData;
  /** Somebody wants a summary in place of old messages to the model. */
  condense_requested: CondenseRequestedData;
  /** A run entered a layer. */
  layer_start: LayerStartData;
  /** A run left a layer. */
  layer_complete: LayerCompleteData;
  /** There is a plan. */
  plan_generated: PlanGeneratedData;
  /** The plan was approved. */
  plan_approved: PlanApprovedData;
  /** The plan has a new version. */
  plan_modified: PlanModifiedData;
  /** The plan was rejected. */
  plan_rejected: PlanRejectedData;
  /** Work on a todo began. */
  todo_started: TodoStartedData;
  /** A todo moved on. */
  todo_progress: TodoProgressData;
  /** A todo is done. */
  todo_completed: TodoCompletedData;
  /** A todo failed. */
  todo_failed: TodoFailedData;
  /** A todo that failed will be tried again. */
  todo_retried: TodoRetriedData;
  /** A todo was left out. */
  todo_skipped: TodoSkippedData;
  /** How far the plan as a whole has come. */
  execution_progress: ExecutionProgressData;
  /** The run ended well; carries its answer. */
  complete: CompleteData;
  /** The run failed; carries what there is. */
  failed: FailedData;
  /** The run was cancelled; carries what there is. */
  cancelled: CancelledData;
  /** A person has to review a plan. */
  hitl_plan_review: HitlPlanReviewData;
  /** A person has to allow something. */
  hitl_approval_request: HitlApprovalRequestData;
  /** A person has to fill something in. */
  hitl_input_request: HitlInputRequestData;
  /** A person has to say what was meant. */
  hitl_clarification: HitlClarificationData;
  /** A question is settled, by whomever. */
  hitl_resolved: HitlResolvedData;
  /** A question's deadline is near. */
  hitl_reminder: HitlReminderData;
  /** A question is meant for somebody else. */
  hitl_assigned: HitlAssignedData;
  /** What was remembered for a task needs approval again. */
  rule_forgotten: RuleForgottenData;
  /** The run is paused. */
  hitl_paused: HitlPausedData;
  /** The run continues. */
  hitl_resumed: HitlResumedData;
  /** There is a new task. */
  task_created: TaskCreatedData;
  /** Work on a task began. */
  task_started: TaskStartedData;
  /** A task is done. */
  task_completed: TaskCompletedData;
  /** A task was stopped. */
  task_aborted: TaskAbortedData;
  /** A task came to the front. */
  task_focused: TaskFocusedData;
  /** A task left the front. */
  task_unfocused: TaskUnfocusedData;
  /** A task is running. */
  task_active: TaskActiveData;
  /** A task waits for an answer. */
  task_interactive: TaskInteractiveData;
  /** A task can be taken up again. */
  task_resumable: TaskResumableData;
  /** A task is at rest. */
  task_idle: TaskIdleData;
  /** A task waits for its child. */
  task_paused: TaskPausedData;
  /** A task continues after its child. */
  task_unpaused: TaskUnpausedData;
  /** A task started a child. */
  task_spawned: TaskSpawnedData;
  /** A task changed its mode. */
  task_mode_switched: TaskModeSwitchedData;
  /** A task's question was answered. */
  task_ask_responded: TaskAskRespondedData;
  /** The user sent a task a message. */
  task_user_message: TaskUserMessageData;
  /** A tool failed in a task. */
  task_tool_failed: TaskToolFailedData;
  /** A task's usage changed. */
  task_token_usage_updated: TaskTokenUsageUpdatedData;
  /** There is a new monitor, with a main agent of its own. */
  monitor_added: MonitorAddedData;
  /** A monitor was removed; what was on it is on the main one. */
  monitor_removed: MonitorRemovedData;
  /** The agents of a background monitor wait until its output budget has room, or continue. */
  monitor_held: MonitorHeldData;
  /** Things the front end should do, in order. */
  actions: ActionsData;
  /** What a person did to windows. */
  user_interacted: UserInteractedData;
  /** What a window should show could not be drawn. */
  rendering_failed: RenderingFailedData;
  /** Somebody dismissed a toast or a notice. */
  toast_dismissed: ToastDismissedData;
  /** Whether the model provider can be reached. */
  provider_status: ProviderStatusData;
  /** A tool call began, moved on or ended. */
  tool_progress: ToolProgressData;
  /** What a window's agent is doing. */
  window_agent_status: WindowAgentStatusData;
  /** An agent asks an app for its state, or tells it to do something. */
  app_protocol_request: AppProtocolRequestData;
  /** What the app in a window can be asked and told. */
  app_registered: AppRegisteredData;
  /** The page of a tool server asked for a tool of its server. */
  app_called: AppCalledData;
  /** A notebook is open; its file is read next. */
  notebook_opened: NotebookOpenedData;
  /** What a notebook's file has, or why it could not be read. */
  notebook_read: NotebookReadData;
  /** Cells of a notebook were changed. */
  notebook_changed: NotebookChangedData;
  /** A notebook is to be written to its file. */
  notebook_save_requested: NotebookSaveRequestedData;
  /** A notebook was written to its file, or could not be. */
  notebook_saved: NotebookSavedData;
  /** A notebook is closed. */
  notebook_closed: NotebookClosedData;
  /** Cells are to run. */
  cell_queued: CellQueuedData;
  /** A cell is about to run. */
  cell_started: CellStartedData;
  /** A run of a cell is over. */
  cell_finished: CellFinishedData;
  /** A kernel is in another state, or something is wanted of it. */
  kernel_changed: KernelChangedData;
  /** A fresh kernel is to run again what ran. */
  kernel_rerun_requested: KernelRerunRequestedData;
  /** What a fresh kernel runs again. */
  kernel_rerun_started: KernelRerunStartedData;
  /** A fresh kernel has run again what ran, or was stopped. */
  kernel_rerun_finished: KernelRerunFinishedData;
  /** Checkpoints of a workspace can be made from here on. */
  checkpoint_initialized: CheckpointInitializedData;
  /** A checkpoint was made. */
  checkpoint_saved: CheckpointSavedData;
  /** Files were taken back to a checkpoint. */
  checkpoint_restored: CheckpointRestoredData;
  /** Another checkpoint is the current one. */
  checkpoint_updated: CheckpointUpdatedData;
  /** How files differ between two checkpoints. */
  checkpoint_diff: CheckpointDiffAnswer;
  /** Settings, modes, profiles and task history, for a user interface. */
  state: StateData;
  /** The user interface should show a view. */
  show_view: ShowViewData;
  /** The user interface should act as if the user had. */
  invoke: InvokeData;
  /** The user interface should send what is typed. */
  accept_input: AcceptInputData;
  /** The tool servers and their tools. */
  mcp_servers: McpServersData;
  /** The commands a user may call by name. */
  commands: CommandsData;
  /** A better wording of a prompt. */
  enhanced_prompt: EnhancedPromptData;
  /** The system prompt in use. */
  system_prompt: SystemPromptData;
  /** What is approved without asking has changed. */
  auto_approval_changed: AutoApprovalChangedData;
  /** Settings of this session alone have changed. */
  settings_changed: SettingsChangedData;
  /** The browser session changed. */
  browser_session_update: BrowserSessionUpdateData;
  /** The workspace changed. */
  workspace_updated: WorkspaceUpdatedData;
  /** A text should be spoken. */
  tts_start: TtsStartData;
  /** Speech should stop. */
  tts_stop: TtsStopData;
  /** The settings, without secrets. */
  export_settings: ExportSettingsAnswer;
  /** Whether a browser can be reached. */
  test_browser_connection: TestBrowserConnectionAnswer;
}

/** The data of each command, by type. */
export interface CommandData {
  /** Show credentials, as the first message. */
  auth: AuthData;
  /** Answer a ping. */
  pong: PongData;
  /** Ask for session_state or state. */
  get_state: GetStateData;
  /** Ask for a page of the transcript. */
  get_messages: GetMessagesData;
  /** From now on send only this monitor's events and those without a monitor; repeat it for more monitors. */
  subscribe_monitor: SubscribeMonitorData;
  /** Approve, change or reject a plan. */
  hitl_plan_response: HitlPlanResponseData;
  /** Allow, skip or refuse what was asked. */
  hitl_approval_response: HitlApprovalResponseData;
  /** Fill in what was asked for. */
  hitl_input_response: HitlInputResponseData;
  /** Say what was meant. */
  hitl_clarification_response: HitlClarificationResponseData;
  /** Answer an ask by button, text or value. */
  ask_response: AskResponseData;
  /** Choose who answers a question. */
  assign_question: AssignQuestionData;
  /** Say something to the session; the one way in for a person's words. */
  user_message: UserMessageData;
  /** Say something else in a message that waits. */
  edit_queued: EditQueuedData;
  /** Take back a message that waits. */
  remove_queued: RemoveQueuedData;
  /** Change the order of the messages that wait. */
  move_queued: MoveQueuedData;
  /** Do not let a message wait any longer. */
  send_queued: SendQueuedData;
  /** Say something to a window's agent. */
  window_message: WindowMessageData;
  /** A button or form in a window was used. */
  component_action: ComponentActionData;
  /** Start a task. */
  new_task: NewTaskData;
  /** Take a task up again. */
  resume_task: ResumeTaskData;
  /** Put a task away without deleting it. */
  clear_task: ClearTaskData;
  /** Pause the run. */
  control_pause: ControlPauseData;
  /** Let the run continue, with changes to the plan if any. */
  control_resume: ControlResumeData;
  /** End the run or task. */
  control_cancel: ControlCancelData;
  /** Try a failed todo again. */
  control_retry: ControlRetryData;
  /** Leave a todo out. */
  control_skip: ControlSkipData;
  /** Change the todos of a run's plan; an approval given before no longer holds. */
  edit_plan: EditPlanData;
  /** Stop what all agents are doing; the work stays. */
  interrupt: InterruptData;
  /** Stop what one agent is doing. */
  interrupt_agent: InterruptAgentData;
  /** Stop everything and clear the context; the journal stays. */
  reset: ResetData;
  /** Use another model provider. */
  set_provider: SetProviderData;
  /** Remove a background monitor. */
  remove_monitor: RemoveMonitorData;
  /** Report whether a window could be drawn. */
  rendering_feedback: RenderingFeedbackData;
  /** Dismiss a toast or a notice. */
  toast_action: ToastActionData;
  /** What the user did to windows, as a batch. */
  user_interaction: UserInteractionData;
  /** An app's answer to an agent. */
  app_protocol_response: AppProtocolResponseData;
  /** An app is ready to be asked. */
  app_protocol_ready: AppProtocolReadyData;
  /** The page of a tool server asks for a tool of its server. */
  app_call: AppCallData;
  /** Ask what deleting a message would take away. */
  delete_message: DeleteMessageData;
  /** Delete a message and all after it. */
  delete_message_confirm: DeleteMessageConfirmData;
  /** Ask what editing a message would take away. */
  edit_message: EditMessageData;
  /** Go back to a message and send it with new words. */
  edit_message_confirm: EditMessageConfirmData;
  /** Take the conversation back to a message. */
  rewind: RewindData;
  /** Ask what a rewind would take away. */
  rewind_preview: RewindPreviewData;
  /** Undo the last rewind. */
  undo_rewind: UndoRewindData;
  /** Do again the rewind that was undone last. */
  redo_rewind: RedoRewindData;
  /** Take the conversation back to its start. */
  clear_messages: ClearMessagesData;
  /** Make a new session from this one's past. */
  fork_session: ForkSessionData;
  /** Put a summary in place of a task's old messages to the model. */
  condense_context: CondenseContextData;
  /** Give the session a title. */
  rename_session: RenameSessionData;
  /** Put the session away, so that lists leave it out, or bring it back. It is refused while an agent is at work or a question is open; what is said or begun in the session also brings it back. */
  archive_session: ArchiveSessionData;
  /** Share the session with somebody, or take that back. */
  set_access: SetAccessData;
  /** Have asked again what was remembered for a task. */
  forget_rule: ForgetRuleData;
  /** Ask how files differ between two checkpoints. */
  checkpoint_diff: CheckpointDiffData;
  /** Take files back to a checkpoint. */
  checkpoint_restore: CheckpointRestoreData;
  /** Make a checkpoint of the files as they are now. */
  checkpoint_save: CheckpointSaveData;
  /** Change settings, of this session or, for administrators, of the server. */
  update_settings: UpdateSettingsData;
  /** Set all settings back; for administrators. */
  reset_settings: ResetSettingsData;
  /** Take settings over from elsewhere; for administrators. */
  import_settings: ImportSettingsData;
  /** Ask for the settings, without secrets; for administrators. */
  export_settings: ExportSettingsData;
  /** Store a model profile; for administrators. */
  save_model_profile: SaveModelProfileData;
  /** Use a model profile. */
  load_model_profile: LoadModelProfileData;
  /** Restart a tool server; for administrators. */
  restart_mcp_server: RestartMcpServerData;
  /** Switch a tool server on or off; for administrators. */
  toggle_mcp_server: ToggleMcpServerData;
  /** Allow a tool without asking, or stop that; for administrators. */
  toggle_tool_always_allow: ToggleToolAlwaysAllowData;
  /** Ask whether a browser can be reached. */
  test_browser_connection: TestBrowserConnectionData;
  /** Close the browser session. */
  kill_browser_session: KillBrowserSessionData;
  /** Open a notebook file, or begin a notebook without one. */
  notebook_open: NotebookOpenData;
  /** Change the cells of a notebook. */
  notebook_edit: NotebookEditData;
  /** Run cells of a notebook. */
  notebook_run: NotebookRunData;
  /** Write a notebook to its file, or to another one. */
  notebook_save: NotebookSaveData;
  /** Close a notebook and stop its kernel; the file stays. */
  notebook_close: NotebookCloseData;
  /** Run code in a notebook's kernel: a cell of it, or a new one at its end. */
  kernel_execute: KernelExecuteData;
  /** Interrupt what a kernel runs; cells that wait do not run. */
  kernel_interrupt: KernelInterruptData;
  /** Start a kernel anew; what it knew is gone. */
  kernel_restart: KernelRestartData;
  /** Shut a kernel down. */
  kernel_shutdown: KernelShutdownData;
}

/** What a server sends, told apart by type. */
export type ServerEnvelope =
  | (ServerEnvelopeBase & { type: "auth_result"; data: AuthResult })
  | (ServerEnvelopeBase & { type: "session_state"; data: SessionState })
  | (ServerEnvelopeBase & { type: "sync_complete"; data: SyncComplete })
  | (ServerEnvelopeBase & { type: "connected"; data: ConnectedData })
  | (ServerEnvelopeBase & { type: "state_changed"; data: StateChangedData })
  | (ServerEnvelopeBase & { type: "text"; data: TextData })
  | (ServerEnvelopeBase & { type: "ping"; data?: PingData })
  | (ServerEnvelopeBase & { type: "presence"; data: PresenceData })
  | (ServerEnvelopeBase & { type: "error"; data: ErrorData })
  | (ServerEnvelopeBase & { type: "session_created"; data: SessionCreatedData })
  | (ServerEnvelopeBase & { type: "session_renamed"; data: SessionRenamedData })
  | (ServerEnvelopeBase & { type: "session_archived"; data: SessionArchivedData })
  | (ServerEnvelopeBase & { type: "access_changed"; data: AccessChangedData })
  | (ServerEnvelopeBase & { type: "session_forked"; data: SessionForkedData })
  | (ServerEnvelopeBase & { type: "session_imported"; data: SessionImportedData })
  | (ServerEnvelopeBase & { type: "message_created"; data: MessageCreatedData })
  | (ServerEnvelopeBase & { type: "message_updated"; data: MessageUpdatedData })
  | (ServerEnvelopeBase & { type: "message_accepted"; data: MessageAcceptedData })
  | (ServerEnvelopeBase & { type: "message_queued"; data: MessageQueuedData })
  | (ServerEnvelopeBase & { type: "queue_changed"; data: QueueChangedData })
  | (ServerEnvelopeBase & { type: "model_message"; data: ModelMessageData })
  | (ServerEnvelopeBase & { type: "messages_page"; data: MessagesPage })
  | (ServerEnvelopeBase & { type: "agent_response"; data: AgentResponseData })
  | (ServerEnvelopeBase & { type: "agent_thinking"; data: AgentThinkingData })
  | (ServerEnvelopeBase & { type: "history_rewound"; data: HistoryRewoundData })
  | (ServerEnvelopeBase & { type: "rewind_undone"; data: RewindUndoneData })
  | (ServerEnvelopeBase & { type: "rewind_preview"; data: RewindPreviewAnswer })
  | (ServerEnvelopeBase & { type: "rewind_started"; data: RewindStartedData })
  | (ServerEnvelopeBase & { type: "rewind_failed"; data: RewindFailedData })
  | (ServerEnvelopeBase & { type: "condense_requested"; data: CondenseRequestedData })
  | (ServerEnvelopeBase & { type: "layer_start"; data: LayerStartData })
  | (ServerEnvelopeBase & { type: "layer_complete"; data: LayerCompleteData })
  | (ServerEnvelopeBase & { type: "plan_generated"; data: PlanGeneratedData })
  | (ServerEnvelopeBase & { type: "plan_approved"; data: PlanApprovedData })
  | (ServerEnvelopeBase & { type: "plan_modified"; data: PlanModifiedData })
  | (ServerEnvelopeBase & { type: "plan_rejected"; data: PlanRejectedData })
  | (ServerEnvelopeBase & { type: "todo_started"; data: TodoStartedData })
  | (ServerEnvelopeBase & { type: "todo_progress"; data: TodoProgressData })
  | (ServerEnvelopeBase & { type: "todo_completed"; data: TodoCompletedData })
  | (ServerEnvelopeBase & { type: "todo_failed"; data: TodoFailedData })
  | (ServerEnvelopeBase & { type: "todo_retried"; data: TodoRetriedData })
  | (ServerEnvelopeBase & { type: "todo_skipped"; data: TodoSkippedData })
  | (ServerEnvelopeBase & { type: "execution_progress"; data: ExecutionProgressData })
  | (ServerEnvelopeBase & { type: "complete"; data: CompleteData })
  | (ServerEnvelopeBase & { type: "failed"; data: FailedData })
  | (ServerEnvelopeBase & { type: "cancelled"; data: CancelledData })
  | (ServerEnvelopeBase & { type: "hitl_plan_review"; data: HitlPlanReviewData })
  | (ServerEnvelopeBase & { type: "hitl_approval_request"; data: HitlApprovalRequestData })
  | (ServerEnvelopeBase & { type: "hitl_input_request"; data: HitlInputRequestData })
  | (ServerEnvelopeBase & { type: "hitl_clarification"; data: HitlClarificationData })
  | (ServerEnvelopeBase & { type: "hitl_resolved"; data: HitlResolvedData })
  | (ServerEnvelopeBase & { type: "hitl_reminder"; data: HitlReminderData })
  | (ServerEnvelopeBase & { type: "hitl_assigned"; data: HitlAssignedData })
  | (ServerEnvelopeBase & { type: "rule_forgotten"; data: RuleForgottenData })
  | (ServerEnvelopeBase & { type: "hitl_paused"; data: HitlPausedData })
  | (ServerEnvelopeBase & { type: "hitl_resumed"; data: HitlResumedData })
  | (ServerEnvelopeBase & { type: "task_created"; data: TaskCreatedData })
  | (ServerEnvelopeBase & { type: "task_started"; data: TaskStartedData })
  | (ServerEnvelopeBase & { type: "task_completed"; data: TaskCompletedData })
  | (ServerEnvelopeBase & { type: "task_aborted"; data: TaskAbortedData })
  | (ServerEnvelopeBase & { type: "task_focused"; data: TaskFocusedData })
  | (ServerEnvelopeBase & { type: "task_unfocused"; data: TaskUnfocusedData })
  | (ServerEnvelopeBase & { type: "task_active"; data: TaskActiveData })
  | (ServerEnvelopeBase & { type: "task_interactive"; data: TaskInteractiveData })
  | (ServerEnvelopeBase & { type: "task_resumable"; data: TaskResumableData })
  | (ServerEnvelopeBase & { type: "task_idle"; data: TaskIdleData })
  | (ServerEnvelopeBase & { type: "task_paused"; data: TaskPausedData })
  | (ServerEnvelopeBase & { type: "task_unpaused"; data: TaskUnpausedData })
  | (ServerEnvelopeBase & { type: "task_spawned"; data: TaskSpawnedData })
  | (ServerEnvelopeBase & { type: "task_mode_switched"; data: TaskModeSwitchedData })
  | (ServerEnvelopeBase & { type: "task_ask_responded"; data: TaskAskRespondedData })
  | (ServerEnvelopeBase & { type: "task_user_message"; data: TaskUserMessageData })
  | (ServerEnvelopeBase & { type: "task_tool_failed"; data: TaskToolFailedData })
  | (ServerEnvelopeBase & { type: "task_token_usage_updated"; data: TaskTokenUsageUpdatedData })
  | (ServerEnvelopeBase & { type: "monitor_added"; data: MonitorAddedData })
  | (ServerEnvelopeBase & { type: "monitor_removed"; data: MonitorRemovedData })
  | (ServerEnvelopeBase & { type: "monitor_held"; data: MonitorHeldData })
  | (ServerEnvelopeBase & { type: "actions"; data: ActionsData })
  | (ServerEnvelopeBase & { type: "user_interacted"; data: UserInteractedData })
  | (ServerEnvelopeBase & { type: "rendering_failed"; data: RenderingFailedData })
  | (ServerEnvelopeBase & { type: "toast_dismissed"; data: ToastDismissedData })
  | (ServerEnvelopeBase & { type: "provider_status"; data: ProviderStatusData })
  | (ServerEnvelopeBase & { type: "tool_progress"; data: ToolProgressData })
  | (ServerEnvelopeBase & { type: "window_agent_status"; data: WindowAgentStatusData })
  | (ServerEnvelopeBase & { type: "app_protocol_request"; data: AppProtocolRequestData })
  | (ServerEnvelopeBase & { type: "app_registered"; data: AppRegisteredData })
  | (ServerEnvelopeBase & { type: "app_called"; data: AppCalledData })
  | (ServerEnvelopeBase & { type: "notebook_opened"; data: NotebookOpenedData })
  | (ServerEnvelopeBase & { type: "notebook_read"; data: NotebookReadData })
  | (ServerEnvelopeBase & { type: "notebook_changed"; data: NotebookChangedData })
  | (ServerEnvelopeBase & { type: "notebook_save_requested"; data: NotebookSaveRequestedData })
  | (ServerEnvelopeBase & { type: "notebook_saved"; data: NotebookSavedData })
  | (ServerEnvelopeBase & { type: "notebook_closed"; data: NotebookClosedData })
  | (ServerEnvelopeBase & { type: "cell_queued"; data: CellQueuedData })
  | (ServerEnvelopeBase & { type: "cell_started"; data: CellStartedData })
  | (ServerEnvelopeBase & { type: "cell_finished"; data: CellFinishedData })
  | (ServerEnvelopeBase & { type: "kernel_changed"; data: KernelChangedData })
  | (ServerEnvelopeBase & { type: "kernel_rerun_requested"; data: KernelRerunRequestedData })
  | (ServerEnvelopeBase & { type: "kernel_rerun_started"; data: KernelRerunStartedData })
  | (ServerEnvelopeBase & { type: "kernel_rerun_finished"; data: KernelRerunFinishedData })
  | (ServerEnvelopeBase & { type: "checkpoint_initialized"; data: CheckpointInitializedData })
  | (ServerEnvelopeBase & { type: "checkpoint_saved"; data: CheckpointSavedData })
  | (ServerEnvelopeBase & { type: "checkpoint_restored"; data: CheckpointRestoredData })
  | (ServerEnvelopeBase & { type: "checkpoint_updated"; data: CheckpointUpdatedData })
  | (ServerEnvelopeBase & { type: "checkpoint_diff"; data: CheckpointDiffAnswer })
  | (ServerEnvelopeBase & { type: "state"; data: StateData })
  | (ServerEnvelopeBase & { type: "show_view"; data: ShowViewData })
  | (ServerEnvelopeBase & { type: "invoke"; data: InvokeData })
  | (ServerEnvelopeBase & { type: "accept_input"; data?: AcceptInputData })
  | (ServerEnvelopeBase & { type: "mcp_servers"; data: McpServersData })
  | (ServerEnvelopeBase & { type: "commands"; data: CommandsData })
  | (ServerEnvelopeBase & { type: "enhanced_prompt"; data: EnhancedPromptData })
  | (ServerEnvelopeBase & { type: "system_prompt"; data: SystemPromptData })
  | (ServerEnvelopeBase & { type: "auto_approval_changed"; data: AutoApprovalChangedData })
  | (ServerEnvelopeBase & { type: "settings_changed"; data: SettingsChangedData })
  | (ServerEnvelopeBase & { type: "browser_session_update"; data: BrowserSessionUpdateData })
  | (ServerEnvelopeBase & { type: "workspace_updated"; data: WorkspaceUpdatedData })
  | (ServerEnvelopeBase & { type: "tts_start"; data: TtsStartData })
  | (ServerEnvelopeBase & { type: "tts_stop"; data: TtsStopData })
  | (ServerEnvelopeBase & { type: "export_settings"; data: ExportSettingsAnswer })
  | (ServerEnvelopeBase & { type: "test_browser_connection"; data: TestBrowserConnectionAnswer });

/** What a client sends, told apart by type. */
export type ClientEnvelope =
  | (ClientEnvelopeBase & { type: "auth"; data?: AuthData })
  | (ClientEnvelopeBase & { type: "pong"; data?: PongData })
  | (ClientEnvelopeBase & { type: "get_state"; data?: GetStateData })
  | (ClientEnvelopeBase & { type: "get_messages"; data?: GetMessagesData })
  | (ClientEnvelopeBase & { type: "subscribe_monitor"; data: SubscribeMonitorData })
  | (ClientEnvelopeBase & { type: "hitl_plan_response"; data: HitlPlanResponseData })
  | (ClientEnvelopeBase & { type: "hitl_approval_response"; data: HitlApprovalResponseData })
  | (ClientEnvelopeBase & { type: "hitl_input_response"; data: HitlInputResponseData })
  | (ClientEnvelopeBase & { type: "hitl_clarification_response"; data: HitlClarificationResponseData })
  | (ClientEnvelopeBase & { type: "ask_response"; data: AskResponseData })
  | (ClientEnvelopeBase & { type: "assign_question"; data: AssignQuestionData })
  | (ClientEnvelopeBase & { type: "user_message"; data: UserMessageData })
  | (ClientEnvelopeBase & { type: "edit_queued"; data: EditQueuedData })
  | (ClientEnvelopeBase & { type: "remove_queued"; data: RemoveQueuedData })
  | (ClientEnvelopeBase & { type: "move_queued"; data: MoveQueuedData })
  | (ClientEnvelopeBase & { type: "send_queued"; data: SendQueuedData })
  | (ClientEnvelopeBase & { type: "window_message"; data: WindowMessageData })
  | (ClientEnvelopeBase & { type: "component_action"; data: ComponentActionData })
  | (ClientEnvelopeBase & { type: "new_task"; data: NewTaskData })
  | (ClientEnvelopeBase & { type: "resume_task"; data: ResumeTaskData })
  | (ClientEnvelopeBase & { type: "clear_task"; data?: ClearTaskData })
  | (ClientEnvelopeBase & { type: "control_pause"; data?: ControlPauseData })
  | (ClientEnvelopeBase & { type: "control_resume"; data?: ControlResumeData })
  | (ClientEnvelopeBase & { type: "control_cancel"; data?: ControlCancelData })
  | (ClientEnvelopeBase & { type: "control_retry"; data: ControlRetryData })
  | (ClientEnvelopeBase & { type: "control_skip"; data: ControlSkipData })
  | (ClientEnvelopeBase & { type: "edit_plan"; data: EditPlanData })
  | (ClientEnvelopeBase & { type: "interrupt"; data?: InterruptData })
  | (ClientEnvelopeBase & { type: "interrupt_agent"; data: InterruptAgentData })
  | (ClientEnvelopeBase & { type: "reset"; data?: ResetData })
  | (ClientEnvelopeBase & { type: "set_provider"; data: SetProviderData })
  | (ClientEnvelopeBase & { type: "remove_monitor"; data: RemoveMonitorData })
  | (ClientEnvelopeBase & { type: "rendering_feedback"; data: RenderingFeedbackData })
  | (ClientEnvelopeBase & { type: "toast_action"; data: ToastActionData })
  | (ClientEnvelopeBase & { type: "user_interaction"; data: UserInteractionData })
  | (ClientEnvelopeBase & { type: "app_protocol_response"; data: AppProtocolResponseData })
  | (ClientEnvelopeBase & { type: "app_protocol_ready"; data: AppProtocolReadyData })
  | (ClientEnvelopeBase & { type: "app_call"; data: AppCallData })
  | (ClientEnvelopeBase & { type: "delete_message"; data?: DeleteMessageData })
  | (ClientEnvelopeBase & { type: "delete_message_confirm"; data?: DeleteMessageConfirmData })
  | (ClientEnvelopeBase & { type: "edit_message"; data: EditMessageData })
  | (ClientEnvelopeBase & { type: "edit_message_confirm"; data: EditMessageConfirmData })
  | (ClientEnvelopeBase & { type: "rewind"; data?: RewindData })
  | (ClientEnvelopeBase & { type: "rewind_preview"; data?: RewindPreviewData })
  | (ClientEnvelopeBase & { type: "undo_rewind"; data?: UndoRewindData })
  | (ClientEnvelopeBase & { type: "redo_rewind"; data?: RedoRewindData })
  | (ClientEnvelopeBase & { type: "clear_messages"; data?: ClearMessagesData })
  | (ClientEnvelopeBase & { type: "fork_session"; data?: ForkSessionData })
  | (ClientEnvelopeBase & { type: "condense_context"; data?: CondenseContextData })
  | (ClientEnvelopeBase & { type: "rename_session"; data: RenameSessionData })
  | (ClientEnvelopeBase & { type: "archive_session"; data: ArchiveSessionData })
  | (ClientEnvelopeBase & { type: "set_access"; data: SetAccessData })
  | (ClientEnvelopeBase & { type: "forget_rule"; data: ForgetRuleData })
  | (ClientEnvelopeBase & { type: "checkpoint_diff"; data?: CheckpointDiffData })
  | (ClientEnvelopeBase & { type: "checkpoint_restore"; data?: CheckpointRestoreData })
  | (ClientEnvelopeBase & { type: "checkpoint_save"; data?: CheckpointSaveData })
  | (ClientEnvelopeBase & { type: "update_settings"; data: UpdateSettingsData })
  | (ClientEnvelopeBase & { type: "reset_settings"; data?: ResetSettingsData })
  | (ClientEnvelopeBase & { type: "import_settings"; data: ImportSettingsData })
  | (ClientEnvelopeBase & { type: "export_settings"; data?: ExportSettingsData })
  | (ClientEnvelopeBase & { type: "save_model_profile"; data: SaveModelProfileData })
  | (ClientEnvelopeBase & { type: "load_model_profile"; data: LoadModelProfileData })
  | (ClientEnvelopeBase & { type: "restart_mcp_server"; data: RestartMcpServerData })
  | (ClientEnvelopeBase & { type: "toggle_mcp_server"; data: ToggleMcpServerData })
  | (ClientEnvelopeBase & { type: "toggle_tool_always_allow"; data: ToggleToolAlwaysAllowData })
  | (ClientEnvelopeBase & { type: "test_browser_connection"; data?: TestBrowserConnectionData })
  | (ClientEnvelopeBase & { type: "kill_browser_session"; data?: KillBrowserSessionData })
  | (ClientEnvelopeBase & { type: "notebook_open"; data?: NotebookOpenData })
  | (ClientEnvelopeBase & { type: "notebook_edit"; data: NotebookEditData })
  | (ClientEnvelopeBase & { type: "notebook_run"; data: NotebookRunData })
  | (ClientEnvelopeBase & { type: "notebook_save"; data: NotebookSaveData })
  | (ClientEnvelopeBase & { type: "notebook_close"; data: NotebookCloseData })
  | (ClientEnvelopeBase & { type: "kernel_execute"; data: KernelExecuteData })
  | (ClientEnvelopeBase & { type: "kernel_interrupt"; data?: KernelInterruptData })
  | (ClientEnvelopeBase & { type: "kernel_restart"; data?: KernelRestartData })
  | (ClientEnvelopeBase & { type: "kernel_shutdown"; data?: KernelShutdownData });

/** Every event type, to tell known ones from those of a newer server. */
export const eventTypes: readonly (keyof EventData)[] = [
  "auth_result",
  "session_state",
  "sync_complete",
  "connected",
  "state_changed",
  "text",
  "ping",
  "presence",
  "error",
  "session_created",
  "session_renamed",
  "session_archived",
  "access_changed",
  "session_forked",
  "session_imported",
  "message_created",
  "message_updated",
  "message_accepted",
  "message_queued",
  "queue_changed",
  "model_message",
  "messages_page",
  "agent_response",
  "agent_thinking",
  "history_rewound",
  "rewind_undone",
  "rewind_preview",
  "rewind_started",
  "rewind_failed",
  "condense_requested",
  "layer_start",
  "layer_complete",
  "plan_generated",
  "plan_approved",
  "plan_modified",
  "plan_rejected",
  "todo_started",
  "todo_progress",
  "todo_completed",
  "todo_failed",
  "todo_retried",
  "todo_skipped",
  "execution_progress",
  "complete",
  "failed",
  "cancelled",
  "hitl_plan_review",
  "hitl_approval_request",
  "hitl_input_request",
  "hitl_clarification",
  "hitl_resolved",
  "hitl_reminder",
  "hitl_assigned",
  "rule_forgotten",
  "hitl_paused",
  "hitl_resumed",
  "task_created",
  "task_started",
  "task_completed",
  "task_aborted",
  "task_focused",
  "task_unfocused",
  "task_active",
  "task_interactive",
  "task_resumable",
  "task_idle",
  "task_paused",
  "task_unpaused",
  "task_spawned",
  "task_mode_switched",
  "task_ask_responded",
  "task_user_message",
  "task_tool_failed",
  "task_token_usage_updated",
  "monitor_added",
  "monitor_removed",
  "monitor_held",
  "actions",
  "user_interacted",
  "rendering_failed",
  "toast_dismissed",
  "provider_status",
  "tool_progress",
  "window_agent_status",
  "app_protocol_request",
  "app_registered",
  "app_called",
  "notebook_opened",
  "notebook_read",
  "notebook_changed",
  "notebook_save_requested",
  "notebook_saved",
  "notebook_closed",
  "cell_queued",
  "cell_started",
  "cell_finished",
  "kernel_changed",
  "kernel_rerun_requested",
  "kernel_rerun_started",
  "kernel_rerun_finished",
  "checkpoint_initialized",
  "checkpoint_saved",
  "checkpoint_restored",
  "checkpoint_updated",
  "checkpoint_diff",
  "state",
  "show_view",
  "invoke",
  "accept_input",
  "mcp_servers",
  "commands",
  "enhanced_prompt",
  "system_prompt",
  "auto_approval_changed",
  "settings_changed",
  "browser_session_update",
  "workspace_updated",
  "tts_start",
  "tts_stop",
  "export_settings",
  "test_browser_connection",
];

/** What people type who mean nothing but yes: words with one space between them, the longer of two that begin alike first. */
export const plainYes: readonly string[] = [
  "yes do it",
  "yes",
  "y",
  "yeah",
  "yep",
  "yup",
  "ok",
  "okay",
  "k",
  "sure",
  "fine",
  "go ahead",
  "go on",
  "go for it",
  "go",
  "do it",
  "proceed",
  "continue",
  "looks good to me",
  "looks good",
  "looks great",
  "sounds good",
  "good",
  "great",
  "perfect",
  "approve it",
  "approve",
  "approved",
  "allow it",
  "allow",
  "accept",
  "accepted",
  "agreed",
  "correct",
  "right",
  "confirm",
  "confirmed",
  "lgtm",
  "👍",
  "✅",
  "네",
  "넵",
  "넹",
  "예",
  "응",
  "어",
  "좋아요",
  "좋아",
  "좋습니다",
  "그래요",
  "그래",
  "그렇게 해",
  "그렇게 하세요",
  "승인",
  "승인해",
  "승인합니다",
  "허용",
  "진행해",
  "진행",
  "계속해",
  "계속",
  "해",
  "하세요",
  "ㅇㅇ",
  "ㅇㅋ",
  "오케이",
  "ja",
  "oui",
  "sí",
  "si",
  "да",
  "はい",
  "好的",
  "好",
  "是",
];

/** What people type who mean nothing but no. */
export const plainNo: readonly string[] = [
  "no way",
  "no",
  "n",
  "nope",
  "nah",
  "not now",
  "don t do it",
  "don t",
  "do not",
  "deny it",
  "deny",
  "denied",
  "reject it",
  "reject",
  "rejected",
  "refuse",
  "decline",
  "never",
  "👎",
  "❌",
  "아니요",
  "아니오",
  "아니",
  "아뇨",
  "안돼요",
  "안돼",
  "안 돼요",
  "안 돼",
  "안됩니다",
  "싫어요",
  "싫어",
  "거절",
  "거부",
  "하지 마",
  "하지마",
  "ㄴㄴ",
  "nein",
  "non",
  "нет",
  "いいえ",
  "不行",
  "不",
];

/** What may stand beside a plain yes or no. */
export const plainCourtesy: readonly string[] = [
  "please",
  "thanks",
  "then",
  "주세요",
];
