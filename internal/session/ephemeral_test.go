package session

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// besides is rules that let agents answer beside the one at work.
type besides struct{ steering }

func (besides) Agents(map[string]any) core.AgentRules {
	return core.AgentRules{Monitors: 4, Ephemeral: true}
}

// slotted says something while there is room for one more agent, or not.
func (b *bench) slotted(d *clew.UserMessageData, slot bool) (Receipt, []clew.EventType, error) {
	return b.ann(&decide.SlotCommand{Command: d, Slot: slot})
}

func (b *bench) newest() *core.Task {
	tasks := b.s.state.SortedTasks()
	return tasks[len(tasks)-1]
}

// ephemeral has a message answered by an agent of its own.
func (b *bench) ephemeral(text string) *core.Task {
	must(b.slotted(&clew.UserMessageData{Text: text, Delivery: clew.ArrivalEphemeral}, true))
	return b.newest()
}

// A message that is to be answered at once has an agent of its own: with a task that
// knows nothing, beside the main agent, whose focus and queue stay as they are. It is
// put away with its turn.
//
// Covers: AGT-10, POL-04
func TestEphemeralAgent(t *testing.T) {
	b := newBench()
	b.atWork()
	main := b.task()
	must(b.say("waits"))
	_, types, err := b.slotted(&clew.UserMessageData{Text: "what time is it?", Delivery: clew.ArrivalEphemeral}, true)
	if err != nil || slices.Contains(types, clew.EventTaskFocused) || slices.Contains(types, clew.EventTaskUnfocused) {
		t.Fatalf("%v %v", types, err)
	}
	s := b.s.state
	e := b.newest()
	said := s.Message(e.Turn.ID)
	if e.Kind() != clew.AgentEphemeral || string(e.AgentID) != "ephemeral-monitor-0-"+string(e.Turn.ID) || e.Role() != string(e.AgentID) || e.ParentTaskID != "" || len(e.History) != 0 ||
		said.Text != "what time is it?" || said.Delivery != clew.DeliveryEphemeral || s.Main().Current != main.TaskID || !s.AtWorkOn("") || len(s.Main().Queue) != 1 {
		t.Fatalf("the task is %+v, the message %+v", e, said)
	}
	if list := s.Project().Agents; len(list) != 2 || list[1].Kind != clew.AgentEphemeral || list[1].TaskID != e.TaskID {
		t.Errorf("the agents are %+v", list)
	}
	b.verify(t)
	must(b.reportAs(e, openReply))
	if m := s.Message(e.Turn.Reply); m.AgentKind != clew.AgentEphemeral || m.ReplyTo != said.MessageID {
		t.Errorf("the answer is %+v", m)
	}
	must(b.reportAs(e, func(tx *decide.Tx, s *core.State, task *core.Task) {
		m := *s.Message(task.Turn.Reply)
		m.Text, m.Partial = "noon", false
		tx.Update(m)
		idle(tx, s, task)
	}))
	if !e.Ended() || !e.Dismissed || e.Turn != nil || e.Status != clew.TaskStatusCompleted || main.Turn == nil || len(s.Main().Queue) != 1 {
		t.Errorf("afterwards the task is %+v, the main one has %+v", e, main.Turn)
	}
	b.verify(t)
	if _, _, err := b.ann(&clew.UserMessageData{Text: "and?", TaskID: e.TaskID}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("talked to again: %v", err)
	}
	must(b.reportAs(main, idle))
	if turn := main.Turn; turn == nil || len(s.Main().Queue) != 0 {
		t.Errorf("what waited did not come next: %+v", turn)
	}
	b.verify(t)
	b.check(t)
}

// Where a message goes, in the order in which it is tried.
//
// Covers: POL-02, POL-03, POL-04, POL-05, POL-08, AGT-28, C-23
func TestOrderOfArrival(t *testing.T) {
	queue := func(b *bench) {
		for range core.QueueMax {
			must(b.ann(&clew.UserMessageData{Text: "waits", Delivery: clew.ArrivalQueue}))
		}
	}
	waiting := func(b *bench) { // for a person, who has not decided
		b.asked(1)
	}
	for name, tt := range map[string]struct {
		to       func(*bench)
		rules    core.Rules
		delivery clew.Arrival
		slot     bool
		want     clew.EventType
		how      clew.Delivery
		code     clew.Code
	}{
		"free":                          {to: (*bench).create, rules: besides{}, slot: true, how: clew.DeliveryDirect},
		"free, though beside was asked": {to: (*bench).create, rules: besides{}, delivery: clew.ArrivalEphemeral, slot: true, how: clew.DeliveryDirect},
		"busy, hears soon":              {to: (*bench).atWork, rules: besides{}, slot: true, how: clew.DeliverySteer},
		"busy, to be answered beside":   {to: (*bench).atWork, rules: steering{}, delivery: clew.ArrivalEphemeral, slot: true, how: clew.DeliveryEphemeral},
		"busy, no slot to answer":       {to: (*bench).atWork, rules: besides{}, delivery: clew.ArrivalEphemeral, code: clew.AgentLimit},
		"waits for a person":            {to: waiting, rules: besides{}, slot: true, how: clew.DeliveryEphemeral},
		"waits, no slot":                {to: waiting, rules: besides{}, how: clew.DeliverySteer},
		"waits, not beside":             {to: waiting, rules: steering{}, slot: true, how: clew.DeliverySteer},
		"waits, to be steered":          {to: waiting, rules: besides{}, delivery: clew.ArrivalSteer, slot: true, how: clew.DeliverySteer},
		"busy, does not steer":          {to: (*bench).atWork, slot: true, want: clew.EventMessageQueued},
		"busy, to wait":                 {to: (*bench).atWork, rules: besides{}, delivery: clew.ArrivalQueue, slot: true, want: clew.EventMessageQueued},
		"queue full":                    {to: func(b *bench) { b.atWork(); queue(b) }, code: clew.QueueFull},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			b.s.state.Rules = tt.rules
			tt.to(b)
			_, types, err := b.slotted(&clew.UserMessageData{Text: "hello", Delivery: tt.delivery, MayAnswer: []clew.RequestID{}}, tt.slot)
			if clew.CodeOf(err) != tt.code {
				t.Fatal(err)
			}
			if tt.want != "" && !slices.Contains(types, tt.want) {
				t.Errorf("gives %v", types)
			}
			if tail := b.s.state.Messages.Tail(); tt.how != "" && tail[len(tail)-1].Delivery != tt.how {
				t.Errorf("delivered by %q, want %q", tail[len(tail)-1].Delivery, tt.how)
			}
			b.verify(t)
			b.check(t)
		})
	}
}

