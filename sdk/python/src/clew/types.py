"""Types of the protocol: events, commands and entities.

Made by internal/gen from the catalogue. Do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Type checkers know it in every version of Python; nothing asks for it when it runs.
    from typing_extensions import NotRequired


class AuthResult(TypedDict):
    """Says whether the client is let in, and as whom."""

    ok: bool
    user_id: NotRequired[str]
    role: NotRequired[Role]
    code: NotRequired[Code]
    number: NotRequired[int]
    message: NotRequired[str]

Role = Literal[
    "",
    "viewer",
    "approver",
    "owner",
    "admin",
]

Code = Literal[
    "CONNECTION_FAILED",
    "CONNECTION_TIMEOUT",
    "INVALID_MESSAGE",
    "RATE_LIMITED",
    "MESSAGE_TOO_LARGE",
    "AUTH_REQUIRED",
    "AUTH_FAILED",
    "TOKEN_EXPIRED",
    "FORBIDDEN",
    "SESSION_NOT_FOUND",
    "SESSION_EXPIRED",
    "SESSION_INVALID_STATE",
    "MESSAGE_NOT_FOUND",
    "TASK_NOT_FOUND",
    "CURSOR_LOST",
    "SESSION_DAMAGED",
    "SESSION_TOO_NEW",
    "SESSION_EXISTS",
    "EXECUTION_FAILED",
    "TODO_FAILED",
    "TOOL_TIMEOUT",
    "TOOL_EXECUTION_FAILED",
    "QUEUE_FULL",
    "AGENT_LIMIT",
    "BUDGET_EXCEEDED",
    "PROVIDER_ERROR",
    "HITL_TIMEOUT",
    "HITL_INVALID_RESPONSE",
    "HITL_REQUEST_EXPIRED",
    "STORAGE_FAILED",
    "CHECKPOINT_FAILED",
    "SETTINGS_INVALID",
    "UNAVAILABLE",
    "INTERNAL",
]


class SessionState(TypedDict):
    """The session as of one record; sent on every connect and on request."""

    status: SessionStatus
    current_layer: Layer | None
    plan: PlanSummary | None
    todos: list[Todo]
    hitl_pending: Question | None
    last_message_id: str | None
    client_id: str
    epoch: str
    title: str
    owner: str
    workspace: NotRequired[str]
    archived: NotRequired[bool]
    messages: list[Message]
    open_messages: list[OpenMessage]
    hitl_queue: list[Question]
    runs: list[RunState]
    monitors: list[MonitorState]
    agents: list[AgentState]
    windows: list[WindowState]
    notices: list[NoticeState]
    queue: list[QueuedMessage]
    allowed: list[RememberedRule]
    viewers: list[Viewer]
    usage: NotRequired[Usage]
    can_undo: NotRequired[bool]
    can_redo: NotRequired[bool]
    returning: NotRequired[RewindStartedData]
    checkpoint: NotRequired[str]
    forked_from: NotRequired[ForkPoint]
    environment: NotRequired[dict[str, str]]
    role: NotRequired[Role]

SessionStatus = Literal[
    "idle",
    "planning",
    "awaiting_input",
    "executing",
    "paused",
    "completed",
    "failed",
    "cancelled",
]

Layer = Literal[
    "cognitive",
    "planning",
    "execution",
    "response",
]


class PlanSummary(TypedDict):
    id: str
    status: PlanStatus
    version: NotRequired[int]
    total_todos: int

PlanStatus = Literal[
    "pending_approval",
    "approved",
    "rejected",
]


class Todo(TypedDict):
    id: str
    task: str
    tool: str
    status: TodoStatus
    priority: int
    depends_on: list[str]
    estimated_duration_sec: NotRequired[int]
    estimated_cost_usd: NotRequired[float]
    mode: NotRequired[str]
    profile: NotRequired[str]
    task_id: NotRequired[str]
    progress_percentage: NotRequired[int]
    current_step: NotRequired[str]
    result_summary: NotRequired[Any]
    error: NotRequired[Failure]
    retry_count: NotRequired[int]
    started_ms: NotRequired[int]
    duration_ms: NotRequired[int]

TodoStatus = Literal[
    "pending",
    "in_progress",
    "completed",
    "failed",
    "skipped",
]


class Failure(TypedDict):
    code: Code
    message: str
    recoverable: bool
    failed_todo: NotRequired[str]


class Message(TypedDict):
    message_id: str
    ts: int
    type: MessageType
    ask: NotRequired[Ask]
    say: NotRequired[Say]
    role: Speaker
    text: NotRequired[str]
    images: NotRequired[list[str]]
    reasoning: NotRequired[str]
    partial: NotRequired[bool]
    summary: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    monitor_id: NotRequired[str]
    window_id: NotRequired[str]
    task_id: NotRequired[str]
    reply_to: NotRequired[str]
    request_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    client_message_id: NotRequired[str]
    user_id: NotRequired[str]
    queued_as: NotRequired[str]
    component: NotRequired[ComponentUse]
    cell: NotRequired[MessageCell]
    progress_status: NotRequired[ProgressStatus]
    checkpoint: NotRequired[dict[str, Any]]
    context_condense: NotRequired[ContextCondense]
    context_truncation: NotRequired[ContextTruncation]
    instructions: NotRequired[InstructionsRead]
    conversation_history_index: NotRequired[int]
    is_protected: NotRequired[bool]
    is_answered: NotRequired[bool]
    api_protocol: NotRequired[APIProtocol]
    usage: NotRequired[Usage]
    reserved: NotRequired[Usage]
    metadata: NotRequired[dict[str, Any]]
    stopped_by: NotRequired[str]
    why_code: NotRequired[EndCode]
    tool: NotRequired[MessageTool]
    answer: NotRequired[MessageAnswer]
    delivery: NotRequired[Delivery]

MessageType = Literal[
    "ask",
    "say",
]

Ask = Literal[
    "followup",
    "command",
    "command_output",
    "completion_result",
    "tool",
    "api_req_failed",
    "resume_task",
    "resume_completed_task",
    "mistake_limit_reached",
    "browser_action_launch",
    "use_mcp_server",
    "auto_approval_max_req_reached",
]

Say = Literal[
    "error",
    "text",
    "image",
    "reasoning",
    "api_req_started",
    "api_req_finished",
    "api_req_retried",
    "api_req_retry_delayed",
    "api_req_deleted",
    "model_fallback",
    "instructions_read",
    "files_attached",
    "git",
    "completion_result",
    "user_feedback",
    "user_feedback_diff",
    "command_output",
    "subtask_result",
    "browser_action",
    "browser_action_result",
    "browser_session_status",
    "mcp_server_request_started",
    "mcp_server_response",
    "condense_context",
    "condense_context_error",
    "sliding_window_truncation",
    "checkpoint_saved",
    "shell_integration_warning",
    "rooignore_error",
    "diff_error",
    "codebase_search_result",
    "user_edit_todos",
    "cell_executed",
    "kernel_status",
]

Speaker = Literal[
    "user",
    "assistant",
    "system",
]

AgentKind = Literal[
    "main",
    "ephemeral",
    "window",
    "task",
    "step",
]


class ComponentUse(TypedDict):
    action: str
    label: NotRequired[str]
    action_id: NotRequired[str]
    form_data: NotRequired[dict[str, Any]]
    component_path: NotRequired[str]


class MessageCell(TypedDict):
    notebook_id: str
    cell_id: NotRequired[str]
    run_id: str
    output: OutputKind
    display_id: NotRequired[str]
    cleared: NotRequired[bool]

OutputKind = Literal[
    "stream",
    "display_data",
    "execute_result",
    "error",
    "status",
]


class ProgressStatus(TypedDict):
    text: NotRequired[str]
    percentage: NotRequired[int]


class ContextCondense(TypedDict):
    condense_id: str
    summary: NotRequired[str]
    tokens_before: NotRequired[int]
    tokens_after: NotRequired[int]
    cost_usd: NotRequired[float]


class ContextTruncation(TypedDict):
    truncation_id: str
    hidden: NotRequired[int]


class InstructionsRead(TypedDict):
    files: list[InstructionFile]
    blob: NotRequired[str]


class InstructionFile(TypedDict):
    path: str
    sha256: str
    bytes: int
    cut: NotRequired[bool]

APIProtocol = Literal[
    "openai",
    "anthropic",
]


class Usage(TypedDict):
    tokens_in: int
    tokens_out: int
    cache_writes: int
    cache_reads: int
    cost_usd: float

EndCode = Literal[
    "interrupted",
    "cancelled",
    "reset",
    "put_away",
    "skipped",
    "denied",
    "not_continued",
    "plan_rejected",
    "plan_changed",
    "continued",
    "rewound",
    "undone",
    "redone",
    "files_restored",
    "forked",
    "timed_out",
    "failed",
    "turn_over",
    "in_doubt",
    "outdated",
    "files_back",
]


class MessageTool(TypedDict):
    name: str
    status: ToolStatus
    target: NotRequired[str]
    command: NotRequired[str]
    input: NotRequired[str]
    summary: NotRequired[str]
    error: NotRequired[str]
    error_in_output: NotRequired[bool]
    exit_code: NotRequired[int]
    limit_reached: NotRequired[CommandLimit]
    stopped_by: NotRequired[str]
    why_code: NotRequired[EndCode]
    duration_ms: NotRequired[int]
    in_doubt: NotRequired[bool]
    output_blob: NotRequired[str]
    has_diff: NotRequired[bool]
    added: NotRequired[int]
    removed: NotRequired[int]
    paths: NotRequired[list[str]]
    title: NotRequired[str]
    allowed_by: NotRequired[AllowedBy]

ToolStatus = Literal[
    "waiting",
    "running",
    "complete",
    "error",
    "stopped",
]

CommandLimit = Literal[
    "memory",
    "processes",
    "file_size",
    "time",
    "disk",
    "workspace",
]


class AllowedBy(TypedDict):
    scope: AllowScope
    rule: str

AllowScope = Literal[
    "task",
    "session",
    "workspace",
    "always",
    "settings",
]


class MessageAnswer(TypedDict):
    action: Resolution
    by: NotRequired[str]
    by_timeout: NotRequired[bool]
    ts: int
    comment: NotRequired[str]
    value: NotRequired[str]
    why_code: NotRequired[EndCode]

Resolution = Literal[
    "approve",
    "modify",
    "skip",
    "reject",
    "answer",
    "cancelled",
]

Delivery = Literal[
    "direct",
    "steer",
    "ephemeral",
    "answer",
]


class OpenMessage(TypedDict):
    message_id: str
    reply_to: NotRequired[str]
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    text: str
    reasoning: NotRequired[str]


class RunState(TypedDict):
    run_id: str
    monitor_id: str
    task_id: NotRequired[str]
    status: SessionStatus
    current_layer: NotRequired[Layer]
    phase: NotRequired[str]
    paused: NotRequired[bool]
    paused_since_ms: NotRequired[int]
    paused_why: NotRequired[str]
    plan: PlanSummary | None
    todos: list[Todo]
    report_paths: NotRequired[list[str]]
    ended: NotRequired[Outcome]


class Outcome(TypedDict):
    status: OutcomeStatus
    stopped_by: NotRequired[str]
    why_code: NotRequired[EndCode]
    message: NotRequired[str]

OutcomeStatus = Literal[
    "done",
    "failed",
    "cancelled",
    "stopped",
    "budget",
    "denied",
]


class MonitorState(TypedDict):
    monitor_id: str
    agent_id: NotRequired[str]
    busy: bool
    queued: int
    task_id: NotRequired[str]
    title: NotRequired[str]
    held_until_ms: NotRequired[int]


class AgentState(TypedDict):
    agent_id: str
    kind: AgentKind
    role: str
    monitor_id: str
    task_id: str
    window_id: NotRequired[str]
    title: NotRequired[str]
    waiting: NotRequired[bool]
    since_ms: int


class WindowState(TypedDict):
    window_id: str
    monitor_id: NotRequired[str]
    title: str
    group_id: NotRequired[str]
    agent_id: NotRequired[str]
    status: NotRequired[WindowAgentStatus]
    content: NotRequired[WindowContent]
    version: int
    action_id: NotRequired[str]
    failed: NotRequired[str]
    locked_by: NotRequired[str]
    layouts: NotRequired[Layouts]
    app: NotRequired[AppState]
    app_requests: NotRequired[list[AppRequest]]
    app_calls: NotRequired[list[AppCall]]

WindowAgentStatus = Literal[
    "assigned",
    "active",
    "released",
]


class WindowContent(TypedDict):
    kind: WindowKind
    text: NotRequired[str]
    columns: NotRequired[list[TableColumn]]
    rows: NotRequired[list[list[Any]]]
    total: NotRequired[int]
    row_action: NotRequired[str]
    root: NotRequired[Component]
    blob: NotRequired[str]
    bytes: NotRequired[int]
    media_type: NotRequired[str]
    alt: NotRequired[str]
    server: NotRequired[str]
    tool: NotRequired[str]
    uri: NotRequired[str]
    connect: NotRequired[list[str]]
    load: NotRequired[list[str]]
    data: NotRequired[str]

WindowKind = Literal[
    "markdown",
    "text",
    "table",
    "components",
    "image",
    "html",
    "app",
    "mcp_app",
]


class TableColumn(TypedDict):
    name: str
    title: NotRequired[str]
    align: NotRequired[Literal['left', 'center', 'right']]
    numeric: NotRequired[bool]


class Component(TypedDict):
    type: ComponentType
    id: NotRequired[str]
    text: NotRequired[str]
    label: NotRequired[str]
    name: NotRequired[str]
    value: NotRequired[Any]
    placeholder: NotRequired[str]
    input_type: NotRequired[Literal['text', 'multiline', 'number', 'date', 'time', 'email', 'url']]
    options: NotRequired[list[ComponentOption]]
    action: NotRequired[str]
    parallel: NotRequired[bool]
    submit: NotRequired[bool]
    tone: NotRequired[Literal['neutral', 'info', 'success', 'warning', 'danger']]
    columns: NotRequired[list[TableColumn]]
    rows: NotRequired[list[list[Any]]]
    blob: NotRequired[str]
    alt: NotRequired[str]
    max: NotRequired[float]
    children: NotRequired[list[Component]]

ComponentType = Literal[
    "text",
    "markdown",
    "button",
    "input",
    "select",
    "checkbox",
    "image",
    "table",
    "progress",
    "row",
    "stack",
]


class ComponentOption(TypedDict):
    value: str
    label: NotRequired[str]


class Layouts(TypedDict):
    wide: NotRequired[Bounds]
    medium: NotRequired[Bounds]


class Bounds(TypedDict):
    x: int
    y: int
    w: int
    h: int


class AppState(TypedDict):
    app: NotRequired[str]
    queries: NotRequired[list[str]]
    commands: NotRequired[list[str]]


class AppRequest(TypedDict):
    request_id: str
    kind: AppProtocol
    name: str
    params: NotRequired[Any]
    deadline_ms: int

AppProtocol = Literal[
    "query",
    "command",
]


class AppCall(TypedDict):
    request_id: str
    tool: str
    status: AppCallStatus
    result: NotRequired[str]
    error: NotRequired[str]

AppCallStatus = Literal[
    "running",
    "waiting",
    "done",
    "refused",
]


class NoticeState(TypedDict):
    notice_id: str
    title: NotRequired[str]
    text: str
    agent_id: NotRequired[str]
    ts: int


class QueuedMessage(TypedDict):
    message_id: str
    text: str
    images: NotRequired[list[str]]
    monitor_id: NotRequired[str]
    task_id: NotRequired[str]
    mode: NotRequired[str]
    new_task: NotRequired[bool]
    user_id: NotRequired[str]
    client_message_id: NotRequired[str]
    ts: int
    window_id: NotRequired[str]
    component: NotRequired[ComponentUse]


class RememberedRule(TypedDict):
    id: str
    task_id: str
    tool: str
    pattern: NotRequired[str]
    while_auto: NotRequired[bool]
    by: NotRequired[str]
    ts: int


class Viewer(TypedDict):
    user_id: str
    clients: int
    since_ms: int


class RewindStartedData(TypedDict):
    """Files are being taken back; nothing else happens meanwhile."""

    rewind_id: str
    kind: RewindKind
    to: NotRequired[str]
    from_message_id: NotRequired[str]
    keep_target: NotRequired[bool]
    hash: str
    text: NotRequired[str]
    images: NotRequired[list[str]]

RewindKind = Literal[
    "rewind",
    "undo",
    "redo",
    "files",
]


class ForkPoint(TypedDict):
    session_id: str
    message_id: str


class SyncComplete(TypedDict):
    """The replay is over; what follows is live."""

    last_message_id: str
    replayed: int


class ConnectedData(TypedDict):
    """What this connection is; sent in view state, first of all and when its role changes."""

    client_id: str
    role: Role
    epoch: str
    view: View

View = Literal[
    "records",
    "state",
]

# What changed of the state, or all of it; in view state.
StateChangedData = TypedDict(
    "StateChangedData",
    {
        "from": "NotRequired[str]",
        "to": "str",
        "total": "int",
        "commands": "NotRequired[list[str]]",
        "reset": "NotRequired[list[EntityKind]]",
        "del": "NotRequired[dict[str, list[str]]]",
        "put": "NotRequired[StatePut]",
    },
)

EntityKind = Literal[
    "session",
    "status",
    "usage",
    "queue",
    "rules",
    "monitors",
    "agents",
    "viewers",
    "message",
    "task",
    "run",
    "todo",
    "question",
    "window",
    "notice",
    "problem",
    "settled",
    "notebook",
    "cell",
]


class StatePut(TypedDict):
    session: NotRequired[SessionInfo]
    status: NotRequired[StatusInfo]
    usage: NotRequired[Usage]
    queue: NotRequired[list[QueuedMessage]]
    rules: NotRequired[list[RememberedRule]]
    monitors: NotRequired[list[MonitorState]]
    agents: NotRequired[list[AgentState]]
    viewers: NotRequired[list[Viewer]]
    message: NotRequired[list[Message]]
    task: NotRequired[list[TaskInfo]]
    run: NotRequired[list[RunInfo]]
    todo: NotRequired[list[TodoInfo]]
    question: NotRequired[list[Question]]
    window: NotRequired[list[WindowState]]
    notice: NotRequired[list[NoticeState]]
    problem: NotRequired[list[Problem]]
    settled: NotRequired[list[SettledQuestion]]
    notebook: NotRequired[list[NotebookInfo]]
    cell: NotRequired[list[CellInfo]]


class SessionInfo(TypedDict):
    title: str
    owner: str
    workspace: NotRequired[str]
    archived: NotRequired[bool]
    forked_from: NotRequired[ForkPoint]
    forks: NotRequired[int]
    environment: NotRequired[dict[str, str]]


class StatusInfo(TypedDict):
    status: SessionStatus
    current_layer: NotRequired[Layer]
    front: NotRequired[str]
    can_undo: NotRequired[bool]
    can_redo: NotRequired[bool]
    returning: NotRequired[RewindStartedData]
    checkpoint: NotRequired[str]
    last_move: NotRequired[LastMove]


class LastMove(TypedDict):
    kind: RewindKind
    message_id: str
    rewind_id: NotRequired[str]
    from_message_id: NotRequired[str]
    removed: NotRequired[int]
    restored: NotRequired[int]
    files: NotRequired[FilesReturned]
    failed: NotRequired[str]
    by: NotRequired[str]


class FilesReturned(TypedDict):
    hash: str
    before: NotRequired[str]
    changed: NotRequired[int]
    removed: NotRequired[int]
    left: NotRequired[list[str]]


class TaskInfo(TypedDict):
    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    run_id: NotRequired[str]
    todo_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    window_id: NotRequired[str]
    text: NotRequired[str]
    mode: NotRequired[str]
    status: TaskStatus
    state: TaskState
    request_id: NotRequired[str]
    focused: NotRequired[bool]
    at_work: NotRequired[bool]
    put_away: NotRequired[bool]
    created_ms: int
    ended_ms: NotRequired[int]
    usage: NotRequired[Usage]
    added: NotRequired[int]
    removed: NotRequired[int]
    result: NotRequired[str]
    outcome: NotRequired[Outcome]
    plan: NotRequired[PlanSummary]

TaskStatus = Literal[
    "active",
    "completed",
    "delegated",
    "aborted",
]

TaskState = Literal[
    "running",
    "interactive",
    "resumable",
    "idle",
]


class RunInfo(TypedDict):
    run_id: str
    monitor_id: str
    task_id: NotRequired[str]
    status: SessionStatus
    current_layer: NotRequired[Layer]
    phase: NotRequired[str]
    paused: NotRequired[bool]
    paused_since_ms: NotRequired[int]
    paused_why: NotRequired[str]
    plan: PlanSummary | None
    report_paths: NotRequired[list[str]]
    ended: NotRequired[Outcome]


class TodoInfo(TypedDict):
    of: str
    id: str
    task: str
    tool: str
    status: TodoStatus
    priority: int
    depends_on: list[str]
    estimated_duration_sec: NotRequired[int]
    estimated_cost_usd: NotRequired[float]
    mode: NotRequired[str]
    profile: NotRequired[str]
    task_id: NotRequired[str]
    progress_percentage: NotRequired[int]
    current_step: NotRequired[str]
    result_summary: NotRequired[Any]
    error: NotRequired[Failure]
    retry_count: NotRequired[int]
    started_ms: NotRequired[int]
    duration_ms: NotRequired[int]


class Problem(TypedDict):
    message_id: str
    ts: int
    code: Code
    number: int
    message: str
    recoverable: bool
    suggested_action: str
    context: NotRequired[ErrorContext]
    retry_after_ms: NotRequired[int]
    has_advice: NotRequired[bool]


class ErrorContext(TypedDict):
    client_message_id: NotRequired[str]
    command_type: NotRequired[CommandType]
    request_id: NotRequired[str]
    agent_id: NotRequired[str]
    task_id: NotRequired[str]
    todo_id: NotRequired[str]
    tool: NotRequired[str]
    monitor_id: NotRequired[str]

CommandType = Literal[
    "auth",
    "pong",
    "get_state",
    "get_messages",
    "subscribe_monitor",
    "hitl_plan_response",
    "hitl_approval_response",
    "hitl_input_response",
    "hitl_clarification_response",
    "ask_response",
    "assign_question",
    "user_message",
    "edit_queued",
    "remove_queued",
    "move_queued",
    "send_queued",
    "window_message",
    "component_action",
    "new_task",
    "resume_task",
    "clear_task",
    "control_pause",
    "control_resume",
    "control_cancel",
    "control_retry",
    "control_skip",
    "edit_plan",
    "interrupt",
    "interrupt_agent",
    "reset",
    "set_provider",
    "remove_monitor",
    "rendering_feedback",
    "toast_action",
    "user_interaction",
    "app_protocol_response",
    "app_protocol_ready",
    "app_call",
    "delete_message",
    "delete_message_confirm",
    "edit_message",
    "edit_message_confirm",
    "rewind",
    "rewind_preview",
    "undo_rewind",
    "redo_rewind",
    "clear_messages",
    "fork_session",
    "condense_context",
    "rename_session",
    "archive_session",
    "set_access",
    "forget_rule",
    "checkpoint_diff",
    "checkpoint_restore",
    "checkpoint_save",
    "update_settings",
    "reset_settings",
    "import_settings",
    "export_settings",
    "save_model_profile",
    "load_model_profile",
    "restart_mcp_server",
    "toggle_mcp_server",
    "toggle_tool_always_allow",
    "test_browser_connection",
    "kill_browser_session",
    "notebook_open",
    "notebook_edit",
    "notebook_run",
    "notebook_save",
    "notebook_close",
    "kernel_execute",
    "kernel_interrupt",
    "kernel_restart",
    "kernel_shutdown",
]


class SettledQuestion(TypedDict):
    request_id: str
    type: EventType
    ask: NotRequired[Ask]
    limit: NotRequired[str]
    message_id: NotRequired[str]
    task_id: NotRequired[str]
    todo_id: NotRequired[str]
    action: Resolution
    by: NotRequired[str]
    by_timeout: NotRequired[bool]
    ts: int
    comment: NotRequired[str]
    value: NotRequired[str]
    why_code: NotRequired[EndCode]

EventType = Literal[
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
]


class NotebookInfo(TypedDict):
    notebook_id: str
    path: NotRequired[str]
    status: NotebookStatus
    problem: NotRequired[str]
    conflict: NotRequired[bool]
    path_taken: NotRequired[str]
    version: int
    hash: NotRequired[str]
    unsaved: NotRequired[bool]
    cells: list[str]
    kernel: KernelInfo
    queue: list[CellRun]
    run: NotRequired[CellRun]
    run_since_ms: NotRequired[int]
    variables: NotRequired[str]
    rerun: NotRequired[RerunInfo]

NotebookStatus = Literal[
    "opening",
    "ready",
    "failed",
]


class KernelInfo(TypedDict):
    kernel_id: NotRequired[str]
    name: NotRequired[str]
    state: KernelState
    wanted: NotRequired[KernelWish]
    node: NotRequired[str]
    reason: NotRequired[str]
    ahead: NotRequired[bool]
    info: NotRequired[KernelLanguage]

KernelState = Literal[
    "none",
    "starting",
    "idle",
    "busy",
    "restarting",
    "dead",
    "lost",
    "stopped",
]

KernelWish = Literal[
    "interrupt",
    "restart",
    "stop",
]


class KernelLanguage(TypedDict):
    language: NotRequired[str]
    version: NotRequired[str]
    implementation: NotRequired[str]
    file_extension: NotRequired[str]


class CellRun(TypedDict):
    run_id: str
    cell_id: str
    repeats: NotRequired[str]


class RerunInfo(TypedDict):
    rerun_id: str
    status: RerunStatus
    total: int
    done: int
    reason: NotRequired[str]
    differences: list[RunDifference]

RerunStatus = Literal[
    "preparing",
    "running",
    "ok",
    "differs",
    "stopped",
]

RunDifference = TypedDict(
    "RunDifference",
    {
        "cell_id": "NotRequired[str]",
        "run_id": "str",
        "was": "CellStatus",
        "is": "CellStatus",
        "state": "NotRequired[bool]",
        "variables": "NotRequired[list[str]]",
    },
)

CellStatus = Literal[
    "queued",
    "running",
    "ok",
    "error",
    "aborted",
    "in_doubt",
]


class CellInfo(TypedDict):
    notebook_id: str
    cell_id: str
    type: CellType
    source: NotRequired[str]
    source_blob: NotRequired[str]
    status: NotRequired[CellStatus]
    run_id: NotRequired[str]
    execution_count: NotRequired[int]
    by: NotRequired[str]
    task_id: NotRequired[str]
    started_ms: NotRequired[int]
    duration_ms: NotRequired[int]
    stale: NotRequired[bool]
    outputs: list[str]
    saved_outputs: NotRequired[str]
    outputs_lost: NotRequired[bool]
    left_out: NotRequired[int]
    output_blob: NotRequired[str]
    state_hash: NotRequired[str]
    reason: NotRequired[str]

CellType = Literal[
    "code",
    "markdown",
    "raw",
]


class TextData(TypedDict):
    """The next piece of a message that grows; in view state."""

    message_id: str
    field: NotRequired[TextField]
    offset: int
    delta: str

TextField = Literal[
    "reasoning",
]


class PingData(TypedDict):
    """Are you there? Answer with pong."""



class PresenceData(TypedDict):
    """Who watches the session now; sent when that changes."""

    viewers: list[Viewer]


class ErrorData(TypedDict):
    """Something failed: a client's frame (answer), or a run, agent or question (record)."""

    code: Code
    number: int
    message: str
    recoverable: bool
    suggested_action: str
    context: NotRequired[ErrorContext]
    retry_after_ms: NotRequired[int]
    has_advice: NotRequired[bool]


