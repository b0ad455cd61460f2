package story

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// What a person wants remembered beyond the session is remembered, whenever the server
// dies while it takes the answer: they are asked once.
func TestKillWhileARuleIsKept(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	tell := func(t *testing.T, scope clew.RememberScope, life string) (died bool) {
		s := newStage(t, plot{bin: bin, vendor: llmtest.Anthropic, script: "rule.yaml", files: map[string]string{"a.txt": "a"}})
		died = s.live(t, &person{stage: s, says: clew.UserMessageData{Text: "Test it."}, keep: &clew.Remember{Scope: scope, Pattern: "echo *"}}, life)
		if kept := s.kept(); len(kept) != 1 || kept[0].Scope != scope || kept[0].Pattern != "echo *" {
			t.Errorf("kept %+v", kept)
		}
		list, _ := s.replayed()
		asked := 0
		for _, r := range list {
			if r.Event.Type == clew.EventHitlApprovalRequest {
				asked++
			}
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		return died
	}
	log := filepath.Join(t.TempDir(), "places")
	tell(t, clew.RememberAlways, crashLog+log)
	b, err := os.ReadFile(log)
	proc.Must(t, err)
	tried := 0
	for at := range strings.FieldsSeq(string(b)) {
		if !strings.HasPrefix(at, "rule.") && !strings.Contains(at, "hitl_resolved") {
			continue
		}
		tried++
		for _, scope := range []clew.RememberScope{clew.RememberWorkspace, clew.RememberAlways} {
			t.Run(at+" "+string(scope), func(t *testing.T) {
				t.Parallel()
				if !tell(t, scope, crashAt+at) {
					t.Error("the server did not die")
				}
			})
		}
	}
	if tried < 3 { // the rule, and both sides of the append
		t.Errorf("%d places: %s", tried, b)
	}
}

type keptRule struct {
	Scope   clew.RememberScope `json:"scope"`
	Pattern string             `json:"pattern"`
}

// kept are the rules that the server keeps for the owner.
func (s *stage) kept() []keptRule {
	s.T.Helper()
	res, err := s.Call("", http.MethodGet, "/api/v1/rules", nil)
	proc.Must(s.T, err)
	defer func() { _ = res.Body.Close() }()
	var body struct {
		Rules []keptRule `json:"rules"`
	}
	proc.Must(s.T, json.NewDecoder(res.Body).Decode(&body))
	return body.Rules
}
