package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A node that was not the first gets what the other one made, although it may be a
// replica that answers it, and one that does not have that row yet.
func TestOnceAtAReplicaThatLags(t *testing.T) {
	j, err := Open(t.Context(), Config{Dir: t.TempDir(), SyncInterval: time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(t.Context())
	table, err := j.Table(t.Context(), "ONCE")
	if err != nil {
		t.Fatal(err)
	}
	// It answers half of all reads, and never has more than one row.
	replica, err := j.js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "LAGS", Mirror: &jetstream.StreamSource{Name: "KV_" + table.kv.Bucket(), FilterSubject: "$KV." + table.kv.Bucket() + ".old"},
		MirrorDirect: true, AllowDirect: true, Storage: jetstream.FileStorage,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Put(t.Context(), "old", nil); err != nil {
		t.Fatal(err)
	}
	lags := func() bool {
		if info, err := replica.Info(t.Context()); err != nil || info.State.Msgs == 0 {
			return false
		}
		_, _, err := table.Get(t.Context(), "new")
		return errors.Is(err, ErrNoRow)
	}
	if err := table.Put(t.Context(), "new", nil); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); !lags(); {
		if time.Now().After(limit) {
			t.Fatal("the replica does not answer")
		}
	}
	for n := range 20 {
		key := fmt.Sprint("key", n)
		got, err := table.Once(t.Context(), key, func() ([]byte, error) {
			return []byte("second"), table.Put(t.Context(), key, []byte("first"))
		})
		if err != nil || string(got) != "first" {
			t.Fatalf("%s: %q, %v", key, got, err)
		}
	}
}
