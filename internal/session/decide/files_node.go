package decide

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// AskForFiles asks what to do without the files of another node. One question is
// enough for all tasks.
type AskForFiles struct{ Missing clew.MissingWorkspace }

func (a AskForFiles) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	if s.AskedForFiles() != nil {
		return Result{}, nil
	}
	q := clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "workspace", Question: a.question(), InputType: clew.InputChoice, Strict: true, Required: true,
		Options: []clew.InputOption{
			{Value: clew.WorkspaceWait, Label: "Wait until that node is back"},
			{Value: clew.WorkspaceContinue, Label: "Continue here without those files"},
		},
		MissingWorkspace: &a.Missing,
	}
	ScopeToRun(s, t, &q.Asking, 0)
	return Result{Question: AskInput(tx, s, t, q)}, nil
}

func (a AskForFiles) question() string {
	files := "The files of this session are"
	if a.Missing.Dir != "" {
		files = "The directory " + a.Missing.Dir + " is"
	}
	return fmt.Sprintf("%s on %s and not on %s, where the session is now. Wait, or continue without those files?", files, nodeOf(a.Missing), a.Missing.Here)
}

func nodeOf(m clew.MissingWorkspace) string {
	if m.Node == "" {
		return "another node"
	}
	return "node " + m.Node
}

// withoutFiles is what the agent hears when a person wants to continue.
const withoutFiles = "Continue without the files: they are on another node that is away. The workspace here does not have what was written there. Look at what is here before you continue."

// noteWaiting tells people that nothing happens until the node is back, and how to
// decide otherwise.
func noteWaiting(tx *Tx, t *core.Task, m *clew.MissingWorkspace) {
	tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerSystem, AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: t.TaskID,
		Text: fmt.Sprintf("Waiting for %s. The work continues when it is back. To decide otherwise, stop the work and send a message.", nodeOf(*m)),
	})
}

// FilesBackCommand is what a session gives itself on a node that has its files; it
// has no name on the wire. The question about them is withdrawn.
type FilesBackCommand struct{ Node string }

func decideFilesBack(tx *Tx, s *core.State, d *FilesBackCommand) {
	q := s.AskedForFiles()
	if q == nil || core.MissingOf(*q).At(d.Node) {
		return
	}
	a := q.Asking()
	tx.Add(&clew.HitlResolvedData{
		RequestID: a.RequestID, Action: clew.ResolvedCancelled, Comment: "the files are here", WhyCode: clew.EndFilesBack, TaskID: a.TaskID, Scope: a.Scope,
	})
	answered(tx, s, a.MessageID)
	if t := s.Task(a.TaskID); t != nil {
		stateAfter(tx, s, t, a.RequestID)
	}
}