class SessionCreatedData(TypedDict):
    """The session came into being; the first record of each journal."""

    owner: str
    title: str
    workspace: NotRequired[str]
    forked_from: NotRequired[ForkPoint]
    node: NotRequired[str]
    environment: NotRequired[dict[str, str]]


class SessionRenamedData(TypedDict):
    """The session has a new title."""

    title: str


class SessionArchivedData(TypedDict):
    """The session was put away, or brought back."""

    archived: bool
    by: NotRequired[str]


class AccessChangedData(TypedDict):
    """The owner shared the session with somebody, or took that back."""

    user_id: str
    role: Role


class SessionForkedData(TypedDict):
    """A new session was made from this one's past."""

    session_id: str
    from_message_id: str

# The session came from elsewhere.
SessionImportedData = TypedDict(
    "SessionImportedData",
    {
        "owner": "str",
        "workspace": "NotRequired[str]",
        "title": "NotRequired[str]",
        "from": "NotRequired[str]",
        "format": "NotRequired[str]",
        "node": "NotRequired[str]",
        "missing_blobs": "NotRequired[list[str]]",
    },
)


class MessageCreatedData(TypedDict):
    """A message appeared in the transcript."""

    message: Message


class MessageUpdatedData(TypedDict):
    """A message changed; carries all of it."""

    message: Message


