package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
)

// raceScript has agents that open windows, change their own, delegate and talk, and take
// their time for it.
const raceScript = `
- when: {tool_result: window}
  times: 0
  reply: [{slow: {per_token: 30ms}}, {text: It is shown to everybody now.}]
- when: {tool_result: delegate}
  times: 0
  reply: [{text: Somebody does it.}]
- when: {last_user: {regexp: "open (w[0-9]+)$"}}
  times: 0
  reply: [{tool: {name: window, input: {action: open, window_id: "{{match 1}}", title: "W {{match 1}}", kind: components, root: {type: stack, children: [{type: button, label: Go, action: go}, {type: button, label: Beside, action: beside, parallel: true}]}}}}]
- when: {last_user: {regexp: '<component_action window="(w[0-9]+)" action="go".*</component_action>$'}}
  times: 0
  reply: [{delay: 20ms}, {tool: {name: window, input: {action: update, window_id: "{{match 1}}", title: "pressed"}}}]
- when: {last_user: {regexp: "give it away$"}}
  times: 0
  reply: [{tool: {name: delegate, input: {goal: look for it, wait: false}}}]
- when: {last_user: {regexp: "look for it$"}}
  times: 0
  reply: [{slow: {per_token: 50ms}}, {text: I looked for it and found it in the end.}]
- times: 0
  reply: [{slow: {per_token: 40ms}}, {text: "All right, these are a few words for you."}]
`

const raceWindows = 16

// A race is a session in which two people do anything at once.
type race struct {
	*stage
	mu      sync.Mutex
	calls   []callEdge                    // of calls of the model
	taken   map[clew.ClientMessageID]bool // messages and presses that were taken
	refused map[clew.Code]int
	done    map[string]int
	agents  int // at work at once, at most
}

// A callEdge is the beginning of a call of the model (+1) or its end (-1).
type callEdge struct {
	at   time.Time
	step int
}

// noteCall notes a call that is over. One that was cut is left out: how long the provider
// goes on before it hears of that says nothing of the server.
func (x *race) noteCall(from, to time.Time, cut bool) {
	if cut {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, callEdge{from, 1}, callEdge{to, -1})
}

// callsAtOnce is how many calls of the model there were at once, at most.
func (x *race) callsAtOnce() (most int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	slices.SortFunc(x.calls, func(a, b callEdge) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.step, b.step)) })
	now := 0
	for _, e := range x.calls {
		now += e.step
		most = max(most, now)
	}
	return most
}

// Two people press, type, close, move, interrupt and rewind at once, on four monitors
// with sixteen windows and up to ten agents at work. It ends at rest, and the journal
// keeps the invariants.
//
// Covers: AGT-23, AGT-31, POL-06, POL-09, C-44, C-45
func TestRaceOfAgentsAndPeople(t *testing.T) {
	x := &race{taken: map[clew.ClientMessageID]bool{}, refused: map[clew.Code]int{}, done: map[string]int{}}
	script, err := llmtest.Parse([]byte(raceScript))
	proc.Must(t, err)
	model := llmtest.Handler(script, llmtest.Options{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		model.ServeHTTP(w, r)
		x.noteCall(began, time.Now(), r.Context().Err() != nil)
	}))
	defer srv.Close()
	x.stage = &stage{proc.NewStage(t, proc.Setup{
		Session: "s1", Script: "- reply: [{text: nobody asks here}]", Profile: map[string]any{"base_url": srv.URL}, Files: map[string]string{"notes.md": "# Notes\n"},
		Settings: map[string]any{"ephemeral_agents": true, "monitor_max_concurrent": 6, "monitor_max_actions_per_min": 10_000, "monitor_max_output_per_min": 100_000_000, "model_crash_retry": "auto"},
	})}
	x.Start()
	proc.Must(t, x.Create(t.Context()))
	seed := nightly.Seed(t)
	began := time.Now()
	for i := range raceWindows {
		x.say(fmt.Sprint("open", i), fmt.Sprint("open w", i), "")
		x.until("a window", func(st clew.SessionState) bool { return len(st.Windows) == i+1 && len(st.Agents) == 0 })
	}
	watcher := x.watch()
	var people sync.WaitGroup
	for i := range 2 { // only the owner may press and type: two who have that right
		people.Go(func() {
			x.person(x.API(), fmt.Sprint("p", i), rand.New(rand.NewPCG(seed, uint64(i))), nightly.Plays(80, 1000))
		})
	}
	people.Wait()
	st := x.rest()
	live := watcher()
	most := x.callsAtOnce()
	t.Logf("two people in %s: %v; refused %v; at most %d agents and %d calls of the model at once; then %d windows, %d monitors, %d messages",
		time.Since(began).Round(time.Millisecond), x.done, x.refused, x.agents, most, len(st.Windows), len(st.Monitors), len(st.Messages))
	if got, want := plain(live), plain(st); got != want { // invariant 6
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		at = max(0, at-300)
		t.Errorf("who watched all along has\n%.700s\nthe state is\n%.700s", got[at:], want[at:])
	}
	if most > 10 { // invariant 4
		t.Errorf("%d calls of the model at once, and the limit is 10", most)
	}
	proc.Must(t, x.Srv.Stop())
	x.judge(st)
}

