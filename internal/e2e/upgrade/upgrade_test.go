package upgrade

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	written clew.SessionID = "sess_written" // a newer program wrote a record of its own type
	folded  clew.SessionID = "sess_folded"  // a newer program sealed it, with fields of its own
	plain   clew.SessionID = "sess_plain"   // the older one's own
)

// A newer program writes a record type and a sealed state that this one does not
// know, and is gone. This one takes over on two nodes that are killed: it says that
// the sessions are too new, shows them, and seals nothing over them. Then the newer
// one finds all that it left. The newer program is this test, which writes into the
// engine and the archive what a newer program would.
func TestNewOldNew(t *testing.T) {
	s := newStage(t)
	bin := proc.Program(t, "")
	a, b := s.node(bin), s.node(bin)
	s.must(a.Start())
	for _, id := range []clew.SessionID{written, folded, plain} {
		s.create(a, id)
		s.must(s.rename(a, id, "first"))
		s.archived(a, id)
	}
	s.in(func(j *journal.Journal) { s.sealedUp(j, folded) })
	a.Kill()

	var left []byte
	var rose clew.Record
	s.in(func(j *journal.Journal) { rose, left = s.newerProgram(j) })

	s.must(b.Start())
	s.tooNew(b, written)
	s.tooNew(b, folded)
	s.must(s.rename(b, plain, "second"))                    // and nothing else is held up
	s.in(func(j *journal.Journal) { s.sealedUp(j, plain) }) // so the sweeper came by the others, too
	b.Kill()
	s.must(a.Start())
	s.tooNew(a, written)
	s.tooNew(a, folded)
	s.must(a.Stop()) // it would seal what is its own

	s.in(func(j *journal.Journal) {
		if _, _, loaded := s.open(j, folded); !bytes.Equal(loaded.State, left) {
			t.Errorf("the newer program's state was\n%s\nand is\n%s", left, loaded.State)
		}
		if _, _, loaded := s.open(j, written); loaded.Head != rose.After() {
			t.Errorf("the newer program's record was the last, %d; the journal ends at %d", rose.Seq, loaded.Head.Seq)
		}
		report, err := j.Examine(t.Context())
		if err != nil || len(report.Findings) != 0 || len(report.Wrong) != 0 || len(report.TooNew) != 2 {
			t.Errorf("the doctor says %+v, %v", report, err)
		}
	})
}

// newerProgram does what a program of tomorrow would.
func (s *stage) newerProgram(j *journal.Journal) (rose clew.Record, state []byte) {
	s.t.Helper()
	lease, log, loaded := s.open(j, written)
	rose = loaded.Head.Next(written, lease.Term, loaded.Head.TS+1, "alice", "sun_rose", []byte(`{"at":"six"}`))
	s.must(log.Append(s.t.Context(), []clew.Record{rose}))

	_, log, loaded = s.open(j, folded)
	_, rest, _ := bytes.Cut(loaded.State, []byte(`"id":`))
	state = fmt.Appendf(nil, `{"fold":%d,"tomorrow":{"sun":"up"},"id":%s`, core.FoldVersion+1, rest)
	s.must(log.Seal(s.t.Context(), loaded.Head, state, nil))
	s.must(j.Flush(s.t.Context()))
	return rose, state
}

// tooNew checks that a node shows a session and refuses to change it.
func (s *stage) tooNew(p *proc.Proc, id clew.SessionID) {
	s.t.Helper()
	s.await("the node has the session", func() error {
		_, err := s.api(p).GetSession(s.t.Context(), id)
		return err
	})
	err := s.rename(p, id, "over it")
	if code := clew.CodeOf(err); code != clew.SessionTooNew {
		s.t.Errorf("a command to %s: %v", id, err)
	}
	if _, err := s.api(p).Messages(s.t.Context(), id, client.PageOf{Limit: 10}); err != nil {
		s.t.Errorf("the transcript of %s: %v", id, err)
	}
	got, err := s.api(p).GetSession(s.t.Context(), id)
	if err != nil || got.Title != "first" {
		s.t.Errorf("%s has the title %q, %v", id, got.Title, err)
	}
}
