package decide

import (
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
	Kind  core.WindowKind // "" is as it was, or Markdown
	Text  *string
}

// ShowWindow records an agent's wish, or says in words for the model why it cannot
// be.
func ShowWindow(tx *Tx, s *core.State, t *core.Task, wish WindowWish) error {
	old := s.Window(wish.ID)
	switch {
	case !core.ValidWindowID(wish.ID):
		return clew.Errorf(clew.SessionInvalidState, "window_id has 1 to %d letters, digits, _ and -", core.WindowIDMax)
	case wish.Type == clew.ActionWindowCreate && old != nil:
		return clew.Errorf(clew.SessionInvalidState, "window %s is open already: update it", wish.ID)
	case wish.Type == clew.ActionWindowCreate && len(s.Windows) >= core.WindowsMax:
		return clew.Errorf(clew.SessionInvalidState, "%d windows are open: close one first", len(s.Windows))
	case wish.Type != clew.ActionWindowCreate && old == nil:
		return clew.Errorf(clew.SessionInvalidState, "there is no window %s; the user may have closed it", wish.ID)
	}
	action := clew.Action{Type: wish.Type, WindowID: wish.ID}
	if wish.Type != clew.ActionWindowClose {
		next := core.Window{ID: wish.ID, MonitorID: t.MonitorID}
		if old != nil {
			next = *old
		}
		p := core.WindowParams{Title: wish.Title, Content: wish.content(next.Content)}
		action.Params = p.AsMap()
		if p.Title != nil {
			next.Title = *p.Title
		}
		if p.Content != nil {
			next.Content = p.Content
		}
		others := slices.DeleteFunc(slices.Clone(s.Windows), func(w core.Window) bool { return w.ID == wish.ID })
		if err := next.Fits(others); err != nil {
			return err
		}
	}
	// Without a monitor, so that it reaches those who follow another one, too: all
	// share one list of windows.
	tx.Add(&clew.ActionsData{Actions: clew.List[clew.Action]{action}, AgentID: t.AgentID})
	return nil
}

// content is what the window shall show, nil for what it shows now.
func (w WindowWish) content(now *core.WindowContent) *core.WindowContent {
	if w.Text == nil && w.Kind == "" {
		return nil
	}
	next := core.WindowContent{Kind: core.WindowMarkdown}
	if now != nil {
		next = *now
	}
	if w.Kind != "" {
		next.Kind = w.Kind
	}
	if w.Text != nil {
		next.Text = *w.Text
	}
	return &next
}

// decideInteraction takes a batch of what a person did to windows: all of it or
// nothing. Only what others have to see is recorded: which windows are gone, and
// where the others lie in the end. Which one is in front is each person's own.
func decideInteraction(tx *Tx, s *core.State, d *clew.UserInteractionData) error {
	if d.MonitorID != "" && !slices.Contains(core.Monitors[:], d.MonitorID) && !s.HasMonitor(d.MonitorID) {
		return clew.Errorf(clew.AgentLimit, "there are %d monitors: %s to %s", core.MonitorsMax, core.Monitors[0], core.Monitors[core.MonitorsMax-1])
	}
	open := slices.Clone(s.Windows)
	var closed clew.List[clew.Action]
	for _, in := range d.Interactions {
		w := core.WindowIn(open, in.WindowID)
		if w == nil {
			return clew.Errorf(clew.SessionInvalidState, "there is no window %s", in.WindowID)
		}
		switch in.Kind {
		case clew.InteractionClose:
			closed = append(closed, clew.Action{Type: clew.ActionWindowClose, WindowID: w.ID})
			open = slices.DeleteFunc(open, func(o core.Window) bool { return o.ID == in.WindowID })
			continue
		case clew.InteractionMove:
			if d.MonitorID != "" {
				w.MonitorID = d.MonitorID
			}
		case clew.InteractionDraw:
			return clew.Errorf(clew.SessionInvalidState, "this server cannot take drawings yet")
		case clew.InteractionFocus, clew.InteractionResize:
		}
		if in.Bounds != nil && in.Kind != clew.InteractionFocus {
			w.Bounds = in.Bounds
		}
	}
	actions := append(moved(s, open), closed...)
	if len(actions) > 0 {
		tx.Add(&clew.ActionsData{Actions: actions})
	}
	return nil
}

// moved gives an action for each window that lies elsewhere now.
func moved(s *core.State, now []core.Window) clew.List[clew.Action] {
	var actions clew.List[clew.Action]
	for _, w := range now {
		var p core.WindowParams
		old := s.Window(w.ID)
		if w.MonitorID != old.MonitorID {
			p.MonitorID = w.MonitorID
		}
		if w.Bounds != nil && (old.Bounds == nil || *w.Bounds != *old.Bounds) {
			p.Bounds = w.Bounds
		}
		if p != (core.WindowParams{}) {
			actions = append(actions, clew.Action{Type: clew.ActionWindowUpdate, WindowID: w.ID, Params: p.AsMap()})
		}
	}
	return actions
}
