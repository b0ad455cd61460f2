package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// How long an agent waits for an app, and how much of an answer it gets.
const (
	appWaitMS    = 5000
	appAnswerMax = 16 << 10
)

// AskApp asks the app in a window for its state, or tells it to do something. The call
// waits for the answer on record and the agent leaves.
type AskApp struct {
	Plan   CallPlan
	Window string
	Kind   clew.AppProtocol
	Name   string
	Params any
}

func (a AskApp) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if why := a.impossible(s); why != "" {
		r.refuse(a.Plan.Call, Refusal{Why: why, Summary: why, Shown: a.Plan.Call.Tool + " was refused: " + why, Say: clew.SayError})
		return Result{}, nil
	}
	r.begin(a.Plan, clew.AllowedBy{})
	tx.Add(&clew.AppProtocolRequestData{
		RequestID: clew.RequestID(core.DeriveID("app_", s.ID, tx.seq+uint64(tx.Len()))), WindowID: a.Window, Kind: a.Kind, Name: a.Name, Params: a.Params,
		AgentID: t.AgentID, MonitorID: t.MonitorID, TimeoutMS: appWaitMS, DeadlineMS: tx.NextTS() + appWaitMS, TaskID: t.TaskID, ToolCallID: a.Plan.Call.ID,
	})
	return Result{}, nil
}

// impossible says why an app cannot be asked, "" if it can.
func (a AskApp) impossible(s *core.State) string {
	w := s.Window(a.Window)
	switch {
	case w == nil:
		return fmt.Sprintf("there is no window %s; the user may have closed it", a.Window)
	case w.App == nil:
		return fmt.Sprintf("no app is ready in window %s: nobody has it open, or it is none", a.Window)
	}
	names, what := w.App.Queries, "queries"
	if a.Kind == clew.AppCommand {
		names, what = w.App.Commands, "commands"
	}
	if !slices.Contains(names, a.Name) {
		return fmt.Sprintf("the app in window %s has the %s %s", a.Window, what, strings.Join(names, ", "))
	}
	return ""
}

// decideAppReady records what an app can be asked, if that is not known.
func decideAppReady(tx *Tx, s *core.State, d *clew.AppProtocolReadyData) error {
	w := s.Window(d.WindowID)
	if w == nil {
		return clew.Errorf(clew.SessionInvalidState, "there is no window %s", d.WindowID)
	}
	if a := w.App; a != nil && a.App == d.App && slices.Equal(a.Queries, d.Queries) && slices.Equal(a.Commands, d.Commands) {
		return nil
	}
	tx.Add(&clew.AppRegisteredData{WindowID: d.WindowID, App: d.App, Queries: d.Queries, Commands: d.Commands})
	return nil
}

// decideAppResponse gives an agent the answer that it waits for. The window may be open
// in several browsers: the first answer counts, and those after it change nothing.
func decideAppResponse(tx *Tx, s *core.State, d *clew.AppProtocolResponseData) error {
	r := s.AppRequest(d.RequestID)
	if r == nil {
		return nil
	}
	if d.WindowID != "" && d.WindowID != r.WindowID {
		return clew.Errorf(clew.SessionInvalidState, "request %s is not for window %s", d.RequestID, d.WindowID)
	}
	if d.Error != "" {
		endAppCall(tx, s, r, "The app says that it failed: "+clew.Clip(d.Error, 1000), true)
		return nil
	}
	text, err := json.Marshal(d.Result)
	switch {
	case err != nil:
		return clew.Errorf(clew.InvalidMessage, "data.result cannot be written as JSON")
	case len(text) > appAnswerMax:
		endAppCall(tx, s, r, fmt.Sprintf("The app's answer has %d bytes; it may have %d.", len(text), appAnswerMax), true)
	default:
		endAppCall(tx, s, r, string(text), false)
	}
	return nil
}

// expireAppRequest ends the call that has waited longest beyond its time. It reports
// whether there was one.
func expireAppRequest(tx *Tx, s *core.State) bool {
	for i := range s.AppRequests {
		r := &s.AppRequests[i]
		if r.DeadlineMS > tx.Now() {
			continue
		}
		why := "Nobody has the window open, or its app did not answer in time."
		if r.Kind == clew.AppCommand {
			why += " It is not known whether it did what it was told."
		}
		endAppCall(tx, s, r, why, true)
		return true
	}
	return false
}

func endAppCall(tx *Tx, s *core.State, r *core.AppRequest, text string, failed bool) {
	t := s.Task(r.TaskID)
	if t == nil || t.Call(r.CallID) == nil {
		return
	}
	c := t.Call(r.CallID)
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID, MonitorID: t.MonitorID,
		MessageID: c.MessageID, Output: text, Summary: clew.Clip(text, core.TitleRunes),
	}
	if failed {
		d.Status, d.Error, d.ErrorInOutput, d.InDoubt = clew.ToolError, text, true, false
	}
	tx.Add(d)
}
