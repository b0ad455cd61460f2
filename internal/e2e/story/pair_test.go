package story

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func pairStage(t *testing.T, bin string, settings map[string]any) (*stage, *person) {
	t.Helper()
	s := newStage(t, plot{
		vendor: llmtest.Anthropic, bin: bin, script: "pair.yaml", files: map[string]string{"list.txt": "apples\n"}, settings: settings,
	})
	return s, &person{stage: s, says: clew.UserMessageData{Text: "Please do both."}}
}

// asks lists the questions of a story, by their kind.
func asks(list []record) string {
	var kinds []string
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.HitlApprovalRequestData); ok {
			kinds = append(kinds, string(d.Ask))
		}
	}
	return strings.Join(kinds, " ")
}

func ending(list []record) string {
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.TaskCompletedData); ok {
			return d.ResultSummary
		}
	}
	return ""
}

// Two calls were about to run when the server died. The one that may be repeated
// runs, the other one is asked about, once.
//
// Covers: TOOL-17
func TestKillWithTwoCalls(t *testing.T) {
	allow := map[string]any{"always_allow_execute": true, "allowed_commands": []string{"echo *"}}
	s, p := pairStage(t, proc.Program(t, "crashpoints"), allow)
	if !s.live(t, p, crashAt+"tool.intent:1") {
		t.Fatal("the server did not die")
	}
	list, _ := s.replayed()
	questions(t, list)
	if got := asks(list); got != "resume_task" || ending(list) != "One is in doubt." {
		t.Errorf("asked %q, ended with %q", got, ending(list))
	}
	s.Answered()
}

// When as many calls as allowed ran by themselves, a person is asked once, and
// the calls that wait are decided on after the answer.
//
// Covers: C-56
func TestManyCallsAskOnce(t *testing.T) {
	settings := map[string]any{"always_allow_execute": true, "allowed_commands": []string{"echo *"}, "auto_approval_max_requests": 1}
	s, p := pairStage(t, proc.Program(t, ""), settings)
	if s.live(t, p) {
		t.Fatal("the server died")
	}
	list, _ := s.replayed()
	questions(t, list)
	if got := asks(list); got != "auto_approval_max_req_reached" || ending(list) != "Both are done." {
		t.Errorf("asked %q, ended with %q", got, ending(list))
	}
	s.Answered()
}
