package journal

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew/internal/clock"
)

// deafTable never answers the first question, as a server that died with it.
type deafTable struct {
	jetstream.KeyValue
	asked int
}

func (d *deafTable) Get(ctx context.Context, _ string) (jetstream.KeyValueEntry, error) {
	if d.asked++; d.asked == 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, jetstream.ErrKeyNotFound
}

// A row is asked for again when the question was lost, and not waited for as long
// as the caller has time: whoever opens a session does.
func TestLostQuestionIsAskedAgain(t *testing.T) {
	kv := &deafTable{}
	table := &Table{j: &Journal{cfg: Config{Engine: "nats://elsewhere"}, health: newHealth(true, clock.System())}, kv: kv}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if _, _, err := table.Get(ctx, "row"); err != ErrNoRow || kv.asked != 2 { //nolint:errorlint // the very one
		t.Errorf("asked %d times: %v", kv.asked, err)
	}
}
