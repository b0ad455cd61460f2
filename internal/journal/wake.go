package journal

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
)

// Wake-ups of cold sessions are scheduled messages: the engine publishes the
// target when the time has come, over restarts and on whichever node is there.
// A wake-up may come twice; what it wakes decides by its own records.

func (j *Journal) wakeStream() string { return strings.ToUpper(j.cfg.Prefix) + "_WAKE" }

func (j *Journal) openWake(ctx context.Context) (jetstream.Stream, error) {
	return j.openStream(ctx, jetstream.StreamConfig{
		Name:              j.wakeStream(),
		Description:       "wake-ups of clew sessions",
		Subjects:          []string{j.subject("t", "*"), j.subject("w", "*")},
		Storage:           jetstream.FileStorage,
		Replicas:          j.cfg.Replicas,
		AllowMsgSchedules: true,
		AllowMsgTTL:       true,
		AllowDirect:       true,
		Duplicates:        100 * time.Millisecond,
	})
}

// Wake implements session.Journal.
func (j *Journal) Wake(ctx context.Context, id clew.SessionID, atMS int64) error {
	timer := j.subject("t", string(id))
	if atMS == 0 {
		return engineError(j.health.write(ctx, func(ctx context.Context) error {
			return j.wake.Purge(ctx, jetstream.WithPurgeSubject(timer))
		}))
	}
	m := newMsg(timer, nil)
	// The engine keeps whole seconds and drops the rest. A wake-up that comes
	// early finds nothing due and is lost, so it is put off to the next one.
	at := time.UnixMilli(atMS + 999).Truncate(time.Second)
	return engineError(j.health.write(ctx, func(ctx context.Context) error {
		_, err := j.js.PublishMsg(ctx, m,
			jetstream.WithScheduleAt(at),
			jetstream.WithScheduleTarget(j.subject("w", string(id))),
			jetstream.WithScheduleTTL(24*time.Hour))
		return err
	}))
}

// Wakes calls fn for each wake-up that falls due until ctx ends. Each is given
// to one node; if fn fails it is given again later, perhaps to another.
func (j *Journal) Wakes(ctx context.Context, fn func(context.Context, clew.SessionID) error) error {
	consumer, err := patiently(ctx, j.waiter, func() (jetstream.Consumer, error) {
		return j.wake.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable:       "wake",
			FilterSubject: j.subject("w", "*"),
			AckPolicy:     jetstream.AckExplicitPolicy,
			AckWait:       30 * time.Second,
			MaxAckPending: 1000,
		})
	})
	if err != nil {
		return engineError(err)
	}
	var workers sync.WaitGroup
	free := make(chan struct{}, wakesAtOnce) // a session that is slow to wake holds up no other
	run, err := consumer.Consume(func(m jetstream.Msg) {
		free <- struct{}{}
		workers.Go(func() {
			defer func() { <-free }()
			j.wakeOne(ctx, m, fn)
		})
	}, jetstream.PullMaxMessages(64))
	if err != nil {
		return engineError(err)
	}
	<-ctx.Done()
	run.Stop()
	<-run.Closed()
	workers.Wait()
	return nil
}

const (
	wakesAtOnce = 16
	wakeLimit   = 20 * time.Second // below the time after which it comes again
)

// wakeAgain says when a wake-up that failed comes again. One of a session that is
// too new waits for another program.
func wakeAgain(err error) time.Duration {
	if clew.CodeOf(err) == clew.SessionTooNew {
		return time.Minute
	}
	return time.Second
}

func (j *Journal) wakeOne(ctx context.Context, m jetstream.Msg, fn func(context.Context, clew.SessionID) error) {
	ctx, cancel := context.WithTimeout(ctx, wakeLimit)
	defer cancel()
	id := sessionOf(m.Subject())
	if err := fn(ctx, id); err != nil && clew.CodeOf(err) != clew.SessionNotFound { // a deleted one: nothing is due in it
		j.log.Warn("wake-up failed, it will come again", "session", id, "err", err)
		_ = m.NakWithDelay(wakeAgain(err))
		return
	}
	_ = m.Ack()
}
