package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A WindowWish is what an agent wants to do about a window. Nil leaves a thing
// as it is.
type WindowWish struct {
	Type  clew.ActionType // window.create, window.update or window.close
	ID    string
	Title *string
	// Content without a kind is of the kind that the window shows, or Markdown.
	Content *clew.WindowContent
	Append  bool
	// IfVersion is the version that the wish is about, 0 for any.
	IfVersion int
	Lock      *bool
}

// ShowWindow records an agent's wish, or says in words for the model why it cannot
// be. The version is that of the window then, 0 if it is closed.
func ShowWindow(tx *Tx, s *core.State, t *core.Task, wish WindowWish) (version int, err error) {
	old := s.Window(wish.ID)
	switch {
	case !core.ValidWindowID(wish.ID):
		return 0, clew.Errorf(clew.SessionInvalidState, "window_id has 1 to %d letters, digits, _ and -", core.WindowIDMax)
	case wish.Type == clew.ActionWindowCreate && old != nil:
		return 0, clew.Errorf(clew.SessionInvalidState, "window %s is open already: update it", wish.ID)
	case wish.Type == clew.ActionWindowCreate && len(s.Windows) >= core.WindowsMax:
		return 0, clew.Errorf(clew.SessionInvalidState, "%d windows are open: close one first", len(s.Windows))
	case wish.Type != clew.ActionWindowCreate && old == nil:
		return 0, clew.Errorf(clew.SessionInvalidState, "there is no window %s; the user may have closed it", wish.ID)
	}
	if old != nil {
		if err := mayChange(s, t, old, wish); err != nil {
			return 0, err
		}
	} else if s.HasKey(wish.ID) {
		return 0, clew.Errorf(clew.SessionInvalidState, "a window %s was there, and others of its group are still open: take another name", wish.ID)
	}
	action := clew.Action{Type: wish.Type, WindowID: wish.ID}
	if wish.Type != clew.ActionWindowClose {
		next := core.Window{ID: wish.ID}
		p := wish.params(t, nil)
		if old != nil {
			next = *old
			p = wish.params(t, old.Content)
		} else {
			p.MonitorID = t.MonitorID
			if root := s.RootOf(t); root.Kind() == clew.AgentWindow && s.HasKey(root.Key) {
				p.GroupID = root.Key
			}
		}
		if err := next.Change(p, "", core.WindowsBut(s.Windows, wish.ID)); err != nil {
			return 0, err
		}
		version = max(next.Version, 1)
		action.ActionID, action.Params = string(tx.NextID()), p.AsMap()
	}
	// Without a monitor, so that it reaches those who follow another one as well: all
	// share one list of windows.
	tx.Add(&clew.ActionsData{Actions: clew.List[clew.Action]{action}, AgentID: t.AgentID, TaskID: t.TaskID})
	return version, nil
}

// mayChange says why an agent may not do this to a window.
func mayChange(s *core.State, t *core.Task, w *core.Window, wish WindowWish) error {
	if err := mayWorkOn(s, t, w); err != nil {
		return err
	}
	switch {
	case w.LockedBy != "" && w.LockedBy != t.AgentID && agentLives(s, w.LockedBy):
		return clew.Errorf(clew.SessionInvalidState, "window %s is locked by %s: it alone may change it", w.ID, w.LockedBy)
	case wish.IfVersion != 0 && wish.IfVersion != w.Version:
		return clew.Errorf(clew.SessionInvalidState, "window %s is at version %d, not %d: somebody changed it meanwhile", w.ID, w.Version, wish.IfVersion)
	}
	return nil
}

// agentLives reports whether an agent can still work: a lock does not outlive it.
func agentLives(s *core.State, id clew.AgentID) bool {
	if slices.ContainsFunc(s.AllMonitors(), func(m core.Monitor) bool { return m.AgentID == id }) {
		return true
	}
	for _, t := range s.Tasks {
		if t.AgentID == id && t.Turn != nil {
			return true
		}
	}
	return false
}

// params are those of the action, for a window that shows this now.
func (w WindowWish) params(t *core.Task, now *clew.WindowContent) clew.WindowParams {
	p := clew.WindowParams{Title: w.Title, Append: w.Append && now != nil}
	if w.Content != nil {
		next := *w.Content
		switch {
		case next.Kind != "":
		case now != nil:
			next.Kind = now.Kind
		default:
			next.Kind = clew.WindowMarkdown
		}
		if now != nil && next.Kind == clew.WindowTable && now.Kind == clew.WindowTable && !w.Append && len(next.Columns) == 0 {
			next.Columns, next.RowAction = now.Columns, cmp.Or(next.RowAction, now.RowAction)
		}
		p.Content = &next
	}
	if w.Lock != nil {
		by := clew.AgentID("")
		if *w.Lock {
			by = t.AgentID
		}
		p.LockedBy = &by
	}
	return p
}

