package agents

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

// Two main agents speak at the same time on two monitors. Who has chosen one of them
// hears that one and what has no monitor; who has chosen none hears both.
//
// Covers: C-28
func TestWhoHearsWhichMonitor(t *testing.T) {
	s := newStage(t, `
- when: {last_user: Hello}
  times: 0
  reply: [{text: Hi.}]
- when: {last_user: Speak}
  times: 0
  reply: [{slow: {per_token: 10ms}}, {text: "one two three four five six seven eight nine ten eleven twelve"}]
`, llmtest.Options{}, nil)
	for i := range 2 {
		s.say(fmt.Sprint("h", i), "Hello", clew.MonitorID(fmt.Sprint("monitor-", i)))
	}
	s.until("two monitors", func(st clew.SessionState) bool { return len(st.Monitors) == 2 && len(st.Agents) == 0 })
	all, one := s.viewer("all"), s.viewer("one")
	if err := one.SendAs(t.Context(), "sub", clew.CommandSubscribeMonitor, clew.SubscribeMonitorData{MonitorID: "monitor-1"}); err != nil {
		t.Fatal(err)
	}
	if err := one.SendAs(t.Context(), "state", clew.CommandGetState, clew.GetStateData{}); err != nil { // what follows comes after it
		t.Fatal(err)
	}
	one.await(t, func(env wire.Envelope) bool { return env.Type == string(clew.EventSessionState) })
	for i := range 2 {
		s.say(fmt.Sprint("m", i), "Speak", clew.MonitorID(fmt.Sprint("monitor-", i)))
	}
	s.until("both have spoken", func(st clew.SessionState) bool {
		return count(st, "one two three four five six seven eight nine ten eleven twelve") == 2 && len(st.Agents) == 0
	})
	s.do("end", clew.CommandRenameSession, clew.RenameSessionData{Title: "the end"}) // is of no monitor
	heard := func(v *viewer) map[clew.MonitorID]int {
		n := map[clew.MonitorID]int{}
		v.await(t, func(env wire.Envelope) bool {
			var d struct {
				MonitorID clew.MonitorID `json:"monitor_id"`
				Message   struct {
					MonitorID clew.MonitorID `json:"monitor_id"`
				} `json:"message"`
			}
			if json.Unmarshal(env.Data, &d) == nil && d.MonitorID+d.Message.MonitorID != "" {
				n[d.MonitorID+d.Message.MonitorID]++
			}
			return env.Type == string(clew.EventSessionRenamed)
		})
		return n
	}
	both, chosen := heard(all), heard(one)
	t.Logf("who chose none heard %v, who chose monitor-1 %v", both, chosen)
	if chosen["monitor-0"] != 0 || chosen["monitor-1"] == 0 || both["monitor-0"] == 0 || both["monitor-1"] != chosen["monitor-1"] {
		t.Errorf("who chose none heard %v, who chose monitor-1 %v", both, chosen)
	}
}
