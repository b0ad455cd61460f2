package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// shower opens a window with the name that it is told, and answers like parrot.
var shower = agentFunc(func(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		content := "<b>" + prompt.Text
		_, _ = decide.ShowWindow(tx, s, t, decide.WindowWish{Type: clew.ActionWindowCreate, ID: prompt.Text, Title: &prompt.Text, Content: &clew.WindowContent{Kind: clew.WindowHTML, Text: content}})
	})
	if err != nil {
		return err
	}
	return parrot(ctx, turn, prompt, desk)
})

func (x *trip) windows() string {
	x.t.Helper()
	b, err := json.Marshal(x.state().Windows)
	if err != nil {
		x.t.Fatal(err)
	}
	return string(b)
}

// Windows are a fold like everything else: they go back with the session, come
// again with it, and are the same after a restart and in a fork.
func TestWindowsTravel(t *testing.T) {
	x := newTrip(t, session.Config{Agent: shower})
	x.say("one")
	first := x.windows()
	x.say("two")
	x.do(&clew.UserInteractionData{MonitorID: "monitor-1", Interactions: clew.List[clew.Interaction]{
		{Kind: clew.InteractionMove, WindowID: "two", Bounds: &clew.Bounds{X: 5, Y: 6, W: 300, H: 200}},
		{Kind: clew.InteractionClose, WindowID: "one"},
	}})
	last := x.windows()
	const want = `[{"window_id":"two","monitor_id":"monitor-1","title":"two","agent_id":"main-monitor-0","content":{"kind":"html","text":"\u003cb\u003etwo"},"version":1,"action_id":"msg_000000000019","layouts":{"wide":{"x":5,"y":6,"w":300,"h":200}}}]`
	if last != want {
		t.Fatalf("windows %s\nwant %s", last, want)
	}
	x.do(&clew.RewindData{Target: at(x.message(2).MessageID)})
	if got := x.windows(); got != first {
		t.Errorf("after the rewind %s\nwant %s", got, first)
	}
	x.do(&clew.UndoRewindData{})
	if got := x.windows(); got != last {
		t.Errorf("after the undo %s\nwant %s", got, last)
	}
	checkFold(t, x.j, x.h, x.id)
	fork := *x
	fork.id = x.do(&clew.ForkSessionData{}).SessionID
	if got := fork.windows(); got != last {
		t.Errorf("in the fork %s\nwant %s", got, last)
	}
}

// A server that dies has the same windows when it is back, from its snapshot and
// from its records.
func TestWindowsAfterAKill(t *testing.T) {
	for name, dropSeals := range map[string]bool{"from records": true, "from a snapshot": false} {
		t.Run(name, func(t *testing.T) {
			mem := new(journaltest.Memory)
			f := &faults{Journal: mem.Node("a"), dropSeals: dropSeals}
			x := &trip{t: t, h: start(t, f, session.Config{Agent: shower})}
			x.id = create(t, x.h, "s1")
			x.say("one")
			x.say("two")
			x.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "one"}}})
			before := x.windows()
			if dropSeals {
				f.kill()
			} else {
				stop(x.h)
			}
			x.h = start(t, mem.Node("a"), session.Config{Agent: shower})
			if after := x.windows(); after != before {
				t.Errorf("after %s\nbefore %s", after, before)
			}
		})
	}
}
