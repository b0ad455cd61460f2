package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/nightly"
)

// An injury is one kind of damage to a store that stands still.
type injury struct {
	name string
	do   func(t *testing.T, dir string)
	// hurts names sessions that cannot be whole after it, healthy says that
	// none is touched. With neither the outcome depends on what was hit.
	hurts   []clew.SessionID
	healthy bool
	// past: only old records are hit. Who asks for the present gets it, as
	// opening does not read all of the past; who asks for those is refused.
	past bool
	// block is the engine's file that is hit: no session may be lost that does
	// not stand behind the place.
	block string
	// single: one message is hit, so that one session may be lost at most.
	single bool
}

// What is damaged is refused and reported, everything else opens whole, and
// nothing is ever shorter than what was acknowledged.
//
// CLEW_DAMAGE_SAMPLES sets how many single bits are flipped.
//
// Covers: STO-07
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	samples := numberFrom(t, nightly.Size(2, 16), "CLEW_DAMAGE_SAMPLES")
	rng := rand.New(rand.NewPCG(nightly.Seed(t), 1))

	killed := makeStore(t, false)
	cases := slices.Concat(killed.engineInjuries(t, rng, samples), killed.archiveInjuries(t, rng, samples/2), killed.witnessInjuries(t, rng))
	for _, in := range nightly.Third(cases) {
		t.Run(in.name, func(t *testing.T) { killed.endure(t, in) })
	}
	stopped := makeStore(t, true)
	for _, in := range nightly.Third(stopped.indexInjuries(t)) {
		t.Run("stopped/"+in.name, func(t *testing.T) { stopped.endure(t, in) })
	}
}

// endure injures a copy of the store and looks at every session, from outside
// and through the doctor.
func (s *store) endure(t *testing.T, in injury) {
	dir := s.copy(t)
	in.do(t, dir)
	within := s.behind(t, dir, in.block)
	srv := newProc(t, options{dir: dir, env: quiet})
	found := s.examined(t, srv)
	if err := srv.Start(); err != nil {
		t.Fatalf("the server does not start: %v", err)
	}
	var refused []clew.SessionID
	for _, id := range s.sessions {
		if !s.opens(t, srv, id, in) {
			refused = append(refused, id)
		}
	}
	if _, err := client.NewAPI(srv.URL(), s.secret).ListSessions(t.Context(), "", "", 0); err != nil {
		t.Errorf("the list of sessions: %v", err)
	}
	s.goesOn(t, srv, refused, in)
	slices.Sort(refused)
	t.Logf("%d of %d sessions refused", len(refused), len(s.sessions))
	if !slices.Equal(found, refused) {
		t.Errorf("the doctor found %v, the server refused %v", found, refused)
	}
	if again := s.examined(t, srv); !slices.Equal(again, refused) {
		t.Errorf("after a start the doctor finds %v, before it %v", again, refused)
	}
	for _, id := range in.hurts {
		if !slices.Contains(refused, id) {
			t.Errorf("session %s was hurt and opened", id)
		}
	}
	for _, id := range refused {
		if !slices.Contains(within, id) {
			t.Errorf("session %s was refused, and its records were not touched", id)
		}
	}
	if in.single && len(refused) > 1 {
		t.Errorf("one message was hit, and %d sessions are refused", len(refused))
	}
	if in.healthy && len(refused) > 0 {
		t.Errorf("nothing of %v was hurt, and they were refused", refused)
	}
}

// goesOn writes to the sessions that opened, kills the server, and reads them
// again: what is acknowledged after the damage is as safe as what was before.
func (s *store) goesOn(t *testing.T, srv *proc, refused []clew.SessionID, in injury) {
	t.Helper()
	api := client.NewAPI(srv.URL(), s.secret)
	for _, id := range s.sessions {
		if slices.Contains(refused, id) {
			continue
		}
		for i := range 3 {
			if _, err := api.Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: fmt.Sprint("later ", i)}); err != nil {
				t.Errorf("session %s takes no command: %v", id, err)
			}
		}
	}
	srv.kill()
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.kill()
	for _, id := range s.sessions {
		if slices.Contains(refused, id) {
			continue
		}
		frames, refusal, err := s.open(t.Context(), srv, id)
		want := len(s.frames[id])
		switch {
		case err != nil || refusal != nil:
			t.Errorf("session %s opened, was written to, and is then refused: %v %+v", id, err, refusal)
		case len(frames) != want+3:
			t.Errorf("session %s has %d records, want %d", id, len(frames), want+3)
		}
	}
}

// opens reports whether a session opens. If so it is whole; if not, the refusal
// is plain, and the same over REST.
func (s *store) opens(t *testing.T, srv *proc, id clew.SessionID, in injury) bool {
	t.Helper()
	frames, refusal, err := s.open(t.Context(), srv, id)
	if err != nil {
		t.Errorf("session %s: %v", id, err)
		return false
	}
	_, restErr := client.NewAPI(srv.URL(), s.secret).Messages(t.Context(), id, client.PageOf{Limit: 1000})
	want := s.frames[id]
	if refusal == nil {
		if !slices.EqualFunc(frames, want, bytes.Equal) {
			t.Errorf("session %s opened with %d records, %d were acknowledged, or they differ", id, len(frames), len(want))
		}
		if restErr != nil {
			t.Errorf("session %s opens on the socket, and REST says %v", id, restErr)
		}
		return true
	}
	if refusal.Code != clew.SessionDamaged || refusal.Number != 3007 || refusal.Message == "" {
		t.Errorf("session %s was refused with %+v", id, refusal)
	}
	if clew.CodeOf(restErr) != clew.SessionDamaged && (!in.past || restErr != nil) {
		t.Errorf("session %s is refused on the socket, and REST says %v", id, restErr)
	}
	var e *clew.Error
	if errors.As(restErr, &e) && (strings.Contains(e.Message, "/") || strings.Contains(refusal.Message, "/")) {
		t.Errorf("the refusal speaks of files: %q", e.Message)
	}
	return false
}

// behind gives the sessions with records at or after the first byte of a file
// that was changed; all of them if no file is named.
func (s *store) behind(t *testing.T, dir, path string) []clew.SessionID {
	t.Helper()
	if path == "" {
		return s.sessions
	}
	before, err := os.ReadFile(filepath.Join(s.dir, path))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for at < len(after) && before[at] == after[at] {
		at++
	}
	const message = 8 << 10 // the id stands at a message's start
	return slices.DeleteFunc(slices.Clone(s.sessions), func(id clew.SessionID) bool {
		return bytes.LastIndex(before, []byte(id)) < at-message
	})
}

// examined runs the doctor and gives the damaged sessions, sorted.
func (s *store) examined(t *testing.T, srv *proc) []clew.SessionID {
	t.Helper()
	out, errs, code := srv.clew("doctor", "--json", "--data", srv.Dir)
	var report struct {
		Findings []struct {
			Session clew.SessionID `json:"session_id"`
			Problem string         `json:"problem"`
		} `json:"findings"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("doctor: %v in %q, %s", err, out, errs)
	}
	var ids []clew.SessionID
	for _, f := range report.Findings {
		ids = append(ids, f.Session)
		if f.Problem == "" {
			t.Errorf("the doctor does not say what is wrong with %s", f.Session)
		}
	}
	if want := min(len(ids), 1); code != want {
		t.Errorf("the doctor's exit code is %d with %d findings", code, len(ids))
	}
	slices.Sort(ids)
	return ids
}
