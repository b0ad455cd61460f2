package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// However an append fails, a command that is acknowledged stands in the journal
// once.
//
// Covers: C-09, G-16
func TestAppendFaults(t *testing.T) {
	tests := map[string]func(f *faults, steal func()){
		"refused, then taken":           func(f *faults, _ func()) { f.before = times(3, errors.New("time-out")) },
		"taken, but told time-out":      func(f *faults, _ func()) { f.after = times(3, errors.New("time-out")) },
		"lease lost, nobody else":       func(f *faults, _ func()) { f.before = times(3, session.ErrLeaseLost) },
		"time-out, then lease lost":     func(f *faults, _ func()) { f.before = first(errors.New("time-out"), session.ErrLeaseLost) },
		"taken, then told lease lost":   func(f *faults, _ func()) { f.after = times(1, session.ErrLeaseLost) },
		"lease lost to another's claim": func(f *faults, steal func()) { f.before = once(steal) },
	}
	for name, set := range tests {
		t.Run(name, func(t *testing.T) {
			m := new(journaltest.Memory)
			f := &faults{Journal: m.Node("a")}
			h := start(t, f, session.Config{})
			id := create(t, h, "")
			// The claim of another session of the shard, or of a second process
			// under the same name, fences the first one off.
			steal := func() {
				if _, err := m.Node("a").Claim(context.Background(), session.ShardOf(id)); err != nil {
					t.Error(err)
				}
			}
			f.set(func() { set(f, steal) })
			receipts := burst(t.Context(), h, id, 20)
			if len(receipts) != 20 {
				t.Errorf("%d of 20 commands were taken", len(receipts))
			}
			records := journaled(t, f, id)
			if len(records) != 21 {
				t.Errorf("%d records, want 21", len(records))
			}
			checkOnce(t, records, receipts)
			checkFold(t, f, h, id)
		})
	}
}

func first(errs ...error) func([]clew.Record) error {
	next := make(chan error, len(errs))
	for _, err := range errs {
		next <- err
	}
	return func([]clew.Record) error {
		select {
		case err := <-next:
			return err
		default:
			return nil
		}
	}
}

func once(fn func()) func([]clew.Record) error {
	run := times(1, errors.New("now"))
	return func(r []clew.Record) error {
		if run(r) != nil {
			fn()
		}
		return nil
	}
}

// A command without a name of its own has one effect too when its append was
// stored and the acknowledgement lost together with the lease.
//
// Covers: WS-009
func TestLostAckAndLease(t *testing.T) {
	f := &faults{Journal: new(journaltest.Memory).Node("a")}
	h := start(t, f, session.Config{})
	id := create(t, h, "")
	f.set(func() { f.after = times(1, session.ErrLeaseLost) })
	r := do(t, h, id, rename(""))
	if len(r.Records) != 1 || r.Records[0] != clew.MessageIDOf(2) {
		t.Errorf("receipt %v", r.Records)
	}
	if n := len(journaled(t, f, id)); n != 2 {
		t.Errorf("%d records, want 2", n)
	}
}

// Another owner wrote meanwhile: the session is loaded anew and the command
// goes on from there.
//
// Covers: C-79
func TestAnotherOwnerWrote(t *testing.T) {
	m := new(journaltest.Memory)
	f := &faults{Journal: m.Node("a")}
	h := start(t, f, session.Config{})
	id := create(t, h, "")
	old := watch(t, h, id)
	f.set(func() { f.before = once(func() { foreign(t, m.Node("a"), id) }) })
	receipts := burst(t.Context(), h, id, 10)
	if len(receipts) != 10 {
		t.Errorf("%d of 10 commands were taken", len(receipts))
	}
	records := journaled(t, f, id)
	if len(records) != 12 || records[1].By != "other" {
		t.Errorf("%d records, want 12 with the other's first", len(records))
	}
	checkOnce(t, records, receipts)
	checkFold(t, f, h, id)
	// Watchers of the former life are told to attach again.
	pos, _ := old.Feed().End()
	if _, _, _, err := old.Feed().Next(pos, make([]*feed.Item, 1)); !errors.Is(err, feed.ErrClosed) {
		t.Errorf("the old feed: %v", err)
	}
	if _, err := old.State(t.Context()); !errors.Is(err, feed.ErrClosed) {
		t.Errorf("state through the old watch: %v", err)
	}
	if _, err := old.Messages(t.Context(), 10, 0, ""); err != nil {
		t.Errorf("messages through the old watch: %v", err)
	}
}

// foreign takes the shard over and appends one record.
func foreign(t testing.TB, j session.Journal, id clew.SessionID) {
	lease, err := j.Claim(context.Background(), session.ShardOf(id))
	if err != nil {
		t.Error(err)
		return
	}
	log, loaded, err := j.Open(context.Background(), lease, id)
	if err != nil {
		t.Error(err)
		return
	}
	r := loaded.Head.Next(id, lease.Term, 1, "other", clew.EventSessionRenamed, []byte(`{"title":"theirs"}`))
	if err := log.Append(context.Background(), []clew.Record{r}); err != nil {
		t.Error(err)
	}
}

