// Package story plays whole tasks with the real program: the scripted model
// thinks, the real providers carry it over HTTP, and a person answers.
package story

import (
	"context"
	"maps"
	"os"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// sessionID is the same in every run, so that all ids made from it are.
const sessionID clew.SessionID = "sess_story"

type record = proc.Record

type stage struct{ *proc.Stage }

// plot is what a stage is set up for.
type plot struct {
	vendor   llmtest.Vendor
	bin      string
	script   string            // a file of testdata
	files    map[string]string // of the workspace
	model    llmtest.Options
	settings map[string]any // beside the usual ones
	pings    string         // how often the server pings, "" for as usual
}

// newStage sets up a server. The prices are round, so that the cost of a story
// can be added up by hand.
func newStage(t testing.TB, p plot) *stage {
	t.Helper()
	settings := proc.AllowFiles()
	maps.Copy(settings, p.settings)
	env := map[string]string{}
	if p.pings != "" {
		env["CLEW_LIMITS_PING_EVERY"] = p.pings
	}
	return &stage{proc.NewStage(t, proc.Setup{
		Name: "story", Session: sessionID, Program: p.bin, Vendor: p.vendor, Files: p.files, Settings: settings,
		Script: proc.ReadFile(t, "testdata", p.script), Model: p.model, Env: env,
		Profile: map[string]any{
			"thinking": "low", "max_tokens": 8192, "context_window": 200_000,
			"price_in": 3, "price_out": 15, "price_cache_write": 3.75, "price_cache_read": 0.3,
		},
	})}
}

// replayed is the session's Replay for a test that cannot go on without it.
func (s *stage) replayed() ([]record, clew.SessionState) {
	s.T.Helper()
	list, state, err := s.Replay(context.Background(), sessionID)
	proc.Must(s.T, err)
	return list, state
}
