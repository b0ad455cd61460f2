package travelcrash

import (
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// agentScript has a main agent that waits for a person, one that answers beside it, one
// on another monitor, and a task that is delegated.
const agentScript = `
- when: {last_user: has ended}
  times: 0
  reply: [{text: Good to know.}]
- when: {last_user: find it}
  times: 0
  reply: [{text: It was found.}]
- when: {last_user: {regexp: "work|wait"}, tool_result: {id: q1}}
  times: 0
  reply: [{text: Answered.}]
- when: {last_user: {regexp: "work|wait"}}
  times: 0
  reply: [{tool: {name: ask_followup, id: q1, input: {question: "Which one?"}}}]
- when: {last_user: beside}
  times: 0
  reply: [{text: It is noon.}]
- when: {last_user: later, tool_result: {id: q2}}
  times: 0
  reply: [{text: Started.}]
- when: {last_user: later, tool_result: {id: d1}}
  times: 0
  reply: [{tool: {name: ask_followup, id: q2, input: {question: "And now?"}}}]
- when: {last_user: later}
  times: 0
  reply: [{tool: {name: delegate, id: d1, input: {goal: find it, wait: false}}}]
- when: {last_user: left over}
  times: 0
  reply: [{text: Taken over.}]
`

// A server that is killed while messages find their agents, a monitor is removed or a
// task is delegated: each message has one outcome, each answer is given once, and the
// session ends as if nothing had happened.
//
// Covers: AGT-10, AGT-22, WIN-04
func TestAgentsKilled(t *testing.T) {
	t.Parallel()
	for _, place := range []string{
		"", "pool.slot:1", "pool.slot:2", "route.recorded:1", "route.recorded:2", "route.recorded:3", "monitor.removed:1",
		"delegate.spawned:1", "delegate.returned:1", "wake.queued:1",
	} {
		t.Run("at "+place, func(t *testing.T) { killAgents(t, place) })
	}
}

// A mortal is a stage whose server may die at a place and is started again.
type mortal struct {
	*proc.Stage
	deaths  int
	records []proc.Record // as until saw them last
}

// newMortal starts a server that dies at a place, "" for one that does not.
func newMortal(t *testing.T, script, place string) *mortal {
	t.Helper()
	s := &mortal{Stage: proc.NewStage(t, proc.Setup{
		Program: proc.Program(t, "crashpoints"), Session: "s1", Script: script, Model: llmtest.Options{Fast: true},
		Settings: map[string]any{"model_crash_retry": "auto"}, Files: map[string]string{"notes.md": "# Notes\n"},
	})}
	if place == "" {
		s.Start()
	} else {
		s.Start("CLEW_CRASH_AT=" + place)
	}
	proc.Must(t, s.Create(t.Context()))
	return s
}

// alive starts the server again if it has died.
func (s *mortal) alive() {
	select {
	case <-s.Srv.Exited():
		s.deaths++
		s.Start()
	default:
	}
}

// do sends a command, again if the server died with it.
func (s *mortal) do(name string, typ clew.CommandType, data any) {
	s.T.Helper()
	if err := s.Command(s.T.Context(), name, typ, data); err != nil {
		select {
		case <-s.Srv.Exited():
		case <-time.After(within):
			s.T.Fatalf("%s was refused: %v", name, err)
		}
		s.alive()
		proc.Must(s.T, s.Command(s.T.Context(), name, typ, data))
	}
}

func (s *mortal) say(name, text string, on clew.MonitorID, how clew.Arrival) {
	s.T.Helper()
	s.do(name, clew.CommandUserMessage, clew.UserMessageData{Text: text, MonitorID: on, Delivery: how, MayAnswer: []clew.RequestID{}})
}

// until waits for a state, and reads the records up to it.
func (s *mortal) until(what string, ok func(st clew.SessionState) bool) clew.SessionState {
	s.T.Helper()
	var st clew.SessionState
	proc.Eventually(s.T, what, within, func() bool {
		s.alive()
		var err error
		s.records, st, err = s.Replay(s.T.Context(), s.Session)
		return err == nil && ok(st)
	})
	return st
}

// given says how many agents got each message.
func (s *mortal) given() map[clew.ClientMessageID]int {
	accepted := map[clew.ClientMessageID]int{}
	for _, r := range s.records {
		if d, ok := r.Event.Data.(*clew.MessageAcceptedData); ok && d.ClientMessageID != "" {
			accepted[d.ClientMessageID]++
		}
	}
	return accepted
}

// died checks that the server died once if it was to, and stops it.
func (s *mortal) died(place string) {
	s.T.Helper()
	if want := map[bool]int{true: 1}[place != ""]; s.deaths != want {
		s.T.Errorf("it died %d times", s.deaths)
	}
	proc.Must(s.T, s.Srv.Stop())
}

func killAgents(t *testing.T, place string) {
	s := newMortal(t, agentScript, place)
	say, do, until := s.say, s.do, s.until
	asked := func(on clew.MonitorID) func(clew.SessionState) bool {
		return func(st clew.SessionState) bool { return questionOn(st, on) != "" }
	}
	said := func(text string) func(clew.SessionState) bool {
		return func(st clew.SessionState) bool { return count(st, text) == 1 }
	}
	answer := func(name string, st clew.SessionState) {
		t.Helper()
		do(name, clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: questionOn(st, clew.MainMonitor), Value: "that one"})
	}
	say("c1", "work", "", "")
	until("the main agent asks", asked(clew.MainMonitor))
	say("c2", "beside", "", clew.ArrivalEphemeral)
	until("an answer beside", said("It is noon."))
	say("c3", "later", "", clew.ArrivalQueue)
	say("c4", "wait", "monitor-1", "")
	until("the other agent asks", asked("monitor-1"))
	say("c5", "left over", "monitor-1", clew.ArrivalQueue)
	do("r1", clew.CommandRemoveMonitor, clew.RemoveMonitorData{MonitorID: "monitor-1"})
	st := until("one monitor", func(st clew.SessionState) bool { return len(st.Monitors) == 1 && len(st.Queue) == 2 })
	answer("a1", st)
	st = until("the task has ended", func(st clew.SessionState) bool {
		return strings.Contains(textOf(st), "And now?") && asked(clew.MainMonitor)(st) && count(st, "It was found.") > 0 && len(st.Queue) == 2
	})
	answer("a2", st)
	st = until("all is at rest", func(st clew.SessionState) bool {
		return len(st.Agents) == 0 && len(st.Queue) == 0 && count(st, "Good to know.") > 0
	})
	for _, text := range []string{"work", "beside", "later", "wait", "left over", "It is noon.", "Answered.", "Started.", "Taken over.", "Good to know."} {
		if n := count(st, text); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	accepted := s.given()
	for _, name := range []clew.ClientMessageID{"c1", "c2", "c3", "c4", "c5"} {
		if accepted[name] != 1 {
			t.Errorf("%s was given to %d agents", name, accepted[name])
		}
	}
	s.died(place)
}

func questionOn(st clew.SessionState, on clew.MonitorID) clew.RequestID {
	list := st.HitlQueue
	if st.HitlPending != nil {
		list = append(clew.List[clew.Question]{*st.HitlPending}, list...)
	}
	for _, q := range list {
		if q.Asking().MonitorID == on {
			return q.RequestID()
		}
	}
	return ""
}

// count is how many messages say this and nothing else.
func count(st clew.SessionState, text string) (n int) {
	for _, m := range st.Messages {
		if m.Text == text && m.Say != clew.SaySubtaskResult {
			n++
		}
	}
	return n
}

func textOf(st clew.SessionState) string {
	var b strings.Builder
	for _, m := range st.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}
