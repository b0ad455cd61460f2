package journal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/internal/session"
)

func openForHealing(t *testing.T) *Journal {
	t.Helper()
	j, err := Open(t.Context(), Config{Dir: t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

// awaitState waits until the store is in a state.
func awaitState(t *testing.T, j *Journal, want StorageState) Storage {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		s, changed := j.Storage()
		if s.State == want {
			return s
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("the store is %s, not %s", s.State, want)
		}
	}
}

// The engine's lines about failed writes are an interface: the end-to-end tests
// make real ones, this one says how they are read.
func TestWriteErrorLines(t *testing.T) {
	tests := []struct{ line, stream, why string }{
		{"Filestore [CLEW_J_0] Critical write error: write x.blk: no space left on device", "CLEW_J_0", "write x.blk: no space left on device"},
		{"JetStream stream '$G > KV_CLEW_INDEX' critical write error: sync x.blk: input/output error", "KV_CLEW_INDEX", "sync x.blk: input/output error"},
		{"Filesystem permission denied while writing msg, disabling JetStream: open x.blk", "", "Filesystem permission denied while writing msg, disabling JetStream: open x.blk"},
	}
	for _, tt := range tests {
		if stream, why, ok := writeError(tt.line); !ok || stream != tt.stream || why != tt.why {
			t.Errorf("%q was read as %q, %q, %v", tt.line, stream, why, ok)
		}
	}
	if _, _, ok := writeError("JetStream failed to store a msg on stream"); ok {
		t.Error("a line that latches nothing was taken for one that does")
	}
}

// When the engine is started anew, who follows a table is told at once and follows
// it again, and wake-ups that fall due wait and go on.
func TestHealKeepsFollowersAndWakes(t *testing.T) {
	j := openForHealing(t)
	table, err := j.Table(t.Context(), "SOME")
	if err != nil {
		t.Fatal(err)
	}
	rows, over := make(chan string, 10), make(chan error, 10)
	follow := func() {
		t.Helper()
		if err := table.Follow(t.Context(), func(key string, _ []byte, _ bool) { rows <- key }, func(err error) { over <- err }); err != nil {
			t.Fatal(err)
		}
	}
	follow()
	woken := make(chan clew.SessionID, 10)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- j.Wakes(ctx, func(_ context.Context, id clew.SessionID) error { woken <- id; return nil })
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	if err := j.Wake(t.Context(), "sess_due", time.Now().Add(300*time.Millisecond).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		j.health.latch(j.streamName(0), "write x.blk: no space left on device")
		if err := table.Put(t.Context(), "refused", nil); !errors.Is(err, session.ErrReadOnly) && err != nil {
			t.Errorf("a write was refused with %v", err)
		}
		awaitState(t, j, StorageHealthy)
		select {
		case <-over:
			follow()
		case <-time.After(time.Minute):
			t.Fatal("a watch that hears nothing any more did not end")
		}
	}
	if err := table.Put(t.Context(), "after", []byte("x")); err != nil {
		t.Fatal(err)
	}
	limit := time.After(time.Minute)
	for seen := false; !seen; {
		select {
		case key := <-rows:
			seen = key == "after"
		case <-limit:
			t.Fatal("a change was not followed")
		}
	}
	select {
	case <-woken:
	case err := <-ended:
		t.Fatalf("wake-ups ended: %v", err)
	case <-limit:
		t.Fatal("the wake-up did not come")
	}
	if s, _ := j.Storage(); s.Heals != 3 {
		t.Errorf("%d heals", s.Heals)
	}
}

// Whoever is to write learns where the journal ends only from a store that takes
// records: a record that was not acknowledged may be there after all when it is
// healed, and another one in its place would damage the session.
func TestNoWriterWhileReadOnly(t *testing.T) {
	j := openForHealing(t)
	lease, err := j.Claim(t.Context(), session.ShardOf("sess_1"))
	if err != nil {
		t.Fatal(err)
	}
	j.health.set(StorageFailed, "sync x.blk: input/output error") // and the healer stays away
	if _, _, err := j.Open(t.Context(), lease, "sess_1"); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("a writer gets %v", err)
	}
	if _, _, err := j.Open(t.Context(), session.Lease{}, "sess_1"); err != nil {
		t.Errorf("a reader gets %v", err)
	}
}

// What the engine was asked before it was started anew is asked again at once.
func TestReadOverRestart(t *testing.T) {
	h := newHealth(true, clock.System())
	asked := make(chan bool)
	done := make(chan error, 1)
	go func() {
		done <- h.read(t.Context(), func(ctx context.Context) error {
			if <-asked {
				return nil
			}
			<-ctx.Done() // no answer
			return ctx.Err()
		})
	}()
	asked <- false
	h.restarted()
	asked <- true
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// An engine that does not start anew three times has failed for good.
func TestHealGivesUp(t *testing.T) {
	j := openForHealing(t)
	tries := 0
	j.engine.start = func() (*server.Server, error) { tries++; return nil, errors.New("no") }
	j.health.latch(j.streamName(0), "write x.blk: no space left on device")
	awaitState(t, j, StorageFailed)
	if tries != healTries {
		t.Errorf("%d tries", tries)
	}
	if err := j.Writable(); clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("writers hear %v", err)
	}
}

// A disk that keeps failing is not trusted again and again: the store stays
// read-only.
func TestHealDistrustsDyingDisk(t *testing.T) {
	c := clocktest.New(time.Unix(0, 0))
	h := &healer{j: &Journal{cfg: Config{Clock: c}}}
	dying := Storage{Why: "sync x.blk: input/output error"}
	for i := range healsAtMost {
		if !h.mayHeal(dying) {
			t.Fatalf("heal %d is refused", i)
		}
		h.heals = append(h.heals, c.Elapsed())
	}
	if h.mayHeal(dying) {
		t.Error("a fourth heal within minutes")
	}
	if !h.mayHeal(Storage{Why: "no space left on device"}) {
		t.Error("a full disk is not a dying one")
	}
}

func TestRewriteLastBlock(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"9.blk": "older", "10.blk": "newest", "index.db": "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(filepath.Join(dir, "10.blk"))
	if err != nil {
		t.Fatal(err)
	}
	if err := rewriteLastBlock(dir); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(dir, "10.blk"))
	if err != nil || os.SameFile(before, after) {
		t.Errorf("the newest block is the same file: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "10.blk")); err != nil || string(b) != "newest" {
		t.Errorf("it holds %q, %v", b, err)
	}
}
