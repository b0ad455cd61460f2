package clew

// Commands lists every command type. The documents and types for other
// languages are made from it.
var Commands = []CommandInfo{
	{CommandAuth, RoleNone, false, "Show credentials, as the first message.", AuthData{}},
	{CommandPong, RoleViewer, false, "Answer a ping.", PongData{}},
	{CommandGetState, RoleViewer, false, "Ask for session_state or state.", GetStateData{}},
	{CommandGetMessages, RoleViewer, false, "Ask for a page of the transcript.", GetMessagesData{}},
	{CommandSubscribeMonitor, RoleViewer, false, "From now on send only this monitor's events and those without a monitor; repeat it for more monitors.", SubscribeMonitorData{}},

	{CommandHitlPlanResponse, RoleApprover, true, "Approve, change or reject a plan.", HitlPlanResponseData{}},
	{CommandHitlApprovalResponse, RoleApprover, true, "Allow, skip or refuse what was asked.", HitlApprovalResponseData{}},
	{CommandHitlInputResponse, RoleApprover, true, "Fill in what was asked for.", HitlInputResponseData{}},
	{CommandHitlClarificationResponse, RoleApprover, true, "Say what was meant.", HitlClarificationResponseData{}},
	{CommandAskResponse, RoleApprover, true, "Answer an ask by button, text or value.", AskResponseData{}},

	{CommandAssignQuestion, RoleOwner, false, "Choose who answers a question.", AssignQuestionData{}},

	{CommandUserMessage, RoleOwner, false, "Say something to the session; the one way in for a person's words.", UserMessageData{}},
	{CommandEditQueued, RoleOwner, false, "Say something else in a message that waits.", EditQueuedData{}},
	{CommandRemoveQueued, RoleOwner, false, "Take back a message that waits.", RemoveQueuedData{}},
	{CommandMoveQueued, RoleOwner, false, "Change the order of the messages that wait.", MoveQueuedData{}},
	{CommandSendQueued, RoleOwner, false, "Do not let a message wait any longer.", SendQueuedData{}},
	{CommandWindowMessage, RoleOwner, false, "Say something to a window's agent.", WindowMessageData{}},
	{CommandComponentAction, RoleOwner, false, "A button or form in a window was used.", ComponentActionData{}},

	{CommandNewTask, RoleOwner, false, "Start a task.", NewTaskData{}},
	{CommandResumeTask, RoleOwner, false, "Take a task up again.", ResumeTaskData{}},
	{CommandClearTask, RoleOwner, false, "Put a task away without deleting it.", ClearTaskData{}},

	{CommandControlPause, RoleOwner, false, "Pause the run.", ControlPauseData{}},
	{CommandControlResume, RoleOwner, false, "Let the run continue, with changes to the plan if any.", ControlResumeData{}},
	{CommandControlCancel, RoleOwner, false, "End the run or task.", ControlCancelData{}},
	{CommandControlRetry, RoleOwner, false, "Try a failed todo again.", ControlRetryData{}},
	{CommandControlSkip, RoleOwner, false, "Leave a todo out.", ControlSkipData{}},
	{CommandEditPlan, RoleOwner, false, "Change the todos of a run's plan; an approval given before no longer holds.", EditPlanData{}},
	{CommandInterrupt, RoleOwner, false, "Stop what all agents are doing; the work stays.", InterruptData{}},
	{CommandInterruptAgent, RoleOwner, false, "Stop what one agent is doing.", InterruptAgentData{}},
	{CommandReset, RoleOwner, false, "Stop everything and clear the context; the journal stays.", ResetData{}},
	{CommandSetProvider, RoleOwner, false, "Use another model provider.", SetProviderData{}},
	{CommandRemoveMonitor, RoleOwner, false, "Remove a background monitor.", RemoveMonitorData{}},

	{CommandRenderingFeedback, RoleOwner, false, "Report whether a window could be drawn.", RenderingFeedbackData{}},
	{CommandToastAction, RoleOwner, false, "Dismiss a toast or a notice.", ToastActionData{}},
	{CommandUserInteraction, RoleOwner, false, "What the user did to windows, as a batch.", UserInteractionData{}},
	{CommandAppProtocolResponse, RoleOwner, false, "An app's answer to an agent.", AppProtocolResponseData{}},
	{CommandAppProtocolReady, RoleOwner, false, "An app is ready to be asked.", AppProtocolReadyData{}},
	{CommandAppCall, RoleOwner, false, "The page of a tool server asks for a tool of its server.", AppCallData{}},

	{CommandDeleteMessage, RoleOwner, false, "Ask what deleting a message would take away.", DeleteMessageData{}},
	{CommandDeleteMessageConfirm, RoleOwner, false, "Delete a message and all after it.", DeleteMessageConfirmData{}},
	{CommandEditMessage, RoleOwner, false, "Ask what editing a message would take away.", EditMessageData{}},
	{CommandEditMessageConfirm, RoleOwner, false, "Go back to a message and send it with new words.", EditMessageConfirmData{}},
	{CommandRewind, RoleOwner, false, "Take the conversation back to a message.", RewindData{}},
	{CommandRewindPreview, RoleOwner, false, "Ask what a rewind would take away.", RewindPreviewData{}},
	{CommandUndoRewind, RoleOwner, false, "Undo the last rewind.", UndoRewindData{}},
	{CommandRedoRewind, RoleOwner, false, "Do again the rewind that was undone last.", RedoRewindData{}},
	{CommandClearMessages, RoleOwner, false, "Take the conversation back to its start.", ClearMessagesData{}},
	{CommandForkSession, RoleOwner, false, "Make a new session from this one's past.", ForkSessionData{}},
	{CommandCondenseContext, RoleOwner, false, "Put a summary in place of a task's old messages to the model.", CondenseContextData{}},

	{CommandRenameSession, RoleOwner, false, "Give the session a title.", RenameSessionData{}},
	{CommandArchiveSession, RoleOwner, false, "Put the session away, so that lists leave it out, or bring it back. It is refused while an agent is at work or a question is open; what is said or begun in the session also brings it back.", ArchiveSessionData{}},
	{CommandSetAccess, RoleOwner, false, "Share the session with somebody, or take that back.", SetAccessData{}},
	{CommandForgetRule, RoleOwner, false, "Have asked again what was remembered for a task.", ForgetRuleData{}},

	{CommandCheckpointDiff, RoleOwner, false, "Ask how files differ between two checkpoints.", CheckpointDiffData{}},
	{CommandCheckpointRestore, RoleOwner, false, "Take files back to a checkpoint.", CheckpointRestoreData{}},
	{CommandCheckpointSave, RoleOwner, false, "Make a checkpoint of the files as they are now.", CheckpointSaveData{}},

	{CommandUpdateSettings, RoleOwner, false, "Change settings, of this session or, for administrators, of the server.", UpdateSettingsData{}},
	{CommandResetSettings, RoleOwner, false, "Set all settings back; for administrators.", ResetSettingsData{}},
	{CommandImportSettings, RoleOwner, false, "Take settings over from elsewhere; for administrators.", ImportSettingsData{}},
	{CommandExportSettings, RoleOwner, false, "Ask for the settings, without secrets; for administrators.", ExportSettingsData{}},
	{CommandSaveModelProfile, RoleOwner, false, "Store a model profile; for administrators.", SaveModelProfileData{}},
	{CommandLoadModelProfile, RoleOwner, false, "Use a model profile.", LoadModelProfileData{}},

	{CommandRestartMcpServer, RoleOwner, false, "Restart a tool server; for administrators.", RestartMcpServerData{}},
	{CommandToggleMcpServer, RoleOwner, false, "Switch a tool server on or off; for administrators.", ToggleMcpServerData{}},
	{CommandToggleToolAlwaysAllow, RoleOwner, false, "Allow a tool without asking, or stop that; for administrators.", ToggleToolAlwaysAllowData{}},
	{CommandTestBrowserConnection, RoleOwner, false, "Ask whether a browser can be reached.", TestBrowserConnectionData{}},
	{CommandKillBrowserSession, RoleOwner, false, "Close the browser session.", KillBrowserSessionData{}},
	{CommandKernelExecute, RoleOwner, false, "Run code in the kernel.", KernelExecuteData{}},
	{CommandKernelInterrupt, RoleOwner, false, "Interrupt the kernel.", KernelInterruptData{}},
	{CommandKernelShutdown, RoleOwner, false, "Shut the kernel down.", KernelShutdownData{}},
}
