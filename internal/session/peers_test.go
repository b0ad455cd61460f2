package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// pair is two hosts on one store; a owns the session.
type pair struct {
	m    *journaltest.Memory
	net  *network
	f    *faults // a's journal
	a, b *session.Host
	id   clew.SessionID
}

func newPair(t testing.TB, agent session.Agent) *pair {
	t.Helper()
	p := &pair{m: new(journaltest.Memory), net: newNetwork()}
	p.f = &faults{Journal: p.m.Node("a")}
	p.a = start(t, p.f, session.Config{Peers: p.net.join("a"), Agent: agent})
	p.b = start(t, p.m.Node("b"), session.Config{Peers: p.net.join("b"), Agent: agent})
	synctest.Wait() // both serve
	p.id = create(t, p.a, "")
	return p
}

// Covers: C-79
func TestCommandsAreForwarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, pace(time.Second, "hm"))
		ctx := t.Context()
		r := do(t, p.b, p.id, rename("r1"))
		again := do(t, p.b, p.id, rename("r1"))
		if r.Repeat || !again.Repeat || fmt.Sprint(r.Records) != "[msg_000000000002]" || fmt.Sprint(again.Records) != fmt.Sprint(r.Records) {
			t.Errorf("receipts %+v and %+v", r, again)
		}
		if role, err := p.b.Access(ctx, p.id, ann); role != clew.RoleOwner || err != nil {
			t.Errorf("access: %q, %v", role, err)
		}
		if _, err := p.b.Access(ctx, p.id, bob); clew.CodeOf(err) != clew.SessionNotFound {
			t.Errorf("a stranger: %v", err)
		}
		if st := stateOf(t, p.b, p.id); st.Title != "title r1" || st.Epoch == "" {
			t.Errorf("state %+v", st)
		}
		for i := range 11 {
			do(t, p.b, p.id, say(fmt.Sprint("m", i), "x"))
		}
		if _, err := p.b.Do(ctx, p.id, say("m11", "x")); clew.CodeOf(err) != clew.QueueFull {
			t.Errorf("a refusal from afar: %v", err)
		}
		if err := errors.Join(p.b.Seal(ctx, p.id), p.b.Wake(ctx, p.id)); err != nil {
			t.Error(err)
		}
		if _, err := p.b.Create(ctx, bob, session.NewSession{ID: p.id}); clew.CodeOf(err) != clew.SessionExists {
			t.Errorf("creating it again from afar: %v", err)
		}
		if p.b.Loaded() != 0 {
			t.Error("the session is in the memory of both")
		}
		checkFold(t, p.f, p.b, p.id)
	})
}

// Covers: C-65
func TestPagesFromAfar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		s := newScribe(t, p.m.Node("a"), "long")
		many(s, 450)
		if err := p.a.Wake(t.Context(), "long"); err != nil {
			t.Fatal(err)
		}
		w := watch(t, p.b, "long")
		for _, limit := range []int{1, 201, 1000} {
			for _, offset := range []int{0, 200, 449, 450} {
				checkPage(t, w, s, limit, offset, "")
				checkPage(t, w, s, limit, offset, clew.MessageIDOf(300))
			}
		}
		w.Close()
		synctest.Wait()
	})
}

// Covers: WS-122, C-79
func TestRemoteWatchSeesAllThoughNoticesAreLost(t *testing.T) {
	nightly.Check(t, func(rt *rapid.T) {
		losses := rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(rt, "losses")
		n := rapid.IntRange(1, 40).Draw(rt, "commands")
		gaps := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{0, 0, 10 * time.Millisecond, 1500 * time.Millisecond}), n, n).Draw(rt, "gaps")
		synctest.Test(t, func(t *testing.T) {
			p := newPair(t, nil)
			p.net.lose = func() bool { // called under the network's lock
				if len(losses) == 0 {
					return false
				}
				lost := losses[0]
				losses = losses[1:]
				return lost
			}
			f := &follower{h: p.b, id: p.id}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- f.run(ctx) }()
			for i, gap := range gaps {
				time.Sleep(gap)
				do(t, p.a, p.id, rename(fmt.Sprint("r", i)))
			}
			do(t, p.a, p.id, over())
			if err := <-done; err != nil {
				t.Error(err)
			}
			f.check(t, journaled(t, p.f, p.id))
			stop(p.b)
			stop(p.a)
		})
	})
}

// A gap is filled as soon as it shows, not at the next look.
func TestGapIsFilledAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		w := watch(t, p.b, p.id)
		pos, _ := w.Feed().End()
		p.net.lose = func() bool { return true }
		for i := range 5 {
			do(t, p.a, p.id, rename(fmt.Sprint("r", i)))
		}
		p.net.lose = nil
		do(t, p.a, p.id, rename("r5"))
		synctest.Wait() // no time passes
		for i, it := range drain(t, w.Feed(), pos) {
			if it.Seq != uint64(i)+2 {
				t.Errorf("item %d is record %d", i, it.Seq)
			}
		}
		if _, seq := w.Feed().End(); seq != 7 {
			t.Errorf("the feed is at record %d, want 7", seq)
		}
	})
}

