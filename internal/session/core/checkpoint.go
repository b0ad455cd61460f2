package core

import (
	"strings"

	"github.com/clew-run/clew"
)

// leftMax is how many paths a record names that were left as they were.
const leftMax = 100

// ClipList cuts a list of files to what is worth showing.
func ClipList(list []string) []string { return list[:min(len(list), leftMax)] }

// CheckpointSaved is the data of checkpoint_saved for a checkpoint that was just
// made. The caller says which message and task it belongs to.
func CheckpointSaved(f SavedFiles, reason string) *clew.CheckpointSavedData {
	return &clew.CheckpointSavedData{
		CheckpointID: f.ID, Kind: clew.CheckpointWorkspace, FromHash: f.From, ToHash: f.Hash, DurationMS: f.DurationMS,
		Reason: reason, Files: f.Files, Bytes: f.Bytes, Left: ClipList(f.Left),
	}
}

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

// SavedByPrefix begins the reason of a checkpoint that a person saved.
const SavedByPrefix = "saved by " // a person, who gave no reason

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

// CauseOf is what Reason was made from, "" if it was not.
func CauseOf(reason string) (c SaveReason, tool string) {
	for _, r := range reasons {
		rest, ok := strings.CutPrefix(reason, r.words)
		if ok && (rest != "") == strings.HasSuffix(r.words, " ") && !strings.Contains(rest, " ") {
			return r.cause, rest
		}
	}
	return "", ""
}

// SavedFiles is a checkpoint.
type SavedFiles struct {
	ID, Hash, From string
	Files          int
	Bytes          int64
	Left           []string // what could not be saved
	DurationMS     int64
}
