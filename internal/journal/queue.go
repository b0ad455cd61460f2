package journal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	noticesAtOnce = 8
	// noticeWait is how long after a node's death another, or its next life, takes
	// its notices up. Who is at work on one says so more often.
	noticeWait = 20 * time.Second
	noticeBeat = 5 * time.Second
	// noticesAhead is small, so that none waits here until its time is over.
	noticesAhead = 2
)

// queue calls take with each change of a row until ctx ends, the rows that are
// there at first included. Each change goes to one of the nodes that have a queue
// of this name, and take says what became of it. A node takes the changes of one
// row one after the other.
func (x *Inbox) queue(ctx context.Context, name string, take func(jetstream.Msg)) error {
	bucket := x.table.kv.Bucket()
	consumer, err := patiently(ctx, x.j.waiter, func() (jetstream.Consumer, error) {
		return x.j.js.CreateOrUpdateConsumer(ctx, "KV_"+bucket, jetstream.ConsumerConfig{
			Durable:       name,
			FilterSubject: "$KV." + bucket + ".>",
			AckPolicy:     jetstream.AckExplicitPolicy,
			AckWait:       noticeWait,
			MaxAckPending: -1, // a bound would be one that a single person's rows can use up
		})
	})
	if err != nil {
		return engineError(err)
	}
	var sending sync.WaitGroup
	defer sending.Wait()
	var rows appendQueue
	var people sessionLocks
	places := make(chan struct{}, noticesAtOnce)
	placed := func() bool {
		select {
		case places <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		}
	}
	work := func(in lockedJournal) {
		defer in.done()
		defer rows.wait(in.m.Subject())()
		take(in.m)
	}
	run, err := consumer.Consume(func(m jetstream.Msg) {
		user := laneOf(m.Subject(), bucket)
		in, more := people.enter(user, m)
		if !more {
			return
		}
		has := placed() // here, so that not more is fetched than there are places for
		sending.Go(func() {
			for ; more; in, more = people.next(user) {
				if has || placed() {
					work(in)
					<-places // others have their turn in between
				} else { // for another node, or for later
					in.done()
					_ = in.m.Nak()
				}
				has = false
			}
		})
	}, jetstream.PullMaxMessages(noticesAhead))
	if err != nil {
		return engineError(err)
	}
	<-ctx.Done()
	run.Drain() // what was fetched and not begun is given back
	<-run.Closed()
	return nil
}

// atWork keeps a message from being given to another until done is called.
func atWork(m jetstream.Msg) (done func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(noticeBeat)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				_ = m.InProgress() // if it fails, another may take it up: at least once
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// appendQueue lets one at a time work on a row.
type appendQueue struct{ busy sync.Map } // row to a channel that is closed when it is free

func (t *appendQueue) wait(row string) (done func()) {
	mine := make(chan struct{})
	for {
		other, taken := t.busy.LoadOrStore(row, mine)
		if !taken {
			return func() { t.busy.Delete(row); close(mine) }
		}
		<-other.(chan struct{}) // what is under way is bounded by its own time
	}
}

// A Change is what happened to one row of somebody's inbox.
type Change struct {
	Row     string // names the row; the same for all its changes
	User    clew.UserID
	Item    *core.InboxItem // nil if the row is gone; then User is not known
	Attempt int             // 1 for the first
}

// Changes calls take with each change until ctx ends; of changes that come fast
// upon each other only the last is certain. Each is given to one node of those
// that ask under this name. If take fails, the change is given again after the
// time it returns, perhaps to another node; if that is 0 it is given up.
func (x *Inbox) Changes(ctx context.Context, name string, take func(context.Context, Change) (again time.Duration, err error)) error {
	return x.queue(ctx, name, func(m jetstream.Msg) {
		c := Change{Row: strings.TrimPrefix(m.Subject(), "$KV."+x.table.kv.Bucket()+"."), Attempt: 1}
		if meta, err := m.Metadata(); err == nil {
			c.Attempt = int(meta.NumDelivered)
		}
		if len(m.Data()) > 0 {
			row, err := decodeRow(m.Data())
			if err != nil { // it will not become readable
				x.j.log.Error("inbox change", "err", err)
				_ = m.Term()
				return
			}
			c.User, c.Item = row.User, &row.InboxItem
		}
		switch again, err := take(ctx, c); {
		case err == nil:
			_ = m.Ack()
		case ctx.Err() != nil: // this node stops; another goes on
			_ = m.NakWithDelay(time.Second)
		case again > 0:
			_ = m.NakWithDelay(again)
		default:
			_ = m.Term()
		}
	})
}

// HasRow reports whether a row is there, by the name that its changes have.
func (x *Inbox) HasRow(ctx context.Context, row string) (bool, error) {
	_, _, err := x.table.Get(ctx, row)
	if errors.Is(err, ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}
