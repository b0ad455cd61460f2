package notebook

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/supervisor"
)

const (
	startWithin = 90 * time.Second // until a kernel answers
	askWithin   = 10 * time.Second // of a request that no cell holds up
	deathWithin = 2 * time.Second  // from the end of the sockets to that of the process
)

// An attached kernel is one that this server is joined to. Its goroutine hands what the
// kernel says to whoever listens for it; what nobody listens for, such as the words of a
// thread that outlives its cell, is dropped.
type attached struct {
	id      string
	process Process
	client  *kernel.Client
	info    kernel.Info
	reading sync.WaitGroup
	// closing is closed first when it is let go of: then nobody hears messages any more.
	closing     chan struct{}
	closingOnce sync.Once
	// session and notebook are those that it works for, busy says that a cell runs.
	session  clew.SessionID
	notebook string
	busy     atomic.Bool
	// displays belongs to whoever works for the notebook.
	displays map[string]*item

	opening sync.Mutex // while a subshell is made; what the kernel says is heard meanwhile

	mu       sync.Mutex
	listen   map[string]listener
	subshell string // "" until one was made
}

type listener struct {
	hear chan kernel.Message
	stop chan struct{}
}

func newListener() listener {
	return listener{hear: make(chan kernel.Message), stop: make(chan struct{})}
}

// attach joins the kernel of a process. The identity is the same after each restart of
// the server, so replies to what an earlier one sent arrive: those to the request expect
// wait for who hears them. starting waits until it says so.
func attach(ctx context.Context, id string, p Process, expect string, starting bool, within time.Duration, log *slog.Logger) (*attached, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	go func() { // a process that ends is not waited for
		select {
		case <-p.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	at, err := kernel.ReadConnection(p.ConnectionFile())
	if err != nil {
		return nil, err
	}
	client, err := kernel.Dial(ctx, at, kernel.Options{Identity: "clew-" + id, Starting: true, SaysStarting: starting, Log: log})
	if err != nil {
		return nil, whyEnded(p, err)
	}
	k := &attached{id: id, process: p, client: client, closing: make(chan struct{}), listen: map[string]listener{}, displays: map[string]*item{}}
	if expect != "" {
		k.listen[expect] = newListener()
	}
	k.reading.Go(k.read)
	if k.info, err = client.Info(ctx); err != nil {
		k.close() // the process is the caller's
		return nil, whyEnded(p, err)
	}
	return k, nil
}

// whyEnded tells how a process ended, if that is why something failed.
func whyEnded(p Process, err error) error {
	if gone := goneOf(p); gone != nil {
		return clew.WrapError(clew.ExecutionFailed, err, "%s", gone.Error())
	}
	return err
}

// read hands messages over until the connection ends.
func (k *attached) read() {
	for m := range k.client.Messages() {
		k.mu.Lock()
		l, ok := k.listen[m.ParentID]
		k.mu.Unlock()
		if !ok {
			continue
		}
		select {
		case l.hear <- m:
		case <-l.stop:
		case <-k.closing:
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, l := range k.listen {
		close(l.hear)
		delete(k.listen, id)
	}
	k.listen = nil
}

// hear gives what the kernel says about a request. The channel is closed when the
// connection ends. stop must be called.
func (k *attached) hear(msgID string) (messages <-chan kernel.Message, stop func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, expected := k.listen[msgID]
	if !expected {
		l = newListener()
	}
	if k.listen == nil {
		close(l.hear)
		return l.hear, func() {}
	}
	k.listen[msgID] = l
	return l.hear, sync.OnceFunc(func() {
		close(l.stop)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.listen != nil && k.listen[msgID].stop == l.stop {
			delete(k.listen, msgID)
		}
	})
}

// alive says whether both the process and the connection are there.
func (k *attached) alive() bool {
	select {
	case <-k.process.Done():
		return false
	case <-k.client.Done():
		return false
	default:
		return true
	}
}

// goneOf says how a process has ended, nil if it has not.
func goneOf(p Process) *goneError {
	select {
	case <-p.Done():
	default:
		return nil
	}
	e, _ := p.Ended()
	return &goneError{how: process.How(e), unseen: e.Why == supervisor.WhyLost}
}

// A goneError says that a kernel has ended. What is left of it is held until it is on
// record how.
type goneError struct {
	how    string
	unseen bool // nobody saw it: what it published last may be nowhere
}

func (e *goneError) Error() string { return "the kernel has ended: " + e.how }

// awaitEnd gives the process of a connection that has ended time to end, too.
func awaitEnd(ctx context.Context, p Process) {
	select {
	case <-p.Done():
	case <-ctx.Done():
	case <-time.After(deathWithin):
	}
}

// interrupt stops what runs.
func (k *attached) interrupt(ctx context.Context) error {
	if k.process.Signals() {
		return k.process.Interrupt()
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return k.client.Interrupt(ctx)
}

// shutdown asks the kernel to end, and waits for a second.
func (k *attached) shutdown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = k.client.Shutdown(ctx, false)
	select {
	case <-k.process.Done():
	case <-ctx.Done():
	}
}

// leave lets go of the kernel, which goes on.
func (k *attached) leave() {
	k.mu.Lock()
	subshell := k.subshell
	k.mu.Unlock()
	if subshell != "" && k.alive() { // the next server makes its own
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = k.client.CloseSubshell(ctx, subshell)
		cancel()
	}
	k.close()
	k.process.Release()
}

func (k *attached) close() {
	k.closingOnce.Do(func() { close(k.closing) })
	_ = k.client.Close()
	k.reading.Wait()
}

// within gives the subshell in which something can be asked beside a cell, "" if the
// kernel has none.
func (k *attached) within(ctx context.Context) string {
	if !k.info.Subshells() {
		return ""
	}
	k.opening.Lock()
	defer k.opening.Unlock()
	k.mu.Lock()
	id := k.subshell
	k.mu.Unlock()
	if id != "" {
		return id
	}
	id, err := k.client.OpenSubshell(ctx)
	if err != nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.subshell = id
	return id
}