// person does so many things, one after the other and without looking first.
func (x *race) person(api *client.API, name string, r *rand.Rand, times int) {
	for i := range times {
		what, typ, data := x.deed(r)
		if typ == clew.CommandRewind {
			data = x.target(r)
		}
		id := clew.ClientMessageID(fmt.Sprint(name, "-", i))
		if i == times/2 {
			x.target(r) // look once how many are at work
		}
		_, err := api.Command(x.T.Context(), x.Session, id, typ, data)
		x.mu.Lock()
		x.done[what]++
		switch {
		case err != nil:
			x.refused[clew.CodeOf(err)]++
			if code := clew.CodeOf(err); code == clew.Internal {
				x.T.Errorf("%s: %v", what, err)
			}
		case typ == clew.CommandUserMessage || typ == clew.CommandComponentAction || typ == clew.CommandWindowMessage:
			x.taken[id] = true
		}
		x.mu.Unlock()
	}
}

// deed is something that a person may do.
func (x *race) deed(r *rand.Rand) (what string, typ clew.CommandType, data any) {
	window := fmt.Sprint("w", r.IntN(raceWindows))
	monitor := clew.MonitorID(fmt.Sprint("monitor-", r.IntN(4)))
	interaction := func(in clew.Interaction) clew.UserInteractionData {
		in.WindowID = window
		return clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{in}, MonitorID: monitor}
	}
	switch n := r.IntN(100); {
	case n < 30:
		d := clew.ComponentActionData{WindowID: window, Action: "go", FormData: map[string]any{"n": r.IntN(99)}}
		if r.IntN(4) == 0 {
			d.Action, d.ActionID = "beside", fmt.Sprint("a", r.Uint64())
		}
		return "press", clew.CommandComponentAction, d
	case n < 40:
		return "type in a window", clew.CommandWindowMessage, clew.WindowMessageData{WindowID: window, Text: "what is this"}
	case n < 65:
		text := []string{"open " + window, "open " + window, "give it away", "talk to me"}[r.IntN(4)]
		how := []clew.Arrival{"", "", clew.ArrivalQueue, clew.ArrivalEphemeral}[r.IntN(4)]
		return "type", clew.CommandUserMessage, clew.UserMessageData{Text: text, MonitorID: monitor, Delivery: how, MayAnswer: []clew.RequestID{}}
	case n < 72:
		return "close", clew.CommandUserInteraction, interaction(clew.Interaction{Kind: clew.InteractionClose})
	case n < 88:
		return "move", clew.CommandUserInteraction, interaction(clew.Interaction{Kind: clew.InteractionMove, Bounds: &clew.Bounds{X: r.IntN(500), W: 300, H: 200}})
	case n < 93:
		return "interrupt one", clew.CommandInterruptAgent, clew.InterruptAgentData{Agent: "window-" + window}
	case n < 95:
		return "interrupt", clew.CommandInterrupt, clew.InterruptData{}
	case n < 97:
		return "remove a monitor", clew.CommandRemoveMonitor, clew.RemoveMonitorData{MonitorID: monitor}
	}
	return "rewind", clew.CommandRewind, clew.RewindData{}
}

