package clew

// An EventType names something that happened, on the wire and in the journal.
type EventType string

// An Event is something a session tells its clients. Data points to the data
// struct that the catalogue names for Type.
type Event struct {
	Type EventType
	Data any
}

// An EventKind says how an event reaches clients.
type EventKind string

// The kinds of events.
const (
	// KindRecord is journaled: durable, numbered, replayed.
	KindRecord EventKind = "record"
	// KindTransient goes to whoever is connected, and is not stored.
	KindTransient EventKind = "transient"
	// KindAnswer goes to one client, and is not stored.
	KindAnswer EventKind = "answer"
	// KindRecordOrAnswer is a record when it is about the session and an answer
	// when it is about one client's frame.
	KindRecordOrAnswer EventKind = "record or answer"
)

// Journaled reports whether events of this kind may stand in a journal.
func (k EventKind) Journaled() bool { return k == KindRecord || k == KindRecordOrAnswer }

// Values lists the kinds.
func (EventKind) Values() []string {
	return []string{string(KindRecord), string(KindTransient), string(KindAnswer), string(KindRecordOrAnswer)}
}

// The event types. What each one says is in Events.
const (
	// Connection
	EventAuthResult   EventType = "auth_result"
	EventSessionState EventType = "session_state"
	EventSyncComplete EventType = "sync_complete"
	EventConnected    EventType = "connected"
	EventStateChanged EventType = "state_changed"
	EventText         EventType = "text"
	EventPing         EventType = "ping"
	EventPresence     EventType = "presence"
	EventError        EventType = "error"

	// Session
	EventSessionCreated  EventType = "session_created"
	EventSessionRenamed  EventType = "session_renamed"
	EventSessionArchived EventType = "session_archived"
	EventAccessChanged   EventType = "access_changed"
	EventSessionForked   EventType = "session_forked"
	EventSessionImported EventType = "session_imported"

	// Messages and history
	EventMessageCreated    EventType = "message_created"
	EventMessageUpdated    EventType = "message_updated"
	EventMessageAccepted   EventType = "message_accepted"
	EventMessageQueued     EventType = "message_queued"
	EventQueueChanged      EventType = "queue_changed"
	EventModelMessage      EventType = "model_message"
	EventMessagesPage      EventType = "messages_page"
	EventAgentResponse     EventType = "agent_response"
	EventAgentThinking     EventType = "agent_thinking"
	EventHistoryRewound    EventType = "history_rewound"
	EventRewindUndone      EventType = "rewind_undone"
	EventRewindPreview     EventType = "rewind_preview"
	EventRewindStarted     EventType = "rewind_started"
	EventRewindFailed      EventType = "rewind_failed"
	EventCondenseRequested EventType = "condense_requested"

	// Runs
	EventLayerStart        EventType = "layer_start"
	EventLayerComplete     EventType = "layer_complete"
	EventPlanGenerated     EventType = "plan_generated"
	EventPlanApproved      EventType = "plan_approved"
	EventPlanModified      EventType = "plan_modified"
	EventPlanRejected      EventType = "plan_rejected"
	EventTodoStarted       EventType = "todo_started"
	EventTodoProgress      EventType = "todo_progress"
	EventTodoCompleted     EventType = "todo_completed"
	EventTodoFailed        EventType = "todo_failed"
	EventTodoRetried       EventType = "todo_retried"
	EventTodoSkipped       EventType = "todo_skipped"
	EventExecutionProgress EventType = "execution_progress"
	EventComplete          EventType = "complete"
	EventFailed            EventType = "failed"
	EventCancelled         EventType = "cancelled"

	// Questions
	EventHitlPlanReview      EventType = "hitl_plan_review"
	EventHitlApprovalRequest EventType = "hitl_approval_request"
	EventHitlInputRequest    EventType = "hitl_input_request"
	EventHitlClarification   EventType = "hitl_clarification"
	EventHitlResolved        EventType = "hitl_resolved"
	EventHitlReminder        EventType = "hitl_reminder"
	EventHitlAssigned        EventType = "hitl_assigned"
	EventRuleForgotten       EventType = "rule_forgotten"
	EventHitlPaused          EventType = "hitl_paused"
	EventHitlResumed         EventType = "hitl_resumed"

	// Tasks
	EventTaskCreated           EventType = "task_created"
	EventTaskStarted           EventType = "task_started"
	EventTaskCompleted         EventType = "task_completed"
	EventTaskAborted           EventType = "task_aborted"
	EventTaskFocused           EventType = "task_focused"
	EventTaskUnfocused         EventType = "task_unfocused"
	EventTaskActive            EventType = "task_active"
	EventTaskInteractive       EventType = "task_interactive"
	EventTaskResumable         EventType = "task_resumable"
	EventTaskIdle              EventType = "task_idle"
	EventTaskPaused            EventType = "task_paused"
	EventTaskUnpaused          EventType = "task_unpaused"
	EventTaskSpawned           EventType = "task_spawned"
	EventTaskModeSwitched      EventType = "task_mode_switched"
	EventTaskAskResponded      EventType = "task_ask_responded"
	EventTaskUserMessage       EventType = "task_user_message"
	EventTaskToolFailed        EventType = "task_tool_failed"
	EventTaskTokenUsageUpdated EventType = "task_token_usage_updated"

	// Agents, tools, windows
	EventMonitorAdded       EventType = "monitor_added"
	EventMonitorRemoved     EventType = "monitor_removed"
	EventMonitorHeld        EventType = "monitor_held"
	EventActions            EventType = "actions"
	EventUserInteracted     EventType = "user_interacted"
	EventRenderingFailed    EventType = "rendering_failed"
	EventToastDismissed     EventType = "toast_dismissed"
	EventProviderStatus     EventType = "provider_status"
	EventToolProgress       EventType = "tool_progress"
	EventWindowAgentStatus  EventType = "window_agent_status"
	EventAppProtocolRequest EventType = "app_protocol_request"
	EventAppRegistered      EventType = "app_registered"
	EventAppCalled          EventType = "app_called"

	// Notebooks
	EventNotebookOpened        EventType = "notebook_opened"
	EventNotebookRead          EventType = "notebook_read"
	EventNotebookChanged       EventType = "notebook_changed"
	EventNotebookSaveRequested EventType = "notebook_save_requested"
	EventNotebookSaved         EventType = "notebook_saved"
	EventNotebookClosed        EventType = "notebook_closed"
	EventCellQueued            EventType = "cell_queued"
	EventCellStarted           EventType = "cell_started"
	EventCellFinished          EventType = "cell_finished"
	EventKernelChanged         EventType = "kernel_changed"
	EventKernelRerunRequested  EventType = "kernel_rerun_requested"
	EventKernelRerunStarted    EventType = "kernel_rerun_started"
	EventKernelRerunFinished   EventType = "kernel_rerun_finished"

	// Checkpoints
	EventCheckpointInitialized EventType = "checkpoint_initialized"
	EventCheckpointSaved       EventType = "checkpoint_saved"
	EventCheckpointRestored    EventType = "checkpoint_restored"
	EventCheckpointUpdated     EventType = "checkpoint_updated"
	EventCheckpointDiff        EventType = "checkpoint_diff"

	// Views and settings
	EventState                 EventType = "state"
	EventShowView              EventType = "show_view"
	EventInvoke                EventType = "invoke"
	EventAcceptInput           EventType = "accept_input"
	EventMcpServers            EventType = "mcp_servers"
	EventCommands              EventType = "commands"
	EventEnhancedPrompt        EventType = "enhanced_prompt"
	EventSystemPrompt          EventType = "system_prompt"
	EventAutoApprovalChanged   EventType = "auto_approval_changed"
	EventSettingsChanged       EventType = "settings_changed"
	EventBrowserSessionUpdate  EventType = "browser_session_update"
	EventWorkspaceUpdated      EventType = "workspace_updated"
	EventTtsStart              EventType = "tts_start"
	EventTtsStop               EventType = "tts_stop"
	EventExportSettings        EventType = "export_settings"
	EventTestBrowserConnection EventType = "test_browser_connection"
)
