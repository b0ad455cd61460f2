package ask

import (
	"cmp"

	"github.com/clew-run/clew"
)

var resolutions = map[clew.Resolution]string{
	clew.ResolvedApprove: "approved", clew.ResolvedReject: "denied", clew.ResolvedSkip: "skipped",
	clew.ResolvedModify: "changed", clew.ResolvedAnswer: "answered", clew.ResolvedCancelled: "withdrawn",
}

// Result is what a question was answered, in a word.
func Result(r clew.Resolution) string { return cmp.Or(resolutions[r], string(r)) }

// Elsewhere tells a person how a question was settled without this client. me says
// that they did it themselves.
func Elsewhere(a clew.MessageAnswer, me bool) string {
	result := Result(a.Action)
	if a.Action == clew.ResolvedAnswer {
		result = cmp.Or(a.Value, result)
	}
	switch {
	case a.ByTimeout:
		return "nobody answered in time: " + result
	case a.Action == clew.ResolvedCancelled:
		return "the question was withdrawn: " + cmp.Or(a.Comment, "its work ended")
	case me:
		return "you answered elsewhere: " + result
	}
	return "answered elsewhere by " + cmp.Or(string(a.By), "somebody") + ": " + result
}

// Settled says how a question ended, who ended it, and why. Running out of time
// is not a no.
func Settled(a clew.MessageAnswer) string {
	switch {
	case a.ByTimeout:
		return "expired: nobody answered in time"
	case a.Action == clew.ResolvedCancelled:
		return "withdrawn: its work ended first"
	}
	text := Result(a.Action)
	if a.By != "" {
		text += " by " + string(a.By)
	}
	switch a.Action {
	case clew.ResolvedReject, clew.ResolvedModify:
		return text + Because(a.Comment)
	case clew.ResolvedAnswer:
		return text + Because(a.Value)
	}
	return text
}

// Because is a reason behind a colon, if there is one.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
