package session

import "strings"

// A SaveReason says why files were saved.
type SaveReason string

// The causes. All but the last are the server's own.
const (
	CauseMessage SaveReason = "message" // a person said something
	CauseBefore  SaveReason = "before"  // a tool is about to change files
	CauseAfter   SaveReason = "after"   // it did
	CauseStopped SaveReason = "stopped" // the server stopped while a tool ran
	CausePerson  SaveReason = "person"  // somebody asked for it
)

// reasons are the words that a checkpoint keeps of its cause. Those that end with
// a space are followed by the tool's name. Stored checkpoints have them: they
// never change.
var reasons = []struct {
	cause SaveReason
	words string
}{
	{CauseMessage, "at a message"},
	{CauseStopped, "after the server stopped during "},
	{CauseBefore, "before "},
	{CauseAfter, "after "},
}

const savedByPrefix = "saved by " // a person, who gave no reason

// Reason puts one of the server's own causes into the words that a checkpoint
// keeps.
func (c SaveReason) Reason(tool string) string {
	for _, r := range reasons {
		if r.cause == c {
			return r.words + tool
		}
	}
	return string(c)
}

// causeOf is what Reason was made from, "" if it was not.
func causeOf(reason string) (c SaveReason, tool string) {
	for _, r := range reasons {
		rest, ok := strings.CutPrefix(reason, r.words)
		if ok && (rest != "") == strings.HasSuffix(r.words, " ") && !strings.Contains(rest, " ") {
			return r.cause, rest
		}
	}
	return "", ""
}
