package agents

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/session/core"
)

// A judge folds a journal and looks at every step of it whether what has to be true of
// many agents is.
type judge struct {
	testing.TB
	records []clew.Record
	fold    core.Folder
	kept    map[uint64][]byte // folds that a rewind needed

	turns, rewinds, told int
	given                map[clew.ClientMessageID]int
	waiting              map[clew.MessageID]clew.ClientMessageID // in a queue
	lost                 map[clew.ClientMessageID]bool           // left a queue with a record
	head                 clew.Head
}

func newJudge(t testing.TB) *judge {
	g := &judge{
		TB: t, kept: map[uint64][]byte{}, given: map[clew.ClientMessageID]int{},
		waiting: map[clew.MessageID]clew.ClientMessageID{}, lost: map[clew.ClientMessageID]bool{},
	}
	g.fold = core.Folder{State: &core.State{ID: "s1"}, Past: g.past}
	return g
}

// past folds the journal anew up to a record, as a rewind to it needs.
func (g *judge) past(seq uint64) ([]byte, error) {
	if b := g.kept[seq]; b != nil {
		return b, nil
	}
	f := core.Folder{State: &core.State{ID: "s1"}, Past: g.past}
	for _, r := range g.records[:seq] {
		if err := f.Add(r); err != nil {
			return nil, err
		}
	}
	b, err := f.State.Encode()
	g.kept[seq] = b
	return b, err
}

func (g *judge) take(r clew.Record) {
	g.Helper()
	proc.Must(g, r.Follows(g.head))
	g.head = r.After()
	g.records = append(g.records, r)
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	proc.Must(g, err)
	s := g.fold.State
	switch d := ev.Data.(type) {
	case *clew.ModelMessageData:
		g.hears(s, r, d)
	case *clew.MessageQueuedData:
		g.waiting[d.MessageID] = d.ClientMessageID
	case *clew.MessageCreatedData:
		if d.Message.QueuedAs != "" {
			g.begins(s, r, d.Message.QueuedAs)
		}
	case *clew.MessageAcceptedData:
		g.turns++
		delete(g.waiting, d.MessageID)
		if d.ClientMessageID != "" {
			g.given[d.ClientMessageID]++
		}
	case *clew.QueueChangedData:
		g.leaves(d.Removed)
	case *clew.MonitorRemovedData:
		for _, id := range d.Dropped {
			g.leaves(id)
		}
	case *clew.HistoryRewoundData:
		g.rewinds++
	}
	proc.Must(g, g.fold.Add(r))
	g.verify(r)
	if _, ok := ev.Data.(*clew.HistoryRewoundData); ok {
		for id := range g.waiting { // what waited for a window that is gone went with it
			if !slices.ContainsFunc(g.fold.State.AllMonitors(), func(m core.Monitor) bool { return slices.Contains(m.QueueIDs(), id) }) {
				g.leaves(id)
			}
		}
	}
}

func (g *judge) leaves(id clew.MessageID) {
	if client, ok := g.waiting[id]; ok {
		g.lost[client] = true
		delete(g.waiting, id)
	}
}

// begins: what waits is taken first in, first out, by each agent (invariant 3).
func (g *judge) begins(s *core.State, r clew.Record, id clew.MessageID) {
	g.Helper()
	delete(g.waiting, id)
	for _, m := range s.AllMonitors() {
		at := slices.IndexFunc(m.Queue, func(in core.Input) bool { return in.MessageID == id })
		if at < 0 || m.Queue[at].Callback != "" { // results come after what people said
			continue
		}
		for _, before := range m.Queue[:at] {
			if before.Callback == "" && keyOf(s, before) == keyOf(s, m.Queue[at]) {
				g.Errorf("record %d: %s is taken before %s", r.Seq, id, before.MessageID)
			}
		}
	}
}

// keyOf is the agent that something waits for.
func keyOf(s *core.State, in core.Input) string {
	if w := s.Window(in.WindowID); w != nil {
		return w.Key()
	}
	return in.WindowID
}