class MessageAcceptedData(TypedDict):
    """A client's message was handed to an agent."""

    client_message_id: NotRequired[str]
    message_id: NotRequired[str]
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    delivery: NotRequired[Delivery]
    task_id: NotRequired[str]
    window_id: NotRequired[str]
    role: NotRequired[str]


class MessageQueuedData(TypedDict):
    """A client's message waits, because the agent is busy or a limit is reached."""

    client_message_id: NotRequired[str]
    message_id: NotRequired[str]
    text: NotRequired[str]
    images: NotRequired[list[str]]
    user_id: NotRequired[str]
    task_id: NotRequired[str]
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    position: int
    new_task: NotRequired[bool]
    mode: NotRequired[str]
    budget: NotRequired[Budget]
    window_id: NotRequired[str]
    component: NotRequired[ComponentUse]
    role: NotRequired[str]
    callback: NotRequired[str]


class Budget(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]
    time_sec: NotRequired[int]


class QueueChangedData(TypedDict):
    """The messages that wait have another order, or one was taken back."""

    queue: list[str]
    removed: NotRequired[str]
    edited: NotRequired[QueuedWords]
    reset: NotRequired[bool]


class QueuedWords(TypedDict):
    message_id: str
    text: str
    images: NotRequired[list[str]]


class ModelMessageData(TypedDict):
    """A task's model history has a new entry; the results of tools are in tool_progress."""

    task_id: str
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    message: ModelMessage
    hides: NotRequired[int]
    timeline_to: NotRequired[int]
    windows_hash: NotRequired[str]


class ModelMessage(TypedDict):
    role: Speaker
    content: list[Part]
    ts: NotRequired[int]
    message_id: NotRequired[str]
    is_summary: NotRequired[bool]
    condense_id: NotRequired[str]
    condense_parent: NotRequired[str]
    is_truncation_marker: NotRequired[bool]
    truncation_id: NotRequired[str]
    truncation_parent: NotRequired[str]


class Part(TypedDict):
    type: PartType
    text: NotRequired[str]
    images: NotRequired[list[str]]
    signature: NotRequired[str]
    encrypted_content: NotRequired[str]
    tool_call_id: NotRequired[str]
    tool: NotRequired[str]
    input: NotRequired[Any]
    is_error: NotRequired[bool]

PartType = Literal[
    "text",
    "image",
    "thinking",
    "tool_use",
    "tool_result",
]


class MessagesPage(TypedDict):
    """A page of the transcript."""

    messages: list[Message]
    total: int
    next: NotRequired[str]
    newer: NotRequired[str]
    tasks: NotRequired[list[TaskInfo]]
    client_message_id: NotRequired[str]


class AgentResponseData(TypedDict):
    """The next piece of an agent's answer."""

    message_id: str
    reply_to: NotRequired[str]
    agent_id: str
    monitor_id: NotRequired[str]
    offset: int
    delta: str


class AgentThinkingData(TypedDict):
    """The next piece of an agent's thinking."""

    message_id: str
    reply_to: NotRequired[str]
    agent_id: str
    monitor_id: NotRequired[str]
    offset: int
    delta: str


class HistoryRewoundData(TypedDict):
    """The conversation was taken back to an earlier message."""

    rewind_id: NotRequired[str]
    to: str
    files: NotRequired[FilesReturned]
    from_message_id: str
    keep_target: bool
    removed_message_ids: list[str]
    removed_count: int
    redo: NotRequired[bool]
    restored_message_ids: NotRequired[list[str]]
    restored_count: NotRequired[int]
    checkpoint_id: NotRequired[str]


class RewindUndoneData(TypedDict):
    """The last rewind was undone."""

    rewind_id: NotRequired[str]
    to: str
    files: NotRequired[FilesReturned]
    from_message_id: str
    restored_message_ids: list[str]
    restored_count: int
    removed_message_ids: NotRequired[list[str]]
    removed_count: NotRequired[int]
    checkpoint_id: NotRequired[str]


class RewindPreviewAnswer(TypedDict):
    """What a rewind would take away; also answers delete_message and edit_message."""

    from_message_id: str
    keep_target: bool
    to: NotRequired[str]
    count: int
    removed_message_ids: list[str]
    running: NotRequired[bool]
    files: NotRequired[list[CheckpointFile]]
    files_count: NotRequired[int]
    files_problem: NotRequired[str]
    checkpoint_id: NotRequired[str]
    todos: NotRequired[list[TodoChange]]
    reopened: NotRequired[list[Question]]
    withdrawn: NotRequired[list[Question]]
    forgotten: NotRequired[list[RememberedRule]]
    kernels: NotRequired[list[KernelPreview]]
    usage: NotRequired[Usage]
    irreversible: NotRequired[list[IrreversibleStep]]
    irreversible_count: NotRequired[int]
    client_message_id: NotRequired[str]


class CheckpointFile(TypedDict):
    paths: FilePaths
    content: FileContent
    status: NotRequired[str]
    kind: NotRequired[str]
    binary: NotRequired[bool]
    truncated: NotRequired[bool]
    unified: NotRequired[str]
    mode: NotRequired[str]


class FilePaths(TypedDict):
    relative: str
    absolute: str
    old: NotRequired[str]


class FileContent(TypedDict):
    before: str
    after: str

TodoChange = TypedDict(
    "TodoChange",
    {
        "id": "str",
        "task": "NotRequired[str]",
        "from": "NotRequired[TodoStatus]",
        "to": "NotRequired[TodoStatus]",
    },
)


class KernelPreview(TypedDict):
    notebook_id: str
    path: NotRequired[str]
    policy: NotRequired[KernelPolicy]
    cells: int
    duration_ms: int
    ends: NotRequired[bool]

KernelPolicy = Literal[
    "ask",
    "rerun",
    "fresh",
    "keep",
]


class IrreversibleStep(TypedDict):
    message_id: str
    tool_call_id: NotRequired[str]
    tool: str
    summary: str
    reason: str
    code: NotRequired[IrreversibleCode]
    server: NotRequired[str]
    url: NotRequired[str]

IrreversibleCode = Literal[
    "tool_server",
    "url",
    "network",
    "outside_workspace",
]


class RewindFailedData(TypedDict):
    """Files could not be taken back; everything is as before."""

    rewind_id: str
    reason: str


class CondenseRequestedData(TypedDict):
    """Somebody wants a summary in place of old messages to the model."""

    task_id: str


class LayerStartData(TypedDict):
    """A run entered a layer."""

    layer: Layer
    description: str
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class LayerCompleteData(TypedDict):
    """A run left a layer."""

    layer: Layer
    result: LayerResult | None
    next_layer: NotRequired[Layer]
    duration_ms: int
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class LayerResult(TypedDict):
    intent: NotRequired[Intent]
    entities: NotRequired[list[Entity]]
    plan_id: NotRequired[str]
    version: NotRequired[int]
    total_todos: NotRequired[int]
    completed: NotRequired[int]
    skipped: NotRequired[int]
    format: NotRequired[ResponseFormat]
    reports: NotRequired[int]
    extra: NotRequired[dict[str, Any]]


class Intent(TypedDict):
    domain: str
    category: str
    confidence: float


class Entity(TypedDict):
    type: str
    value: str
    confidence: float

ResponseFormat = Literal[
    "text",
    "markdown",
    "mixed",
    "json",
]


class PlanGeneratedData(TypedDict):
    """There is a plan."""

    plan_id: str
    version: int
    status: PlanStatus
    todos: list[Todo]
    dependency_graph: dict[str, list[str]]
    estimated_duration_sec: int
    estimated_cost_usd: float | None
    mermaid_diagram: NotRequired[str]
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class PlanApprovedData(TypedDict):
    """The plan was approved."""

    plan_id: str
    approved_by: str
    execution_starting: bool
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class PlanModifiedData(TypedDict):
    """The plan has a new version."""

    plan_id: str
    old_version: int
    new_version: int
    changes: list[PlanChange]
    updated_todos: list[Todo]
    edits: NotRequired[list[PlanEdit]]
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class PlanChange(TypedDict):
    action: PlanChangeAction
    todo_id: str
    task: NotRequired[str]

PlanChangeAction = Literal[
    "add",
    "remove",
    "update",
]


class PlanEdit(TypedDict):
    action: PlanChangeAction
    todo_id: NotRequired[str]
    task: NotRequired[str]
    tool: NotRequired[str]
    priority: NotRequired[int]
    depends_on: NotRequired[list[str]]
    estimated_duration_sec: NotRequired[int]
    estimated_cost_usd: NotRequired[float]
    mode: NotRequired[str]
    profile: NotRequired[str]


