package core

import (
	"slices"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// A Window is something that an agent shows beside the transcript. All monitors
// share the session's one list; the last one lies in front. A window in a list is
// never changed, nor is what it shows.
type Window struct {
	ID        string         `json:"id"`
	MonitorID clew.MonitorID `json:"monitor_id"`
	AgentID   clew.AgentID   `json:"agent_id,omitempty"` // who opened it
	// GroupID is the group that it joined, "" if it stands alone or began one.
	GroupID string              `json:"group_id,omitempty"`
	Title   string              `json:"title,omitempty"`
	Content *clew.WindowContent `json:"content,omitempty"`
	// Size is what the content counts for, in bytes.
	Size int `json:"size,omitempty"`
	// Version counts the changes of content, ActionID names the last one. Failed is
	// why that could not be drawn, Untold the record that says so, until the agent
	// that made the window has heard of it.
	Version  int            `json:"version"`
	ActionID string         `json:"action_id,omitempty"`
	Failed   string         `json:"failed,omitempty"`
	Untold   clew.MessageID `json:"untold,omitempty"`
	LockedBy clew.AgentID   `json:"locked_by,omitempty"`
	Layouts  clew.Layouts   `json:"layouts,omitzero"`
	// App is what its app can be asked and told, nil if none is ready.
	App *clew.AppState `json:"app,omitempty"`
}

// What windows are bounded by: all of it goes with every session_state.
const (
	WindowsMax     = 16
	WindowTitleMax = 120 // characters
	WindowTextMax  = 64 << 10
	windowsTextMax = 256 << 10 // of all windows
	WindowIDMax    = 64
	FailedMax      = 300 // characters of why a window could not be drawn
	MonitorsMax    = 4
)

// Monitors are those that windows can be on.
var Monitors = [MonitorsMax]clew.MonitorID{clew.MainMonitor, "monitor-1", "monitor-2", "monitor-3"}

// Window finds an open window.
func (s *State) Window(id string) *Window { return WindowIn(s.Windows, id) }

// WindowIn finds a window in a list, nil if there is none.
func WindowIn(list []Window, id string) *Window {
	if i := slices.IndexFunc(list, func(w Window) bool { return w.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// WindowsBut gives a new list without one of them.
func WindowsBut(list []Window, id string) []Window {
	return slices.DeleteFunc(slices.Clone(list), func(w Window) bool { return w.ID == id })
}

// ApplyActions folds what agents and people did to windows, and notices. Records from
// elsewhere may say anything: what is no window, or too much, changes nothing.
func ApplyActions(s *State, d *clew.ActionsData) {
	for _, a := range d.Actions {
		switch a.Type {
		case clew.ActionNotificationShow, clew.ActionToastShow:
			applyNotice(s, d, a)
			continue
		}
		s.Windows = windowsAfter(s.Windows, d, a)
	}
	if s.Window(s.FocusedWindow) == nil {
		s.FocusedWindow = ""
	}
	s.forgetAppCalls()
}

// windowsAfter makes a new list: the old one may be in use.
func windowsAfter(list []Window, d *clew.ActionsData, a clew.Action) []Window {
	old := WindowIn(list, a.WindowID)
	rest := WindowsBut(list, a.WindowID)
	switch a.Type {
	case clew.ActionWindowCreate:
		w := Window{ID: a.WindowID, MonitorID: clew.MainMonitor, AgentID: d.AgentID}
		if slices.Contains(Monitors[:], d.MonitorID) {
			w.MonitorID = d.MonitorID
		}
		if old != nil { // shown anew, where it is
			w.MonitorID, w.Layouts, w.Version, w.GroupID = old.MonitorID, old.Layouts, old.Version, old.GroupID
		}
		p, ok := a.WindowParams()
		if ok && old == nil && ValidWindowID(p.GroupID) && p.GroupID != a.WindowID {
			w.GroupID = p.GroupID
		}
		if !ok || w.Change(p, a.ActionID, rest) != nil || len(rest) >= WindowsMax || !ValidWindowID(a.WindowID) {
			return list
		}
		w.Version = max(w.Version, 1)
		return append(rest, w)
	case clew.ActionWindowUpdate:
		p, ok := a.WindowParams()
		if old == nil || !ok {
			return list
		}
		w := *old
		if w.Change(p, a.ActionID, rest) != nil {
			return list
		}
		return withWindow(list, w)
	case clew.ActionWindowClose:
		return rest
	case clew.ActionWindowFocus:
		if old != nil {
			return append(rest, *old)
		}
	case clew.ActionNotificationShow, clew.ActionToastShow, clew.ActionAppQuery, clew.ActionAppCommand:
	}
	return list
}

// withWindow makes a list with a window in the place of the one of its name.
func withWindow(list []Window, w Window) []Window {
	next := slices.Clone(list)
	*WindowIn(next, w.ID) = w
	return next
}

// Change takes params over, or says in words for a model why the window would not be
// one, or would not fit beside the others.
func (w *Window) Change(p clew.WindowParams, action string, others []Window) error {
	if p.Title != nil {
		w.Title = *p.Title
	}
	if p.Content != nil {
		next := p.Content
		if p.Append {
			var err error
			if next, err = appended(w.Content, next); err != nil {
				return err
			}
		}
		w.Content, w.Failed, w.Untold = next, "", ""
		w.App = nil // another page has yet to say what it can
		w.Version++
		w.ActionID = ""
		if len(action) <= WindowIDMax {
			w.ActionID = action
		}
	}
	if p.LockedBy != nil {
		w.LockedBy = *p.LockedBy
	}
	if p.Bounds != nil && p.Layouts.Wide == nil {
		p.Layouts.Wide = p.Bounds
	}
	if slices.Contains(Monitors[:], p.MonitorID) {
		w.MonitorID = p.MonitorID
	}
	for _, l := range []clew.Layout{clew.LayoutWide, clew.LayoutMedium} {
		at := *p.Layouts.At(l)
		if at == nil {
			continue
		}
		if err := at.Check(); err != nil {
			return err
		}
		*w.Layouts.At(l) = at
	}
	return w.fits(p.Content != nil, others)
}

// fits says why a window cannot be, nil if it can.
func (w *Window) fits(changed bool, others []Window) error {
	if utf8.RuneCountInString(w.Title) > WindowTitleMax {
		return clew.Errorf(clew.SessionInvalidState, "a title has at most %d characters", WindowTitleMax)
	}
	if len(w.LockedBy) > 2*WindowIDMax {
		return clew.Errorf(clew.SessionInvalidState, "locked_by is no agent's id")
	}
	if !changed {
		return nil
	}
	if err := CheckContent(w.Content); err != nil {
		return err
	}
	w.Size = contentSize(w.Content)
	if w.Size > WindowTextMax {
		return clew.Errorf(clew.SessionInvalidState, "content has %d bytes, a window holds %d", w.Size, WindowTextMax)
	}
	all := w.Size
	for _, o := range others {
		all += o.Size
	}
	if all > windowsTextMax {
		return clew.Errorf(clew.SessionInvalidState, "all windows together hold %d bytes: close one first", windowsTextMax)
	}
	return nil
}

// ValidWindowID says whether a window may be named like this.
func ValidWindowID(id string) bool { return len(id) <= WindowIDMax && clew.ValidID(id) }

// ApplyInteracted folds what a person did to windows.
func ApplyInteracted(s *State, d *clew.UserInteractedData) {
	for _, in := range d.Interactions {
		old := s.Window(in.WindowID)
		if old == nil {
			continue
		}
		var p clew.WindowParams
		switch in.Kind {
		case clew.InteractionMove:
			p.MonitorID = d.MonitorID
			*p.Layouts.At(in.Layout) = in.Bounds
		case clew.InteractionResize:
			*p.Layouts.At(in.Layout) = in.Bounds
		case clew.InteractionFocus, clew.InteractionDraw:
		case clew.InteractionClose: // an action
			continue
		}
		w := *old
		if w.Change(p, "", nil) == nil {
			s.Windows = withWindow(s.Windows, w)
			s.FocusedWindow = w.ID
			s.noteInteraction(in.Kind, w.ID)
		}
	}
}

func applyRenderingFailed(s *State, d *clew.RenderingFailedData) {
	if w := s.Window(d.WindowID); w != nil && w.ActionID == d.ActionID && w.Failed == "" {
		next := *w
		next.Failed, next.Untold = clew.Clip(d.Error, FailedMax), clew.MessageIDOf(s.Seq)
		s.Windows = withWindow(s.Windows, next)
	}
}

// FailedWindows are those that the task's agent made, that could not be drawn, and of
// which it has not heard so.
func (s *State) FailedWindows(t *Task) (list []Window) {
	for _, w := range s.Windows {
		if w.Untold != "" && w.AgentID == t.AgentID {
			list = append(list, w)
		}
	}
	return list
}

// noteWindowsTold folds what a model was told: a message of its history that is about
// a failure.
func (s *State) noteWindowsTold(about clew.MessageID) {
	for _, w := range s.Windows {
		if w.Untold != "" && w.Untold == about {
			w.Untold = ""
			s.Windows = withWindow(s.Windows, w)
		}
	}
}

// windowStates gives the windows as session_state shows them.
func (s *State) windowStates() clew.List[clew.WindowState] {
	out := clew.List[clew.WindowState]{}
	for _, w := range s.Windows {
		out = append(out, clew.WindowState{
			WindowID: w.ID, MonitorID: w.MonitorID, Title: w.Title, GroupID: w.GroupID, AgentID: s.windowAgent(&w), Status: s.windowStatus(&w), Content: w.Content,
			Version: w.Version, ActionID: w.ActionID, Failed: w.Failed, LockedBy: w.LockedBy, Layouts: w.Layouts,
			App: w.App, AppRequests: s.appRequestsOf(w.ID), AppCalls: s.appCallStates(w.ID),
		})
	}
	return out
}
