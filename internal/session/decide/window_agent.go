package decide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// decideWindowMessage takes words to the agent of a window.
func decideWindowMessage(tx *Tx, s *core.State, cmd clew.Command, d *clew.WindowMessageData) error {
	return routeToWindow(tx, s, cmd, core.Input{Text: d.Text, Images: d.Images, WindowID: d.WindowID}, "")
}

// decideComponentAction takes what a person did in a window to its agent.
func decideComponentAction(tx *Tx, s *core.State, cmd clew.Command, d *clew.ComponentActionData) error {
	w := s.Window(d.WindowID)
	if w == nil {
		return noWindow(d.WindowID)
	}
	label, form, err := usable(w, d)
	if err != nil {
		return err
	}
	in := core.Input{Text: "«" + label + "»", WindowID: d.WindowID, Component: &clew.ComponentUse{
		Action: d.Action, Label: label, ActionID: d.ActionID, FormData: form, ComponentPath: d.ComponentPath,
	}}
	return routeToWindow(tx, s, cmd, in, d.ActionID)
}

func noWindow(id string) error {
	return clew.Errorf(clew.SessionInvalidState, "there is no window %s; somebody may have closed it", id)
}

// usable gives the label of a button, form or row that a window has, and the data that
// goes with it, or says why it sends nothing. What an app calls its events is its own.
func usable(w *core.Window, d *clew.ComponentActionData) (label string, form map[string]any, err error) {
	if w.Content == nil {
		return "", nil, clew.Errorf(clew.SessionInvalidState, "window %s shows nothing that could be used", w.ID)
	}
	switch w.Content.Kind {
	case clew.WindowComponents:
		if c := componentOf(w.Content.Root, d.Action); c != nil {
			return clew.Clip(cmp.Or(c.Label, c.Text, c.Action), core.TitleRunes), d.FormData, nil
		}
		return "", nil, clew.Errorf(clew.SessionInvalidState, "window %s has nothing with the action %s; it may have changed", w.ID, d.Action)
	case clew.WindowTable:
		return chosenRow(w, d)
	case clew.WindowMarkdown, clew.WindowText, clew.WindowImage, clew.WindowHTML, clew.WindowApp, clew.WindowMCPApp:
	}
	if w.App != nil {
		return d.Action, d.FormData, nil
	}
	return "", nil, clew.Errorf(clew.SessionInvalidState, "window %s sends nothing to agents", w.ID)
}

// componentOf finds the component that an action belongs to.
func componentOf(c *clew.Component, action string) *clew.Component {
	if c == nil || c.Action == action {
		return c
	}
	for i := range c.Children {
		if found := componentOf(&c.Children[i], action); found != nil {
			return found
		}
	}
	return nil
}

// routeToWindow takes words or a press to the agent of a window, which begins with the
// first of them. While it is at work they wait, but for a press with a name of its own:
// that runs beside it, if there is room for one more agent.
func routeToWindow(tx *Tx, s *core.State, cmd clew.Command, in core.Input, action string) error {
	w := s.Window(in.WindowID)
	if w == nil {
		return noWindow(in.WindowID)
	}
	key := w.Key()
	t := s.WindowTask(key)
	if t != nil && in.Component == nil {
		if q := s.QuestionAnsweredByWords(t); q != nil {
			return decideWords(tx, s, cmd, *q, &clew.UserMessageData{Text: in.Text, Images: in.Images, TaskID: t.TaskID})
		}
	}
	if action != "" && tx.slot {
		tx.UsedSlot = true
		startWindowTurn(tx, s, cmd, w, nil, in, action)
		return nil
	}
	waiting := s.WaitingFor(key)
	free := t == nil || t.Turn == nil
	if free && len(waiting) == 0 {
		startWindowTurn(tx, s, cmd, w, t, in, "")
		return nil
	}
	if free { // since a rewind: nobody is passed by
		first := waiting[0]
		startWindowTurn(tx, s, clew.Command{}, s.Window(first.WindowID), t, first, "")
		waiting = waiting[1:]
	}
	if len(waiting) >= core.QueueMax {
		return clew.Errorf(clew.QueueFull, "%d things are waiting for the agent of window %s already", len(waiting), w.ID)
	}
	tx.Add(&clew.MessageQueuedData{
		ClientMessageID: cmd.ClientMessageID, MessageID: tx.NextID(), AgentID: core.WindowAgentID(key), MonitorID: w.MonitorID,
		Text: in.Text, Images: in.Images, UserID: cmd.By.User, Position: len(waiting) + 1, Role: "window-" + w.ID,
		WindowID: in.WindowID, Component: in.Component,
	})
	return nil
}

