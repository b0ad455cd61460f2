package follow

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// How work can end, in a word for programs.
const (
	EndedDone      = "done"
	EndedFailed    = "failed"
	EndedCancelled = "cancelled"
	EndedStopped   = "stopped" // somebody interrupted it; it can be taken up again
	EndedQuestion  = "needs_answer"
	EndedBudget    = "budget"
	EndedPaused    = "paused" // somebody has to resume it
	EndedLeft      = "left"   // it goes on without us
	EndedLost      = "no_server"
)

// An outcome says how the work ended that a command followed.
type outcome struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"` // why, for people
}

// code is the exit code that goes with it.
func (e outcome) code() int {
	switch e.Status {
	case EndedDone:
		return env.ExitOK
	case EndedQuestion, EndedPaused:
		return env.ExitQuestion
	case EndedCancelled, EndedStopped:
		return env.ExitCancelled
	case EndedBudget:
		return env.ExitBudget
	case EndedLeft:
		return env.ExitInterrupted
	case EndedLost:
		return env.ExitNoServer
	}
	return env.ExitFailure
}

// outcomeOf is how work ended by the server's word, nil while it goes on. What
// somebody else did is put into words here; all else is said by the server.
func outcomeOf(o *clew.Outcome) *outcome {
	if o == nil {
		return nil
	}
	message := o.Message
	if o.WhyCode == clew.EndInterrupted {
		message = "somebody interrupted it"
	}
	switch o.Status {
	case clew.OutcomeDone:
		return &outcome{Status: EndedDone}
	case clew.OutcomeCancelled:
		return &outcome{EndedCancelled, message}
	case clew.OutcomeBudget:
		return &outcome{EndedBudget, message}
	case clew.OutcomeStopped, clew.OutcomeDenied:
		return &outcome{EndedStopped, message}
	}
	return &outcome{EndedFailed, message}
}