class PlanRejectedData(TypedDict):
    """The plan was rejected."""

    plan_id: str
    reason: NotRequired[str]
    rejected_by: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoStartedData(TypedDict):
    """Work on a todo began."""

    todo_id: str
    task: str
    tool: str
    estimated_duration_sec: int
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoProgressData(TypedDict):
    """A todo moved on."""

    todo_id: str
    progress_percentage: int
    current_step: str
    items_processed: int
    items_total: int
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoCompletedData(TypedDict):
    """A todo is done."""

    todo_id: str
    task: str
    status: TodoStatus
    result_summary: Any
    duration_ms: int
    next_todos: list[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoFailedData(TypedDict):
    """A todo failed."""

    todo_id: str
    task: str
    status: TodoStatus
    error: Failure
    retry_count: int
    max_retries: int
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoRetriedData(TypedDict):
    """A todo that failed will be tried again."""

    todo_id: str
    retry_count: int
    max_retries: int
    retried_by: NotRequired[str]
    reason: NotRequired[str]
    why_code: NotRequired[EndCode]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoSkippedData(TypedDict):
    """A todo was left out."""

    todo_id: str
    reason: NotRequired[str]
    next_todos: list[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class ExecutionProgressData(TypedDict):
    """How far the plan as a whole has come."""

    total_todos: int
    completed: int
    in_progress: int
    pending: int
    failed: int
    skipped: int
    progress_percentage: int
    current_todo: TodoRef | None
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TodoRef(TypedDict):
    id: str
    task: str


class CompleteData(TypedDict):
    """The run ended well; carries its answer."""

    status: RunResult
    response: Response
    statistics: Statistics
    report_paths: list[str]
    reports: NotRequired[list[Report]]
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]

RunResult = Literal[
    "success",
    "failed",
    "cancelled",
]


class Response(TypedDict):
    format: ResponseFormat
    text: str
    summary: str
    attachments: list[Attachment]
    next_actions: list[str]


class Attachment(TypedDict):
    type: AttachmentType
    title: str
    url: str

AttachmentType = Literal[
    "chart",
    "image",
    "table",
    "file",
]


class Statistics(TypedDict):
    total_todos: int
    completed: int
    failed: int
    skipped: int
    execution_time_ms: int
    tokens_used: int
    cost_usd: float


class Report(TypedDict):
    name: str
    media_type: str
    size: int
    blob: str


class FailedData(TypedDict):
    """The run failed; carries what there is."""

    status: RunResult
    error: Failure
    partial_results: PartialResults
    task_id: NotRequired[str]
    outcome: NotRequired[Outcome]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class PartialResults(TypedDict):
    completed_todos: list[str]
    available_data: dict[str, Any]


class CancelledData(TypedDict):
    """The run was cancelled; carries what there is."""

    status: RunResult
    reason: NotRequired[str]
    partial_results: PartialResults
    task_id: NotRequired[str]
    outcome: NotRequired[Outcome]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class HitlPlanReviewData(TypedDict):
    """A person has to review a plan."""

    request_id: str
    timeout_sec: int
    deadline_ms: NotRequired[int]
    assignee: NotRequired[str]
    message_id: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    task_id: NotRequired[str]
    todo_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    words_effect: NotRequired[WordsEffect]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]
    plan_id: str
    version: int
    plan: Plan
    message: str
    options: list[Choice]

WordsEffect = Literal[
    "answers",
    "denies",
    "changes",
    "continues",
    "steers",
]


class Plan(TypedDict):
    todos: list[Todo]
    dependency_graph: dict[str, list[str]]
    estimated_duration_sec: int
    estimated_cost_usd: float | None
    mermaid_diagram: NotRequired[str]

Choice = Literal[
    "approve",
    "modify",
    "skip",
    "reject",
]

# A person has to allow something.
HitlApprovalRequestData = TypedDict(
    "HitlApprovalRequestData",
    {
        "request_id": "str",
        "timeout_sec": "int",
        "deadline_ms": "NotRequired[int]",
        "assignee": "NotRequired[str]",
        "message_id": "NotRequired[str]",
        "agent_id": "NotRequired[str]",
        "agent_kind": "NotRequired[AgentKind]",
        "task_id": "NotRequired[str]",
        "todo_id": "NotRequired[str]",
        "tool_call_id": "NotRequired[str]",
        "words_effect": "NotRequired[WordsEffect]",
        "run_id": "NotRequired[str]",
        "monitor_id": "NotRequired[str]",
        "ask": "NotRequired[Ask]",
        "todo": "NotRequired[ApprovalTodo]",
        "tool": "NotRequired[str]",
        "input": "NotRequired[Any]",
        "input_text": "NotRequired[str]",
        "effect": "NotRequired[Effect]",
        "limit": "NotRequired[str]",
        "own_limit": "NotRequired[bool]",
        "raise": "NotRequired[int]",
        "reason": "str",
        "why": "NotRequired[str]",
        "why_code": "NotRequired[PolicyCode]",
        "why_args": "NotRequired[dict[str, str]]",
        "options": "list[Choice]",
        "remember": "NotRequired[RememberOffer]",
    },
)


class ApprovalTodo(TypedDict):
    id: str
    task: str
    tool: str
    estimated_cost_usd: NotRequired[float]


class Effect(TypedDict):
    summary: str
    command: NotRequired[str]
    argv: NotRequired[list[str]]
    directory: NotRequired[str]
    environment: NotRequired[dict[str, str]]
    network: NotRequired[bool]
    sandbox: NotRequired[str]
    limits: NotRequired[CommandLimits]
    paths: NotRequired[list[str]]
    diff: NotRequired[str]
    diff_cut: NotRequired[bool]
    url: NotRequired[str]
    server: NotRequired[str]
    digest: str


class CommandLimits(TypedDict):
    memory_mb: NotRequired[int]
    processes: NotRequired[int]
    cpu_weight: NotRequired[int]
    file_mb: NotRequired[int]
    open_files: NotRequired[int]

PolicyCode = Literal[
    "auto_approval_off",
    "directory_untrusted",
    "protected",
    "not_read_only",
    "group_off",
    "no_setting",
    "tool_not_allowed",
    "hidden_text",
    "unreadable",
    "other_shell",
    "sets_variable",
    "maybe_forbidden",
    "changed_program",
    "unknown_line",
    "runs_others",
    "reads_input",
    "no_rule",
    "risky_argument",
    "rule_too_wide",
    "changed_since_approved",
    "mistakes",
    "requests",
    "budget",
]


class RememberOffer(TypedDict):
    scopes: list[RememberScope]
    pattern: NotRequired[str]
    match: NotRequired[str]
    near_miss: NotRequired[str]
    host: NotRequired[str]
    runs_workspace: NotRequired[bool]
    while_auto: NotRequired[bool]

RememberScope = Literal[
    "task",
    "session",
    "workspace",
    "always",
]


class HitlInputRequestData(TypedDict):
    """A person has to fill something in."""

    request_id: str
    timeout_sec: int
    deadline_ms: NotRequired[int]
    assignee: NotRequired[str]
    message_id: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    task_id: NotRequired[str]
    todo_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    words_effect: NotRequired[WordsEffect]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]
    ask: NotRequired[Ask]
    field: str
    question: str
    input_type: InputType
    options: NotRequired[list[InputOption]]
    strict: NotRequired[bool]
    required: bool
    default_value: Any
    missing_workspace: NotRequired[MissingWorkspace]
    cell: NotRequired[CellQuestion]
    kernel: NotRequired[KernelQuestion]

InputType = Literal[
    "text",
    "choice",
    "number",
    "boolean",
    "date",
]


class InputOption(TypedDict):
    value: Any
    label: str


class MissingWorkspace(TypedDict):
    node: NotRequired[str]
    here: str
    dir: NotRequired[str]


class CellQuestion(TypedDict):
    notebook_id: str
    cell_id: NotRequired[str]
    run_id: str
    password: NotRequired[bool]


class KernelQuestion(TypedDict):
    notebook_id: str
    cells: int
    duration_ms: int
    files: NotRequired[bool]


class HitlClarificationData(TypedDict):
    """A person has to say what was meant."""

    request_id: str
    timeout_sec: int
    deadline_ms: NotRequired[int]
    assignee: NotRequired[str]
    message_id: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    task_id: NotRequired[str]
    todo_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    words_effect: NotRequired[WordsEffect]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]
    original_input: str
    ambiguity: str
    question: str
    input_type: InputType
    suggestions: list[str]
    required: bool


class HitlResolvedData(TypedDict):
    """A question is settled, by whomever."""

    request_id: str
    action: Resolution
    resolved_by: NotRequired[str]
    by_timeout: bool
    value: NotRequired[Any]
    comment: NotRequired[str]
    why_code: NotRequired[EndCode]
    instruction: NotRequired[str]
    remember: NotRequired[Remember]
    client_message_id: NotRequired[str]
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class Remember(TypedDict):
    scope: RememberScope
    pattern: NotRequired[str]


class HitlReminderData(TypedDict):
    """A question's deadline is near."""

    request_id: str
    deadline_ms: int
    remaining_sec: int
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class HitlAssignedData(TypedDict):
    """A question is meant for somebody else."""

    request_id: str
    assignee: str
    assigned_by: NotRequired[str]
    task_id: NotRequired[str]
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class RuleForgottenData(TypedDict):
    """What was remembered for a task needs approval again."""

    id: str
    task_id: str
    by: NotRequired[str]


class HitlPausedData(TypedDict):
    """The run is paused."""

    paused_by: str
    reason: str
    why_code: NotRequired[EndCode]
    current_todo: str
    completed_todos: list[str]
    can_resume: bool
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class HitlResumedData(TypedDict):
    """The run continues."""

    resumed_by: str
    current_todo: str
    run_id: NotRequired[str]
    monitor_id: NotRequired[str]


class TaskCreatedData(TypedDict):
    """There is a new task."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    task: str
    mode: NotRequired[str]
    workspace: NotRequired[str]
    agent_id: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    agent_key: NotRequired[str]
    window_id: NotRequired[str]
    action_id: NotRequired[str]
    tool_call_id: NotRequired[str]
    run_id: NotRequired[str]
    todo_id: NotRequired[str]
    profile: NotRequired[str]
    budget: NotRequired[Budget]
    task_profile: NotRequired[TaskProfile]
    wake: NotRequired[bool]
    fork_of: NotRequired[ForkOf]

TaskProfile = Literal[
    "default",
    "web",
    "code",
    "app",
]


class ForkOf(TypedDict):
    task_id: str
    count: int
    condense: NotRequired[bool]


class TaskStartedData(TypedDict):
    """Work on a task began."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]


class TaskCompletedData(TypedDict):
    """A task is done."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    token_usage: Usage
    tool_usage: dict[str, ToolUsage]
    result_summary: NotRequired[str]
    outcome: NotRequired[Outcome]


class ToolUsage(TypedDict):
    attempts: int
    failures: int


class TaskAbortedData(TypedDict):
    """A task was stopped."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    reason: NotRequired[str]
    outcome: NotRequired[Outcome]


class TaskFocusedData(TypedDict):
    """A task came to the front."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]


class TaskUnfocusedData(TypedDict):
    """A task left the front."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    put_away: NotRequired[bool]


class TaskActiveData(TypedDict):
    """A task is running."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]


class TaskInteractiveData(TypedDict):
    """A task waits for an answer."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    request_id: NotRequired[str]


class TaskResumableData(TypedDict):
    """A task can be taken up again."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    request_id: NotRequired[str]


class TaskIdleData(TypedDict):
    """A task is at rest."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    request_id: NotRequired[str]
    outcome: NotRequired[Outcome]


class TaskPausedData(TypedDict):
    """A task waits for its child."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    awaiting_child_id: NotRequired[str]


class TaskUnpausedData(TypedDict):
    """A task continues after its child."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    completed_by_child_id: NotRequired[str]
    completion_result_summary: NotRequired[str]


class TaskSpawnedData(TypedDict):
    """A task started a child."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    child_task_id: str
    message_id: NotRequired[str]


class TaskModeSwitchedData(TypedDict):
    """A task changed its mode."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    mode: str


class TaskAskRespondedData(TypedDict):
    """A task's question was answered."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    request_id: NotRequired[str]


class TaskUserMessageData(TypedDict):
    """The user sent a task a message."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    message_id: NotRequired[str]


class TaskToolFailedData(TypedDict):
    """A tool failed in a task."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    tool: str
    error: str
    tool_call_id: NotRequired[str]


class TaskTokenUsageUpdatedData(TypedDict):
    """A task's usage changed."""

    task_id: str
    parent_task_id: NotRequired[str]
    root_task_id: str
    monitor_id: NotRequired[str]
    token_usage: Usage
    tool_usage: dict[str, ToolUsage]


class MonitorAddedData(TypedDict):
    """There is a new monitor, with a main agent of its own."""

    monitor_id: str
    agent_id: str


class MonitorRemovedData(TypedDict):
    """A monitor was removed; what was on it is on the main one."""

    monitor_id: str
    moved: list[str]
    dropped: list[str]
    by: NotRequired[str]


class MonitorHeldData(TypedDict):
    """The agents of a background monitor wait until its output budget has room, or continue."""

    monitor_id: str
    until_ms: int


class ActionsData(TypedDict):
    """Things the front end should do, in order."""

    actions: list[Action]
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    task_id: NotRequired[str]
    reload_id: NotRequired[str]