// hears: a main agent is told all that happened since it was told last, to the letter
// (invariant 5).
func (g *judge) hears(s *core.State, r clew.Record, d *clew.ModelMessageData) {
	g.Helper()
	t := s.Task(d.TaskID)
	if d.TimelineTo == 0 || t == nil {
		return
	}
	heard := s.Monitor(t.MonitorID).Heard
	want := s.Timeline.Render(heard)
	var said strings.Builder
	for _, p := range d.Message.Content {
		said.WriteString(p.Text)
	}
	if d.TimelineTo != s.Timeline.Last || d.TimelineTo <= heard && want != "" || !strings.Contains(said.String(), want) {
		g.Errorf("record %d tells %s the timeline up to %d of %d, heard was %d:\n%s\nwant\n%s", r.Seq, t.MonitorID, d.TimelineTo, s.Timeline.Last, heard, said.String(), want)
	}
	list, missed := s.Timeline.After(heard)
	g.told += len(list) + int(missed)
}

// verify: one turn of a main agent on a monitor, one of a window's agent beside those
// that are parallel, one living agent for a window (invariants 1 and 7).
func (g *judge) verify(r clew.Record) {
	g.Helper()
	s := g.fold.State
	mains, keys, living := map[clew.MonitorID]int{}, map[string]int{}, map[string]int{}
	for _, t := range s.Tasks {
		own := t.AgentKind == clew.AgentWindow && t.ActionID == ""
		if own && !t.Dismissed && t.Status != clew.TaskStatusAborted {
			living[t.Key]++
		}
		switch {
		case t.Turn == nil || t.AwaitingChild != "":
		case own:
			keys[t.Key]++
		case !s.Beside(t):
			mains[t.MonitorID]++
		}
	}
	for on, n := range mains {
		if n > 1 {
			g.Errorf("record %d: %d main turns on %s", r.Seq, n, on)
		}
	}
	for key, n := range keys {
		if n > 1 {
			g.Errorf("record %d: %d turns of window %s", r.Seq, n, key)
		}
	}
	for key, n := range living {
		if n > 1 {
			g.Errorf("record %d: %d agents of window %s", r.Seq, n, key)
		}
	}
	if len(s.Windows) > core.WindowsMax || len(s.Monitors) > core.MonitorsMax {
		g.Errorf("record %d: %d windows, %d monitors", r.Seq, len(s.Windows), len(s.Monitors))
	}
}

// end: everything that was taken has one outcome, no agent is without its window, and
// the fold is what the server showed (invariants 2, 3, 6 and 7).
func (g *judge) end(taken map[clew.ClientMessageID]bool, st clew.SessionState) {
	g.Helper()
	s := g.fold.State
	waits := map[clew.ClientMessageID]bool{}
	for _, m := range s.AllMonitors() {
		for _, in := range m.Queue {
			waits[in.Client] = true
		}
	}
	for id := range taken {
		places := g.given[id]
		if waits[id] {
			places++
		}
		if g.lost[id] {
			places++
		}
		if places != 1 {
			g.Errorf("%s was given to %d agents, waits: %v, left a queue: %v", id, g.given[id], waits[id], g.lost[id])
		}
	}
	for _, t := range s.Tasks {
		if t.AgentKind == clew.AgentWindow && !t.Dismissed && t.Status != clew.TaskStatusAborted && !s.HasKey(t.Key) {
			g.Errorf("the agent of %s has no window", t.Key)
		}
		if t.Turn != nil {
			g.Errorf("task %s is at work", t.TaskID)
		}
	}
	if len(s.Windows) != len(st.Windows) || len(s.AllMonitors()) != len(st.Monitors) || clew.MessageIDOf(s.Seq) < st.LastMessageID {
		g.Errorf("the journal has %d windows, %d monitors at %d; the server showed %d, %d at %s", len(s.Windows), len(s.AllMonitors()), s.Seq, len(st.Windows), len(st.Monitors), st.LastMessageID)
	}
}