// handsOver has an ephemeral agent give its message away.
func (b *bench) handsOver(e *core.Task) {
	must(b.reportAs(e, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: decide.Heard(*t.Turn.Prompt, tx.NextTS())})
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: clew.ModelMessage{
			Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "h1", Tool: "hand_over", Input: []byte(`{}`)}},
		}})
	}))
	must(b.do(clew.Command{By: by("agent"), Data: &decide.TurnReport{Task: e.TaskID, Turn: e.Turn.ID, LastRewindSeq: b.s.state.LastRewindSeq, Intent: decide.HandOver{Call: *e.Call("h1")}}}))
}

// What cannot be answered without the conversation waits for the main agent like any
// other message, or is its next turn.
func TestHandOver(t *testing.T) {
	b := newBench()
	b.atWork()
	main := b.task()
	must(b.say("waits"))
	e := b.ephemeral("now also the other file")
	id := e.Turn.ID
	b.handsOver(e)
	s := b.s.state
	if q := queued(s.Main()); !e.Ended() || len(q) != 2 || q[1] != "now also the other file" {
		t.Fatalf("waiting %v, the task is %+v", q, e)
	}
	b.verify(t)
	must(b.reportAs(main, idle))
	must(b.reportAs(main, idle))
	if main.Turn == nil || main.Turn.ID != id || s.Message(id).TaskID != main.TaskID {
		t.Errorf("the main agent has %+v, the message is %+v", main.Turn, s.Message(id))
	}
	b.verify(t)
	b.check(t)

	b = newBench()
	b.atWork()
	main = b.task()
	e = b.ephemeral("now also the other file")
	id = e.Turn.ID
	must(b.reportAs(main, idle))
	b.handsOver(e)
	if main.Turn == nil || main.Turn.ID != id || !e.Ended() {
		t.Errorf("the main agent was free and has %+v", main.Turn)
	}
	b.verify(t)
	b.check(t)
}

// One agent is stopped by its id or by its name for the turn; the others go on.
//
// Covers: AGT-30, C-44
func TestInterruptOneAgent(t *testing.T) {
	for _, name := range []func(*core.Task) string{func(t *core.Task) string { return string(t.AgentID) }, (*core.Task).Role} {
		b := newBench()
		b.atWork()
		main := b.task()
		must(b.on("monitor-1", "the other"))
		must(b.say("waits"))
		other, e := b.focused("monitor-1"), b.ephemeral("beside")
		must(b.ann(&clew.InterruptAgentData{Agent: name(e)}))
		if e.Turn != nil || !e.Ended() || main.Turn == nil || other.Turn == nil || len(b.s.state.Main().Queue) != 1 {
			t.Fatalf("%s: %+v", name(e), b.s.state.Project().Agents)
		}
		must(b.ann(&clew.InterruptAgentData{Agent: name(other)}))
		if other.Turn != nil || main.Turn == nil {
			t.Fatalf("%+v", b.s.state.Project().Agents)
		}
		first := main.Turn.ID
		must(b.ann(&clew.InterruptAgentData{Agent: name(main)}))
		if main.Turn == nil || main.Turn.ID == first { // what waited is its next turn
			t.Fatalf("%+v", b.s.state.Project().Agents)
		}
		if _, _, err := b.ann(&clew.InterruptAgentData{Agent: "main-monitor-9"}); clew.CodeOf(err) != clew.TaskNotFound {
			t.Error(err)
		}
		must(b.on("monitor-1", "again"))
		b.ephemeral("beside again")
		must(b.ann(&clew.InterruptData{}))
		if list := b.s.state.Project().Agents; len(list) != 0 {
			t.Errorf("interrupt leaves %+v", list)
		}
		b.verify(t)
		b.check(t)
	}
}
