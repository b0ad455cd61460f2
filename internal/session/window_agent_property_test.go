package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// verifyWindows holds what is true of windows' agents at all times.
func (b *bench) verifyWindows(t tester) {
	t.Helper()
	s := b.s.state
	living := map[string]int{}
	for _, x := range s.Tasks {
		if x.AgentKind != clew.AgentWindow || x.Dismissed || x.Status == clew.TaskStatusAborted {
			continue
		}
		if x.ActionID == "" {
			living[x.Key]++
		}
		working := slices.ContainsFunc(s.WindowTasks(x.Key), func(o *core.Task) bool { return o.Turn != nil })
		if !s.HasKey(x.Key) && !working {
			t.Fatalf("the agent of %s has no window and is not released", x.Key)
		}
		if s.Focused(x.MonitorID) == x {
			t.Fatalf("the conversation of window %s is in front", x.Key)
		}
	}
	for key, n := range living {
		if n > 1 {
			t.Fatalf("%s has %d agents", key, n)
		}
	}
	waiting := map[string]int{}
	for _, m := range s.AllMonitors() {
		for _, in := range m.Queue {
			if in.WindowID == "" {
				continue
			}
			w := s.Window(in.WindowID)
			if w == nil {
				t.Fatalf("%s waits for window %s, which is closed", in.MessageID, in.WindowID)
			}
			if waiting[w.Key()]++; waiting[w.Key()] > core.QueueMax {
				t.Fatalf("more than %d wait for %s", core.QueueMax, w.Key())
			}
		}
	}
	calls := map[string]int{}
	for _, c := range s.AppCalls {
		if calls[c.WindowID]++; calls[c.WindowID] > core.AppCallsKept || s.Window(c.WindowID) == nil {
			t.Fatalf("%d calls of the page in %s are kept", calls[c.WindowID], c.WindowID)
		}
		if x := s.Task(c.TaskID); (c.Status == clew.AppCallRunning) != (x != nil && x.Turn != nil && len(x.Calls) > 0) {
			t.Fatalf("the call %s of the page in %s is %s, and its task %+v", c.RequestID, c.WindowID, c.Status, x)
		}
	}
	for key := range waiting {
		if own := s.WindowTask(key); own == nil || own.Turn == nil {
			t.Fatalf("%d wait for %s, whose agent is free", waiting[key], key)
		}
	}
}

