package session

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A post says what became of what people said, by the names of their messages.
type post struct {
	sent   map[clew.ClientMessageID]bool // that were taken
	given  map[clew.ClientMessageID]int  // handed to an agent, but for those that handed it over
	ended  map[clew.ClientMessageID]bool // taken back, or dropped with a record
	queues map[clew.MonitorID][]clew.MessageID
	names  map[clew.MessageID]clew.ClientMessageID
}

// follow reads the records of a session as somebody who only counts messages.
func (p *post) follow(t tester, b *bench) {
	beside := map[clew.TaskID]clew.ClientMessageID{}
	for _, r := range b.records {
		switch d := b.decoded(r).(type) {
		case *clew.MessageQueuedData:
			p.names[d.MessageID] = d.ClientMessageID
			p.queues[d.MonitorID] = append(p.queues[d.MonitorID], d.MessageID)
		case *clew.MessageCreatedData:
			if d.Message.QueuedAs != "" {
				p.leaves(t, d.Message.MonitorID, d.Message.QueuedAs)
			}
		case *clew.MessageAcceptedData:
			if d.ClientMessageID == "" { // heard by another as well
				continue
			}
			p.given[d.ClientMessageID]++
			if d.Delivery == clew.DeliveryEphemeral {
				beside[d.TaskID] = d.ClientMessageID
			}
			if q := p.queues[d.MonitorID]; len(q) > 0 && q[0] == d.MessageID {
				p.leaves(t, d.MonitorID, d.MessageID)
			}
		case *clew.ToolProgressData:
			if d.Tool == "hand_over" && d.Output == "The main agent has the message." {
				p.given[beside[d.TaskID]]--
			}
		case *clew.QueueChangedData:
			p.ended[p.names[d.Removed]] = true
			for on := range p.queues {
				p.queues[on] = without(p.queues[on], d.Removed)
			}
		case *clew.MonitorRemovedData:
			for _, id := range d.Dropped {
				p.ended[p.names[id]] = true
				p.queues[d.MonitorID] = without(p.queues[d.MonitorID], id)
			}
			p.queues[clew.MainMonitor] = append(p.queues[clew.MainMonitor], p.queues[d.MonitorID]...)
			delete(p.queues, d.MonitorID)
		}
	}
}

// leaves takes the first one of a queue out of it: nobody is passed by.
func (p *post) leaves(t tester, on clew.MonitorID, id clew.MessageID) {
	q := p.queues[on]
	if len(q) == 0 || q[0] != id {
		t.Fatalf("%s leaves the queue of %s, which is %v", id, on, q)
	}
	p.queues[on] = q[1:]
}

func without(list []clew.MessageID, id clew.MessageID) (rest []clew.MessageID) {
	for _, x := range list {
		if x != id {
			rest = append(rest, x)
		}
	}
	return rest
}

// Each message that was taken reaches one agent, or waits in one queue, or ended with a
// record; queues are first in, first out; one agent at most works on a task, and one
// main agent on a monitor. People interrupt, reset and remove monitors all the while.
//
// Covers: POL-05, POL-06, POL-07, POL-08
func TestEachMessageHasOneOutcome(t *testing.T) {
	alone(t)
	nightly.Check(t, func(t *rapid.T) {
		b := newBench()
		b.s.state.Rules = draw[core.Rules](player{t: t}, "rules", besides{}, steering{}, nil)
		b.create()
		p := player{bench: b, t: t}
		mail := &post{
			sent: map[clew.ClientMessageID]bool{}, given: map[clew.ClientMessageID]int{}, ended: map[clew.ClientMessageID]bool{},
			queues: map[clew.MonitorID][]clew.MessageID{}, names: map[clew.MessageID]clew.ClientMessageID{},
		}
		on := func() clew.MonitorID { return draw[clew.MonitorID](p, "on", "", "", "monitor-1", "monitor-2") }
		for i := range 40 {
			switch rapid.IntRange(0, 15).Draw(t, "step") {
			case 0:
				p.person(&clew.InterruptData{})
			case 1:
				if id := on(); id != "" {
					p.person(&clew.RemoveMonitorData{MonitorID: id})
				}
			case 2:
				if rapid.IntRange(0, 4).Draw(t, "reset") == 0 {
					p.person(&clew.ResetData{})
				}
			case 3, 4, 5:
				for _, task := range b.s.state.SortedTasks() {
					if b.s.state.Runnable(task) && task.Kind() == clew.AgentEphemeral && task.Turn.Prompt != nil && len(task.Inbox) == 0 {
						p.handsOver(task)
						break
					}
				}
			case 6, 7, 8:
				for _, task := range b.s.state.SortedTasks() {
					if b.s.state.Runnable(task) {
						must(b.reportAs(task, idle))
						break
					}
				}
			default:
				id := clew.ClientMessageID("c" + strconv.Itoa(i))
				d := &clew.UserMessageData{
					Text: string(id), MonitorID: on(), MayAnswer: []clew.RequestID{},
					Delivery: draw[clew.Arrival](p, "delivery", "", "", clew.ArrivalQueue, clew.ArrivalEphemeral),
				}
				r, _, err := b.do(clew.Command{By: by("ann"), ClientMessageID: id, Data: &decide.SlotCommand{Command: d, Slot: rapid.Bool().Draw(t, "slot")}})
				if mail.sent[id] = err == nil; err == nil && len(r.Records) == 0 {
					t.Fatalf("%s was taken and left nothing", id)
				}
			}
			b.verify(t)
		}
		mail.follow(t, b)
		waits := map[clew.ClientMessageID]int{}
		for on, q := range mail.queues {
			if have := b.s.state.Monitor(on).QueueIDs(); len(have) != len(q) {
				t.Fatalf("%s waits for %v, and the records say %v", on, have, q)
			}
			for _, id := range q {
				waits[mail.names[id]]++
			}
		}
		for id, taken := range mail.sent {
			places := mail.given[id] + waits[id]
			if mail.ended[id] {
				places++
			}
			if taken && places != 1 || !taken && places != 0 {
				t.Fatalf("%s (taken: %v) has %d outcomes: given %d times, waits %d times, ended %v", id, taken, places, mail.given[id], waits[id], mail.ended[id])
			}
		}
	})
}
