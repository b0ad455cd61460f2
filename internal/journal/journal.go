package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
)

// Journal implements session.Journal, and with Index, Peers and Keys the other
// ports that live on the engine. Safe for concurrent use.
type Journal struct {
	cfg       Config
	log       *slog.Logger
	lock      *os.File
	engine    *engine
	js        jetstream.JetStream
	archive   *archive.Archive
	witness   *witness
	health    *health
	readiness readiness
	waiter    *waiter // nil if an engine that is not there is an error
	nodes     *nodes  // nil with the embedded engine: this process is the only node

	streams    []jetstream.Stream // by partition
	partitions int
	epoch      string // of every session; see firstEpoch
	wake       jetstream.Stream

	// shardMu serialises appends of one shard on a replicated stream, where the
	// engine refuses a second check of the same fence while one is under way.
	shardMu [session.Shards]sync.Mutex

	unflushed  atomic.Bool // seals were written since the last flush
	pruneMu    sync.Mutex
	replaced   []*archive.Seal // whose predecessors may go after the next flush
	foundMu    sync.Mutex
	founding   map[clew.SessionID]bool // sessions that Found is at work on
	seals      seals
	doomed     doomed
	background sync.WaitGroup
	onClose    func() // last of all, nil if there is nothing to do
	stop       context.CancelFunc
}

// Open starts or reaches the engine and opens the archive.
func Open(ctx context.Context, cfg Config, log *slog.Logger) (_ *Journal, err error) {
	cfg, err = cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	j := &Journal{cfg: cfg, log: log, founding: map[clew.SessionID]bool{}, health: newHealth(cfg.Embedded(), cfg.Clock), readiness: readiness{clock: cfg.Clock}}
	if cfg.Patient && !cfg.Embedded() {
		j.waiter = newWaiter(cfg.Engine, cfg.Clock, log)
	}
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	j.stop = stop
	defer func() {
		if err != nil {
			j.Close(context.Background())
		}
	}()
	if _, err := os.Stat(filepath.Join(cfg.Dir, restoringFile)); err == nil && !cfg.restored.on {
		return nil, fmt.Errorf("%w: %s", ErrRestoring, cfg.Dir)
	}
	if j.lock, err = lockDir(cfg.Dir); err != nil {
		return nil, err
	}
	if j.witness, err = openWitness(cfg.Dir, j.health, log); err != nil {
		return nil, fmt.Errorf("open the witness: %w", err)
	}
	if j.archive, err = archive.Open(ctx, cfg.Archive); err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	if j.engine, err = startEngine(ctx, cfg, j.waiter, j.health, log); err != nil {
		return nil, err
	}
	if j.js, err = jetstream.New(j.engine.conn, jetstream.WithDefaultTimeout(j.requestTimeout())); err != nil {
		return nil, err
	}
	if err = j.openStreams(ctx); err != nil {
		return nil, fmt.Errorf("open the streams: %w", err)
	}
	if j.wake, err = j.openWake(ctx); err != nil {
		return nil, fmt.Errorf("open the wake-ups: %w", err)
	}
	j.background.Go(func() { j.keepFlushing(bg) })
	if cfg.Embedded() {
		j.background.Go(func() { (&healer{j: j, log: log}).run(bg) })
	}
	if !cfg.Embedded() {
		if j.nodes, err = joinNodes(ctx, bg, j); err != nil {
			return nil, fmt.Errorf("join the nodes: %w", err)
		}
	}
	return j, nil
}

// requestTimeout bounds one request to a cluster's engine. It is shorter than
// what a command may take, so that a lost answer is asked for again.
const requestTimeout = 2 * time.Second

// embeddedTimeout bounds one request to the engine in this process. No answer is
// lost here; one that takes long is the disk's or a busy machine's.
const embeddedTimeout = 10 * time.Second

func (j *Journal) requestTimeout() time.Duration {
	if j.cfg.Embedded() {
		return embeddedTimeout
	}
	return requestTimeout
}

// Close leaves the engine. Nothing durable depends on it having been called.
func (j *Journal) Close(ctx context.Context) {
	j.stop()
	if j.nodes != nil {
		j.nodes.leave()
	}
	j.background.Wait()
	if j.engine != nil {
		j.engine.close(ctx)
	}
	if j.archive != nil {
		if err := j.Flush(ctx); err != nil {
			j.log.Warn("flush", "err", err)
		}
		if err := j.archive.Close(); err != nil {
			j.log.Warn("close the archive", "err", err)
		}
	}
	if j.witness != nil {
		j.witness.close()
	}
	if j.lock != nil {
		_ = j.lock.Close()
	}
	if j.onClose != nil {
		j.onClose()
	}
}

// Node is this node's name.
func (j *Journal) Node() string { return j.cfg.Node }

// MaxRecord is the size of the largest record that the engine takes.
func (j *Journal) MaxRecord() int { return int(j.engine.conn.MaxPayload()) - 4<<10 }

// Flush implements session.Journal. Seals that newer, now durable ones replace
// are let go.
func (j *Journal) Flush(ctx context.Context) error {
	j.pruneMu.Lock()
	replaced := j.replaced
	j.replaced = nil
	j.pruneMu.Unlock()
	if err := j.archive.Sync(ctx); err != nil {
		j.health.suspect(err)
		return clew.WrapError(clew.StorageFailed, err, "the archive was not flushed")
	}
	for _, seal := range replaced {
		if err := j.archive.Prune(ctx, seal); err != nil {
			j.log.Warn("prune", "session", seal.Session, "err", err)
		}
	}
	return nil
}

