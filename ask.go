package clew

import "slices"

// An Ask is a kind of question to a person.
type Ask string

// The asks.
const (
	AskFollowup                  Ask = "followup"
	AskCommand                   Ask = "command"
	AskCommandOutput             Ask = "command_output"
	AskCompletionResult          Ask = "completion_result"
	AskTool                      Ask = "tool"
	AskAPIReqFailed              Ask = "api_req_failed"
	AskResumeTask                Ask = "resume_task"
	AskResumeCompletedTask       Ask = "resume_completed_task"
	AskMistakeLimitReached       Ask = "mistake_limit_reached"
	AskBrowserActionLaunch       Ask = "browser_action_launch"
	AskUseMcpServer              Ask = "use_mcp_server"
	AskAutoApprovalMaxReqReached Ask = "auto_approval_max_req_reached"
)

// An AskClass says what an open ask does to its task.
type AskClass string

// The classes. Each ask belongs to exactly one.
const (
	ClassIdle        AskClass = "idle"         // the task is at rest
	ClassResumable   AskClass = "resumable"    // the task can be taken up again
	ClassInteractive AskClass = "interactive"  // the task waits for the answer
	ClassNonBlocking AskClass = "non_blocking" // only the display changes
)

var askClasses = map[Ask]AskClass{
	AskCompletionResult:          ClassIdle,
	AskAPIReqFailed:              ClassIdle,
	AskResumeCompletedTask:       ClassIdle,
	AskMistakeLimitReached:       ClassIdle,
	AskAutoApprovalMaxReqReached: ClassIdle,
	AskResumeTask:                ClassResumable,
	AskFollowup:                  ClassInteractive,
	AskCommand:                   ClassInteractive,
	AskTool:                      ClassInteractive,
	AskBrowserActionLaunch:       ClassInteractive,
	AskUseMcpServer:              ClassInteractive,
	AskCommandOutput:             ClassNonBlocking,
}

// Class gives the ask's class, "" for an unknown ask.
func (a Ask) Class() AskClass { return askClasses[a] }

// IsIdle reports whether the ask leaves its task at rest.
func (a Ask) IsIdle() bool { return a.Class() == ClassIdle }

// IsResumable reports whether the ask offers to take a task up again.
func (a Ask) IsResumable() bool { return a.Class() == ClassResumable }

// IsInteractive reports whether the task waits for the answer.
func (a Ask) IsInteractive() bool { return a.Class() == ClassInteractive }

// IsNonBlocking reports whether the task goes on without an answer.
func (a Ask) IsNonBlocking() bool { return a.Class() == ClassNonBlocking }

// IsCall reports whether the ask shows a call that does something outside the
// session. Others are the agent's own: a todo, a question, the end.
func (a Ask) IsCall() bool {
	switch a {
	case AskTool, AskCommand, AskUseMcpServer, AskBrowserActionLaunch:
		return true
	}
	return false
}

// Values lists the asks.
func (Ask) Values() []string {
	return []string{
		string(AskFollowup), string(AskCommand), string(AskCommandOutput), string(AskCompletionResult),
		string(AskTool), string(AskAPIReqFailed), string(AskResumeTask), string(AskResumeCompletedTask),
		string(AskMistakeLimitReached), string(AskBrowserActionLaunch), string(AskUseMcpServer),
		string(AskAutoApprovalMaxReqReached),
	}
}

// A Say is a kind of statement.
type Say string

// The says.
const (
	SayError                   Say = "error"
	SayText                    Say = "text"
	SayImage                   Say = "image"
	SayReasoning               Say = "reasoning"
	SayAPIReqStarted           Say = "api_req_started"
	SayAPIReqFinished          Say = "api_req_finished"
	SayAPIReqRetried           Say = "api_req_retried"
	SayAPIReqRetryDelayed      Say = "api_req_retry_delayed"
	SayAPIReqDeleted           Say = "api_req_deleted"
	SayModelFallback           Say = "model_fallback"    // clew's own; its metadata has from, to and reason
	SayInstructionsRead        Say = "instructions_read" // clew's own; see Message.Instructions
	SayFilesAttached           Say = "files_attached"    // clew's own; what the model got of files that a message mentions
	SayGit                     Say = "git"               // clew's own; its metadata has action, and branch or commit
	SayCompletionResult        Say = "completion_result"
	SayUserFeedback            Say = "user_feedback"
	SayUserFeedbackDiff        Say = "user_feedback_diff"
	SayCommandOutput           Say = "command_output"
	SaySubtaskResult           Say = "subtask_result"
	SayBrowserAction           Say = "browser_action"
	SayBrowserActionResult     Say = "browser_action_result"
	SayBrowserSessionStatus    Say = "browser_session_status"
	SayMcpServerRequestStarted Say = "mcp_server_request_started"
	SayMcpServerResponse       Say = "mcp_server_response"
	SayCondenseContext         Say = "condense_context"
	SayCondenseContextError    Say = "condense_context_error"
	SaySlidingWindowTruncation Say = "sliding_window_truncation"
	SayCheckpointSaved         Say = "checkpoint_saved"
	SayShellIntegrationWarning Say = "shell_integration_warning"
	SayRooignoreError          Say = "rooignore_error"
	SayDiffError               Say = "diff_error"
	SayCodebaseSearchResult    Say = "codebase_search_result"
	SayUserEditTodos           Say = "user_edit_todos"
	SayCellExecuted            Say = "cell_executed"
	SayKernelStatus            Say = "kernel_status"
)

var sayValues = []string{
	string(SayError), string(SayText), string(SayImage), string(SayReasoning),
	string(SayAPIReqStarted), string(SayAPIReqFinished), string(SayAPIReqRetried),
	string(SayAPIReqRetryDelayed), string(SayAPIReqDeleted), string(SayModelFallback),
	string(SayInstructionsRead), string(SayFilesAttached), string(SayGit),
	string(SayCompletionResult), string(SayUserFeedback), string(SayUserFeedbackDiff),
	string(SayCommandOutput), string(SaySubtaskResult),
	string(SayBrowserAction), string(SayBrowserActionResult), string(SayBrowserSessionStatus),
	string(SayMcpServerRequestStarted), string(SayMcpServerResponse),
	string(SayCondenseContext), string(SayCondenseContextError), string(SaySlidingWindowTruncation),
	string(SayCheckpointSaved), string(SayShellIntegrationWarning), string(SayRooignoreError),
	string(SayDiffError), string(SayCodebaseSearchResult), string(SayUserEditTodos),
	string(SayCellExecuted), string(SayKernelStatus),
}

// Values lists the says.
func (Say) Values() []string { return slices.Clone(sayValues) }

// Valid reports whether s is one of the says.
func (s Say) Valid() bool { return slices.Contains(sayValues, string(s)) }

// Bookkeeping reports whether a message is about the engine's work alone: model
// calls that began and ended. Transcripts leave it out.
func (s Say) Bookkeeping() bool {
	switch s {
	case SayAPIReqStarted, SayAPIReqFinished, SayAPIReqRetried, SayAPIReqDeleted:
		return true
	}
	return false
}

// An AskResponse is how a person answered an ask.
type AskResponse string

// The answers.
const (
	YesButtonClicked AskResponse = "yes_button_clicked" // approve
	NoButtonClicked  AskResponse = "no_button_clicked"  // deny
	MessageResponse  AskResponse = "message_response"   // text and images
	ObjectResponse   AskResponse = "object_response"    // a value for the asker
)

// Values lists the answers.
func (AskResponse) Values() []string {
	return []string{string(YesButtonClicked), string(NoButtonClicked), string(MessageResponse), string(ObjectResponse)}
}
