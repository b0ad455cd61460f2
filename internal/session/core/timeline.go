package core

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/prompt"
)

// A Preamble is what a model is told in front of somebody's words.
type Preamble struct {
	Text string
	// TimelineTo and WindowsHash go on record with it: what was told.
	TimelineTo  int64
	WindowsHash string
}

// Preamble is what the task's model is told with the next words that it hears: what
// happened meanwhile, if it is a main agent's, and the open windows, if they are others
// than it was told of last.
func (s *State) Preamble(t *Task) Preamble {
	var p Preamble
	var timeline, windows string
	if heard := s.Monitor(t.MonitorID).Heard; t.Kind() == clew.AgentMain && s.Timeline.Last > heard {
		timeline, p.TimelineTo = s.Timeline.Render(heard), s.Timeline.Last
	}
	open := s.promptWindows()
	if hash := prompt.WindowsHash(open); hash != cmp.Or(t.WindowsTold, prompt.NoWindows) {
		windows, p.WindowsHash = prompt.Windows(open), hash
	}
	p.Text = prompt.Join(timeline, windows)
	return p
}

// promptWindows are the open windows as models are told of them.
func (s *State) promptWindows() []prompt.Window {
	var list []prompt.Window
	for _, w := range s.Windows {
		kind := clew.WindowMarkdown
		if w.Content != nil {
			kind = w.Content.Kind
		}
		told := prompt.Window{ID: w.ID, Kind: string(kind), Title: w.Title, Monitor: string(w.MonitorID)}
		if w.App != nil {
			told.Queries, told.Commands = w.App.Queries, w.App.Commands
		}
		list = append(list, told)
	}
	return list
}

// noteHeard folds what a model was told beside the words of a message.
func (s *State) noteHeard(t *Task, d *clew.ModelMessageData) {
	if d.WindowsHash != "" {
		t.WindowsTold = d.WindowsHash
	}
	if d.TimelineTo == 0 {
		return
	}
	m := s.Monitor(t.MonitorID)
	m.Heard = max(m.Heard, min(d.TimelineTo, s.Timeline.Last))
	s.setMonitor(m)
	s.forgetHeard()
}

// forgetHeard lets go of what every monitor has heard.
func (s *State) forgetHeard() {
	least := slices.MinFunc(s.AllMonitors(), func(a, b Monitor) int { return cmp.Compare(a.Heard, b.Heard) })
	s.Timeline = s.Timeline.Heard(least.Heard)
}

// noteInteraction adds what a person did to a window to the timeline.
func (s *State) noteInteraction(kind clew.InteractionKind, window string) {
	most := slices.MaxFunc(s.AllMonitors(), func(a, b Monitor) int { return cmp.Compare(a.Heard, b.Heard) })
	s.Timeline = s.Timeline.ByPerson(string(kind), window, most.Heard)
}

// noteActions adds what people did to windows to the timeline, and what an agent did
// to its turn. It comes before the actions are folded: what is no window any more was
// one then.
func (s *State) noteActions(d *clew.ActionsData) {
	if d.AgentID != "" {
		s.noteActs(d)
		return
	}
	for _, a := range d.Actions {
		if s.Window(a.WindowID) == nil {
			continue
		}
		switch a.Type {
		case clew.ActionWindowClose:
			s.noteInteraction(clew.InteractionClose, a.WindowID)
		case clew.ActionWindowUpdate: // people change nothing but where a window lies
			s.noteInteraction(clew.InteractionMove, a.WindowID)
		}
	}
}

// noteActs keeps what an agent did with its turn, and with that of the root that waits
// for it.
func (s *State) noteActs(d *clew.ActionsData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	turns := []*Turn{t.Turn}
	if root := s.RootOf(t); root != t {
		turns = append(turns, root.Turn)
	}
	for _, turn := range turns {
		if turn != nil {
			turn.Acts = turn.Acts.With(d.Actions)
		}
	}
}

// noteTurnEnd keeps what main agents have to hear of a turn that ends: what other
// agents did, unless somebody waits for them and hears it all.
func (s *State) noteTurnEnd(t *Task, result string) {
	if t.Turn == nil || !s.toldToMain(t) {
		return
	}
	why := ""
	if o := t.Outcome; o != nil && o.Status != clew.OutcomeDone {
		why = "It ended early: " + string(o.Status) + "."
	}
	s.Timeline = s.Timeline.ByAgent(t.Role(), t.Turn.Acts.Did(cmp.Or(result, t.lastWords()), why))
}

func (s *State) toldToMain(t *Task) bool {
	switch t.Kind() {
	case clew.AgentEphemeral, clew.AgentWindow:
		return true
	case clew.AgentTask:
		parent := s.Task(t.ParentTaskID)
		return parent == nil || parent.AwaitingChild != t.TaskID
	case clew.AgentMain, clew.AgentStep:
	}
	return false
}

// lastWords is what the task's agent last said in its turn.
func (t *Task) lastWords() string {
	for _, m := range slices.Backward(t.History) {
		if m.MessageID == t.Turn.ID {
			break
		}
		if m.Role != clew.SpeakerAssistant {
			continue
		}
		for _, p := range slices.Backward(m.Content) {
			if p.Type == clew.PartText && p.Text != "" {
				return p.Text
			}
		}
	}
	return ""
}
