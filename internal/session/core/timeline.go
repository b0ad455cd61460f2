package core

import (
	"cmp"
	"encoding/json"
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
// happened meanwhile, if it is a main agent's, the open windows and notebooks, if they are
// others than it was told of last, and what a turn that began alike showed.
func (s *State) Preamble(t *Task) Preamble {
	var p Preamble
	var timeline, windows string
	if heard := s.Monitor(t.MonitorID).Heard; t.Kind() == clew.AgentMain && s.Timeline.Last > heard {
		timeline, p.TimelineTo = s.Timeline.Render(heard), s.Timeline.Last
	}
	tape := s.tapeFor(t)
	open := s.promptWindows()
	s.addContent(t, open)
	open = append(open, s.promptNotebooks()...)
	if hash := prompt.WindowsHash(open); hash != cmp.Or(t.WindowsTold, prompt.NoWindows) {
		windows, p.WindowsHash = prompt.Windows(open), hash
	}
	reload := ""
	if t.Turn != nil && t.Turn.Prompt != nil {
		reload = s.Reload.Offer(t.Turn.Fingerprint)
	}
	p.Text = prompt.Join(timeline, tape, windows, reload)
	return p
}

// tapeFor is what was said lately in the main conversation, for the first turn of a
// window's agent: it knows nothing else of it.
func (s *State) tapeFor(t *Task) string {
	if t.Kind() != clew.AgentWindow || len(t.History) > 0 || t.HiddenCount > 0 {
		return ""
	}
	main := s.Monitor(t.MonitorID).AgentID
	of := func(m *clew.Message) bool {
		said := s.Task(m.TaskID)
		return said != nil && said.AgentID == main && said.MonitorID == t.MonitorID
	}
	return prompt.RenderTape(prompt.Tape(s.Messages.Tail(), of, func(id string) bool { return s.Window(id) != nil }))
}

// addContent lets a window's agent see what its windows show.
func (s *State) addContent(t *Task, open []prompt.Window) {
	root := s.RootOf(t)
	if root.Kind() != clew.AgentWindow {
		return
	}
	for i := range open {
		if w := s.Window(open[i].ID); w.Key() == root.Key && w.Content != nil {
			open[i].Content = contentForModel(w.Content)
		}
	}
}

// contentRunes bounds what a window's agent is told of a window.
const contentRunes = 8000

// contentForModel is what a window shows, as text.
func contentForModel(c *clew.WindowContent) string {
	if c.Text != "" {
		return clew.Clip(c.Text, contentRunes)
	}
	b, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return clew.Clip(string(b), contentRunes)
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

// promptNotebooks are the open notebooks as models are told of them. Whether a kernel is
// busy at the moment is left out: it would be told with every word.
func (s *State) promptNotebooks() []prompt.Window {
	var list []prompt.Window
	for _, n := range s.OpenNotebooks() {
		kernel := "no kernel"
		switch {
		case n.Kernel.Ahead:
			kernel = "kernel ahead of the notebook"
		case n.Kernel.State.Alive():
			kernel = "kernel running"
		case n.Kernel.State != clew.KernelNone:
			kernel = "kernel " + string(n.Kernel.State)
		}
		list = append(list, prompt.Window{ID: n.ID, Kind: prompt.KindNotebook, Title: cmp.Or(n.Path, "no file yet"), State: kernel})
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
	s.use(t, len(d.Actions), 0)
	turns := []*Turn{t.Turn}
	if root := s.RootOf(t); root != t {
		turns = append(turns, root.Turn)
	}
	for _, turn := range turns {
		if turn == nil {
			continue
		}
		if turn.Acts = turn.Acts.With(d.Actions); d.ReloadID != "" {
			turn.Fingerprint = prompt.Fingerprint{}
		}
	}
}

// forgetContext leaves nothing to be told and nothing to be shown again. Positions and
// names go on, so that none is given twice.
func (s *State) forgetContext() {
	s.Timeline.Entries, s.Reload.Entries = nil, nil
	for _, m := range s.AllMonitors() {
		m.Heard = s.Timeline.Last
		s.setMonitor(m)
	}
}

// noteTurnEnd keeps what a turn that ends showed, and what main agents have to hear of
// it: what other agents did, unless somebody waits for them and hears it all.
func (s *State) noteTurnEnd(t *Task, result string) {
	if t.Turn == nil {
		return
	}
	s.keepReload(t)
	if !s.toldToMain(t) {
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
		return t.Server == "" // what a page asks for is between it and its server
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

// Tape is what was said lately in the main conversation of a monitor, for an agent that
// was not there.
func (s *State) Tape(on clew.MonitorID) []prompt.TapeEntry {
	on = s.Monitor(on).ID
	return prompt.Tape(s.Messages.Tail(), func(m *clew.Message) bool {
		t := s.Task(m.TaskID)
		return m.MonitorID == on && t != nil && t.Kind() == clew.AgentMain
	}, func(window string) bool { return s.Window(window) != nil })
}