// A node dies: its sessions live on at the other, watchers move over, and what
// it still tries to append is refused.
//
// Covers: WS-097, C-79
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		here, there := &follower{h: p.a, id: p.id}, &follower{h: p.b, id: p.id}
		done := make(chan error, 2)
		go func() { done <- here.run(ctx) }()
		go func() { done <- there.run(ctx) }()
		receipts := map[clew.ClientMessageID]session.Receipt{"r0": do(t, p.a, p.id, rename("r0"))}

		p.m.Down("a") // so the others believe; a itself goes on
		began := time.Now()
		for i := range 20 {
			id := fmt.Sprint("r", i+1)
			receipts[clew.ClientMessageID(id)] = do(t, p.b, p.id, rename(id))
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the take-over took %v", took)
		}
		// The old owner believes in its lease; the fence does not.
		receipts["stale"] = do(t, p.a, p.id, rename("stale"))
		p.a.Lost(session.ShardOf(p.id)) // as the claim's announcement does
		do(t, p.a, p.id, over())
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		records := journaled(t, p.f, p.id)
		here.check(t, records)
		there.check(t, records)
		checkOnce(t, records, receipts)
		checkFold(t, p.f, p.b, p.id)
		checkFold(t, p.f, p.a, p.id)
		if p.a.Loaded() != 0 || p.b.Loaded() != 1 {
			t.Errorf("in memory: %d at the old owner, %d at the new", p.a.Loaded(), p.b.Loaded())
		}
	})
}

// An owner that is cut off loses its session to whoever watches it, without
// anyone sending a command.
func TestWatcherTakesOverFromSilentOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		w := watch(t, p.b, p.id)
		pos, _ := w.Feed().End()
		p.net.cut("a")
		p.m.Down("a")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, _, _, err := w.Feed().Next(pos, make([]*feed.Item, 1)); !errors.Is(err, feed.ErrClosed) {
			t.Errorf("the remote feed: %v", err)
		}
		if p.b.Loaded() != 1 {
			t.Error("nobody took the session over")
		}
	})
}

// Covers: G-16, WS-009
func TestLostAnswerHasOneEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		lost := 3
		p.net.mute = func() bool { lost--; return lost >= 0 }
		r := do(t, p.b, p.id, rename("")) // no name of its own
		if len(r.Records) != 1 || len(journaled(t, p.f, p.id)) != 2 {
			t.Errorf("receipt %v, %d records", r.Records, len(journaled(t, p.f, p.id)))
		}
		p.net.mute = nil
		lost = 2
		p.net.mute = func() bool { lost--; return lost >= 0 }
		if _, err := p.b.Create(t.Context(), ann, session.NewSession{ID: sameShard(p.id)}); err != nil {
			t.Errorf("create from afar: %v", err)
		}
	})
}

// sameShard finds another name that falls into the shard.
func sameShard(id clew.SessionID) clew.SessionID {
	for i := 0; ; i++ {
		if other := clew.SessionID(fmt.Sprint("s", i)); session.ShardOf(other) == session.ShardOf(id) {
			return other
		}
	}
}

// The owner's engine is away for longer than one call may take: the command
// waits as long as its sender does.
func TestSlowOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		away := time.Now().Add(7 * time.Second)
		p.f.set(func() {
			p.f.before = func([]clew.Record) error {
				if time.Now().Before(away) {
					return errDead
				}
				return nil
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r, err := p.b.Do(ctx, p.id, rename("r1"))
		if err != nil || len(r.Records) != 1 {
			t.Errorf("receipt %v, %v", r, err)
		}
		if n := len(journaled(t, p.f, p.id)); n != 2 {
			t.Errorf("%d records, want 2", n)
		}
	})
}

// A watch that is being set up while the host closes leaves nothing behind.
func TestCloseWhileAttaching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		asked, goOn := make(chan struct{}), make(chan struct{})
		p.net.onCall = func(_ string, request []byte) {
			if bytes.Contains(request, []byte(`"op":"state"`)) {
				close(asked)
				<-goOn
			}
		}
		result := make(chan error, 1)
		go func() {
			_, err := p.b.Watch(t.Context(), p.id)
			result <- err
		}()
		<-asked
		stop(p.b)
		close(goOn)
		if err := <-result; clew.CodeOf(err) != clew.Unavailable {
			t.Errorf("a watch on a closed host: %v", err)
		}
	})
}

// Two sessions of one shard: when one of them claims anew, the other goes on
// under the new term.
func TestLeaseIsSharedByShard(t *testing.T) {
	f := &faults{Journal: new(journaltest.Memory).Node("a")}
	h := start(t, f, session.Config{})
	one := create(t, h, "one")
	two := create(t, h, sameShard(one))
	for i := range 5 {
		f.set(func() { f.before = times(1, session.ErrLeaseLost) })
		do(t, h, one, rename(fmt.Sprint("r", i)))
		do(t, h, two, rename(fmt.Sprint("r", i)))
	}
	for _, id := range []clew.SessionID{one, two} {
		if n := len(journaled(t, f, id)); n != 6 {
			t.Errorf("%s has %d records", id, n)
		}
	}
}