// target is a message of the last few.
func (x *race) target(r *rand.Rand) clew.RewindData {
	_, st, err := x.Replay(x.T.Context(), x.Session)
	var ids []clew.MessageID
	for _, m := range st.Messages {
		if m.Role == clew.SpeakerUser && m.Say == clew.SayUserFeedback {
			ids = append(ids, m.MessageID)
		}
	}
	x.mu.Lock()
	x.agents = max(x.agents, len(st.Agents))
	x.mu.Unlock()
	if err != nil || len(ids) == 0 {
		return clew.RewindData{}
	}
	return clew.RewindData{Target: clew.Target{MessageID: ids[max(0, len(ids)-1-r.IntN(5))]}, KeepTarget: r.IntN(2) == 0}
}

// rest waits until nobody works and nothing waits. Questions are answered; what waits
// after a rewind is taken up with the next word.
func (x *race) rest() clew.SessionState {
	x.T.Helper()
	n := 0
	return x.until("all is at rest", func(st clew.SessionState) bool {
		x.agents = max(x.agents, len(st.Agents))
		n++
		id := fmt.Sprint("rest", n)
		if q := st.HitlPending; q != nil {
			_ = x.Command(x.T.Context(), id, clew.CommandAskResponse, clew.AskResponseData{RequestID: q.RequestID(), AskResponse: clew.YesButtonClicked})
			return false
		}
		if len(st.Agents) == 0 && len(st.Queue) > 0 {
			if w := st.Queue[0].WindowID; w != "" {
				_ = x.Command(x.T.Context(), id, clew.CommandWindowMessage, clew.WindowMessageData{WindowID: w, Text: "and"})
			} else {
				_ = x.Command(x.T.Context(), id, clew.CommandUserMessage, clew.UserMessageData{Text: "and", MonitorID: st.Queue[0].MonitorID, MayAnswer: []clew.RequestID{}})
			}
			return false
		}
		return len(st.Agents) == 0 && len(st.Queue) == 0 && len(st.HitlQueue) == 0
	})
}

// watch has somebody follow the state by what changes; the function gives it as of the
// end.
func (x *race) watch() func() clew.SessionState {
	x.T.Helper()
	c, err := client.Dial(x.T.Context(), client.Options{URL: x.Srv.URL(), Session: x.Session, Token: x.Token(), View: clew.ViewState})
	proc.Must(x.T, err)
	var replica client.Replica
	var mu sync.Mutex
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for env, err := range c.Follow(context.Background()) {
			if err != nil {
				return
			}
			mu.Lock()
			if _, err := replica.Take(env); err != nil {
				x.T.Errorf("a change: %v", err)
			}
			mu.Unlock()
		}
	}()
	return func() clew.SessionState {
		_, st, err := x.Replay(x.T.Context(), x.Session)
		proc.Must(x.T, err)
		proc.Eventually(x.T, "the watcher is there as well", within, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return replica.Cursor == st.LastMessageID
		})
		c.Close()
		<-gone
		return replica.SessionState(st.LastMessageID)
	}
}

// plain is a state as it can be compared: without what is of a connection.
func plain(st clew.SessionState) string {
	st.Viewers, st.Epoch, st.ClientID, st.Role, st.OpenMessages = nil, "", "", "", nil
	st.Messages = st.Messages[max(0, len(st.Messages)-core.TailMessages):]
	b, err := json.Marshal(st)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// judge reads the journal of the stopped server.
func (x *race) judge(st clew.SessionState) {
	t := x.T
	t.Helper()
	j, err := journal.Open(context.Background(), journal.Config{Dir: x.Srv.Dir}, slog.New(slog.DiscardHandler))
	proc.Must(t, err)
	defer j.Close(context.Background())
	g := newJudge(t)
	for r, err := range j.Read(context.Background(), x.Session, 1, 1<<40) {
		proc.Must(t, err)
		g.take(r)
	}
	g.end(x.taken, st)
	if !t.Failed() {
		t.Logf("%d records, %d turns, %d rewinds, %d entries of the timeline told; invariants 1 to 7 hold", len(g.records), g.turns, g.rewinds, g.told)
	}
	if g.turns == 0 || g.told == 0 {
		t.Error("nothing happened")
	}
}
