package ask

import "github.com/clew-run/clew"

// EndWord says in a list how a session's last work ended, "" if there is nothing to say.
func EndWord(o clew.OutcomeStatus) string {
	switch o {
	case clew.OutcomeFailed:
		return "failed"
	case clew.OutcomeCancelled:
		return "cancelled"
	case clew.OutcomeBudget:
		return "out of budget"
	case clew.OutcomeStopped, clew.OutcomeDenied:
		return "stopped"
	case clew.OutcomeDone:
	}
	return ""
}
