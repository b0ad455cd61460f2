package clew

// A CommandType names what a client asks for.
type CommandType string

// A Command is one request of a client, decoded and checked.
type Command struct {
	Type CommandType
	// ClientMessageID is the client's own name for the command, "" if it gave
	// none. A repeat of a known one has no second effect.
	ClientMessageID ClientMessageID
	By              Principal
	// Data points to the data struct that the catalogue names for Type. It is
	// never nil.
	Data any
}

// The command types. What each one asks for is in Commands.
const (
	// Connection
	CommandAuth             CommandType = "auth"
	CommandPong             CommandType = "pong"
	CommandGetState         CommandType = "get_state"
	CommandGetMessages      CommandType = "get_messages"
	CommandSubscribeMonitor CommandType = "subscribe_monitor"

	// Answers to questions
	CommandHitlPlanResponse          CommandType = "hitl_plan_response"
	CommandHitlApprovalResponse      CommandType = "hitl_approval_response"
	CommandHitlInputResponse         CommandType = "hitl_input_response"
	CommandHitlClarificationResponse CommandType = "hitl_clarification_response"
	CommandAskResponse               CommandType = "ask_response"
	CommandAssignQuestion            CommandType = "assign_question"

	// Input
	CommandUserMessage     CommandType = "user_message"
	CommandEditQueued      CommandType = "edit_queued"
	CommandRemoveQueued    CommandType = "remove_queued"
	CommandMoveQueued      CommandType = "move_queued"
	CommandSendQueued      CommandType = "send_queued"
	CommandWindowMessage   CommandType = "window_message"
	CommandComponentAction CommandType = "component_action"

	// Tasks
	CommandNewTask    CommandType = "new_task"
	CommandResumeTask CommandType = "resume_task"
	CommandClearTask  CommandType = "clear_task"

	// Control
	CommandControlPause   CommandType = "control_pause"
	CommandControlResume  CommandType = "control_resume"
	CommandControlCancel  CommandType = "control_cancel"
	CommandControlRetry   CommandType = "control_retry"
	CommandControlSkip    CommandType = "control_skip"
	CommandEditPlan       CommandType = "edit_plan"
	CommandInterrupt      CommandType = "interrupt"
	CommandInterruptAgent CommandType = "interrupt_agent"
	CommandReset          CommandType = "reset"
	CommandSetProvider    CommandType = "set_provider"
	CommandRemoveMonitor  CommandType = "remove_monitor"

	// Front end
	CommandRenderingFeedback   CommandType = "rendering_feedback"
	CommandToastAction         CommandType = "toast_action"
	CommandUserInteraction     CommandType = "user_interaction"
	CommandAppProtocolResponse CommandType = "app_protocol_response"
	CommandAppProtocolReady    CommandType = "app_protocol_ready"
	CommandAppCall             CommandType = "app_call"

	// History
	CommandDeleteMessage        CommandType = "delete_message"
	CommandDeleteMessageConfirm CommandType = "delete_message_confirm"
	CommandEditMessage          CommandType = "edit_message"
	CommandEditMessageConfirm   CommandType = "edit_message_confirm"
	CommandRewind               CommandType = "rewind"
	CommandRewindPreview        CommandType = "rewind_preview"
	CommandUndoRewind           CommandType = "undo_rewind"
	CommandRedoRewind           CommandType = "redo_rewind"
	CommandClearMessages        CommandType = "clear_messages"
	CommandForkSession          CommandType = "fork_session"
	CommandCondenseContext      CommandType = "condense_context"

	// Session
	CommandRenameSession  CommandType = "rename_session"
	CommandArchiveSession CommandType = "archive_session"
	CommandSetAccess      CommandType = "set_access"
	CommandForgetRule     CommandType = "forget_rule"

	// Checkpoints
	CommandCheckpointDiff    CommandType = "checkpoint_diff"
	CommandCheckpointRestore CommandType = "checkpoint_restore"
	CommandCheckpointSave    CommandType = "checkpoint_save"

	// Settings
	CommandUpdateSettings   CommandType = "update_settings"
	CommandResetSettings    CommandType = "reset_settings"
	CommandImportSettings   CommandType = "import_settings"
	CommandExportSettings   CommandType = "export_settings"
	CommandSaveModelProfile CommandType = "save_model_profile"
	CommandLoadModelProfile CommandType = "load_model_profile"

	// Tool servers, browser, kernel
	CommandRestartMcpServer      CommandType = "restart_mcp_server"
	CommandToggleMcpServer       CommandType = "toggle_mcp_server"
	CommandToggleToolAlwaysAllow CommandType = "toggle_tool_always_allow"
	CommandTestBrowserConnection CommandType = "test_browser_connection"
	CommandKillBrowserSession    CommandType = "kill_browser_session"
	CommandKernelExecute         CommandType = "kernel_execute"
	CommandKernelInterrupt       CommandType = "kernel_interrupt"
	CommandKernelShutdown        CommandType = "kernel_shutdown"
	CommandKernelRestart         CommandType = "kernel_restart"

	// Notebooks
	CommandNotebookOpen  CommandType = "notebook_open"
	CommandNotebookEdit  CommandType = "notebook_edit"
	CommandNotebookRun   CommandType = "notebook_run"
	CommandNotebookSave  CommandType = "notebook_save"
	CommandNotebookClose CommandType = "notebook_close"
)
