package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/decide"
)

// A logbook adds up what travellers did. Any deviation ends its test at once, so
// what it counts is what was found to be exact.
type logbook map[string]int

func (l logbook) add(x *traveller) {
	l["plays"]++
	for k, n := range x.tally {
		l[k] += n
	}
}

// close says what was done, and that it was enough to say something.
func (l logbook) close(t *testing.T, what string, atLeast int) {
	t.Helper()
	rewinds, undos, redos := l[string(clew.KindRewind)], l[string(clew.KindUndo)], l[string(clew.KindRedo)]
	if t.Failed() {
		return
	}
	t.Logf("exactness of %s: %d plays, %d rewinds, %d undos, %d redos, %d condensed, %d read back, 0 deviations",
		what, l["plays"], rewinds, undos, redos, l["condensed"], l["read back"])
	if rewinds < atLeast && !testing.Short() {
		t.Errorf("%d rewinds, want at least %d", rewinds, atLeast)
	}
}

// Conversations that are taken back and forth at any moment. Each return gives
// exactly what was, by a fold from the first record; to undo it is as if nobody
// had gone anywhere; and all that holds of conversations holds on.
//
// Covers: HIS-12, HIS-13, HIS-15, HIS-18, HIS-19, HIS-21, HIS-26, HIS-30, HIS-31, C-13, C-75, C-76
func TestAnywhereInAConversation(t *testing.T) {
	alone(t)
	rounds, plays, atLeast := nightly.Size(1, 5), nightly.Size(30, 100), nightly.Size(90, 1700)
	book := logbook{}
	for i := range rounds {
		t.Run(fmt.Sprint("round ", i), func(t *testing.T) {
			nightly.CheckTimes(t, uint64(10_000*i), plays, func(t *rapid.T) { book.add(voyage(t)) })
		})
	}
	book.close(t, "conversations", atLeast)
}

// Sessions with several monitors, which come and go, and agents beside the main ones,
// are taken back and forth just as exactly.
//
// Covers: WIN-01, WIN-04
func TestAnywhereAmongMonitors(t *testing.T) {
	alone(t)
	book := logbook{}
	nightly.CheckTimes(t, 6, nightly.Size(25, 150), func(t *rapid.T) {
		x := voyageWith(t, many)
		for _, r := range x.records {
			switch d := x.decoded(r).(type) {
			case *clew.MonitorAddedData:
				book["monitors"]++
			case *clew.MonitorRemovedData:
				book["removed"]++
			case *clew.MessageAcceptedData:
				if d.Delivery == clew.DeliveryEphemeral {
					book["beside"]++
				}
			case *clew.ToolProgressData:
				if d.Tool == "hand_over" {
					book["handed over"]++
				}
			}
		}
		book.add(x)
	})
	book.close(t, "sessions with monitors", nightly.Size(60, 500))
	for _, what := range []string{"monitors", "removed", "beside", "handed over"} {
		if book[what] == 0 && !testing.Short() {
			t.Errorf("%s: never", what)
		}
	}
}

// many are the steps that take several monitors.
func many(p *player, act func(func()) func(*rapid.T)) map[string]func(*rapid.T) {
	on := func() clew.MonitorID {
		return draw[clew.MonitorID](*p, "on", "", "monitor-1", "monitor-2", "monitor-3", "monitor-4")
	}
	say := func() {
		d := &clew.UserMessageData{Text: p.text(), MonitorID: on(), Delivery: draw[clew.Arrival](*p, "delivery", "", clew.ArrivalEphemeral, clew.ArrivalQueue)}
		p.person(&decide.SlotCommand{Command: d, Slot: rapid.Bool().Draw(p.t, "slot")})
	}
	handOver := func() {
		for _, t := range p.s.state.SortedTasks() {
			if t.Kind() == clew.AgentEphemeral && p.s.state.Runnable(t) && t.Turn.Prompt != nil && t.Request == "" && len(t.Calls) == 0 && len(t.Inbox) == 0 {
				p.handsOver(t)
				return
			}
		}
	}
	return map[string]func(*rapid.T){
		"monitor": act(say), "monitor 2": act(say), "monitor 3": act(say),
		"monitor task": act(func() { p.person(&clew.NewTaskData{Text: p.text(), MonitorID: on()}) }),
		"remove": act(func() {
			if id := on(); id != "" {
				p.person(&clew.RemoveMonitorData{MonitorID: id})
			}
		}),
		"hand over": act(handOver), "hand over 2": act(handOver),
	}
}
func voyage(t *rapid.T) *traveller { return voyageWith(t, nil) }

func voyageWith(t *rapid.T, more func(p *player, act func(func()) func(*rapid.T)) map[string]func(*rapid.T)) *traveller {
	b := newBench()
	b.pure = nightly.Size(4, 1)
	if rapid.Bool().Draw(t, "steers") {
		b.s.state.Rules = steering{}
	}
	b.create()
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "journeys"), 7)) //nolint:gosec // the same numbers each time
	x := newTraveller(b, t, r.IntN)
	p := player{bench: b, t: t}
	defer func() {
		if t.Failed() {
			x.log(t)
		}
	}()
	act := func(f func()) func(*rapid.T) {
		return func(step *rapid.T) {
			p.t, x.t = step, step
			f()
		}
	}
	steps := map[string]func(*rapid.T){
		"": func(t *rapid.T) {
			x.listen()
			b.verify(t)
		},
		"message":  act(func() { p.message() }),
		"new task": act(func() { p.person(&clew.NewTaskData{Text: p.text()}) }),
		"queue":    act(func() { p.queue() }),
		"time":     act(func() { p.time() }),
		"settle":   act(func() { p.settle() }),
		"rights":   act(func() { p.rights() }),
		"respond":  act(func() { p.respond() }),
		"control":  act(func() { p.control() }),
		"agent":    act(func() { p.agent() }),
		"agent 2":  act(func() { p.agent() }),
		"agent 3":  act(func() { p.agent() }),
		"agent 4":  act(func() { p.agent() }),
		"travel":   act(x.travel),
		"travel 2": act(x.travel),
		"travel 3": act(x.travel),
		"travel 4": act(x.travel),
		"leave":    act(x.leaveAtLast),
	}
	if more != nil {
		maps.Copy(steps, more(&p, act))
	}
	t.Repeat(steps)
	t.Repeat(steps)
	x.t = t
	x.tour(2)
	x.readBack()
	b.check(t)
	return x
}