class Action(TypedDict):
    action_id: NotRequired[str]
    type: ActionType
    window_id: NotRequired[str]
    params: NotRequired[dict[str, Any]]

ActionType = Literal[
    "window.create",
    "window.update",
    "window.close",
    "window.focus",
    "notification.show",
    "toast.show",
    "app.query",
    "app.command",
]


class UserInteractedData(TypedDict):
    """What a person did to windows."""

    interactions: list[Interaction]
    monitor_id: NotRequired[str]
    user_id: NotRequired[str]


class Interaction(TypedDict):
    kind: InteractionKind
    window_id: str
    ts: NotRequired[int]
    bounds: NotRequired[Bounds]
    layout: NotRequired[Layout]
    drawing: NotRequired[Any]

InteractionKind = Literal[
    "close",
    "focus",
    "move",
    "resize",
    "draw",
]

Layout = Literal[
    "wide",
    "medium",
]


class RenderingFailedData(TypedDict):
    """What a window should show could not be drawn."""

    window_id: str
    action_id: NotRequired[str]
    error: str


class ToastDismissedData(TypedDict):
    """Somebody dismissed a toast or a notice."""

    toast_id: str
    by: NotRequired[str]


class ProviderStatusData(TypedDict):
    """Whether the model provider can be reached."""

    status: ProviderConnection
    provider: str
    message: NotRequired[str]

ProviderConnection = Literal[
    "connected",
    "disconnected",
    "error",
]

# A tool call began, moved on or ended.
ToolProgressData = TypedDict(
    "ToolProgressData",
    {
        "tool_call_id": "str",
        "tool": "str",
        "status": "ToolStatus",
        "agent_id": "NotRequired[str]",
        "task_id": "NotRequired[str]",
        "monitor_id": "NotRequired[str]",
        "message_id": "NotRequired[str]",
        "input": "NotRequired[Any]",
        "output": "NotRequired[Any]",
        "summary": "NotRequired[str]",
        "title": "NotRequired[str]",
        "error": "NotRequired[str]",
        "error_in_output": "NotRequired[bool]",
        "exit_code": "NotRequired[int]",
        "limit_reached": "NotRequired[CommandLimit]",
        "stopped_by": "NotRequired[str]",
        "why_code": "NotRequired[EndCode]",
        "class": "NotRequired[ToolClass]",
        "effect": "NotRequired[Effect]",
        "request_id": "NotRequired[str]",
        "allowed_by": "NotRequired[AllowedBy]",
        "node": "NotRequired[str]",
        "in_doubt": "NotRequired[bool]",
        "mistake": "NotRequired[bool]",
        "images": "NotRequired[list[str]]",
        "output_blob": "NotRequired[str]",
        "output_bytes": "NotRequired[int]",
        "result_blob": "NotRequired[str]",
        "duration_ms": "NotRequired[int]",
        "progress_status": "NotRequired[ProgressStatus]",
    },
)

ToolClass = Literal[
    "read_only",
    "repeatable",
    "checkable",
    "once",
]


class WindowAgentStatusData(TypedDict):
    """What a window's agent is doing."""

    window_id: str
    agent_id: str
    status: WindowAgentStatus


class AppProtocolRequestData(TypedDict):
    """An agent asks an app for its state, or tells it to do something."""

    request_id: str
    window_id: str
    kind: AppProtocol
    name: str
    params: NotRequired[Any]
    agent_id: NotRequired[str]
    monitor_id: NotRequired[str]
    timeout_ms: NotRequired[int]
    deadline_ms: NotRequired[int]
    task_id: NotRequired[str]
    tool_call_id: NotRequired[str]


class AppRegisteredData(TypedDict):
    """What the app in a window can be asked and told."""

    window_id: str
    app: NotRequired[str]
    queries: NotRequired[list[str]]
    commands: NotRequired[list[str]]


class AppCalledData(TypedDict):
    """The page of a tool server asked for a tool of its server."""

    task_id: str
    monitor_id: NotRequired[str]
    agent_id: NotRequired[str]
    window_id: str
    request_id: str
    tool_call_id: str
    server: str
    tool: str
    arguments: NotRequired[Any]


class NotebookOpenedData(TypedDict):
    """A notebook is open; its file is read next."""

    notebook_id: str
    path: NotRequired[str]
    kernel_name: NotRequired[str]
    new: NotRequired[bool]
    by: NotRequired[str]
    task_id: NotRequired[str]


class NotebookReadData(TypedDict):
    """What a notebook's file has, or why it could not be read."""

    notebook_id: str
    hash: NotRequired[str]
    kernel_name: NotRequired[str]
    cells: list[NotebookCell]
    metadata: NotRequired[str]
    problem: NotRequired[str]


class NotebookCell(TypedDict):
    cell_id: str
    type: CellType
    source: NotRequired[str]
    source_blob: NotRequired[str]
    execution_count: NotRequired[int]
    saved_outputs: NotRequired[str]
    metadata: NotRequired[Any]
    attachments: NotRequired[str]


class NotebookChangedData(TypedDict):
    """Cells of a notebook were changed."""

    notebook_id: str
    version: int
    edits: list[CellEdit]
    by: NotRequired[str]
    task_id: NotRequired[str]


class CellEdit(TypedDict):
    op: CellEditOp
    cell_id: NotRequired[str]
    after: NotRequired[str]
    type: NotRequired[CellType]
    source: NotRequired[str]
    source_blob: NotRequired[str]

CellEditOp = Literal[
    "insert",
    "replace",
    "move",
    "delete",
    "clear",
]


class NotebookSaveRequestedData(TypedDict):
    """A notebook is to be written to its file."""

    notebook_id: str
    path: NotRequired[str]
    conflict: NotRequired[OnConflict]
    by: NotRequired[str]

OnConflict = Literal[
    "overwrite",
    "take",
    "beside",
]


class NotebookSavedData(TypedDict):
    """A notebook was written to its file, or could not be."""

    notebook_id: str
    path: str
    hash: NotRequired[str]
    version: int
    as_of: NotRequired[str]
    checkpoint_id: NotRequired[str]
    conflict: NotRequired[bool]
    problem: NotRequired[str]


class NotebookClosedData(TypedDict):
    """A notebook is closed."""

    notebook_id: str
    by: NotRequired[str]


class CellQueuedData(TypedDict):
    """Cells are to run."""

    notebook_id: str
    runs: list[CellRun]
    code: NotRequired[str]
    silent: NotRequired[bool]
    by: NotRequired[str]
    task_id: NotRequired[str]
    tool_call_id: NotRequired[str]


class CellStartedData(TypedDict):
    """A cell is about to run."""

    notebook_id: str
    run_id: str
    cell_id: NotRequired[str]
    kernel_id: str
    msg_id: str
    source_hash: NotRequired[str]


class CellFinishedData(TypedDict):
    """A run of a cell is over."""

    notebook_id: str
    run_id: str
    cell_id: NotRequired[str]
    status: CellStatus
    execution_count: NotRequired[int]
    duration_ms: NotRequired[int]
    outputs_lost: NotRequired[bool]
    left_out: NotRequired[int]
    output_blob: NotRequired[str]
    error_name: NotRequired[str]
    error_value: NotRequired[str]
    reason: NotRequired[str]
    dropped: NotRequired[list[str]]
    output: NotRequired[str]
    images: NotRequired[list[str]]


class KernelChangedData(TypedDict):
    """A kernel is in another state, or something is wanted of it."""

    notebook_id: str
    kernel_id: NotRequired[str]
    name: NotRequired[str]
    state: KernelState
    wanted: NotRequired[KernelWish]
    node: NotRequired[str]
    reason: NotRequired[str]
    info: NotRequired[KernelLanguage]
    by: NotRequired[str]
    dropped: NotRequired[list[str]]


class KernelRerunRequestedData(TypedDict):
    """A fresh kernel is to run again what ran."""

    notebook_id: str
    rerun_id: str
    since: str
    files: NotRequired[bool]
    by: NotRequired[str]


class KernelRerunStartedData(TypedDict):
    """What a fresh kernel runs again."""

    notebook_id: str
    rerun_id: str
    runs: list[RepeatedRun]
    files_before: NotRequired[str]
    files_after: NotRequired[str]


class RepeatedRun(TypedDict):
    run_id: str
    cell_id: str
    repeats: NotRequired[str]
    silent: NotRequired[bool]
    status: CellStatus
    state_hash: NotRequired[str]


class KernelRerunFinishedData(TypedDict):
    """A fresh kernel has run again what ran, or was stopped."""

    notebook_id: str
    rerun_id: str
    status: RerunStatus
    reason: NotRequired[str]
    files_restored: NotRequired[str]


class CheckpointInitializedData(TypedDict):
    """Checkpoints of a workspace can be made from here on."""

    task_id: NotRequired[str]
    kind: CheckpointKind
    workspace_dir: str
    base_hash: str
    duration_ms: NotRequired[int]

CheckpointKind = Literal[
    "workspace",
    "notebook",
]


class CheckpointSavedData(TypedDict):
    """A checkpoint was made."""

    checkpoint_id: str
    kind: CheckpointKind
    ts: int
    message_id: NotRequired[str]
    task_id: NotRequired[str]
    from_hash: str
    to_hash: str
    duration_ms: int
    suppress_message: bool
    reason: NotRequired[str]
    files: NotRequired[int]
    bytes: NotRequired[int]
    left: NotRequired[list[str]]
    notebook_id: NotRequired[str]
    cell_id: NotRequired[str]
    cell_index: NotRequired[int]
    run_id: NotRequired[str]
    variables: NotRequired[str]
    same: NotRequired[bool]
    differing: NotRequired[list[str]]


class CheckpointRestoredData(TypedDict):
    """Files were taken back to a checkpoint."""

    checkpoint_id: str
    kind: CheckpointKind
    commit_hash: str
    task_id: NotRequired[str]
    duration_ms: int
    rewind_id: NotRequired[str]
    files: NotRequired[FilesReturned]


class CheckpointUpdatedData(TypedDict):
    """Another checkpoint is the current one."""

    checkpoint_id: str
    hash: str
    task_id: NotRequired[str]

# How files differ between two checkpoints.
CheckpointDiffAnswer = TypedDict(
    "CheckpointDiffAnswer",
    {
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "files": "list[CheckpointFile]",
        "files_count": "NotRequired[int]",
        "client_message_id": "NotRequired[str]",
    },
)


class StateData(TypedDict):
    """Settings, modes, profiles and task history, for a user interface."""

    version: str
    current_task_item: NotRequired[HistoryItem]
    current_task_todos: NotRequired[list[Todo]]
    task_history: list[HistoryItem]
    api_configuration: NotRequired[dict[str, Any]]
    current_api_config_name: NotRequired[str]
    list_api_config_meta: NotRequired[list[ModelProfile]]
    mode: str
    custom_modes: NotRequired[list[dict[str, Any]]]
    auto_approval_enabled: bool
    always_allow_read_only: bool
    always_allow_write: bool
    always_allow_execute: bool
    always_allow_browser: bool
    always_allow_mcp: bool
    permissions: NotRequired[str]
    experiments: NotRequired[dict[str, bool]]
    mcp_enabled: bool
    browser_tool_enabled: bool
    tts_enabled: bool
    mcp_servers: NotRequired[list[McpServer]]
    settings: NotRequired[dict[str, Any]]
    client_message_id: NotRequired[str]


class HistoryItem(TypedDict):
    id: str
    number: int
    ts: int
    task: str
    tokens_in: int
    tokens_out: int
    cache_writes: NotRequired[int]
    cache_reads: NotRequired[int]
    total_cost: float
    size: NotRequired[int]
    workspace: NotRequired[str]
    mode: NotRequired[str]
    status: NotRequired[TaskStatus]
    root_task_id: NotRequired[str]
    parent_task_id: NotRequired[str]
    delegated_to_id: NotRequired[str]
    child_ids: NotRequired[list[str]]
    awaiting_child_id: NotRequired[str]
    completed_by_child_id: NotRequired[str]
    completion_result_summary: NotRequired[str]
    agent_kind: NotRequired[AgentKind]
    run_id: NotRequired[str]
    todo_id: NotRequired[str]
    outcome: NotRequired[Outcome]


class ModelProfile(TypedDict):
    id: str
    name: str
    provider: NotRequired[str]
    model: NotRequired[str]


class McpServer(TypedDict):
    name: str
    status: str
    disabled: NotRequired[bool]
    error: NotRequired[str]
    tools: NotRequired[list[McpTool]]


class McpTool(TypedDict):
    name: str
    description: NotRequired[str]
    always_allow: NotRequired[bool]


class ShowViewData(TypedDict):
    """The user interface should show a view."""

    view: str


