package failover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

const (
	leaderKills = 3
	// leaderSlack is what a node may need beyond the engine, on a busy machine.
	leaderSlack = time.Second
)

// A writer tries to write all the time. last is when it last could.
type writer struct {
	write func(ctx context.Context) error
	last  atomic.Int64 // Unix ns of the start of the last write that was acknowledged
}

func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		if w.write(ctx) == nil {
			w.last.Store(began.UnixNano())
		}
		pause(ctx, 10*time.Millisecond)
	}
}

// The leader of a stream is killed: clew's writes are refused no longer than those
// of a plain client of the engine that writes to the same stream, in the same
// election.
//
// Covers: C-09
func TestLeaderLossBesideTheEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four processes")
	}
	cluster := journaltest.StartCluster(t)
	n := &node{proc.New(t, proc.Program(t, ""), t.TempDir(), map[string]string{
		"CLEW_ENGINE": cluster.URL(), "CLEW_JOURNAL_ARCHIVE": "file://" + t.TempDir(), "CLEW_JOURNAL_PARTITIONS": "1",
	}), t}
	n.start()
	api := n.api()
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	proc.Must(t, err)
	plain, err := nats.Connect(cluster.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	proc.Must(t, err)
	defer plain.Close()

	engine := &writer{write: func(context.Context) error { return publish(plain, "clew.j.0.plain") }}
	count := 0
	ours := &writer{write: func(ctx context.Context) error {
		count++
		name := clew.ClientMessageID(fmt.Sprint("w", count))
		_, err := api.Command(ctx, id, name, clew.CommandRenameSession, clew.RenameSessionData{Title: string(name)})
		return err
	}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go engine.run(ctx)
	go ours.run(ctx)
	asSoon := false // once is enough: other tests can only add to it
	for range leaderKills {
		leader, err := cluster.LeaderOf("CLEW_J_0")
		proc.Must(t, err)
		killed := time.Now()
		cluster.Kill(leader)
		bare, clew := loss(t, killed, engine, ours)
		t.Logf("the leader is killed: writes of a plain client are taken again after %s, those of clew after %s", bare.Round(time.Millisecond), clew.Round(time.Millisecond))
		asSoon = asSoon || clew <= bare+leaderSlack
		cluster.Start(leader)
		proc.Eventually(t, "the stream has all its replicas", time.Minute, func() bool { return cluster.Whole("CLEW_J_0") })
	}
	if !asSoon {
		t.Errorf("clew always needed more than %s beyond the engine", leaderSlack)
	}
}

// loss waits until both can write again, and says how long each could not.
func loss(t *testing.T, since time.Time, a, b *writer) (time.Duration, time.Duration) {
	t.Helper()
	var took [2]time.Duration
	for i := range took {
		took[i] = -1
	}
	proc.Eventually(t, "writes are taken again", time.Minute, func() bool {
		for i, w := range []*writer{a, b} {
			if took[i] < 0 && w.last.Load() > since.UnixNano() {
				took[i] = time.Since(since)
			}
		}
		return took[0] >= 0 && took[1] >= 0
	})
	return took[0], took[1]
}

// publish stores a message in a stream, as any client of the engine would.
func publish(conn *nats.Conn, subject string) error {
	m, err := conn.Request(subject, []byte("x"), 250*time.Millisecond)
	if err != nil {
		return err
	}
	var ack struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(m.Data, &ack); err != nil {
		return err
	}
	if ack.Seq == 0 {
		return errors.New("not stored")
	}
	return nil
}
