package travelcrash

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// A picture is all that a journey may change, as people and programs see it.
type picture struct {
	files, aside string // manifests
	told         string // what was said
	state        string // session_state, without what each connection and record has of its own
	shown        string // what clew show prints
	fork         string // what was said in the fork; "" without one
	checkpoint   string
}

// A trip is a journey that nothing disturbed.
type trip struct {
	before, after picture
	records       int // before it began
	places        []string
	took          time.Duration
	fork          clew.SessionID // the same command makes the same one each time
}

func (s *stage) picture(sc scene, fork clew.SessionID) picture {
	s.T.Helper()
	p := picture{files: s.manifest(s.Work), told: told(sc.state), state: s.plain(sc.state), checkpoint: sc.state.Checkpoint}
	p.shown = s.Run("show", string(sessionID), "--server", s.Srv.URL())
	if fork != "" {
		p.aside = s.manifest(aside(s))
		if other, err := s.look(fork); err == nil {
			p.fork = told(other.state)
		}
	}
	return p
}

// plain is a state as text.
func (s *stage) plain(state clew.SessionState) string {
	s.T.Helper()
	state.ClientID, state.Epoch, state.LastMessageID = "", "", ""
	state.Viewers = nil // who watches is no part of the session
	b, err := json.MarshalIndent(state, "", " ")
	s.must(err)
	return string(b)
}

func told(state clew.SessionState) string {
	var b strings.Builder
	for _, m := range state.Messages {
		if m.Partial || m.Say == clew.SayAPIReqRetried {
			continue // it goes on growing, or is cut; or it tells of the kill itself
		}
		fmt.Fprintf(&b, "%s %s%s %q\n", m.Role, m.Say, m.Ask, m.Text)
	}
	return b.String()
}

// same compares two pictures. Of a loose one only what was said before the turn
// that was cut, and the files, have to be the same.
func same(t testing.TB, what string, want, got picture, loose bool) {
	t.Helper()
	list := []struct{ name, want, got string }{{"files", want.files, got.files}, {"files of the fork", want.aside, got.aside}, {"fork", want.fork, got.fork}}
	if loose {
		if !strings.HasPrefix(got.told, want.told) {
			t.Errorf("%s: what was said is\n%swhich does not begin with\n%s", what, got.told, want.told)
		}
	} else {
		list = append(list, []struct{ name, want, got string }{{"conversation", want.told, got.told}, {"state", want.state, got.state}, {"clew show", want.shown, got.shown}}...)
	}
	for _, x := range list {
		if x.want != x.got {
			t.Errorf("%s: %s are not as they should be (- wanted, + found):\n%s", what, x.name, differ(x.want, x.got))
		}
	}
}

// differ lists the lines that only one of two texts has.
func differ(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, line := range w {
		if !slices.Contains(g, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}

// An account is what the records say of a journey.
type account struct{ started, done, failed int }

// accountOf counts what is on record since the journey began. Exactly one end
// belongs to each start.
func accountOf(sc scene, t trip, end clew.EventType) account {
	var a account
	for _, e := range sc.records[min(t.records, len(sc.records)):] {
		switch e.Type {
		case clew.EventRewindStarted:
			a.started++
		case clew.EventRewindFailed:
			a.failed++
		case end:
			a.done++
		}
	}
	return a
}

// check looks at a session after a crash, and does all again that a person would
// try then.
func (s *stage) check(t testing.TB, j journey, calm trip) (done bool) {
	t.Helper()
	sc := s.settledFor(j)
	a := accountOf(sc, calm, j.end)
	done = a.done == 1
	if !j.fork && (a.started != a.done+a.failed || a.started > 1) {
		t.Errorf("the records tell of %+v", a)
	}
	switch found := s.picture(sc, calm.fork); {
	case done:
		same(t, "it is on record as done", calm.after, found, j.looseAfter())
	case j.fork:
		s.checkFork(t, calm, found)
	default:
		same(t, "it is not on record as done", calm.before, found, j.loose)
	}

	typ, data := j.command(s)
	if _, err := s.send(theName, typ, data); err != nil {
		t.Errorf("asked for again: %v", err)
	}
	sc = s.settledFor(j)
	if a := accountOf(sc, calm, j.end); a.done != 1 {
		t.Errorf("asked for again, the records tell of %+v", a)
	}
	same(t, "asked for again", calm.after, s.picture(sc, calm.fork), j.looseAfter())
	if j.back != nil {
		typ, data := j.back(s, calm)
		if _, err := s.send("", typ, data); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
		sc = s.await(sessionID, func(sc scene) bool { return sc.state.Returning == nil })
		if got := s.manifest(s.Work); got != calm.before.files {
			t.Errorf("taken back, files are others:\n%s", differ(calm.before.files, got))
		}
		if got := told(sc.state); !strings.HasPrefix(got, calm.before.told) {
			t.Errorf("taken back, the conversation is another:\n%s", differ(calm.before.told, got))
		}
	}
	s.healthy(t)
	return done
}

// checkFork looks at a fork that is not on record in the session it came from.
// It may be there as a whole; if not, its directory is whole or missing.
func (s *stage) checkFork(t testing.TB, calm trip, found picture) {
	t.Helper()
	want := calm.before
	if found.fork != "" {
		want.fork, want.aside = calm.after.fork, calm.after.aside
	}
	if found.aside == calm.after.aside {
		want.aside = found.aside
	}
	same(t, "the fork is not on record", want, found, false)
}

func (s *stage) healthy(t testing.TB) {
	t.Helper()
	if err := s.Srv.Stop(); err != nil {
		t.Error(err)
	}
	s.Run("doctor", "--json")
	s.Run("checkpoint", "fsck")
	if list := s.remains(); len(list) > 0 {
		t.Errorf("left behind: %q", list)
	}
}