class InvokeData(TypedDict):
    """The user interface should act as if the user had."""

    invoke: str
    text: NotRequired[str]
    images: NotRequired[list[str]]


class AcceptInputData(TypedDict):
    """The user interface should send what is typed."""



class McpServersData(TypedDict):
    """The tool servers and their tools."""

    mcp_servers: list[McpServer]


class CommandsData(TypedDict):
    """The commands a user may call by name."""

    commands: list[UserCommand]


class UserCommand(TypedDict):
    name: str
    description: NotRequired[str]
    argument_hint: NotRequired[str]
    source: NotRequired[str]


class EnhancedPromptData(TypedDict):
    """A better wording of a prompt."""

    text: str
    client_message_id: NotRequired[str]


class SystemPromptData(TypedDict):
    """The system prompt in use."""

    text: str
    mode: NotRequired[str]
    client_message_id: NotRequired[str]


class AutoApprovalChangedData(TypedDict):
    """What is approved without asking has changed."""

    auto_approval_enabled: bool
    always_allow_read_only: bool
    always_allow_write: bool
    always_allow_execute: bool
    always_allow_browser: bool
    always_allow_mcp: bool


class SettingsChangedData(TypedDict):
    """Settings of this session alone have changed."""

    settings: dict[str, Any]


class BrowserSessionUpdateData(TypedDict):
    """The browser session changed."""

    active: bool
    url: NotRequired[str]
    screenshot: NotRequired[str]
    task_id: NotRequired[str]


class WorkspaceUpdatedData(TypedDict):
    """The workspace changed."""

    workspace: str
    file_paths: NotRequired[list[str]]


class TtsStartData(TypedDict):
    """A text should be spoken."""

    text: str
    message_id: NotRequired[str]


class TtsStopData(TypedDict):
    """Speech should stop."""

    message_id: NotRequired[str]


class ExportSettingsAnswer(TypedDict):
    """The settings, without secrets."""

    settings: dict[str, Any]
    client_message_id: NotRequired[str]


class TestBrowserConnectionAnswer(TypedDict):
    """Whether a browser can be reached."""

    ok: bool
    message: NotRequired[str]
    client_message_id: NotRequired[str]


class AuthData(TypedDict):
    """Show credentials, as the first message."""

    token: NotRequired[str]
    api_key: NotRequired[str]


class PongData(TypedDict):
    """Answer a ping."""



class GetStateData(TypedDict):
    """Ask for session_state or state."""

    scope: NotRequired[StateScope]

StateScope = Literal[
    "session",
    "ui",
]


class GetMessagesData(TypedDict):
    """Ask for a page of the transcript."""

    limit: NotRequired[int]
    offset: NotRequired[int]
    before: NotRequired[str]


class SubscribeMonitorData(TypedDict):
    """From now on send only this monitor's events and those without a monitor; repeat it for more monitors."""

    monitor_id: str


class HitlPlanResponseData(TypedDict):
    """Approve, change or reject a plan."""

    type: NotRequired[Literal['plan']]
    request_id: str
    action: Literal['approve', 'modify', 'reject']
    comment: NotRequired[str]
    instruction: NotRequired[str]
    modifications: NotRequired[list[PlanEdit]]


class HitlApprovalResponseData(TypedDict):
    """Allow, skip or refuse what was asked."""

    type: NotRequired[Literal['approval']]
    request_id: str
    todo_id: NotRequired[str]
    action: Literal['approve', 'skip', 'reject']
    comment: NotRequired[str]
    reason: NotRequired[str]
    remember: NotRequired[Remember]


class HitlInputResponseData(TypedDict):
    """Fill in what was asked for."""

    type: NotRequired[Literal['input']]
    request_id: str
    field: NotRequired[str]
    value: Any


class HitlClarificationResponseData(TypedDict):
    """Say what was meant."""

    type: NotRequired[Literal['clarification']]
    request_id: str
    value: Any


class AskResponseData(TypedDict):
    """Answer an ask by button, text or value."""

    request_id: NotRequired[str]
    ask_response: AskResponse
    text: NotRequired[str]
    images: NotRequired[list[str]]
    value: NotRequired[Any]

AskResponse = Literal[
    "yes_button_clicked",
    "no_button_clicked",
    "message_response",
    "object_response",
]


class AssignQuestionData(TypedDict):
    """Choose who answers a question."""

    request_id: str
    user_id: NotRequired[str]


class UserMessageData(TypedDict):
    """Say something to the session; the one way in for a person's words."""

    text: str
    images: NotRequired[list[str]]
    monitor_id: NotRequired[str]
    mode: NotRequired[str]
    task_id: NotRequired[str]
    request_id: NotRequired[str]
    budget: NotRequired[Budget]
    delivery: NotRequired[Arrival]
    may_answer: NotRequired[list[str]]

Arrival = Literal[
    "steer",
    "queue",
    "ephemeral",
]


class EditQueuedData(TypedDict):
    """Say something else in a message that waits."""

    message_id: str
    text: str
    images: NotRequired[list[str]]


class RemoveQueuedData(TypedDict):
    """Take back a message that waits."""

    message_id: str


class MoveQueuedData(TypedDict):
    """Change the order of the messages that wait."""

    message_id: str
    before: NotRequired[str]


class SendQueuedData(TypedDict):
    """Do not let a message wait any longer."""

    message_id: str


class WindowMessageData(TypedDict):
    """Say something to a window's agent."""

    window_id: str
    text: str
    images: NotRequired[list[str]]


class ComponentActionData(TypedDict):
    """A button or form in a window was used."""

    window_id: str
    action: str
    action_id: NotRequired[str]
    form_data: NotRequired[dict[str, Any]]
    component_path: NotRequired[str]


class NewTaskData(TypedDict):
    """Start a task."""

    text: str
    images: NotRequired[list[str]]
    mode: NotRequired[str]
    monitor_id: NotRequired[str]


class ResumeTaskData(TypedDict):
    """Take a task up again."""

    task_id: str


class ClearTaskData(TypedDict):
    """Put a task away without deleting it."""

    task_id: NotRequired[str]


class ControlPauseData(TypedDict):
    """Pause the run."""

    reason: NotRequired[str]
    monitor_id: NotRequired[str]


class ControlResumeData(TypedDict):
    """Let the run continue, with changes to the plan if any."""

    modifications: NotRequired[list[PlanEdit]]
    monitor_id: NotRequired[str]


class ControlCancelData(TypedDict):
    """End the run or task."""

    reason: NotRequired[str]
    task_id: NotRequired[str]
    monitor_id: NotRequired[str]


class ControlRetryData(TypedDict):
    """Try a failed todo again."""

    todo_id: str
    monitor_id: NotRequired[str]


class ControlSkipData(TypedDict):
    """Leave a todo out."""

    todo_id: str
    reason: NotRequired[str]
    monitor_id: NotRequired[str]


class EditPlanData(TypedDict):
    """Change the todos of a run's plan; an approval given before no longer holds."""

    modifications: list[PlanEdit]
    version: NotRequired[int]
    monitor_id: NotRequired[str]


class InterruptData(TypedDict):
    """Stop what all agents are doing; the work stays."""



class InterruptAgentData(TypedDict):
    """Stop what one agent is doing."""

    agent: str


class ResetData(TypedDict):
    """Stop everything and clear the context; the journal stays."""



class SetProviderData(TypedDict):
    """Use another model provider."""

    provider: str
    model: NotRequired[str]


class RemoveMonitorData(TypedDict):
    """Remove a background monitor."""

    monitor_id: str


class RenderingFeedbackData(TypedDict):
    """Report whether a window could be drawn."""

    window_id: str
    action_id: NotRequired[str]
    success: bool
    error: NotRequired[str]
    width: NotRequired[int]
    height: NotRequired[int]


class ToastActionData(TypedDict):
    """Dismiss a toast or a notice."""

    toast_id: str
    action: Literal['dismiss']


class UserInteractionData(TypedDict):
    """What the user did to windows, as a batch."""

    interactions: list[Interaction]
    monitor_id: NotRequired[str]


class AppProtocolResponseData(TypedDict):
    """An app's answer to an agent."""

    request_id: str
    window_id: NotRequired[str]
    result: NotRequired[Any]
    error: NotRequired[str]


class AppProtocolReadyData(TypedDict):
    """An app is ready to be asked."""

    window_id: str
    app: NotRequired[str]
    queries: NotRequired[list[str]]
    commands: NotRequired[list[str]]


class AppCallData(TypedDict):
    """The page of a tool server asks for a tool of its server."""

    window_id: str
    request_id: str
    tool: str
    arguments: NotRequired[dict[str, Any]]


class DeleteMessageData(TypedDict):
    """Ask what deleting a message would take away."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]


class DeleteMessageConfirmData(TypedDict):
    """Delete a message and all after it."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]
    restore_checkpoint: NotRequired[bool]


class EditMessageData(TypedDict):
    """Ask what editing a message would take away."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]
    text: str
    images: NotRequired[list[str]]


class EditMessageConfirmData(TypedDict):
    """Go back to a message and send it with new words."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]
    text: str
    images: NotRequired[list[str]]
    restore_checkpoint: NotRequired[bool]


class RewindData(TypedDict):
    """Take the conversation back to a message."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]
    keep_target: NotRequired[bool]
    skip_cleanup: NotRequired[bool]
    restore_checkpoint: NotRequired[bool]


class RewindPreviewData(TypedDict):
    """Ask what a rewind would take away."""

    message_id: NotRequired[str]
    ts: NotRequired[int]
    message_ts: NotRequired[int]
    index: NotRequired[int]
    keep_target: NotRequired[bool]
    restore_checkpoint: NotRequired[bool]


class UndoRewindData(TypedDict):
    """Undo the last rewind."""

    restore_checkpoint: NotRequired[bool]


class RedoRewindData(TypedDict):
    """Do again the rewind that was undone last."""

    restore_checkpoint: NotRequired[bool]


class ClearMessagesData(TypedDict):
    """Take the conversation back to its start."""



class ForkSessionData(TypedDict):
    """Make a new session from this one's past."""

    message_id: NotRequired[str]
    keep_target: NotRequired[bool]
    title: NotRequired[str]
    workspace: NotRequired[str]


class CondenseContextData(TypedDict):
    """Put a summary in place of a task's old messages to the model."""

    task_id: NotRequired[str]


class RenameSessionData(TypedDict):
    """Give the session a title."""

    title: str


class ArchiveSessionData(TypedDict):
    """Put the session away, so that lists leave it out, or bring it back. It is refused while an agent is at work or a question is open; what is said or begun in the session also brings it back."""

    archived: bool


class SetAccessData(TypedDict):
    """Share the session with somebody, or take that back."""

    user_id: str
    role: Literal['', 'viewer', 'approver']


class ForgetRuleData(TypedDict):
    """Have asked again what was remembered for a task."""

    id: str

# Ask how files differ between two checkpoints.
CheckpointDiffData = TypedDict(
    "CheckpointDiffData",
    {
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "task_id": "NotRequired[str]",
    },
)


class CheckpointRestoreData(TypedDict):
    """Take files back to a checkpoint."""

    ts: NotRequired[int]
    message_id: NotRequired[str]
    commit_hash: NotRequired[str]
    mode: NotRequired[RestoreMode]
    task_id: NotRequired[str]
    kind: NotRequired[CheckpointKind]
    notebook_id: NotRequired[str]
    cell_index: NotRequired[int]

RestoreMode = Literal[
    "files",
    "both",
]


class CheckpointSaveData(TypedDict):
    """Make a checkpoint of the files as they are now."""

    message: NotRequired[str]


class UpdateSettingsData(TypedDict):
    """Change settings, of this session or, for administrators, of the server."""

    settings: dict[str, Any]
    scope: NotRequired[SettingsScope]

SettingsScope = Literal[
    "session",
    "server",
]


class ResetSettingsData(TypedDict):
    """Set all settings back; for administrators."""



class ImportSettingsData(TypedDict):
    """Take settings over from elsewhere; for administrators."""

    settings: dict[str, Any]


class ExportSettingsData(TypedDict):
    """Ask for the settings, without secrets; for administrators."""



class SaveModelProfileData(TypedDict):
    """Store a model profile; for administrators."""

    name: str
    api_configuration: dict[str, Any]


class LoadModelProfileData(TypedDict):
    """Use a model profile."""

    name: str


class RestartMcpServerData(TypedDict):
    """Restart a tool server; for administrators."""

    name: str


class ToggleMcpServerData(TypedDict):
    """Switch a tool server on or off; for administrators."""

    name: str
    enabled: bool


class ToggleToolAlwaysAllowData(TypedDict):
    """Allow a tool without asking, or stop that; for administrators."""

    server: str
    tool: str
    always_allow: bool


class TestBrowserConnectionData(TypedDict):
    """Ask whether a browser can be reached."""

    url: NotRequired[str]