// toWindowTask takes words that name a window's conversation to its agent, as if they
// were said in its window.
func toWindowTask(tx *Tx, s *core.State, cmd clew.Command, t *core.Task, in core.Input) error {
	if s.WindowTask(t.Key) == t {
		for _, w := range s.Windows {
			if in.WindowID = w.ID; w.Key() == t.Key {
				return routeToWindow(tx, s, cmd, in, "")
			}
		}
	}
	return clew.Errorf(clew.SessionInvalidState, "the agent of task %s is gone with its window", t.TaskID)
}

// startWindowTurn has a window's agent work on what was said or done there. Without a
// task it begins; with an action it works beside the window's agent, for this alone.
func startWindowTurn(tx *Tx, s *core.State, cmd clew.Command, w *core.Window, t *core.Task, in core.Input, action string) {
	fresh := t == nil
	if fresh {
		id := tx.taskID(s, 1)
		t = &core.Task{
			TaskRef: clew.TaskRef{TaskID: id, RootTaskID: id, MonitorID: w.MonitorID}, AgentKind: clew.AgentWindow,
			AgentID: core.WindowAgentID(w.Key()), Key: w.Key(), WindowID: w.ID, ActionID: action,
		}
	}
	if in.NotInTranscript {
		queuedToTranscript(tx, s, w.MonitorID, &in, t.TaskID)
	} else {
		said := UserMessageEvent(cmd, w.MonitorID, in, t.TaskID)
		said.WindowID, said.Component = in.WindowID, in.Component
		in.MessageID, in.Client = tx.Say(said), cmd.ClientMessageID
	}
	if fresh {
		tx.Add(&clew.TaskCreatedData{
			TaskRef: t.TaskRef, Task: clew.Clip(cmp.Or(w.Title, w.ID), core.TitleRunes), Workspace: s.Workspace, AgentID: t.AgentID, AgentKind: t.AgentKind,
			AgentKey: t.Key, WindowID: t.WindowID, ActionID: action,
		})
		if action == "" {
			tx.Add(&clew.WindowAgentStatusData{WindowID: w.ID, AgentID: t.AgentID, Status: clew.WindowAgentAssigned})
		}
	}
	said := *t
	said.Turn = &core.Turn{WindowID: w.ID}
	tx.Add(&clew.MessageAcceptedData{
		ClientMessageID: in.Client, MessageID: in.MessageID, AgentID: t.AgentID, MonitorID: w.MonitorID, Delivery: clew.DeliveryDirect,
		TaskID: t.TaskID, Role: said.Role(), WindowID: w.ID,
	})
	if fresh {
		tx.Add(&clew.TaskStartedData{TaskRef: t.TaskRef})
	}
	tx.Add(&clew.WindowAgentStatusData{WindowID: w.ID, AgentID: t.AgentID, Status: clew.WindowAgentActive})
	tx.Add(&clew.TaskActiveData{TaskRef: t.TaskRef})
	tx.Add(&clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID})
}

