package agents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// A monitor in the background that wrote more than its budget waits, also after a kill,
// and the main one answers meanwhile.
//
// Covers: POL-21
func TestMonitorIsHeld(t *testing.T) {
	s := newStage(t, fmt.Sprintf(`
- when: {last_user: Write much}
  times: 0
  reply: [{text: %q}, {tool: {name: list_files, input: {path: .}}}]
- when: {last_user: Hello}
  times: 0
  reply: [{text: Hi.}]
`, strings.Repeat("much ", 400)), llmtest.Options{Fast: true}, map[string]any{"monitor_max_output_per_min": 1000})
	s.say("m1", "Write much", "monitor-1")
	held := func(st clew.SessionState) bool { return len(st.Monitors) == 2 && st.Monitors[1].HeldUntilMS != 0 }
	before := s.until("the monitor waits", held)
	s.Srv.Kill()
	proc.Must(t, s.Srv.Start())
	s.say("m2", "Hello", clew.MainMonitor)
	after := s.until("the main monitor answers", func(st clew.SessionState) bool { return count(st, "Hi.") == 1 })
	if !held(after) || after.Monitors[1].HeldUntilMS != before.Monitors[1].HeldUntilMS {
		t.Errorf("after a kill the monitor is %+v, before it was %+v", after.Monitors[1], before.Monitors[1])
	}
}
