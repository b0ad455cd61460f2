package agents

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/wire"
)

// streams is a script for ten agents that speak slowly at the same time.
func streams(words int) string {
	text := strings.TrimSpace(strings.Repeat("word ", words))
	return opens(6) + fmt.Sprintf(`
- when: {last_user: "Speak"}
  times: 0
  reply: [{slow: {per_token: 10ms}}, {text: "%s"}]
`, text)
}

// What a viewer got: the records, as a hash in their order, and how every message grew.
type seen struct {
	last    uint64
	records uint64 // hash of all
	synced  int
	texts   map[clew.MessageID]int // bytes so far
	tokens  int
	faults  []string
	ended   int
}

func (g *seen) take(env wire.Envelope) {
	switch {
	case env.Seq() > 0:
		if g.last != 0 && env.Seq() != g.last+1 {
			g.faults = append(g.faults, fmt.Sprintf("record %d after %d", env.Seq(), g.last))
		}
		g.last = env.Seq()
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "%d %s %s", g.records, env.Type, env.Data)
		g.records = h.Sum64()
		if idle(env) {
			g.ended++
		}
	case env.Type == string(clew.EventSyncComplete):
		g.synced++
	case env.Type == string(clew.EventAgentResponse):
		var d clew.AgentResponseData
		if err := json.Unmarshal(env.Data, &d); err != nil || d.Offset != g.texts[d.MessageID] {
			g.faults = append(g.faults, fmt.Sprintf("%s goes on at %d, and has %d: %v", d.MessageID, d.Offset, g.texts[d.MessageID], err))
		}
		g.texts[d.MessageID] += len(d.Delta)
		g.tokens++
	}
}

// Four main agents and six of windows speak at once to fifty viewers. Each viewer gets
// each record and each piece, in order, on one connection.
//
// Covers: AGT-31
func TestTenAgentsFiftyViewers(t *testing.T) {
	const viewers, agents = 50, 10
	words := nightly.Size(100, 1000)
	s := newStage(t, streams(words), llmtest.Options{}, map[string]any{"monitor_max_concurrent": 3, "monitor_max_output_per_min": 10_000_000})
	s.say("open", "Open them", "")
	s.until("the windows are open", func(st clew.SessionState) bool { return len(st.Windows) == 6 && len(st.Agents) == 0 })
	all := make([]*seen, viewers)
	var group sync.WaitGroup
	for i := range all {
		v, got := s.viewer(fmt.Sprint("viewer-", i)), &seen{texts: map[clew.MessageID]int{}, synced: 1}
		all[i] = got
		group.Go(func() {
			timeout := time.After(within)
			for got.ended < agents {
				select {
				case env, ok := <-v.events:
					if !ok {
						got.faults = append(got.faults, "the connection ended")
						return
					}
					got.take(env)
				case <-timeout:
					got.faults = append(got.faults, "it did not end")
					return
				}
			}
		})
	}
	used, began := cpu(t, s.Srv.Pid()), time.Now()
	for i := range 4 {
		s.say(fmt.Sprint("m", i), "Speak", clew.MonitorID(fmt.Sprint("monitor-", i)))
	}
	for i := range 6 {
		s.do(fmt.Sprint("w", i), clew.CommandWindowMessage, clew.WindowMessageData{WindowID: fmt.Sprint("w", i+1), Text: "Speak"})
	}
	group.Wait()
	took, spent := time.Since(began), cpu(t, s.Srv.Pid())-used
	first := all[0]
	for i, got := range all {
		for _, f := range got.faults {
			t.Errorf("viewer %d: %s", i, f)
		}
		if got.records != first.records || got.last != first.last || got.synced != 1 || len(got.texts) != agents || got.tokens != first.tokens {
			t.Errorf("viewer %d has %d records with hash %x, %d messages and %d tokens; the first %d, %x, %d and %d; %d times in sync",
				i, got.last, got.records, len(got.texts), got.tokens, first.last, first.records, len(first.texts), first.tokens, got.synced)
		}
		for id, n := range got.texts {
			if n != 5*words-1 {
				t.Errorf("viewer %d has %d bytes of %s, want %d", i, n, id, 5*words-1)
			}
		}
	}
	tokens := agents * words
	t.Logf("%d agents, %d viewers, %d tokens in %s: %d pieces to each viewer, no gap; %s of CPU, %s a token, %s a token and viewer", agents, viewers, tokens,
		took.Round(time.Millisecond), first.tokens, spent, (spent / time.Duration(tokens)).Round(time.Microsecond), (spent / time.Duration(tokens*viewers)).Round(100*time.Nanosecond))
}