// A key has at most one agent, which is released with its last window; what waits waits
// for an agent at work; whatever is pressed, closed, interrupted, reset and moved.
func TestWindowAgentsByRandomPlay(t *testing.T) {
	alone(t)
	form := &clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: "button", Label: "Go", Action: "go"}}
	asked := 0
	nightly.CheckTimes(t, 22, nightly.Size(50, 400), func(t *rapid.T) {
		b := newBench()
		b.create()
		must(b.say("open some windows"))
		p := player{bench: b, t: t}
		window := func() string { return "w" + strconv.Itoa(rapid.IntRange(0, 5).Draw(t, "window")) }
		for i := range 60 {
			s := b.s.state
			var working []*core.Task
			for _, x := range s.SortedTasks() {
				if s.Runnable(x) && x.Server == "" {
					working = append(working, x)
				}
			}
			id := clew.ClientMessageID("c" + strconv.Itoa(i))
			switch step := rapid.IntRange(0, 23).Draw(t, "step"); {
			case step == 0:
				p.person(&clew.InterruptData{})
			case step == 1:
				p.person(&clew.InterruptAgentData{Agent: "window-" + window()})
			case step == 2 && rapid.IntRange(0, 4).Draw(t, "reset") == 0:
				p.person(&clew.ResetData{})
			case step == 3:
				p.person(&clew.UserMessageData{Text: "hello", MonitorID: draw[clew.MonitorID](p, "on", "", "monitor-1")})
			case step == 4:
				p.person(&clew.RemoveMonitorData{MonitorID: "monitor-1"})
			case step == 5:
				p.person(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: window()}}})
			case step <= 9 && len(working) > 0: // an agent opens or closes a window
				by := working[rapid.IntRange(0, len(working)-1).Draw(t, "whose")]
				wish := decide.WindowWish{Type: clew.ActionWindowCreate, ID: window(), Title: text("T"), Content: form}
				if rapid.Bool().Draw(t, "page") {
					wish.Content = aPage
				}
				if rapid.IntRange(0, 2).Draw(t, "closes") == 0 {
					wish = decide.WindowWish{Type: clew.ActionWindowClose, ID: wish.ID}
				}
				call := b.proposes(by, fmt.Sprint("call", i), "window")
				b.intends(by, decide.ChangeWindow{Call: call, Wish: wish, Done: "done"}, false)
			case step <= 13 && len(working) > 0:
				must(b.reportAs(working[rapid.IntRange(0, len(working)-1).Draw(t, "ends")], idle))
			case step <= 15:
				p.person(&clew.WindowMessageData{WindowID: window(), Text: "words"})
			case step <= 18: // a page asks its server, if one is open
				at := window()
				for _, w := range s.Windows {
					if w.Content.Kind == clew.WindowMCPApp {
						at = w.ID
					}
				}
				p.person(&clew.AppCallData{WindowID: at, RequestID: clew.RequestID(id), Tool: "refresh"})
			case step <= 20: // what it asked for has its result, or ends
				for _, c := range s.AppCalls {
					x := s.Task(c.TaskID)
					if x == nil || x.Turn == nil {
						continue
					}
					asked++
					if rapid.Bool().Draw(t, "ends") {
						must(b.reportAs(x, idle))
					} else {
						b.intends(x, decide.FinishCall{Call: x.Calls[0], Result: decide.CallResult{Text: "rain", ResultBlob: draw(p, "result", "", aPage.Blob)}}, false)
						must(b.reportAs(x, idle))
					}
					break
				}
			default:
				d := &clew.ComponentActionData{WindowID: window(), Action: "go"}
				if rapid.Bool().Draw(t, "parallel") {
					d.ActionID = string(id)
				}
				_, _, _ = b.do(clew.Command{By: by("ann"), ClientMessageID: id, Data: &decide.SlotCommand{Command: d, Slot: rapid.Bool().Draw(t, "slot")}})
			}
			b.verify(t)
			b.verifyWindows(t)
		}
	})
	if t.Logf("%d calls of pages", asked); asked == 0 {
		t.Error("no page asked for anything")
	}
}

// aPage is a page of a tool server.
var aPage = &clew.WindowContent{
	Kind: clew.WindowMCPApp, Server: "weather", Tool: "forecast", URI: "ui://weather", MediaType: "text/html",
	Blob: strings.Repeat("0a", 32), Data: strings.Repeat("0b", 32),
}

// What waits for a window's agent that is free, as after a rewind, is taken first, and
// what is pressed now waits behind it.
//
// Covers: POL-09
func TestWaitingForAFreeWindowAgent(t *testing.T) {
	b := newBench()
	b.atWork()
	call := b.proposes(b.task(), "open", "window")
	form := &clew.WindowContent{Kind: clew.WindowComponents, Root: &clew.Component{Type: "button", Label: "Go", Action: "go"}}
	b.intends(b.task(), decide.ChangeWindow{Call: call, Wish: decide.WindowWish{Type: clew.ActionWindowCreate, ID: "w", Title: text("W"), Content: form}, Done: "done"}, false)
	press := func(n int) {
		t.Helper()
		must(b.do(clew.Command{By: by("ann"), ClientMessageID: clew.ClientMessageID(fmt.Sprint("p", n)), Data: &clew.ComponentActionData{WindowID: "w", Action: "go", FormData: map[string]any{"n": n}}}))
	}
	for n := range core.QueueMax + 1 {
		press(n)
	}
	agent := b.s.state.WindowTask("w")
	b.inject("agent", "", func(tx *decide.Tx) { tx.Add(&clew.TaskIdleData{TaskRef: agent.TaskRef}) }) // and nobody takes what waits
	press(99)
	waiting := b.s.state.WaitingFor("w")
	if agent.Turn == nil || b.s.state.Message(agent.Turn.ID).ClientMessageID != "p1" || len(waiting) != core.QueueMax || waiting[0].Client != "p2" || waiting[core.QueueMax-1].Client != "p99" {
		t.Fatalf("at work on %+v, waiting %+v", agent.Turn, waiting)
	}
	for range waiting {
		must(b.reportAs(agent, idle))
	}
	if n := len(b.s.state.WaitingFor("w")); n != 0 || b.s.state.Message(agent.Turn.ID).ClientMessageID != "p99" {
		t.Errorf("%d wait, the last is %+v", n, agent.Turn)
	}
	b.verify(t)
}
