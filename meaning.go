package clew

// What clients interpret is a code. The sentences beside the codes are for people
// and logs: they may change at any time, and no client reads them.

// An AgentKind says what an agent is there for.
type AgentKind string

// The kinds of agents.
const (
	AgentMain      AgentKind = "main"      // the session's own: what is said to the session is said to it
	AgentEphemeral AgentKind = "ephemeral" // answers one message, and is gone
	AgentWindow    AgentKind = "window"    // belongs to a window
	AgentTask      AgentKind = "task"      // works on a part that another agent gave it
	AgentStep      AgentKind = "step"      // carries out a todo of a run
)

// Values lists the kinds.
func (AgentKind) Values() []string {
	return []string{string(AgentMain), string(AgentEphemeral), string(AgentWindow), string(AgentTask), string(AgentStep)}
}

// An EndCode says why something ended early, was not run, or was withdrawn.
type EndCode string

// The codes. The first ones are what people do.
const (
	EndInterrupted   EndCode = "interrupted"    // the turn was stopped; the work can go on
	EndCancelled     EndCode = "cancelled"      // the task or the run was cancelled
	EndReset         EndCode = "reset"          // everything was ended for a new beginning
	EndPutAway       EndCode = "put_away"       // the task was put away
	EndSkipped       EndCode = "skipped"        // the step was left out
	EndDenied        EndCode = "denied"         // a call or a step was not allowed
	EndNotContinued  EndCode = "not_continued"  // it was not continued
	EndPlanRejected  EndCode = "plan_rejected"  // nothing of the plan is carried out
	EndPlanChanged   EndCode = "plan_changed"   // what was asked about is no longer in the plan
	EndContinued     EndCode = "continued"      // words had the task go on, so nobody has to be asked
	EndRewound       EndCode = "rewound"        // the session was taken back to before it
	EndUndone        EndCode = "undone"         // a rewind was undone
	EndRedone        EndCode = "redone"         // a rewind was done again
	EndFilesRestored EndCode = "files_restored" // the files were taken back
	EndForked        EndCode = "forked"         // it goes on in the session that this one came from

	EndTimedOut EndCode = "timed_out" // nobody answered in time
	EndFailed   EndCode = "failed"    // the work failed; an error record says how
	EndTurnOver EndCode = "turn_over" // the turn ended without a result for it
	EndInDoubt  EndCode = "in_doubt"  // the server stopped while it ran; nobody knows whether it took effect
	EndOutdated EndCode = "outdated"  // what it was about has changed meanwhile

	EndFilesBack EndCode = "files_back" // the node with the files of the session is back
)

// Values lists the codes.
func (EndCode) Values() []string {
	return []string{
		string(EndInterrupted), string(EndCancelled), string(EndReset), string(EndPutAway), string(EndSkipped), string(EndDenied),
		string(EndNotContinued), string(EndPlanRejected), string(EndPlanChanged), string(EndContinued),
		string(EndRewound), string(EndUndone), string(EndRedone), string(EndFilesRestored), string(EndForked),
		string(EndTimedOut), string(EndFailed), string(EndTurnOver), string(EndInDoubt), string(EndOutdated), string(EndFilesBack),
	}
}

// Stops reports whether work that ended so was stopped, which is no failure: a
// person ended it, or took the session elsewhere in its history.
func (c EndCode) Stops() bool {
	switch c {
	case EndInterrupted, EndCancelled, EndReset, EndPutAway, EndSkipped, EndNotContinued, EndPlanRejected,
		EndRewound, EndUndone, EndRedone, EndFilesRestored, EndForked:
		return true
	}
	return false
}

// An OutcomeStatus is how work ended.
type OutcomeStatus string

// The outcomes.
const (
	OutcomeDone      OutcomeStatus = "done"
	OutcomeFailed    OutcomeStatus = "failed"
	OutcomeCancelled OutcomeStatus = "cancelled" // it was given up
	OutcomeStopped   OutcomeStatus = "stopped"   // somebody stopped it; words take it up again
	OutcomeBudget    OutcomeStatus = "budget"    // a budget of money or time is used up
	OutcomeDenied    OutcomeStatus = "denied"    // somebody did not want it to go on after the server had stopped
)

// Values lists the outcomes.
func (OutcomeStatus) Values() []string {
	return []string{
		string(OutcomeDone), string(OutcomeFailed), string(OutcomeCancelled), string(OutcomeStopped), string(OutcomeBudget), string(OutcomeDenied),
	}
}

// An Outcome says how a task, a turn of it or a run ended.
type Outcome struct {
	Status OutcomeStatus `json:"status"`
	// StoppedBy is who ended it, "" if nobody did.
	StoppedBy UserID  `json:"stopped_by,omitempty"`
	WhyCode   EndCode `json:"why_code,omitempty"`
	Message   string  `json:"message,omitempty"` // why, for people
}

