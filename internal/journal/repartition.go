package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// movingKey marks a store whose records are being spread anew. It holds the new
// number of partitions.
const movingKey = "clew_partitions_next"

// maxPartitions bounds how many streams there may be: each costs memory and open
// files, and past the number of flushes that a disk does at once none helps.
const maxPartitions = 256

// ErrRepartitioning says that records were being spread over another number of
// streams when the program ended.
var ErrRepartitioning = errors.New("the records are being spread over another number of partitions, and that was cut short; run `clew partitions` again with the same number")

// Repartition spreads the records of a stopped node over another number of
// streams and returns how many sessions were moved. If it is cut short, the store
// does not open until it was repeated; nothing is lost.
func Repartition(ctx context.Context, cfg Config, n int, log *slog.Logger) (from, moved int, err error) {
	if !cfg.Embedded() {
		return 0, 0, errors.New("the partitions of a cluster are fixed when its streams are made; only a store with the embedded engine can change them")
	}
	if n < 1 || n > maxPartitions {
		return 0, 0, fmt.Errorf("there can be 1 to %d partitions, not %d", maxPartitions, n)
	}
	cfg.moving = true
	j, err := OpenStopped(ctx, cfg, log)
	if err != nil {
		return 0, 0, err
	}
	defer j.Close(context.WithoutCancel(ctx))
	from = j.partitions
	moved, err = j.repartition(ctx, n)
	return from, moved, err
}

func (j *Journal) repartition(ctx context.Context, n int) (moved int, err error) {
	old := j.partitions
	if next := j.movingTo(); next != 0 && next != n {
		return 0, fmt.Errorf("%w: %d", ErrRepartitioning, next)
	} else if next == 0 && n == old {
		return 0, nil
	}
	// New streams count on from where the old ones are: a seal's mark, and the
	// terms of leases, must stay behind whatever is written now.
	first, err := j.lastEverywhere(ctx)
	if err != nil {
		return 0, err
	}
	if err := j.setPartitions(ctx, old, n); err != nil { // from here on it must be finished
		return 0, err
	}
	for p := old; p < n; p++ {
		cfg := j.streamConfig(p)
		cfg.FirstSeq = first + 1
		s, err := j.openStream(ctx, cfg)
		if err != nil {
			return 0, err
		}
		j.streams = append(j.streams, s)
	}
	for p := range old {
		k, err := j.moveFrom(ctx, p, n)
		moved += k
		if err != nil {
			return moved, err
		}
	}
	if err := j.setPartitions(ctx, n, 0); err != nil {
		return moved, err
	}
	for p := n; p < old; p++ { // nothing of a session is left in them
		if err := j.js.DeleteStream(ctx, j.streamName(p)); err != nil {
			return moved, engineError(err)
		}
	}
	return moved, nil
}

// movingTo is the number of partitions that a former try had begun to make, 0 if
// there was none.
func (j *Journal) movingTo() int {
	n, _ := strconv.Atoi(j.streams[0].CachedInfo().Config.Metadata[movingKey])
	return n
}

// setPartitions notes how many there are, and how many there shall be, 0 if no
// more and no fewer.
func (j *Journal) setPartitions(ctx context.Context, n, next int) error {
	cfg := j.streams[0].CachedInfo().Config
	cfg.Metadata = maps.Clone(cfg.Metadata)
	cfg.Metadata[partitionsKey] = strconv.Itoa(n)
	delete(cfg.Metadata, movingKey)
	if next != 0 {
		cfg.Metadata[movingKey] = strconv.Itoa(next)
	}
	s, err := j.js.UpdateStream(ctx, cfg)
	if err != nil {
		return engineError(err)
	}
	j.streams[0] = s
	return nil
}

func (j *Journal) lastEverywhere(ctx context.Context) (last uint64, err error) {
	for _, s := range j.streams {
		info, err := s.Info(ctx)
		if err != nil {
			return 0, engineError(err)
		}
		last = max(last, info.State.LastSeq)
	}
	return last, nil
}

// moveFrom moves the sessions of a stream that belong to another one now.
func (j *Journal) moveFrom(ctx context.Context, p, n int) (moved int, err error) {
	ids, err := j.subjectsOf(ctx, p, j.subject("j", strconv.Itoa(p), "s", ">"))
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		to := session.ShardOf(id) % n
		if to == p {
			continue
		}
		if err := j.moveSession(ctx, id, p, to); err != nil {
			return moved, fmt.Errorf("session %s: %w", id, err)
		}
		moved++
	}
	return moved, nil
}

// moveSession copies what a stream has of a session and then takes it away there.
// A copy that was cut short is made again.
func (j *Journal) moveSession(ctx context.Context, id clew.SessionID, p, to int) error {
	subject := func(p int) string {
		return j.subject("j", strconv.Itoa(p), "s", strconv.Itoa(session.ShardOf(id)), string(id))
	}
	last, err := j.lastOn(ctx, p, subject(p))
	if err != nil || last == nil {
		return err
	}
	if err := j.streams[to].Purge(ctx, jetstream.WithPurgeSubject(subject(to))); err != nil {
		return engineError(err)
	}
	for m, err := range j.messages(ctx, p, subject(p), 1, last.Seq) {
		if err != nil {
			return err
		}
		if err := j.copyMessage(ctx, m, subject(to)); err != nil {
			return err
		}
	}
	j.log.Debug("a session is in two streams", "session", id, "from", p, "to", to)
	return engineError(j.streams[p].Purge(ctx, jetstream.WithPurgeSubject(subject(p))))
}

func (j *Journal) copyMessage(ctx context.Context, m *jetstream.RawStreamMsg, subject string) error {
	return j.health.write(ctx, func(ctx context.Context) error {
		answer, err := j.engine.conn.RequestMsgWithContext(ctx, &nats.Msg{Subject: subject, Data: m.Data})
		if err != nil {
			return engineError(err)
		}
		_, err = parseAck(answer.Data)
		return err
	})
}
