// Package agents has many agents, monitors and windows in one session of the real
// program: how fast they begin, what viewers get of them, and that nothing is lost when
// people press, type, close and go back all at once. docs/capacity.md has the figures.
package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// within bounds every wait for the program.
const within = 60 * time.Second

// A stage is a server with one session.
type stage struct{ *proc.Stage }

func newStage(t testing.TB, script string, model llmtest.Options, settings map[string]any) *stage {
	t.Helper()
	s := &stage{proc.NewStage(t, proc.Setup{Session: "s1", Script: script, Model: model, Settings: settings, Files: map[string]string{"notes.md": "# Notes\n"}})}
	s.Start()
	proc.Must(t, s.Create(t.Context()))
	return s
}

// do sends a command and waits until it is taken.
func (s *stage) do(name string, typ clew.CommandType, data any) {
	s.T.Helper()
	proc.Must(s.T, s.Command(s.T.Context(), name, typ, data))
}

func (s *stage) say(name, text string, on clew.MonitorID) {
	s.T.Helper()
	s.do(name, clew.CommandUserMessage, clew.UserMessageData{Text: text, MonitorID: on})
}

// until waits for a state.
func (s *stage) until(what string, ok func(clew.SessionState) bool) clew.SessionState {
	s.T.Helper()
	var st clew.SessionState
	proc.Eventually(s.T, what, within, func() bool {
		var err error
		_, st, err = s.Replay(s.T.Context(), s.Session)
		return err == nil && ok(st)
	})
	return st
}

// opens is a script in which the main agent opens so many windows with a form, w1 and
// on.
func opens(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- when: {last_user: {regexp: \"Open them$\"}, tool_result: {id: w%d}}\n  times: 0\n  reply: [{text: They are open.}]\n", n)
	b.WriteString("- when: {last_user: {regexp: \"Open them$\"}}\n  times: 0\n  reply:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - tool: {name: window, id: w%d, input: {action: open, window_id: w%[1]d, title: W%[1]d, kind: components, root: "+
			"{type: stack, children: [{type: input, name: note, label: Note}, {type: button, label: Go, action: go}, {type: button, label: Beside, action: beside, parallel: true}]}}}\n", i+1)
	}
	return b.String()
}

// A viewer is a connection that gets all that there is.
type viewer struct {
	*client.Client
	events chan wire.Envelope
}

func (s *stage) viewer(name string) *viewer {
	s.T.Helper()
	c, err := client.Dial(s.T.Context(), client.Options{URL: s.Srv.URL(), Session: s.Session, Token: s.Token(), ClientID: clew.ClientID(name)})
	proc.Must(s.T, err)
	s.T.Cleanup(c.Close)
	v := &viewer{c, make(chan wire.Envelope, 10_000)}
	go func() {
		defer close(v.events)
		for env, err := range c.Follow(s.T.Context()) {
			if err != nil {
				return
			}
			v.events <- env
		}
	}()
	v.await(s.T, func(env wire.Envelope) bool { return env.Type == string(clew.EventSyncComplete) })
	return v
}

// await takes events until one fits.
func (v *viewer) await(t testing.TB, fits func(wire.Envelope) bool) {
	t.Helper()
	timeout := time.After(within)
	for {
		select {
		case env, ok := <-v.events:
			if !ok {
				t.Fatalf("the connection ended: %v", v.Err())
			}
			if fits(env) {
				return
			}
		case <-timeout:
			t.Fatal("it did not come")
		}
	}
}

// token reports whether an event is a piece of an agent's answer.
func token(env wire.Envelope, agent clew.AgentID) bool {
	if env.Type != string(clew.EventAgentResponse) {
		return false
	}
	var d clew.AgentResponseData
	return json.Unmarshal(env.Data, &d) == nil && d.Delta != "" && strings.HasPrefix(string(d.AgentID), string(agent))
}

// idle reports whether an event ends a turn.
func idle(env wire.Envelope) bool { return env.Type == string(clew.EventTaskIdle) }

// bestAndMedian of some times.
func bestAndMedian(list []time.Duration) (best, median time.Duration) {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[0].Round(10 * time.Microsecond), sorted[len(sorted)/2].Round(10 * time.Microsecond)
}

// cpu is the time that a process has used so far.
func cpu(t testing.TB, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // another system
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(f, 10, 64)
		proc.Must(t, err)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}