// A WordsEffect is what plain words, a user_message without more, do to an open
// question.
type WordsEffect string

// The effects.
const (
	WordsAnswer   WordsEffect = "answers"   // they are the value that is asked for
	WordsDeny     WordsEffect = "denies"    // they are a no, and its reason
	WordsChange   WordsEffect = "changes"   // they say what to change in the plan
	WordsContinue WordsEffect = "continues" // they are a yes, and advice
	WordsSteer    WordsEffect = "steers"    // they do not reach it: those at work hear them, and it stays open
)

// Values lists the effects.
func (WordsEffect) Values() []string {
	return []string{string(WordsAnswer), string(WordsDeny), string(WordsChange), string(WordsContinue), string(WordsSteer)}
}

// A PolicyCode says why a call was not allowed without asking. What stands in
// angle brackets is in why_args, under that name.
type PolicyCode string

// The codes.
const (
	PolicyAutoApprovalOff PolicyCode = "auto_approval_off"      // auto-approval is off
	PolicyUntrusted       PolicyCode = "directory_untrusted"    // nobody trusts the workspace as it is
	PolicyProtected       PolicyCode = "protected"              // it touches something protected
	PolicyNotReadOnly     PolicyCode = "not_read_only"          // the tool does more than read
	PolicyGroupOff        PolicyCode = "group_off"              // the settings allow nothing of the <group>: read, edit, fetch, command, stop or mcp
	PolicyNoSetting       PolicyCode = "no_setting"             // no setting allows the tool
	PolicyToolNotAllowed  PolicyCode = "tool_not_allowed"       // a tool server's tool that is not allowed, or has changed since
	PolicyHiddenText      PolicyCode = "hidden_text"            // the command holds what the eye would miss
	PolicyUnreadable      PolicyCode = "unreadable"             // the command line cannot be understood
	PolicyOtherShell      PolicyCode = "other_shell"            // bash does not run it as it stands
	PolicySetsVariable    PolicyCode = "sets_variable"          // it sets the environment variable <name>
	PolicyMaybeForbidden  PolicyCode = "maybe_forbidden"        // it may be what <pattern> of the deny list forbids
	PolicyChangedProgram  PolicyCode = "changed_program"        // the workspace may have turned <program> into another
	PolicyUnknownLine     PolicyCode = "unknown_line"           // no rule covers such a line
	PolicyRunsOthers      PolicyCode = "runs_others"            // <program> runs or changes other commands
	PolicyReadsInput      PolicyCode = "reads_input"            // <program> would run what it is given as input
	PolicyNoRule          PolicyCode = "no_rule"                // no rule allows <program>
	PolicyRiskyArgument   PolicyCode = "risky_argument"         // the rule <pattern> does not cover these arguments
	PolicyRuleTooWide     PolicyCode = "rule_too_wide"          // the remembered rule <pattern> no longer counts: <program> runs what its arguments say
	PolicyChangedSince    PolicyCode = "changed_since_approved" // it is no longer what was approved
	PolicyMistakes        PolicyCode = "mistakes"               // the agent made <count> mistakes in a row
	PolicyRequests        PolicyCode = "requests"               // <count> calls ran without asking
	PolicyBudget          PolicyCode = "budget"                 // the budget is not enough
)

// Values lists the codes.
func (PolicyCode) Values() []string {
	return []string{
		string(PolicyAutoApprovalOff), string(PolicyUntrusted), string(PolicyProtected), string(PolicyNotReadOnly), string(PolicyGroupOff),
		string(PolicyNoSetting), string(PolicyToolNotAllowed), string(PolicyHiddenText), string(PolicyUnreadable), string(PolicyOtherShell),
		string(PolicySetsVariable), string(PolicyMaybeForbidden), string(PolicyChangedProgram), string(PolicyUnknownLine), string(PolicyRunsOthers),
		string(PolicyReadsInput), string(PolicyNoRule), string(PolicyRiskyArgument), string(PolicyRuleTooWide), string(PolicyChangedSince), string(PolicyMistakes),
		string(PolicyRequests), string(PolicyBudget),
	}
}

// An IrreversibleCode says why a step cannot be undone.
type IrreversibleCode string

// The codes.
const (
	ByToolServer     IrreversibleCode = "tool_server"       // a tool server did it
	ByURL            IrreversibleCode = "url"               // it spoke to an address
	ByNetwork        IrreversibleCode = "network"           // the command could reach the network
	OutsideWorkspace IrreversibleCode = "outside_workspace" // the command could change things outside the workspace
)

// Values lists the codes.
func (IrreversibleCode) Values() []string {
	return []string{string(ByToolServer), string(ByURL), string(ByNetwork), string(OutsideWorkspace)}
}
