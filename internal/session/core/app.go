package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// An AppRequest is what an agent wants of the app in a window. The agent's call waits
// for it on record, so that it has one outcome whoever dies meanwhile.
type AppRequest struct {
	clew.AppRequest
	WindowID string      `json:"window_id"`
	TaskID   clew.TaskID `json:"task_id"`
	CallID   string      `json:"call_id"`
}

// applyAppRegistered notes what an app can be asked. The list is a new one: the old
// one may be in use.
func applyAppRegistered(s *State, d *clew.AppRegisteredData) {
	if s.Window(d.WindowID) == nil {
		return
	}
	s.Windows = slices.Clone(s.Windows)
	s.Window(d.WindowID).App = &clew.AppState{App: d.App, Queries: d.Queries, Commands: d.Commands}
}

// applyAppRequest has a call wait for an app. A record that names no call asks nobody.
func applyAppRequest(s *State, d *clew.AppProtocolRequestData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	c := t.Call(d.ToolCallID)
	if c == nil || c.Status == CallDone || d.DeadlineMS == 0 {
		return
	}
	c.Status = CallApp
	s.AppRequests = append(slices.Clip(s.AppRequests), AppRequest{
		AppRequest: clew.AppRequest{RequestID: d.RequestID, Kind: d.Kind, Name: d.Name, Params: d.Params, DeadlineMS: d.DeadlineMS},
		WindowID:   d.WindowID, TaskID: d.TaskID, CallID: d.ToolCallID,
	})
}

// settleAppRequest ends the waiting of a call that gets its result.
func (s *State) settleAppRequest(task clew.TaskID, c *Call) {
	if c.Status == CallApp {
		s.AppRequests = slices.DeleteFunc(slices.Clone(s.AppRequests), func(r AppRequest) bool { return r.TaskID == task && r.CallID == c.ID })
	}
}

// AppReady reports whether an app is ready in one of the windows.
func (s *State) AppReady() bool {
	return slices.ContainsFunc(s.Windows, func(w Window) bool { return w.App != nil })
}

// AppRequest finds what an agent waits for, nil if nobody does.
func (s *State) AppRequest(id clew.RequestID) *AppRequest {
	if i := slices.IndexFunc(s.AppRequests, func(r AppRequest) bool { return r.RequestID == id }); i >= 0 {
		return &s.AppRequests[i]
	}
	return nil
}

func (s *State) appRequestsOf(window string) []clew.AppRequest {
	var list []clew.AppRequest
	for _, r := range s.AppRequests {
		if r.WindowID == window {
			list = append(list, r.AppRequest)
		}
	}
	return list
}
