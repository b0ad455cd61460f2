package agents

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/wire"
)

// beginWithin is what an agent may take to begin, of our own time: the model of these
// tests answers at once.
const beginWithin = 50 * time.Millisecond

// From the press of a button to the first word of the window's agent that somebody sees,
// with an agent that begins and with one that is there. Other processes can only add to
// the time: the best counts, and the median is told.
//
// Covers: AGT-12, WIN-09
func TestFirstTokenOfAWindow(t *testing.T) {
	const windows = 12
	s := newStage(t, opens(windows)+`
- when: {last_user: {regexp: "</component_action>$"}}
  times: 0
  reply: [{text: It is done.}]
`, llmtest.Options{Fast: true}, nil)
	s.say("c1", "Open them", "")
	s.until("the windows are open", func(st clew.SessionState) bool { return len(st.Windows) == windows && len(st.Agents) == 0 })
	v := s.viewer("viewer")
	press := func(round, i int) time.Duration {
		t.Helper()
		began := time.Now()
		data := clew.ComponentActionData{WindowID: fmt.Sprint("w", i+1), Action: "go", FormData: map[string]any{"note": "as before"}}
		if err := v.SendAs(t.Context(), clew.ClientMessageID(fmt.Sprint("p", round, "-", i)), clew.CommandComponentAction, data); err != nil {
			t.Fatal(err)
		}
		v.await(t, func(env wire.Envelope) bool { return token(env, clew.AgentID(fmt.Sprint("window-w", i+1))) })
		took := time.Since(began)
		v.await(t, idle)
		return took
	}
	for round, what := range []string{"an agent that begins", "an agent that is there"} {
		var times []time.Duration
		for i := range windows {
			times = append(times, press(round, i))
		}
		best, median := bestAndMedian(times)
		t.Logf("component_action to the first token of %s: best %s, median %s of %d", what, best, median, windows)
		nightly.Promise(t, what, best, beginWithin)
	}
	s.Answered()
}

// From a message to the ephemeral agent that answers it, while the main agent waits for
// a person.
//
// Covers: AGT-10
func TestEphemeralAgentBegins(t *testing.T) {
	s := newStage(t, `
- when: {last_user: {regexp: "Ask me$"}}
  times: 0
  reply: [{tool: {name: ask_followup, id: q1, input: {question: "Which one?"}}}]
- when: {last_user: beside}
  times: 0
  reply: [{text: It is noon.}]
`, llmtest.Options{Fast: true}, nil)
	s.say("c1", "Ask me", "")
	s.until("the main agent waits", func(st clew.SessionState) bool { return st.HitlPending != nil })
	v := s.viewer("viewer")
	var begun, token1 []time.Duration
	for i := range 12 {
		id := clew.ClientMessageID(fmt.Sprint("e", i))
		start := time.Now()
		data := clew.UserMessageData{Text: "beside", Delivery: clew.ArrivalEphemeral, MayAnswer: []clew.RequestID{}}
		if err := v.SendAs(t.Context(), id, clew.CommandUserMessage, data); err != nil {
			t.Fatal(err)
		}
		v.await(t, func(env wire.Envelope) bool {
			var d clew.MessageAcceptedData
			return env.Type == string(clew.EventMessageAccepted) && json.Unmarshal(env.Data, &d) == nil && d.ClientMessageID == id && d.Delivery == clew.DeliveryEphemeral
		})
		begun = append(begun, time.Since(start))
		v.await(t, func(env wire.Envelope) bool { return token(env, "ephemeral-") })
		token1 = append(token1, time.Since(start))
		v.await(t, idle)
	}
	for what, times := range map[string][]time.Duration{"its agent has begun": begun, "its first token": token1} {
		best, median := bestAndMedian(times)
		t.Logf("a message for an ephemeral agent until %s: best %s, median %s of %d", what, best, median, len(times))
		nightly.Promise(t, what, best, beginWithin)
	}
	s.Answered()
}