// goOn has whoever becomes free with the end of a task's turn take what waits for it.
// ended is a tree that ends in this batch.
func goOn(tx *Tx, s *core.State, t *core.Task, ended clew.TaskID) {
	switch {
	case t.Kind() == clew.AgentWindow:
		startNextInWindow(tx, s, t)
	case !s.Beside(t):
		startNext(tx, s, t.MonitorID, ended)
	}
}

// startNextInWindow hands a window's agent what waits for it longest. An agent that has
// closed its last window itself is let go.
func startNextInWindow(tx *Tx, s *core.State, t *core.Task) {
	if !s.HasKey(t.Key) {
		for _, x := range s.WindowTasks(t.Key) {
			if x.TaskID != t.TaskID && x.Turn != nil {
				return // the last one at work lets it go
			}
		}
		tx.Add(&clew.WindowAgentStatusData{WindowID: t.WindowID, AgentID: t.AgentID, Status: clew.WindowAgentReleased})
		return
	}
	own := s.WindowTask(t.Key)
	waiting := s.WaitingFor(t.Key)
	if len(waiting) == 0 || own != nil && own.Turn != nil && own != t {
		return
	}
	in := waiting[0]
	startWindowTurn(tx, s, clew.Command{}, s.Window(in.WindowID), own, in, "")
}

// windowsClosed ends the work of agents whose last window is closed with this batch,
// and takes what waits for closed windows away. by is the agent that closes them, nil
// for a person: it finishes its own turn.
func windowsClosed(tx *Tx, s *core.State, closed []string, by *core.Task, streamed streams) {
	gone := func(id string) bool { return slices.Contains(closed, id) }
	for _, m := range s.AllMonitors() {
		ids := m.QueueIDs()
		for _, in := range m.Queue {
			if in.WindowID != "" && gone(in.WindowID) {
				ids = slices.DeleteFunc(ids, func(id clew.MessageID) bool { return id == in.MessageID })
				tx.Add(&clew.QueueChangedData{Queue: slices.Clone(ids), Removed: in.MessageID})
			}
		}
	}
	for _, t := range s.SortedTasks() { // what a page asked for ends with it
		if t.Server != "" && t.Turn != nil && gone(t.WindowID) {
			abort(tx, s, t, streamed, windowGone)
		}
	}
	var keys []string
	for _, w := range s.Windows {
		if gone(w.ID) && !slices.Contains(keys, w.Key()) {
			keys = append(keys, w.Key())
		}
	}
	for _, key := range keys {
		lives := slices.ContainsFunc(s.Windows, func(w core.Window) bool { return w.Key() == key && !gone(w.ID) })
		own := by != nil && s.RootOf(by).Key == key
		if lives || own || len(s.WindowTasks(key)) == 0 {
			continue
		}
		releaseWindowAgent(tx, s, key, streamed)
	}
}

var windowGone = TurnEnd{Reason: "ended: its window was closed", Code: clew.EndCancelled}

func releaseWindowAgent(tx *Tx, s *core.State, key string, streamed streams) {
	window := key
	for _, t := range s.WindowTasks(key) {
		if t.ActionID == "" {
			window = t.WindowID
		}
		if t.Turn != nil && t.Server == "" {
			abort(tx, s, t, streamed, windowGone)
		}
	}
	tx.Add(&clew.WindowAgentStatusData{WindowID: window, AgentID: core.WindowAgentID(key), Status: clew.WindowAgentReleased})
}

// mayWorkOn says why an agent may not change a window: one that belongs to a window
// changes those of its group.
func mayWorkOn(s *core.State, t *core.Task, w *core.Window) error {
	if root := s.RootOf(t); root.Kind() == clew.AgentWindow && w.Key() != root.Key {
		return clew.Errorf(clew.SessionInvalidState, "window %s is not of your group: an agent of a window changes its own windows", w.ID)
	}
	return nil
}

// heardInWindow is what a model hears of words said in a window.
func heardInWindow(in core.Input) string {
	return fmt.Sprintf("(In window %s:) %s", in.WindowID, in.Text)
}