// flushEvery is how long a snapshot may wait to be flushed. Until then the
// session is read from the stream, which has everything.
const flushEvery = 2 * time.Second

func (j *Journal) keepFlushing(ctx context.Context) {
	t := time.NewTicker(flushEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		if j.unflushed.Swap(false) {
			if err := j.Flush(ctx); err != nil && ctx.Err() == nil {
				j.log.Warn("flush", "err", err)
				j.unflushed.Store(true)
			}
		}
	}
}

const (
	partitionsKey = "clew_partitions"
	epochKey      = "clew_epoch"
)

// firstEpoch is a store's epoch until it is restored from a backup. A place in a
// session is an epoch and a number: after a restore other records may get the
// numbers of those that are lost, and clients that had seen these must notice.
const firstEpoch = "e1"

// openStreams makes the streams if they are not there. The number of partitions
// is fixed by the first node that ever came.
func (j *Journal) openStreams(ctx context.Context) error {
	j.partitions, j.epoch = j.cfg.Partitions, cmp.Or(j.cfg.restored.epoch, firstEpoch)
	first, err := patiently(ctx, j.waiter, func() (jetstream.Stream, error) { return j.js.Stream(ctx, j.streamName(0)) })
	switch {
	case err == nil:
		n, err := strconv.Atoi(first.CachedInfo().Config.Metadata[partitionsKey])
		if err != nil || n < 1 {
			return fmt.Errorf("stream %s does not say how many partitions there are", j.streamName(0))
		}
		j.partitions = n
		j.epoch = cmp.Or(first.CachedInfo().Config.Metadata[epochKey], firstEpoch)
		if next := first.CachedInfo().Config.Metadata[movingKey]; next != "" && !j.cfg.moving {
			return fmt.Errorf("%w: %s", ErrRepartitioning, next)
		}
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return err
	}
	for p := range j.partitions {
		s, err := j.openStream(ctx, j.streamConfig(p))
		if err != nil {
			return fmt.Errorf("stream %s: %w", j.streamName(p), err)
		}
		j.streams = append(j.streams, s)
	}
	return nil
}

// openStream opens a stream, or makes it. One of an older configuration is kept
// as it is.
func (j *Journal) openStream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	return patiently(ctx, j.waiter, func() (jetstream.Stream, error) {
		s, err := j.js.CreateStream(ctx, cfg)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = j.js.Stream(ctx, cfg.Name)
		}
		return s, err
	})
}

func (j *Journal) streamConfig(p int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        j.streamName(p),
		Description: "records of clew sessions",
		Subjects:    []string{j.subject("j", strconv.Itoa(p), ">")},
		Storage:     jetstream.FileStorage,
		Replicas:    j.cfg.Replicas,
		Discard:     jetstream.DiscardNew,
		AllowDirect: true,
		// Repeats are told by seq and hash. The engine's own memory of message
		// ids is not used and costs start-up time in proportion to its window.
		Duplicates: 100 * time.Millisecond,
		Metadata:   map[string]string{partitionsKey: strconv.Itoa(j.partitions), epochKey: j.epoch},
		FirstSeq:   j.cfg.restored.firstSeq,
	}
}

func (j *Journal) streamName(p int) string {
	return strings.ToUpper(j.cfg.Prefix) + "_J_" + strconv.Itoa(p)
}

func (j *Journal) subject(parts ...string) string {
	return j.cfg.Prefix + "." + strings.Join(parts, ".")
}

func (j *Journal) partition(shard int) int { return shard % j.partitions }

func (j *Journal) sessionSubject(id clew.SessionID) (partition int, subject string) {
	shard := session.ShardOf(id)
	p := j.partition(shard)
	return p, j.subject("j", strconv.Itoa(p), "s", strconv.Itoa(shard), string(id))
}

func (j *Journal) fenceSubject(shard int) (partition int, subject string) {
	p := j.partition(shard)
	return p, j.subject("j", strconv.Itoa(p), "f", strconv.Itoa(shard))
}

// sessionOf takes the session out of a record subject.
func sessionOf(subject string) clew.SessionID {
	return clew.SessionID(subject[strings.LastIndexByte(subject, '.')+1:])
}

// lastOn asks the stream's leader for the last message on a subject: nil if
// there is none. Unlike a direct get it cannot be answered by a replica that
// lags behind.
func (j *Journal) lastOn(ctx context.Context, p int, subject string) (*storedMsg, error) {
	return j.getMsg(ctx, p, `{"last_by_subj":"`+subject+`"}`)
}

// isCode reports whether err is the engine's refusal with one of these codes.
func isCode(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	for _, c := range codes {
		if api.ErrorCode == c {
			return true
		}
	}
	return false
}

// Refusals that look alike and mean different things: the fence moved (someone
// else owns the shard), and the fence is being checked by another append on a
// replicated stream (try again).
const (
	codeWrongFence = jetstream.ErrorCode(10071)
	codeFenceBusy  = jetstream.ErrorCode(10164)
)

func newMsg(subject string, data []byte) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: data, Header: nats.Header{}}
}