// ShowNotice records a notice, or says in words for the model why it cannot be.
func ShowNotice(tx *Tx, t *core.Task, title, text string) error {
	p := clew.NoticeParams{NoticeID: string(tx.NextID()), Title: title, Text: text}
	if err := core.CheckNotice(p); err != nil {
		return err
	}
	tx.Add(&clew.ActionsData{Actions: clew.List[clew.Action]{{Type: clew.ActionNotificationShow, Params: p.AsMap()}}, AgentID: t.AgentID, TaskID: t.TaskID})
	return nil
}

// decideInteraction takes a batch of what a person did to windows: all of it or
// nothing. Recorded is what others have to see, and what agents hear: which windows
// are gone, where the others lie in the end, what was drawn, and which one was brought
// to the front last. What lies in front on a screen is each person's own.
func decideInteraction(tx *Tx, s *core.State, by clew.UserID, d *clew.UserInteractionData, streamed streams) error {
	if d.MonitorID != "" && !slices.Contains(core.Monitors[:], d.MonitorID) && !s.HasMonitor(d.MonitorID) {
		return clew.Errorf(clew.AgentLimit, "there are %d monitors: %s to %s", core.MonitorsMax, core.Monitors[0], core.Monitors[core.MonitorsMax-1])
	}
	b := interactions{s: s, monitor: d.MonitorID, closed: map[string]bool{}}
	for _, in := range d.Interactions {
		if s.Window(in.WindowID) == nil || b.closed[in.WindowID] {
			return clew.Errorf(clew.SessionInvalidState, "there is no window %s", in.WindowID)
		}
		b.take(in)
	}
	b.keep = slices.DeleteFunc(b.keep, func(in clew.Interaction) bool { return b.closed[in.WindowID] || b.idle(in) })
	if len(b.keep) > 0 {
		tx.Add(&clew.UserInteractedData{Interactions: b.keep, MonitorID: d.MonitorID, UserID: by})
	}
	if len(b.close) > 0 {
		tx.Add(&clew.ActionsData{Actions: b.close})
		windowsClosed(tx, s, slices.Sorted(maps.Keys(b.closed)), nil, streamed)
	}
	return nil
}

// interactions condense a batch.
type interactions struct {
	s       *core.State
	monitor clew.MonitorID
	keep    clew.List[clew.Interaction]
	close   clew.List[clew.Action]
	closed  map[string]bool
}

// take keeps the last place of each window in each layout, every drawing, and the last
// focus, unless something was done to that window afterwards: that says it as well.
func (b *interactions) take(in clew.Interaction) {
	drop := func(old clew.Interaction) bool {
		return old.WindowID == in.WindowID && old.Kind == in.Kind && old.Layout == in.Layout
	}
	switch in.Kind {
	case clew.InteractionClose:
		b.closed[in.WindowID] = true
		b.close = append(b.close, clew.Action{Type: clew.ActionWindowClose, WindowID: in.WindowID})
		return
	case clew.InteractionFocus:
		in.Bounds, in.Layout = nil, ""
		if n := len(b.keep); n > 0 && b.keep[n-1].WindowID == in.WindowID {
			return
		}
		drop = func(old clew.Interaction) bool { return old.Kind == clew.InteractionFocus }
	case clew.InteractionDraw:
		drop = func(clew.Interaction) bool { return false }
	case clew.InteractionMove, clew.InteractionResize:
	}
	if in.Kind != clew.InteractionDraw {
		in.Drawing = nil
	}
	b.keep = slices.DeleteFunc(b.keep, func(old clew.Interaction) bool {
		return drop(old) || old.Kind == clew.InteractionFocus && old.WindowID == in.WindowID
	})
	b.keep = append(b.keep, in)
}

// idle reports whether something changes nothing.
func (b *interactions) idle(in clew.Interaction) bool {
	w := *b.s.Window(in.WindowID)
	switch in.Kind {
	case clew.InteractionFocus:
		return b.s.FocusedWindow == in.WindowID
	case clew.InteractionMove, clew.InteractionResize:
		now := *w.Layouts.At(in.Layout)
		lies := in.Bounds == nil || now != nil && *now == *in.Bounds
		return lies && (in.Kind == clew.InteractionResize || b.monitor == "" || b.monitor == w.MonitorID)
	case clew.InteractionClose, clew.InteractionDraw:
	}
	return false
}

// decideRendering records the first failure to draw what a window shows. What is about
// another action than the last one, or a window that is gone, is late.
func decideRendering(tx *Tx, s *core.State, d *clew.RenderingFeedbackData) {
	w := s.Window(d.WindowID)
	if d.Success || w == nil || w.Failed != "" || d.ActionID != "" && d.ActionID != w.ActionID {
		return
	}
	why := d.Error
	if why == "" {
		why = "it could not be drawn"
	}
	tx.Add(&clew.RenderingFailedData{WindowID: w.ID, ActionID: w.ActionID, Error: clew.Clip(why, core.FailedMax)})
}

// notDrawn tells a model what became of its window. Why is a client's word: data.
func notDrawn(w core.Window) string {
	return fmt.Sprintf("Window %s could not be drawn at version %d. The user's program says: %q. Change its content or close it.", w.ID, w.Version, w.Failed)
}
