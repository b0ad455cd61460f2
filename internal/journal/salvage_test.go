package journal

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/journal/salvage"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// filled makes a store with a few sessions whose batches lie in turns in one
// block, and gives the sessions' heads and the block's file.
func filled(t *testing.T) (dir, file string, heads map[clew.SessionID]clew.Head) {
	t.Helper()
	dir = t.TempDir()
	j, err := Open(t.Context(), Config{Dir: dir, NodeTTL: time.Minute, Partitions: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(context.Background())
	heads = map[clew.SessionID]clew.Head{}
	logs := map[clew.SessionID]session.Log{}
	terms := map[clew.SessionID]uint64{}
	claimed := map[int]bool{}
	for len(logs) < 6 {
		id := clew.NewSessionID()
		if claimed[session.ShardOf(id)] { // a second claim would end the first
			continue
		}
		claimed[session.ShardOf(id)] = true
		lease, err := j.Claim(t.Context(), session.ShardOf(id))
		if err != nil {
			t.Fatal(err)
		}
		if logs[id], _, err = j.Open(t.Context(), lease, id); err != nil {
			t.Fatal(err)
		}
		heads[id], terms[id] = clew.Head{}, lease.Term
	}
	for range 20 {
		for id, log := range logs {
			r := heads[id].Next(id, terms[id], 1, "owner", clew.EventSessionRenamed, []byte(`{"title":"some text that is long enough"}`))
			if err := log.Append(t.Context(), []clew.Record{r}); err != nil {
				t.Fatal(err)
			}
			heads[id] = r.After()
		}
	}
	return dir, filepath.Join(dir, "engine", "jetstream", "$G", "streams", "CLEW_J_0", "msgs", "1.blk"), heads
}

// The engine writes its blocks the way salvage reads them. A newer engine that
// does not must not come in unnoticed.
func TestBlockLayout(t *testing.T) {
	_, file, _ := filled(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	good, lost := salvage.NewBlock("CLEW_J_0", 1, data).Scan()
	if lost != 0 || !bytes.Equal(good, data) || len(data) == 0 {
		t.Fatalf("of %d bytes %d are readable and %d lost", len(data), len(good), lost)
	}
}

// A flipped bit in a block costs the session that it hit, and no other.
//
// Covers: C-06
func TestFlippedBitStaysWithItsSession(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		dir, file, heads := filled(t)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := rng.IntN(len(data))
		data[at] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), Config{Dir: dir}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for id, want := range heads {
			_, _, head, _, err := j.load(t.Context(), id)
			switch {
			case clew.CodeOf(err) == clew.SessionDamaged:
				refused++
			case err != nil:
				t.Errorf("byte %d: %v", at, err)
			case head != want:
				t.Errorf("byte %d: session %s opens at %d, want %d", at, id, head.Seq, want.Seq)
			}
		}
		if refused > 1 {
			t.Errorf("byte %d of %d: %d sessions are refused", at, len(data), refused)
		}
		j.Close(context.Background())
	}
}
