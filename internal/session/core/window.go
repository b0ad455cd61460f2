package core

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// A Window is something that an agent shows beside the transcript. All monitors
// share the session's one list; the last one lies in front.
type Window struct {
	ID        string         `json:"id"`
	MonitorID clew.MonitorID `json:"monitor_id"`
	AgentID   clew.AgentID   `json:"agent_id,omitempty"`
	Title     string         `json:"title,omitempty"`
	Content   *WindowContent `json:"content,omitempty"`
	// Bounds is where a person put it, nil while nobody has.
	Bounds *clew.Bounds `json:"bounds,omitempty"`
}

// WindowContent is what a window shows.
type WindowContent struct {
	Kind WindowKind `json:"kind"`
	Text string     `json:"text"`
}

// A WindowKind says how a window's text is shown.
type WindowKind string

// The kinds of content.
const (
	WindowMarkdown WindowKind = "markdown"
	WindowHTML     WindowKind = "html" // in a frame that reaches nothing
)

// What windows are bounded by: all of it goes with every session_state.
const (
	WindowsMax     = 16
	WindowTitleMax = 120 // characters
	WindowTextMax  = 64 << 10
	windowsTextMax = 256 << 10 // of all windows
	WindowIDMax    = 64
	MonitorsMax    = 4
)

// Monitors are those that windows can be on.
var Monitors = [MonitorsMax]clew.MonitorID{clew.MainMonitor, "monitor-1", "monitor-2", "monitor-3"}

// WindowParams are the params of window.create and window.update. What is absent
// stays as it is.
type WindowParams struct {
	Title     *string        `json:"title,omitempty"`
	Content   *WindowContent `json:"content,omitempty"`
	Bounds    *clew.Bounds   `json:"bounds,omitempty"`
	MonitorID clew.MonitorID `json:"monitor_id,omitempty"`
}

// AsMap gives the params as a record has them, so that a state is the same
// whether it was folded from the event or from the journal.
func (p WindowParams) AsMap() map[string]any {
	var m map[string]any
	if b, err := json.Marshal(p); err == nil {
		_ = json.Unmarshal(b, &m) // it was just written
	}
	return m
}

func readParams(m map[string]any) (p WindowParams, ok bool) {
	b, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	return p, err == nil
}

// Window finds an open window.
func (s *State) Window(id string) *Window { return WindowIn(s.Windows, id) }

// WindowIn finds a window in a list, nil if there is none.
func WindowIn(list []Window, id string) *Window {
	if i := slices.IndexFunc(list, func(w Window) bool { return w.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// ApplyActions folds what agents and people did to windows. Records from
// elsewhere may say anything: what is no window, or too much, changes nothing.
func ApplyActions(s *State, d *clew.ActionsData) {
	for _, a := range d.Actions {
		s.Windows = windowsAfter(s.Windows, d, a)
	}
}

// windowsAfter makes a new list: the old one may be in use.
func windowsAfter(list []Window, d *clew.ActionsData, a clew.Action) []Window {
	old := WindowIn(list, a.WindowID)
	rest := slices.DeleteFunc(slices.Clone(list), func(w Window) bool { return w.ID == a.WindowID })
	switch a.Type {
	case clew.ActionWindowCreate:
		w := Window{ID: a.WindowID, MonitorID: clew.MainMonitor, AgentID: d.AgentID}
		if slices.Contains(Monitors[:], d.MonitorID) {
			w.MonitorID = d.MonitorID
		}
		if old != nil { // shown anew, where it is
			w.MonitorID, w.Bounds = old.MonitorID, old.Bounds
		}
		if !w.change(a.Params, rest) || len(rest) >= WindowsMax || !ValidWindowID(a.WindowID) {
			return list
		}
		return append(rest, w)
	case clew.ActionWindowUpdate:
		if old == nil {
			return list
		}
		w := *old
		if !w.change(a.Params, rest) {
			return list
		}
		next := slices.Clone(list)
		*WindowIn(next, w.ID) = w
		return next
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

// change takes params over, if the window then still fits beside the others.
func (w *Window) change(params map[string]any, others []Window) bool {
	p, ok := readParams(params)
	if !ok {
		return false
	}
	if p.Title != nil {
		w.Title = *p.Title
	}
	if p.Content != nil {
		w.Content = p.Content
	}
	if p.Bounds != nil {
		w.Bounds = p.Bounds
	}
	if slices.Contains(Monitors[:], p.MonitorID) {
		w.MonitorID = p.MonitorID
	}
	return w.Fits(others) == nil
}

// Fits says why a window cannot be, nil if it can.
func (w *Window) Fits(others []Window) error {
	if utf8.RuneCountInString(w.Title) > WindowTitleMax {
		return clew.Errorf(clew.SessionInvalidState, "a title has at most %d characters", WindowTitleMax)
	}
	if w.Bounds != nil && w.Bounds.Check() != nil {
		return w.Bounds.Check()
	}
	if w.Content == nil {
		return nil
	}
	if w.Content.Kind != WindowMarkdown && w.Content.Kind != WindowHTML {
		return clew.Errorf(clew.SessionInvalidState, "content is %s or %s", WindowMarkdown, WindowHTML)
	}
	all := len(w.Content.Text)
	if all > WindowTextMax {
		return clew.Errorf(clew.SessionInvalidState, "content has %d bytes, a window holds %d", all, WindowTextMax)
	}
	for _, o := range others {
		if o.Content != nil {
			all += len(o.Content.Text)
		}
	}
	if all > windowsTextMax {
		return clew.Errorf(clew.SessionInvalidState, "all windows together hold %d bytes: close one first", windowsTextMax)
	}
	return nil
}

// ValidWindowID says whether a window may be named like this.
func ValidWindowID(id string) bool { return len(id) <= WindowIDMax && clew.ValidID(id) }

// windowStates gives the windows as session_state shows them.
func (s *State) windowStates() clew.List[clew.WindowState] {
	out := clew.List[clew.WindowState]{}
	for _, w := range s.Windows {
		st := clew.WindowState{WindowID: w.ID, MonitorID: w.MonitorID, Title: w.Title, AgentID: w.AgentID}
		if w.Content != nil {
			st.Content = map[string]any{"kind": w.Content.Kind, "text": w.Content.Text}
		}
		if w.Bounds != nil {
			bounds := *w.Bounds
			st.Bounds = &bounds
		}
		out = append(out, st)
	}
	return out
}
