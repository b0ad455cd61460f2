package core

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// An AppCall is a tool call that the page of a tool server asked for. It is the one call
// of a task of its own, and stays until the page has had time to read what came of it.
type AppCall struct {
	clew.AppCall
	WindowID string      `json:"window_id"`
	TaskID   clew.TaskID `json:"task_id"`
	TS       int64       `json:"ts"` // when it was asked for
}

// What pages may ask for: so much at once, and so much is kept.
const (
	AppCallsAtOnce = 4
	AppCallsKept   = 8   // of each window
	appErrorMax    = 300 // characters of why a call has no result
)

// applyAppCalled begins the turn of a task that is there for one call.
func applyAppCalled(s *State, r clew.Record, d *clew.AppCalledData) {
	t := s.Task(d.TaskID)
	if t == nil || t.AgentKind != clew.AgentWindow || t.Turn != nil || s.Window(d.WindowID) == nil {
		return
	}
	t.Server = d.Server
	t.Turn = &Turn{ID: clew.MessageIDOf(r.Seq), AgentID: t.AgentID, TaskID: t.TaskID, WindowID: d.WindowID, SinceMS: r.TS}
	t.Calls = []Call{{ID: d.ToolCallID, Tool: d.Tool, Input: d.Arguments, Status: CallProposed}}
	list := slices.Clone(s.AppCalls)
	if of := s.appCallsOf(d.WindowID); len(of) >= AppCallsKept {
		oldest := of[0].RequestID
		list = slices.DeleteFunc(list, func(c AppCall) bool { return c.WindowID == d.WindowID && c.RequestID == oldest })
	}
	list = append(list, AppCall{
		AppCall:  clew.AppCall{RequestID: d.RequestID, Tool: d.Tool, Status: clew.AppCallRunning},
		WindowID: d.WindowID, TaskID: d.TaskID, TS: r.TS,
	})
	s.AppCalls = list
}

// settleAppCall ends what the page waits for that a task works for: with what its server
// answered, or with why there is nothing.
func (s *State) settleAppCall(t *Task, result, why string) {
	if t.Server == "" {
		return
	}
	s.AppCalls = slices.Clone(s.AppCalls)
	for i := range s.AppCalls {
		c := &s.AppCalls[i]
		switch {
		case c.TaskID != t.TaskID || c.Status != clew.AppCallRunning:
		case result != "":
			c.Status, c.Result = clew.AppCallDone, result
		default:
			c.Status, c.Error = clew.AppCallRefused, clew.Clip(why, appErrorMax)
		}
	}
}

// forgetAppCalls lets go of what pages asked for that are gone.
func (s *State) forgetAppCalls() {
	gone := func(c AppCall) bool { return s.Window(c.WindowID) == nil }
	if slices.ContainsFunc(s.AppCalls, gone) {
		s.AppCalls = slices.DeleteFunc(slices.Clone(s.AppCalls), gone)
	}
}

func (s *State) appCallsOf(window string) (list []AppCall) {
	for _, c := range s.AppCalls {
		if c.WindowID == window {
			list = append(list, c)
		}
	}
	return list
}

// AppCall finds what a page asked for under a name, nil if that is not known.
func (s *State) AppCall(window string, id clew.RequestID) *AppCall {
	if i := slices.IndexFunc(s.AppCalls, func(c AppCall) bool { return c.WindowID == window && c.RequestID == id }); i >= 0 {
		return &s.AppCalls[i]
	}
	return nil
}

// AppCallsUnderWay counts what the page in a window waits for, and says when the oldest
// was asked for of as many as are kept, 0 if there are fewer.
func (s *State) AppCallsUnderWay(window string) (running int, since int64) {
	of := s.appCallsOf(window)
	for _, c := range of {
		if c.Status == clew.AppCallRunning {
			running++
		}
	}
	if len(of) >= AppCallsKept {
		since = of[0].TS
	}
	return running, since
}

// appCallStates are the calls as session_state shows them. That one waits for a person
// follows from the open questions.
func (s *State) appCallStates(window string) (list []clew.AppCall) {
	for _, c := range s.appCallsOf(window) {
		if t := s.Task(c.TaskID); c.Status == clew.AppCallRunning && t != nil && s.awaitsPerson(t) {
			c.Status = clew.AppCallWaiting
		}
		list = append(list, c.AppCall)
	}
	return list
}

// PageWindowPrefix begins the name of a window that shows a page of a tool server.
func PageWindowPrefix(server string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, server)
	return name[:min(len(name), WindowIDMax/2)] + "-"
}