// While the engine is away a command waits as long as its sender does; what was
// stored of it is told by its name.
func TestEngineAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faults{Journal: new(journaltest.Memory).Node("a")}
		h := start(t, f, session.Config{})
		id := create(t, h, "")
		f.set(func() { f.before = func([]clew.Record) error { return errDead } })
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := h.Do(ctx, id, rename("r1")); clew.CodeOf(err) != clew.Unavailable {
			t.Errorf("while the engine is away: %v", err)
		}
		f.set(func() { f.before = nil })
		r := do(t, h, id, rename("r1"))
		if len(r.Records) != 1 || len(journaled(t, f, id)) != 2 {
			t.Errorf("receipt %v, %d records", r.Records, len(journaled(t, f, id)))
		}
	})
}

// A session that ends while its append is open leaves the lease behind, so that
// a late arrival of the append is refused.
func TestOpenAppendVoidsLease(t *testing.T) {
	m := new(journaltest.Memory)
	f := &faults{Journal: m.Node("a")}
	h := start(t, f, session.Config{})
	id := create(t, h, "")
	var terms []uint64
	tried := make(chan struct{}, 1000)
	f.set(func() {
		f.before = func(r []clew.Record) error {
			terms = append(terms, r[0].Term) // one append at a time
			select {
			case tried <- struct{}{}:
			default:
			}
			return errDead
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() { _, err := h.Do(ctx, id, rename("r1")); answered <- err }()
	<-tried
	cancel()
	<-answered
	for h.Loaded() > 0 { // the session gives up once it is asked to leave
		h.Unload(1 << 60)
		select {
		case <-tried:
		case <-time.After(time.Millisecond):
		}
	}
	f.set(func() { f.before = nil })
	do(t, h, id, rename("r2"))
	records := journaled(t, f, id)
	if last := records[len(records)-1]; last.Term <= terms[0] {
		t.Errorf("the session went on under term %d, in which an append was open", last.Term)
	}
}

// Covers: C-09, WS-009, G-16
func TestCrashPoints(t *testing.T) {
	tests := map[string]func(f *faults, cfg *session.Config) (arm func()){
		"before append": func(f *faults, _ *session.Config) func() {
			return func() { f.before = func([]clew.Record) error { f.kill(); return errDead } }
		},
		"between append and ack": func(f *faults, _ *session.Config) func() {
			return func() { f.after = func([]clew.Record) error { f.kill(); return errDead } }
		},
		"between ack and fan-out": func(f *faults, cfg *session.Config) func() {
			p := &mortal{end: newNetwork().join("a"), f: f}
			cfg.Peers = p
			return func() { p.armed.Store(true) }
		},
		"between seal and flush": func(f *faults, _ *session.Config) func() {
			return func() { f.dropSeals = true }
		},
	}
	for name, set := range tests {
		t.Run(name, func(t *testing.T) {
			m := new(journaltest.Memory)
			f := &faults{Journal: m.Node("a")}
			var cfg session.Config
			arm := set(f, &cfg)
			a := start(t, f, cfg)
			id := create(t, a, "")
			do(t, a, id, rename("early"))
			f.set(arm)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			acked := burst(ctx, a, id, 30)
			if name == "between seal and flush" {
				if err := a.Seal(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
			f.kill()
			m.Down("a")
			go stop(a)
			b := start(t, m.Node("b"), session.Config{})
			for cause, receipt := range acked { // nothing acknowledged is lost
				again := do(t, b, id, rename(string(cause)))
				if !again.Repeat || fmt.Sprint(again.Records) != fmt.Sprint(receipt.Records) {
					t.Errorf("%s: receipt %v after the crash, %v before", cause, again.Records, receipt.Records)
				}
			}
			all := burst(t.Context(), b, id, 30) // clients send again what was not answered
			records := journaled(t, m.Node("b"), id)
			if len(records) != 32 {
				t.Errorf("%d records, want 32", len(records))
			}
			checkOnce(t, records, all)
			checkFold(t, m.Node("b"), b, id)
			stop(a)
		})
	}
}

// mortal dies when it tells the other nodes of a record.
type mortal struct {
	*end
	f     *faults
	armed atomic.Bool
}

func (p *mortal) Publish(clew.SessionID, []byte) {
	if p.armed.Load() {
		p.f.kill()
	}
}

// A store that takes no seals costs no memory and little time: the next try
// comes after as many records as after a success.
func TestSealFails(t *testing.T) {
	f := &faults{Journal: new(journaltest.Memory).Node("a"), failSeals: true}
	h := start(t, f, session.Config{})
	id := create(t, h, "")
	for i := range 2500 {
		do(t, h, id, rename(fmt.Sprint("r", i)))
	}
	f.set(func() {
		if f.sealTries != 2 {
			t.Errorf("%d tries to seal in 2500 records", f.sealTries)
		}
		f.failSeals = false
	})
	for i := range 600 {
		do(t, h, id, rename(fmt.Sprint("q", i)))
	}
	h.Unload(1 << 60)
	do(t, h, id, rename("last"))
	checkFold(t, f, h, id)
}