class KillBrowserSessionData(TypedDict):
    """Close the browser session."""



class NotebookOpenData(TypedDict):
    """Open a notebook file, or begin a notebook without one."""

    path: NotRequired[str]
    kernel_name: NotRequired[str]
    new: NotRequired[bool]


class NotebookEditData(TypedDict):
    """Change the cells of a notebook."""

    notebook_id: str
    if_version: NotRequired[int]
    edits: list[CellEdit]

# Run cells of a notebook.
NotebookRunData = TypedDict(
    "NotebookRunData",
    {
        "notebook_id": "str",
        "cells": "NotRequired[list[str]]",
        "all": "NotRequired[bool]",
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
    },
)


class NotebookSaveData(TypedDict):
    """Write a notebook to its file, or to another one."""

    notebook_id: str
    path: NotRequired[str]
    conflict: NotRequired[OnConflict]


class NotebookCloseData(TypedDict):
    """Close a notebook and stop its kernel; the file stays."""

    notebook_id: str


class KernelExecuteData(TypedDict):
    """Run code in a notebook's kernel: a cell of it, or a new one at its end."""

    notebook_id: NotRequired[str]
    kernel_id: NotRequired[str]
    code: str
    silent: NotRequired[bool]
    cell_index: NotRequired[int]


class KernelInterruptData(TypedDict):
    """Interrupt what a kernel runs; cells that wait do not run."""

    notebook_id: NotRequired[str]
    kernel_id: NotRequired[str]


class KernelRestartData(TypedDict):
    """Start a kernel anew; what it knew is gone."""

    notebook_id: NotRequired[str]
    kernel_id: NotRequired[str]


class KernelShutdownData(TypedDict):
    """Shut a kernel down."""

    notebook_id: NotRequired[str]
    kernel_id: NotRequired[str]
    restart: NotRequired[bool]


class AckData(TypedDict):
    """The first frame a client gets: its id, the server's process ids and its address."""

    client_id: str
    pid: int
    ppid: int
    url: NotRequired[str]
    version: NotRequired[str]


class TaskCommandData(TypedDict):
    """Start, cancel, close or resume a task, send it a message, or follow a session."""

    command_name: TaskCommandName
    session_id: NotRequired[str]
    client_message_id: NotRequired[str]
    data: NotRequired[Any]

TaskCommandName = Literal[
    "start_new_task",
    "cancel_task",
    "close_task",
    "resume_task",
    "send_message",
    "follow",
]


class TaskEventData(TypedDict):
    """An envelope of a session that the client follows, or an answer to it alone."""

    type: EventType
    session_id: NotRequired[str]
    message_id: NotRequired[str]
    timestamp: str
    client_message_id: NotRequired[str]
    data: NotRequired[Any]


class HitlPlanReviewQuestion(HitlPlanReviewData):
    type: Literal["hitl_plan_review"]


class HitlApprovalRequestQuestion(HitlApprovalRequestData):
    type: Literal["hitl_approval_request"]


class HitlInputRequestQuestion(HitlInputRequestData):
    type: Literal["hitl_input_request"]


class HitlClarificationQuestion(HitlClarificationData):
    type: Literal["hitl_clarification"]


# An open question: the data of the event that asked it, with the event's type.
Question = Union[
    HitlPlanReviewQuestion,
    HitlApprovalRequestQuestion,
    HitlInputRequestQuestion,
    HitlClarificationQuestion,
]


class Envelope(TypedDict):
    """The fields that every envelope of a server has."""

    session_id: NotRequired[str]
    # msg_… for a record, absent for most answers and for streamed text
    message_id: NotRequired[str]
    # on a record: what the client called the command that led to it
    client_message_id: NotRequired[str]
    # RFC 3339 in UTC with milliseconds
    timestamp: NotRequired[str]


class AuthResultEvent(Envelope):
    """Says whether the client is let in, and as whom."""

    type: Literal["auth_result"]
    data: AuthResult


class SessionStateEvent(Envelope):
    """The session as of one record; sent on every connect and on request."""

    type: Literal["session_state"]
    data: SessionState


class SyncCompleteEvent(Envelope):
    """The replay is over; what follows is live."""

    type: Literal["sync_complete"]
    data: SyncComplete


class ConnectedEvent(Envelope):
    """What this connection is; sent in view state, first of all and when its role changes."""

    type: Literal["connected"]
    data: ConnectedData


class StateChangedEvent(Envelope):
    """What changed of the state, or all of it; in view state."""

    type: Literal["state_changed"]
    data: StateChangedData


class TextEvent(Envelope):
    """The next piece of a message that grows; in view state."""

    type: Literal["text"]
    data: TextData


class PingEvent(Envelope):
    """Are you there? Answer with pong."""

    type: Literal["ping"]
    data: NotRequired[PingData]


class PresenceEvent(Envelope):
    """Who watches the session now; sent when that changes."""

    type: Literal["presence"]
    data: PresenceData


class ErrorEvent(Envelope):
    """Something failed: a client's frame (answer), or a run, agent or question (record)."""

    type: Literal["error"]
    data: ErrorData


class SessionCreatedEvent(Envelope):
    """The session came into being; the first record of each journal."""

    type: Literal["session_created"]
    data: SessionCreatedData


class SessionRenamedEvent(Envelope):
    """The session has a new title."""

    type: Literal["session_renamed"]
    data: SessionRenamedData


class SessionArchivedEvent(Envelope):
    """The session was put away, or brought back."""

    type: Literal["session_archived"]
    data: SessionArchivedData


class AccessChangedEvent(Envelope):
    """The owner shared the session with somebody, or took that back."""

    type: Literal["access_changed"]
    data: AccessChangedData


class SessionForkedEvent(Envelope):
    """A new session was made from this one's past."""

    type: Literal["session_forked"]
    data: SessionForkedData


class SessionImportedEvent(Envelope):
    """The session came from elsewhere."""

    type: Literal["session_imported"]
    data: SessionImportedData


class MessageCreatedEvent(Envelope):
    """A message appeared in the transcript."""

    type: Literal["message_created"]
    data: MessageCreatedData


class MessageUpdatedEvent(Envelope):
    """A message changed; carries all of it."""

    type: Literal["message_updated"]
    data: MessageUpdatedData


class MessageAcceptedEvent(Envelope):
    """A client's message was handed to an agent."""

    type: Literal["message_accepted"]
    data: MessageAcceptedData


class MessageQueuedEvent(Envelope):
    """A client's message waits, because the agent is busy or a limit is reached."""

    type: Literal["message_queued"]
    data: MessageQueuedData


class QueueChangedEvent(Envelope):
    """The messages that wait have another order, or one was taken back."""

    type: Literal["queue_changed"]
    data: QueueChangedData


class ModelMessageEvent(Envelope):
    """A task's model history has a new entry; the results of tools are in tool_progress."""

    type: Literal["model_message"]
    data: ModelMessageData


class MessagesPageEvent(Envelope):
    """A page of the transcript."""

    type: Literal["messages_page"]
    data: MessagesPage


class AgentResponseEvent(Envelope):
    """The next piece of an agent's answer."""

    type: Literal["agent_response"]
    data: AgentResponseData


class AgentThinkingEvent(Envelope):
    """The next piece of an agent's thinking."""

    type: Literal["agent_thinking"]
    data: AgentThinkingData


class HistoryRewoundEvent(Envelope):
    """The conversation was taken back to an earlier message."""

    type: Literal["history_rewound"]
    data: HistoryRewoundData


class RewindUndoneEvent(Envelope):
    """The last rewind was undone."""

    type: Literal["rewind_undone"]
    data: RewindUndoneData


class RewindPreviewEvent(Envelope):
    """What a rewind would take away; also answers delete_message and edit_message."""

    type: Literal["rewind_preview"]
    data: RewindPreviewAnswer


class RewindStartedEvent(Envelope):
    """Files are being taken back; nothing else happens meanwhile."""

    type: Literal["rewind_started"]
    data: RewindStartedData


class RewindFailedEvent(Envelope):
    """Files could not be taken back; everything is as before."""

    type: Literal["rewind_failed"]
    data: RewindFailedData


class CondenseRequestedEvent(Envelope):
    """Somebody wants a summary in place of old messages to the model."""

    type: Literal["condense_requested"]
    data: CondenseRequestedData


class LayerStartEvent(Envelope):
    """A run entered a layer."""

    type: Literal["layer_start"]
    data: LayerStartData


class LayerCompleteEvent(Envelope):
    """A run left a layer."""

    type: Literal["layer_complete"]
    data: LayerCompleteData


class PlanGeneratedEvent(Envelope):
    """There is a plan."""

    type: Literal["plan_generated"]
    data: PlanGeneratedData


class PlanApprovedEvent(Envelope):
    """The plan was approved."""

    type: Literal["plan_approved"]
    data: PlanApprovedData


class PlanModifiedEvent(Envelope):
    """The plan has a new version."""

    type: Literal["plan_modified"]
    data: PlanModifiedData


class PlanRejectedEvent(Envelope):
    """The plan was rejected."""

    type: Literal["plan_rejected"]
    data: PlanRejectedData


class TodoStartedEvent(Envelope):
    """Work on a todo began."""

    type: Literal["todo_started"]
    data: TodoStartedData


class TodoProgressEvent(Envelope):
    """A todo moved on."""

    type: Literal["todo_progress"]
    data: TodoProgressData


class TodoCompletedEvent(Envelope):
    """A todo is done."""

    type: Literal["todo_completed"]
    data: TodoCompletedData


class TodoFailedEvent(Envelope):
    """A todo failed."""

    type: Literal["todo_failed"]
    data: TodoFailedData


class TodoRetriedEvent(Envelope):
    """A todo that failed will be tried again."""

    type: Literal["todo_retried"]
    data: TodoRetriedData


class TodoSkippedEvent(Envelope):
    """A todo was left out."""

    type: Literal["todo_skipped"]
    data: TodoSkippedData


class ExecutionProgressEvent(Envelope):
    """How far the plan as a whole has come."""

    type: Literal["execution_progress"]
    data: ExecutionProgressData


class CompleteEvent(Envelope):
    """The run ended well; carries its answer."""

    type: Literal["complete"]
    data: CompleteData


class FailedEvent(Envelope):
    """The run failed; carries what there is."""

    type: Literal["failed"]
    data: FailedData


class CancelledEvent(Envelope):
    """The run was cancelled; carries what there is."""

    type: Literal["cancelled"]
    data: CancelledData


class HitlPlanReviewEvent(Envelope):
    """A person has to review a plan."""

    type: Literal["hitl_plan_review"]
    data: HitlPlanReviewData


class HitlApprovalRequestEvent(Envelope):
    """A person has to allow something."""

    type: Literal["hitl_approval_request"]
    data: HitlApprovalRequestData


class HitlInputRequestEvent(Envelope):
    """A person has to fill something in."""

    type: Literal["hitl_input_request"]
    data: HitlInputRequestData


class HitlClarificationEvent(Envelope):
    """A person has to say what was meant."""

    type: Literal["hitl_clarification"]
    data: HitlClarificationData


class HitlResolvedEvent(Envelope):
    """A question is settled, by whomever."""

    type: Literal["hitl_resolved"]
    data: HitlResolvedData


class HitlReminderEvent(Envelope):
    """A question's deadline is near."""

    type: Literal["hitl_reminder"]
    data: HitlReminderData


class HitlAssignedEvent(Envelope):
    """A question is meant for somebody else."""

    type: Literal["hitl_assigned"]
    data: HitlAssignedData


class RuleForgottenEvent(Envelope):
    """What was remembered for a task needs approval again."""

    type: Literal["rule_forgotten"]
    data: RuleForgottenData


class HitlPausedEvent(Envelope):
    """The run is paused."""

    type: Literal["hitl_paused"]
    data: HitlPausedData


class HitlResumedEvent(Envelope):
    """The run continues."""

    type: Literal["hitl_resumed"]
    data: HitlResumedData


class TaskCreatedEvent(Envelope):
    """There is a new task."""

    type: Literal["task_created"]
    data: TaskCreatedData


class TaskStartedEvent(Envelope):
    """Work on a task began."""

    type: Literal["task_started"]
    data: TaskStartedData


class TaskCompletedEvent(Envelope):
    """A task is done."""

    type: Literal["task_completed"]
    data: TaskCompletedData


class TaskAbortedEvent(Envelope):
    """A task was stopped."""

    type: Literal["task_aborted"]
    data: TaskAbortedData


class TaskFocusedEvent(Envelope):
    """A task came to the front."""

    type: Literal["task_focused"]
    data: TaskFocusedData


class TaskUnfocusedEvent(Envelope):
    """A task left the front."""

    type: Literal["task_unfocused"]
    data: TaskUnfocusedData


class TaskActiveEvent(Envelope):
    """A task is running."""

    type: Literal["task_active"]
    data: TaskActiveData


