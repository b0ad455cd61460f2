package tui

import (
	"testing"

	"github.com/clew-run/clew"
)

// Files that are on another node are asked about like other choices: a key decides.
func TestFilesOnAnotherNode(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(&clew.HitlInputRequestData{
		Asking:    clew.Asking{RequestID: "q1", WordsEffect: clew.WordsAnswer},
		Question:  "The files of this session are on node a and not on b, where the session is now. Wait, or continue without those files?",
		InputType: clew.InputChoice, Field: "workspace", Strict: true, Required: true,
		Options: []clew.InputOption{
			{Value: clew.WorkspaceWait, Label: "Wait until that node is back"}, {Value: clew.WorkspaceContinue, Label: "Continue here without those files"},
		},
		MissingWorkspace: &clew.MissingWorkspace{Node: "a", Here: "b"},
	})
	d.sees("The files of this session are on node a", "Wait until that node is back", "Continue here without those files")
	d.press("tab", "2")
	if d.types() != "hitl_input_response" || d.sent[0].Data["value"] != clew.WorkspaceContinue {
		t.Errorf("sent %v", d.sent)
	}
}
