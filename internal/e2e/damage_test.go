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
)

// An injury is one kind of damage to a store that stands still.
type injury struct {
	name string
	do   func(t *testing.T, dir string)
	// hurts names sessions that cannot be whole after it, healthy says that
	// none is touched. With neither the outcome depends on what was hit.
	hurts   []clew.SessionID
	healthy bool
	// unseen: the witness is gone too, so that a journal which lost its end
	// looks like a shorter one. The documents say so.
	unseen bool
	// past: only old records are hit. Who asks for the present gets it, as
	// opening does not read all of the past; who asks for those is refused.
	past bool
	// block is the engine's file that is hit. The engine drops the rest of a
	// block behind a bad message, so sessions that stand there may be lost too;
	// none before it may.
	block string
}

// What is damaged is refused and reported, everything else opens whole, and
// nothing is ever shorter than what was acknowledged.
//
// CLEW_DAMAGE_SAMPLES sets how many single bits are flipped.
//
// Covers: STO-07, WS-103
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	samples := numberFrom(t, 16, "CLEW_DAMAGE_SAMPLES")
	seed := uint64(numberFrom(t, int(rand.Uint32()), "CLEW_DAMAGE_SEED"))
	t.Logf("seed %d: CLEW_DAMAGE_SEED=%d repeats its choices", seed, seed)
	rng := rand.New(rand.NewPCG(seed, 1))

	killed := makeStore(t, false)
	cases := slices.Concat(killed.engineInjuries(t, rng, samples), killed.archiveInjuries(t, rng, samples/2), killed.witnessInjuries(t, rng))
	for _, in := range cases {
		t.Run(in.name, func(t *testing.T) { killed.endure(t, in) })
	}
	stopped := makeStore(t, true)
	for _, in := range stopped.indexInjuries(t) {
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
	if err := srv.start(); err != nil {
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
	srv.kill()
	if strings.Contains(srv.out.String(), "panic") || strings.Contains(srv.out.String(), "goroutine ") {
		t.Errorf("the server panicked:\n%s", srv.out.tail(4000))
	}
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
	if in.healthy && len(refused) > 0 {
		t.Errorf("nothing of %v was hurt, and they were refused", refused)
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
		if in.unseen { // the end may be lost, and the turn in it done again
			n := min(len(frames), max(0, len(want)-12))
			frames, want = frames[:n], want[:n]
		}
		if !slices.EqualFunc(frames, want, bytes.Equal) {
			t.Errorf("session %s opened with %d records, %d were acknowledged, or they differ", id, len(frames), len(want))
		}
		if restErr != nil {
			t.Errorf("session %s opens on the socket, and REST says %v", id, restErr)
		}
		return true
	}
	if in.unseen && refusal.Code == clew.SessionNotFound {
		return true
	}
	if refusal.Code != clew.SessionDamaged || refusal.Number != 3007 || refusal.Message == "" {
		t.Errorf("session %s was refused with %+v", id, refusal)
	}
	if clew.CodeOf(restErr) != clew.SessionDamaged && !(in.past && restErr == nil) {
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
	out, errs, code := srv.clew("doctor", "--json", "--data", srv.dir)
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

// flip changes one bit of a file.
func flip(rng *rand.Rand, path string) func(*testing.T, string) {
	return flipAfter(rng, path, "")
}

// flipAfter is flip behind the first place where a text stands.
func flipAfter(rng *rand.Rand, path, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		edit(t, filepath.Join(dir, path), func(b []byte) []byte {
			from := max(0, bytes.Index(b, []byte(text)))
			at := from*8 + rng.IntN((len(b)-from)*8)
			t.Logf("bit %d of byte %d of %d", at%8, at/8, len(b))
			b[at/8] ^= 1 << (at % 8)
			return b
		})
	}
}

// cut shortens a file by n bytes, or to nothing.
func cut(path string, n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		edit(t, filepath.Join(dir, path), func(b []byte) []byte { return b[:max(0, len(b)-n)] })
	}
}

func remove(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
}

func both(a, b func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) { a(t, dir); b(t, dir) }
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// below gives a file's path inside the store.
func (s *store) below(t *testing.T, path string) string {
	t.Helper()
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func (s *store) engineInjuries(t *testing.T, rng *rand.Rand, samples int) []injury {
	blocks := s.blocks(t, s.dir)
	slices.SortFunc(blocks, func(a, b string) int { return int(sizeOf(t, b) - sizeOf(t, a)) })
	full := s.below(t, blocks[0]) // the largest has the records
	stream := filepath.Dir(filepath.Dir(full))
	fresh := s.sessions[archivedSessions:]
	first := s.sessions[archivedSessions+mixedSessions]
	list := []injury{
		{name: "block deleted", do: remove(full), hurts: fresh},
		{name: "block emptied", do: cut(full, 1<<40), hurts: fresh},
		{name: "stream deleted", do: remove(stream), hurts: fresh},
		{name: "stream's description deleted", do: remove(filepath.Join(stream, "meta.inf"))},
		{name: "stream's checksum deleted", do: remove(filepath.Join(stream, "meta.sum"))},
		{name: "stream's index deleted", do: remove(filepath.Join(stream, "msgs", "index.db")), healthy: true},
		{name: "witness deleted, block cut", do: both(remove("witness"), cut(full, 2000)), unseen: true},
	}
	for _, n := range []int{1, 7, 100, 1000, 5000} {
		list = append(list, injury{name: fmt.Sprintf("block cut by %d", n), do: cut(full, n), block: full})
	}
	for i := range samples {
		// The front of the block may be cut off already and mean nothing.
		list = append(list, injury{name: fmt.Sprintf("block bit %d", i), do: flipAfter(rng, full, string(first)), block: full})
	}
	return list
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// archiveInjuries hit the newest seal of a session that is nowhere else.
func (s *store) archiveInjuries(t *testing.T, rng *rand.Rand, samples int) []injury {
	var list []injury
	for i, id := range s.sessions[:2] {
		seals := glob(t, s.dir, "archive/*/*/"+string(id)+"~*")
		if len(seals) == 0 {
			t.Fatalf("session %s has no seal", id)
		}
		seal := s.below(t, slices.Max(seals))
		name, hurts := fmt.Sprintf("seal %d", i), []clew.SessionID{id}
		list = append(list,
			injury{name: name + " cut by 1", do: cut(seal, 1), hurts: hurts},
			injury{name: name + " emptied", do: cut(seal, 1<<40), hurts: hurts})
		for n := range samples {
			list = append(list, injury{name: fmt.Sprintf("%s bit %d", name, n), do: flip(rng, seal), hurts: hurts})
		}
	}
	segments := glob(t, s.dir, "archive/*/*/"+string(s.sessions[0])+".segments/*")
	if len(segments) == 0 {
		t.Fatal("the long session has no segment")
	}
	segment, hurts := s.below(t, segments[0]), s.sessions[:1]
	list = append(list,
		injury{name: "segment deleted", do: remove(segment), hurts: hurts, past: true},
		injury{name: "segment cut", do: cut(segment, 10), hurts: hurts, past: true})
	for n := range samples {
		list = append(list, injury{name: fmt.Sprintf("segment bit %d", n), do: flip(rng, segment), hurts: hurts, past: true})
	}
	return list
}

func (s *store) witnessInjuries(t *testing.T, rng *rand.Rand) []injury {
	list := []injury{
		{name: "witness deleted", do: remove("witness"), healthy: true},
		{name: "witness cut", do: cut("witness", 30), healthy: true},
		{name: "witness emptied", do: cut("witness", 1<<40), healthy: true},
	}
	for n := range 4 {
		list = append(list, injury{name: fmt.Sprintf("witness bit %d", n), do: flip(rng, "witness"), healthy: true})
	}
	return list
}

// indexInjuries hit a store whose server stopped properly: the engine has
// written its indexes, and all sessions are sealed.
func (s *store) indexInjuries(t *testing.T) []injury {
	index := glob(t, s.dir, "engine/jetstream/*/streams/CLEW_J_0/msgs/index.db")
	if len(index) == 0 {
		t.Fatal("the engine has no index")
	}
	path := s.below(t, index[0])
	return []injury{
		{name: "unharmed", do: func(*testing.T, string) {}, healthy: true},
		{name: "index deleted", do: remove(path), healthy: true},
		{name: "index cut", do: cut(path, 9), healthy: true},
		{name: "index emptied", do: cut(path, 1<<40), healthy: true},
		{name: "index bit", do: flip(rand.New(rand.NewPCG(1, 1)), path), healthy: true},
		{name: "index and witness deleted", do: both(remove(path), remove("witness")), healthy: true},
	}
}
