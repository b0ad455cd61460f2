package decide

import (
	"encoding/json"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// appCallsSpanMS is how soon after each other a page may ask for as many calls as are
// kept: 30 a minute.
const appCallsSpanMS = 16_000

// decideAppCall begins the call that the page of a tool server asks for: a task of its
// own, with this call and nothing else. Whether the tool is there, is for pages and may
// run is found out when it begins, as with an agent's call.
func decideAppCall(tx *Tx, s *core.State, d *clew.AppCallData) error {
	w := s.Window(d.WindowID)
	switch {
	case w == nil:
		return noWindow(d.WindowID)
	case w.Content == nil || w.Content.Kind != clew.WindowMCPApp:
		return clew.Errorf(clew.SessionInvalidState, "window %s shows no page of a tool server", d.WindowID)
	case s.AppCall(w.ID, d.RequestID) != nil:
		return nil // asked again
	case s.Archived: // a page that is looked at does not bring it back
		return clew.Errorf(clew.SessionInvalidState, "the session is archived")
	}
	running, since := s.AppCallsUnderWay(w.ID)
	switch {
	case running >= core.AppCallsAtOnce:
		return clew.Errorf(clew.QueueFull, "the page in window %s waits for %d calls already", w.ID, running)
	case since > 0 && tx.Now()-since < appCallsSpanMS:
		return clew.Errorf(clew.BudgetExceeded, "the page in window %s asks for too much: wait a few seconds", w.ID)
	}
	input, err := json.Marshal(d.Arguments)
	if err != nil || d.Arguments == nil {
		input = json.RawMessage("{}")
	}
	id := tx.taskID(s, 1)
	ref := clew.TaskRef{TaskID: id, RootTaskID: id, MonitorID: w.MonitorID}
	agent := core.WindowAgentID(w.Key())
	tx.Add(&clew.TaskCreatedData{
		TaskRef: ref, Task: clew.Clip(w.Content.Server+": "+d.Tool, core.TitleRunes), Workspace: s.Workspace, AgentID: agent, AgentKind: clew.AgentWindow,
		AgentKey: w.Key(), WindowID: w.ID, ActionID: string(d.RequestID),
	})
	tx.Add(&clew.AppCalledData{
		TaskID: id, MonitorID: w.MonitorID, AgentID: agent, WindowID: w.ID, RequestID: d.RequestID, ToolCallID: core.DeriveID("app_", s.ID, tx.seq+uint64(tx.Len())),
		Server: w.Content.Server, Tool: d.Tool, Arguments: input,
	})
	tx.Add(&clew.TaskActiveData{TaskRef: ref})
	return nil
}

// LoseCall ends a page's call that was running when the server stopped.
type LoseCall struct{ Call core.Call }

func (l LoseCall) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	const why = "The server stopped while it ran. It may have taken effect."
	CloseOpenTexts(tx, s, t)
	CancelOrphanedQuestions(tx, s, t, []core.Call{l.Call})
	tx.Add(&clew.ToolProgressData{
		ToolCallID: l.Call.ID, Tool: l.Call.Tool, Status: clew.ToolError, AgentID: t.AgentID, TaskID: t.TaskID, MonitorID: t.MonitorID,
		MessageID: l.Call.MessageID, Output: why, Error: why, ErrorInOutput: true, Summary: why, InDoubt: true,
	})
	return Result{}, nil
}

// showPage has a window show what a call came to, in the batch that says so: the one
// that shows this page already on the task's monitor, or a new one.
func (f FinishCall) showPage(r *recorder) {
	why := f.PageFailed
	if f.Page != nil {
		wish := WindowWish{Type: clew.ActionWindowCreate, ID: pageWindowID(r.tx, r.s, f.Page), Title: &f.PageTitle, Content: f.Page}
		for i := range r.s.Windows {
			w := &r.s.Windows[i]
			same := w.Content != nil && w.Content.Kind == clew.WindowMCPApp && w.Content.Server == f.Page.Server && w.Content.URI == f.Page.URI && w.MonitorID == r.t.MonitorID
			if same && mayChange(r.s, r.t, w, WindowWish{}) == nil {
				wish.Type, wish.ID = clew.ActionWindowUpdate, w.ID
				break
			}
		}
		if _, err := ShowWindow(r.tx, r.s, r.t, wish); err != nil {
			why = clew.AsError(err).Message
		}
	}
	if why != "" {
		r.say(clew.Message{Say: clew.SayError, Role: clew.SpeakerSystem, Text: "The page of " + f.Call.Tool + " is not shown: " + why, ToolCallID: f.Call.ID})
	}
}

// pageWindowID names a new window for a page. The name is the same whenever the batch is
// decided again.
func pageWindowID(tx *Tx, s *core.State, page *clew.WindowContent) string {
	return core.DeriveID(core.PageWindowPrefix(page.Server), s.ID, tx.seq+uint64(tx.Len()))
}