class TaskInteractiveEvent(Envelope):
    """A task waits for an answer."""

    type: Literal["task_interactive"]
    data: TaskInteractiveData


class TaskResumableEvent(Envelope):
    """A task can be taken up again."""

    type: Literal["task_resumable"]
    data: TaskResumableData


class TaskIdleEvent(Envelope):
    """A task is at rest."""

    type: Literal["task_idle"]
    data: TaskIdleData


class TaskPausedEvent(Envelope):
    """A task waits for its child."""

    type: Literal["task_paused"]
    data: TaskPausedData


class TaskUnpausedEvent(Envelope):
    """A task continues after its child."""

    type: Literal["task_unpaused"]
    data: TaskUnpausedData


class TaskSpawnedEvent(Envelope):
    """A task started a child."""

    type: Literal["task_spawned"]
    data: TaskSpawnedData


class TaskModeSwitchedEvent(Envelope):
    """A task changed its mode."""

    type: Literal["task_mode_switched"]
    data: TaskModeSwitchedData


class TaskAskRespondedEvent(Envelope):
    """A task's question was answered."""

    type: Literal["task_ask_responded"]
    data: TaskAskRespondedData


class TaskUserMessageEvent(Envelope):
    """The user sent a task a message."""

    type: Literal["task_user_message"]
    data: TaskUserMessageData


class TaskToolFailedEvent(Envelope):
    """A tool failed in a task."""

    type: Literal["task_tool_failed"]
    data: TaskToolFailedData


class TaskTokenUsageUpdatedEvent(Envelope):
    """A task's usage changed."""

    type: Literal["task_token_usage_updated"]
    data: TaskTokenUsageUpdatedData


class MonitorAddedEvent(Envelope):
    """There is a new monitor, with a main agent of its own."""

    type: Literal["monitor_added"]
    data: MonitorAddedData


class MonitorRemovedEvent(Envelope):
    """A monitor was removed; what was on it is on the main one."""

    type: Literal["monitor_removed"]
    data: MonitorRemovedData


class MonitorHeldEvent(Envelope):
    """The agents of a background monitor wait until its output budget has room, or continue."""

    type: Literal["monitor_held"]
    data: MonitorHeldData


class ActionsEvent(Envelope):
    """Things the front end should do, in order."""

    type: Literal["actions"]
    data: ActionsData


class UserInteractedEvent(Envelope):
    """What a person did to windows."""

    type: Literal["user_interacted"]
    data: UserInteractedData


class RenderingFailedEvent(Envelope):
    """What a window should show could not be drawn."""

    type: Literal["rendering_failed"]
    data: RenderingFailedData


class ToastDismissedEvent(Envelope):
    """Somebody dismissed a toast or a notice."""

    type: Literal["toast_dismissed"]
    data: ToastDismissedData


class ProviderStatusEvent(Envelope):
    """Whether the model provider can be reached."""

    type: Literal["provider_status"]
    data: ProviderStatusData


class ToolProgressEvent(Envelope):
    """A tool call began, moved on or ended."""

    type: Literal["tool_progress"]
    data: ToolProgressData


class WindowAgentStatusEvent(Envelope):
    """What a window's agent is doing."""

    type: Literal["window_agent_status"]
    data: WindowAgentStatusData


class AppProtocolRequestEvent(Envelope):
    """An agent asks an app for its state, or tells it to do something."""

    type: Literal["app_protocol_request"]
    data: AppProtocolRequestData


class AppRegisteredEvent(Envelope):
    """What the app in a window can be asked and told."""

    type: Literal["app_registered"]
    data: AppRegisteredData


class AppCalledEvent(Envelope):
    """The page of a tool server asked for a tool of its server."""

    type: Literal["app_called"]
    data: AppCalledData


class NotebookOpenedEvent(Envelope):
    """A notebook is open; its file is read next."""

    type: Literal["notebook_opened"]
    data: NotebookOpenedData


class NotebookReadEvent(Envelope):
    """What a notebook's file has, or why it could not be read."""

    type: Literal["notebook_read"]
    data: NotebookReadData


class NotebookChangedEvent(Envelope):
    """Cells of a notebook were changed."""

    type: Literal["notebook_changed"]
    data: NotebookChangedData


class NotebookSaveRequestedEvent(Envelope):
    """A notebook is to be written to its file."""

    type: Literal["notebook_save_requested"]
    data: NotebookSaveRequestedData


class NotebookSavedEvent(Envelope):
    """A notebook was written to its file, or could not be."""

    type: Literal["notebook_saved"]
    data: NotebookSavedData


class NotebookClosedEvent(Envelope):
    """A notebook is closed."""

    type: Literal["notebook_closed"]
    data: NotebookClosedData


class CellQueuedEvent(Envelope):
    """Cells are to run."""

    type: Literal["cell_queued"]
    data: CellQueuedData


class CellStartedEvent(Envelope):
    """A cell is about to run."""

    type: Literal["cell_started"]
    data: CellStartedData


class CellFinishedEvent(Envelope):
    """A run of a cell is over."""

    type: Literal["cell_finished"]
    data: CellFinishedData


class KernelChangedEvent(Envelope):
    """A kernel is in another state, or something is wanted of it."""

    type: Literal["kernel_changed"]
    data: KernelChangedData


class KernelRerunRequestedEvent(Envelope):
    """A fresh kernel is to run again what ran."""

    type: Literal["kernel_rerun_requested"]
    data: KernelRerunRequestedData


class KernelRerunStartedEvent(Envelope):
    """What a fresh kernel runs again."""

    type: Literal["kernel_rerun_started"]
    data: KernelRerunStartedData


class KernelRerunFinishedEvent(Envelope):
    """A fresh kernel has run again what ran, or was stopped."""

    type: Literal["kernel_rerun_finished"]
    data: KernelRerunFinishedData


class CheckpointInitializedEvent(Envelope):
    """Checkpoints of a workspace can be made from here on."""

    type: Literal["checkpoint_initialized"]
    data: CheckpointInitializedData


class CheckpointSavedEvent(Envelope):
    """A checkpoint was made."""

    type: Literal["checkpoint_saved"]
    data: CheckpointSavedData


class CheckpointRestoredEvent(Envelope):
    """Files were taken back to a checkpoint."""

    type: Literal["checkpoint_restored"]
    data: CheckpointRestoredData


class CheckpointUpdatedEvent(Envelope):
    """Another checkpoint is the current one."""

    type: Literal["checkpoint_updated"]
    data: CheckpointUpdatedData


class CheckpointDiffEvent(Envelope):
    """How files differ between two checkpoints."""

    type: Literal["checkpoint_diff"]
    data: CheckpointDiffAnswer


class StateEvent(Envelope):
    """Settings, modes, profiles and task history, for a user interface."""

    type: Literal["state"]
    data: StateData


class ShowViewEvent(Envelope):
    """The user interface should show a view."""

    type: Literal["show_view"]
    data: ShowViewData


class InvokeEvent(Envelope):
    """The user interface should act as if the user had."""

    type: Literal["invoke"]
    data: InvokeData


class AcceptInputEvent(Envelope):
    """The user interface should send what is typed."""

    type: Literal["accept_input"]
    data: NotRequired[AcceptInputData]


class McpServersEvent(Envelope):
    """The tool servers and their tools."""

    type: Literal["mcp_servers"]
    data: McpServersData


class CommandsEvent(Envelope):
    """The commands a user may call by name."""

    type: Literal["commands"]
    data: CommandsData


class EnhancedPromptEvent(Envelope):
    """A better wording of a prompt."""

    type: Literal["enhanced_prompt"]
    data: EnhancedPromptData


class SystemPromptEvent(Envelope):
    """The system prompt in use."""

    type: Literal["system_prompt"]
    data: SystemPromptData


class AutoApprovalChangedEvent(Envelope):
    """What is approved without asking has changed."""

    type: Literal["auto_approval_changed"]
    data: AutoApprovalChangedData


class SettingsChangedEvent(Envelope):
    """Settings of this session alone have changed."""

    type: Literal["settings_changed"]
    data: SettingsChangedData


class BrowserSessionUpdateEvent(Envelope):
    """The browser session changed."""

    type: Literal["browser_session_update"]
    data: BrowserSessionUpdateData


class WorkspaceUpdatedEvent(Envelope):
    """The workspace changed."""

    type: Literal["workspace_updated"]
    data: WorkspaceUpdatedData


class TtsStartEvent(Envelope):
    """A text should be spoken."""

    type: Literal["tts_start"]
    data: TtsStartData


class TtsStopEvent(Envelope):
    """Speech should stop."""

    type: Literal["tts_stop"]
    data: TtsStopData


class ExportSettingsEvent(Envelope):
    """The settings, without secrets."""

    type: Literal["export_settings"]
    data: ExportSettingsAnswer


class TestBrowserConnectionEvent(Envelope):
    """Whether a browser can be reached."""

    type: Literal["test_browser_connection"]
    data: TestBrowserConnectionAnswer


# What a server sends, told apart by type.
ServerEnvelope = Union[
    AuthResultEvent,
    SessionStateEvent,
    SyncCompleteEvent,
    ConnectedEvent,
    StateChangedEvent,
    TextEvent,
    PingEvent,
    PresenceEvent,
    ErrorEvent,
    SessionCreatedEvent,
    SessionRenamedEvent,
    SessionArchivedEvent,
    AccessChangedEvent,
    SessionForkedEvent,
    SessionImportedEvent,
    MessageCreatedEvent,
    MessageUpdatedEvent,
    MessageAcceptedEvent,
    MessageQueuedEvent,
    QueueChangedEvent,
    ModelMessageEvent,
    MessagesPageEvent,
    AgentResponseEvent,
    AgentThinkingEvent,
    HistoryRewoundEvent,
    RewindUndoneEvent,
    RewindPreviewEvent,
    RewindStartedEvent,
    RewindFailedEvent,
    CondenseRequestedEvent,
    LayerStartEvent,
    LayerCompleteEvent,
    PlanGeneratedEvent,
    PlanApprovedEvent,
    PlanModifiedEvent,
    PlanRejectedEvent,
    TodoStartedEvent,
    TodoProgressEvent,
    TodoCompletedEvent,
    TodoFailedEvent,
    TodoRetriedEvent,
    TodoSkippedEvent,
    ExecutionProgressEvent,
    CompleteEvent,
    FailedEvent,
    CancelledEvent,
    HitlPlanReviewEvent,
    HitlApprovalRequestEvent,
    HitlInputRequestEvent,
    HitlClarificationEvent,
    HitlResolvedEvent,
    HitlReminderEvent,
    HitlAssignedEvent,
    RuleForgottenEvent,
    HitlPausedEvent,
    HitlResumedEvent,
    TaskCreatedEvent,
    TaskStartedEvent,
    TaskCompletedEvent,
    TaskAbortedEvent,
    TaskFocusedEvent,
    TaskUnfocusedEvent,
    TaskActiveEvent,
    TaskInteractiveEvent,
    TaskResumableEvent,
    TaskIdleEvent,
    TaskPausedEvent,
    TaskUnpausedEvent,
    TaskSpawnedEvent,
    TaskModeSwitchedEvent,
    TaskAskRespondedEvent,
    TaskUserMessageEvent,
    TaskToolFailedEvent,
    TaskTokenUsageUpdatedEvent,
    MonitorAddedEvent,
    MonitorRemovedEvent,
    MonitorHeldEvent,
    ActionsEvent,
    UserInteractedEvent,
    RenderingFailedEvent,
    ToastDismissedEvent,
    ProviderStatusEvent,
    ToolProgressEvent,
    WindowAgentStatusEvent,
    AppProtocolRequestEvent,
    AppRegisteredEvent,
    AppCalledEvent,
    NotebookOpenedEvent,
    NotebookReadEvent,
    NotebookChangedEvent,
    NotebookSaveRequestedEvent,
    NotebookSavedEvent,
    NotebookClosedEvent,
    CellQueuedEvent,
    CellStartedEvent,
    CellFinishedEvent,
    KernelChangedEvent,
    KernelRerunRequestedEvent,
    KernelRerunStartedEvent,
    KernelRerunFinishedEvent,
    CheckpointInitializedEvent,
    CheckpointSavedEvent,
    CheckpointRestoredEvent,
    CheckpointUpdatedEvent,
    CheckpointDiffEvent,
    StateEvent,
    ShowViewEvent,
    InvokeEvent,
    AcceptInputEvent,
    McpServersEvent,
    CommandsEvent,
    EnhancedPromptEvent,
    SystemPromptEvent,
    AutoApprovalChangedEvent,
    SettingsChangedEvent,
    BrowserSessionUpdateEvent,
    WorkspaceUpdatedEvent,
    TtsStartEvent,
    TtsStopEvent,
    ExportSettingsEvent,
    TestBrowserConnectionEvent,
]
