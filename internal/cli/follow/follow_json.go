package follow

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// A recordPrinter prints a session's records for programs, on a connection of its own: what
// people are told comes from the state. One goroutine prints; what others ask for is
// under mu.
type recordPrinter struct {
	synced chan struct{} // closed once each record that comes is printed

	mu   sync.Mutex
	seq  uint64        // the newest one that is printed
	err  error         // of the output
	over bool          // none will follow
	news chan struct{} // closed and replaced at every change
}

// recordsLate bounds how long the last records may come after the end of the work.
const recordsLate = 10 * time.Second

// record begins to print the records of a session.
func record(ctx context.Context, c *env.Rest, id clew.SessionID, w io.Writer, running *sync.WaitGroup) (*recordPrinter, error) {
	o := c.Dialing(id)
	o.Retry = Patient
	cl, err := client.Dial(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &recordPrinter{synced: make(chan struct{}), news: make(chan struct{})}
	running.Go(func() {
		defer cl.Close()
		r.print(ctx, cl, w)
	})
	return r, nil
}

func (r *recordPrinter) print(ctx context.Context, cl *client.Client, w io.Writer) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	synced := sync.OnceFunc(func() { close(r.synced) })
	defer synced()
	defer r.note(0, nil, true)
	for frame, err := range cl.Follow(ctx) {
		if err != nil {
			return // the connection that watches the state says why
		}
		switch seq := frame.Seq(); {
		case seq > 0:
			r.note(seq, enc.Encode(frame), false)
		case clew.EventType(frame.Type) == clew.EventSessionState:
			if id, _ := cl.Cursor(); id != client.FromStart {
				seq, _ := id.Seq()
				r.note(seq, nil, false)
			}
		case clew.EventType(frame.Type) == clew.EventSyncComplete:
			synced()
		}
	}
}

func (r *recordPrinter) note(seq uint64, err error, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq, r.over = max(r.seq, seq), over
	if r.err == nil {
		r.err = err
	}
	close(r.news)
	r.news = make(chan struct{})
}

// upTo waits until everything up to a record is printed. Without records there is
// nothing to wait for.
func (r *recordPrinter) upTo(ctx context.Context, id clew.MessageID) error {
	if r == nil {
		return nil
	}
	late := time.NewTimer(recordsLate)
	defer late.Stop()
	last, _ := id.Seq()
	for {
		r.mu.Lock()
		done, err, news := r.seq >= last || r.over, r.err, r.news
		r.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-news:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
