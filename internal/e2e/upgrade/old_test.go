package upgrade

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/view"
)

// Two nodes, each now of this version and now of an older one, are killed in turn
// while they are written to. Every command that was acknowledged is on record, in
// order, and the end is what this program makes of all records. CLEW_UPGRADE_OLD
// names the older program; see make test-upgrade.
func TestBesideAnOlderProgram(t *testing.T) {
	old := os.Getenv("CLEW_UPGRADE_OLD")
	if old == "" {
		t.Skip("CLEW_UPGRADE_OLD names no older program; make test-upgrade builds one")
	}
	s := newStage(t)
	bins := []string{proc.Program(t, ""), old}
	sessions := []clew.SessionID{"sess_one", "sess_two", "sess_three", "sess_four"}
	nodes := []*proc.Proc{s.node(bins[0]), s.node(bins[0])}
	s.must(nodes[0].Start())
	s.must(nodes[1].Start())
	for _, id := range sessions {
		s.create(nodes[0], id)
		s.archived(nodes[0], id)
	}
	r := rand.New(rand.NewPCG(20261116, 1))
	titles := map[clew.SessionID][]string{}
	for round := range 12 {
		// new, old, new: one node at a time, by a kill, on a directory of its own.
		i := round % 2
		nodes[i].Kill()
		nodes[i] = s.node(bins[(round/2+i)%2])
		s.must(nodes[i].Start())
		for n := range 20 {
			id := sessions[r.IntN(len(sessions))]
			title := fmt.Sprintf("r%d n%d", round, n)
			s.must(s.rename(nodes[r.IntN(2)], id, title))
			titles[id] = append(titles[id], title)
		}
	}
	for _, p := range nodes {
		p.Kill()
	}
	last := s.node(bins[0])
	s.must(last.Start())
	for _, id := range sessions {
		s.check(last, id, titles[id])
	}
	s.must(last.Stop())
	s.in(func(j *journal.Journal) {
		report, err := j.Examine(t.Context())
		if err != nil || len(report.Findings) != 0 || len(report.Wrong) != 0 || len(report.TooNew) != 0 {
			t.Errorf("the doctor says %+v, %v", report, err)
		}
	})
}

// check reads a session to its end and compares its titles with those that were
// acknowledged. A command whose answer was lost was sent again under its name.
func (s *stage) check(p *proc.Proc, id clew.SessionID, want []string) {
	s.t.Helper()
	s.await("the node has the session", func() error {
		_, err := s.api(p).GetSession(s.t.Context(), id)
		return err
	})
	var got struct {
		Title    string `json:"title"`
		Archived bool   `json:"archived"`
	}
	s.must(s.api(p).Call(s.t.Context(), http.MethodGet, "/sessions/"+string(id), nil, nil, &got))
	if !got.Archived || len(want) > 0 && got.Title != want[len(want)-1] {
		s.t.Errorf("%s has the title %q and is archived: %v", id, got.Title, got.Archived)
	}
	s.in(func(j *journal.Journal) {
		var titles []string
		for r, err := range j.Read(s.t.Context(), id, 1, 1<<40) {
			s.must(err)
			if r.Type == clew.EventSessionRenamed {
				ev, err := clew.DecodeEvent(r.Type, r.Data())
				s.must(err)
				titles = append(titles, ev.Data.(*clew.SessionRenamedData).Title)
			}
		}
		if fmt.Sprint(titles) != fmt.Sprint(want) {
			s.t.Errorf("%s was renamed %v, acknowledged %v", id, titles, want)
		}
		state, err := view.StateAt(s.t.Context(), j, id, uint64(len(titles)+2))
		if err != nil || !state.Archived {
			s.t.Errorf("the records of %s say archived: %v, %v", id, state.Archived, err)
		}
	})
}
