//go:build linux

package demo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// The scenes that a story without an interruption tells.
var allScenes = []string{
	"begin", "windows", "monitor", "notice", "talk", "form", "background", "killed", "back", "woken",
	"close", "closed", "rewound", "order", "ordered", "end",
}

// wantWindows is how the story ends.
const wantWindows = `notice on monitor-1, version 1, agent "main-monitor-1" : {"kind":"markdown","text":"# On Saturday we are open until 8\n\nCome in for bread, coffee and a glass of wine."}
order on monitor-0, version 3, agent "window-order" assigned: {"kind":"components","root":{"type":"stack","children":[{"type":"text","text":"Ordered: 12 boxes of wine, for Friday morning.","tone":"success"}]}}
sales on monitor-0, version 1, agent "task" : {"kind":"table","columns":[{"name":"day","title":"Day"},{"name":"total","title":"Total","numeric":true}],"rows":[["Monday",14.83],["Tuesday",18.09]]}
stock on monitor-0, version 1, agent "main-monitor-0" : {"kind":"table","columns":[{"name":"item","title":"Item"},{"name":"boxes","title":"Boxes","numeric":true}],"rows":[["bread",6],["coffee",11],["milk",9],["wine",2]]}`

// The whole story: the agent of the form answers inside the main agent's answer, the
// kill hits the task in the background and nothing else, and the rewind brings windows
// and the form's agent back.
func TestDesktopStory(t *testing.T) {
	s := start(t)
	s.until("end")
	if !slices.Equal(s.scenes, allScenes) {
		t.Errorf("the scenes were %v", s.scenes)
	}
	if got := s.windows(); got != wantWindows {
		t.Errorf("in the end the windows are\n%s", got)
	}
	s.checkRecords("The dealer can deliver", "Three things come to mind", "api_req_retried", "The sales are added up", "released", "rewound", "Ordered from the dealer that I asked")

	// Whoever kills the server later brings nothing about but that it starts again.
	ack, err := client.FindLocal(t.Context(), filepath.Join(s.Data, client.LocalSocket))
	proc.Must(t, err)
	proc.Must(t, syscall.Kill(ack.PID, syscall.SIGKILL))
	s.until("restarted")
	proc.Eventually(t, "the server is back", within, func() bool {
		_, err := s.api().Windows(t.Context(), "demo")
		return err == nil
	})
	if got := s.windows(); got != wantWindows {
		t.Errorf("after another kill the windows are\n%s", got)
	}
	s.end(syscall.SIGTERM)
	if _, err := os.Stat(s.Data); !os.IsNotExist(err) {
		t.Errorf("%s was left behind: %v", s.Data, err)
	}
}

// checkRecords looks for things in their order, and that each message has one outcome
// and each call one result.
func (s *story) checkRecords(order ...string) {
	s.t.Helper()
	outcomes, results := map[clew.MessageID]int{}, map[string]int{}
	var heard []string
	for _, ev := range s.records() {
		switch d := ev.Data.(type) {
		case *clew.MessageCreatedData:
			if d.Message.Role == clew.SpeakerUser && d.Message.AgentKind == "" {
				outcomes[d.Message.MessageID] += 0
			}
			heard = append(heard, string(d.Message.Say))
		case *clew.MessageUpdatedData:
			heard = append(heard, d.Message.Text)
		case *clew.MessageAcceptedData:
			outcomes[d.MessageID]++
		case *clew.ToolProgressData:
			if d.Status.Ended() {
				results[string(d.TaskID)+d.ToolCallID]++
			}
		case *clew.WindowAgentStatusData:
			heard = append(heard, string(d.Status))
		case *clew.HistoryRewoundData:
			heard = append(heard, "rewound")
		}
	}
	for _, want := range order {
		i := slices.IndexFunc(heard, func(text string) bool { return strings.HasPrefix(text, want) })
		if i < 0 {
			s.t.Errorf("%q is not where it belongs", want)
			return
		}
		heard = heard[i:]
	}
	// Four that the person said, two presses, and the task's result for the main agent.
	if len(outcomes) != 7 {
		s.t.Errorf("%d messages", len(outcomes))
	}
	for id, n := range outcomes {
		if n != 1 {
			s.t.Errorf("message %s has %d outcomes", id, n)
		}
	}
	for id, n := range results {
		if n != 1 {
			s.t.Errorf("call %s has %d results", id, n)
		}
	}
}

// Killed again and again and started with the same directory, the story ends as it
// does without that. With the command goes its server.
func TestDesktopStoryGoesOn(t *testing.T) {
	data := filepath.Join(t.TempDir(), "demo")
	for _, scene := range []string{"begin", "notice", "talk", "form", "killed", "woken", "closed"} {
		s := start(t, "--data", data)
		s.until(scene)
		s.end(syscall.SIGKILL)
	}
	s := start(t, "--data", data)
	s.until("end")
	if got := s.windows(); got != wantWindows {
		t.Errorf("in the end the windows are\n%s", got)
	}
	for _, move := range []string{"undo", "redo"} { // somebody looks around
		out, err := exec.CommandContext(t.Context(), proc.Program(t, ""), move, "demo", "--data", data).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", move, err, out)
		}
	}
	s.end(syscall.SIGTERM)

	s = start(t, "--data", data)
	s.until("end")
	if !slices.Equal(s.scenes, []string{"end"}) {
		t.Errorf("a story that is over told %v", s.scenes)
	}
	s.end(syscall.SIGTERM)
}

// A directory of the other story, and a story that nobody knows, are refused.
func TestOtherStories(t *testing.T) {
	other := t.TempDir()
	proc.Must(t, os.WriteFile(filepath.Join(other, "demo.json"), []byte(`{"session_id": "demo"}`), 0o600))
	for want, args := range map[string][]string{
		`has the story "till" of an earlier demo`: {"demo", "desktop", "--no-open", "--listen", "127.0.0.1:0", "--data", other},
		"clew demo":                      {"demo", "cheese"},
		"--part is for clew demo itself": {"demo", "desktop", "--part"},
	} {
		out, err := exec.CommandContext(t.Context(), proc.Program(t, ""), args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", fmt.Sprint(args), err, out)
		}
	}
}
