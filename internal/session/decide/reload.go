package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/prompt"
)

// ReplayActions shows again what an earlier turn showed, or tells the model why it
// cannot be. Only windows and notices come again: what tools did is not done twice.
type ReplayActions struct {
	Call core.Call
	ID   string // of the reload option
}

func (x ReplayActions) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	e := s.Reload.Find(x.ID)
	if err := replayable(s, t, x.ID, e, tx.NextTS()); err != nil {
		r.refuseFor(x.Call, err)
		return Result{}, nil
	}
	toast := clew.Action{Type: clew.ActionToastShow, Params: map[string]any{"toast_id": e.ID, "text": "Shown again: " + e.Label}}
	tx.Add(&clew.ActionsData{Actions: append(append(clew.List[clew.Action]{}, e.Actions...), toast), AgentID: t.AgentID, TaskID: t.TaskID, ReloadID: e.ID})
	r.result(x.Call, "Shown again. "+prompt.Acts{List: e.Actions}.Sentences())
	return Result{}, nil
}

// replayable says why an entry cannot be shown again now: all of it, or nothing.
func replayable(s *core.State, t *core.Task, id string, e *prompt.ReloadEntry, now int64) error {
	if e == nil {
		return clew.Errorf(clew.SessionInvalidState, "there is no reload option %q; take one of <reload_options>", id)
	}
	if err := s.ActionsRefused(t, now); err != nil {
		return err
	}
	after := core.State{Windows: s.Windows}
	for _, a := range e.Actions {
		open := after.Window(a.WindowID) != nil
		core.ApplyActions(&after, &clew.ActionsData{Actions: clew.List[clew.Action]{a}, AgentID: t.AgentID})
		switch a.Type {
		case clew.ActionWindowCreate:
			if after.Window(a.WindowID) == nil {
				return clew.Errorf(clew.SessionInvalidState, "there is no room for window %s: close one first", a.WindowID)
			}
		case clew.ActionWindowUpdate, clew.ActionWindowClose, clew.ActionWindowFocus:
			if !open {
				return clew.Errorf(clew.SessionInvalidState, "window %s is not open any more: show it yourself", a.WindowID)
			}
		}
	}
	return nil
}

// decideToast takes a notice away, or notes that somebody did not want what was shown
// again. One that is gone was dismissed by somebody else.
func decideToast(tx *Tx, s *core.State, by clew.UserID, d *clew.ToastActionData) {
	notice := slices.ContainsFunc(s.Notices, func(n clew.NoticeState) bool { return n.NoticeID == d.ToastID })
	if notice || s.Reload.Find(d.ToastID) != nil {
		tx.Add(&clew.ToastDismissedData{ToastID: d.ToastID, By: by})
	}
}
