package ask

import (
	"fmt"
	"slices"
	"time"

	"github.com/clew-run/clew"
)

// TimeLeft says how long a question waits, "" if it waits for ever. now is the
// server's time.
func TimeLeft(q clew.Question, now time.Time) string {
	d := q.Asking()
	if d == nil || d.DeadlineMS == 0 {
		return ""
	}
	left := time.UnixMilli(d.DeadlineMS).Sub(now).Round(time.Second)
	switch {
	case left <= 0:
		return "expired"
	case left >= time.Hour:
		return fmt.Sprintf("expires in %d h %02d min", int(left.Hours()), int(left.Minutes())%60)
	}
	return fmt.Sprintf("expires in %d:%02d", int(left.Minutes()), int(left.Seconds())%60)
}

// Deadline is TimeLeft with what happens then.
func Deadline(q clew.Question, now time.Time) string {
	switch left := TimeLeft(q, now); left {
	case "", "expired":
		return left
	default:
		return left + ", then " + afterTime(q)
	}
}

// afterTime is what the server makes of a question that nobody answers in time.
// It never approves anything.
func afterTime(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			return "skipped"
		}
		return "denied"
	case *clew.HitlInputRequestData:
		if d.DefaultValue != nil {
			return fmt.Sprintf("%v is taken", d.DefaultValue)
		}
		if !d.Required {
			return "left empty"
		}
	}
	return "cancelled"
}
