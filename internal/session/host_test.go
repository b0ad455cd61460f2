package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/feed"
)

// Covers: WS-097, C-01
func TestCreateDoWatch(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	id := create(t, h, "")
	w := watch(t, h, id)
	pos, seq := w.Feed().End()
	if seq != 1 {
		t.Errorf("a new session is at record %d", seq)
	}
	r := do(t, h, id, rename("r1"))
	if len(r.Records) != 1 || r.Records[0] != clew.MessageIDOf(2) || r.ClientMessageID != "r1" || r.Repeat {
		t.Errorf("receipt %+v", r)
	}
	// Whoever has the receipt finds the record in the feed.
	items := make([]*feed.Item, 4)
	if n, _, _, err := w.Feed().Next(pos, items); err != nil || n != 1 || items[0].Seq != 2 {
		t.Errorf("feed has %d items, %v", n, err)
	}
	st, err := w.State(t.Context())
	if err != nil || st.Title != "title r1" || st.Owner != "ann" || st.Status != clew.StatusIdle || st.LastMessageID != clew.MessageIDOf(2) {
		t.Errorf("state %+v, %v", st, err)
	}
	checkFold(t, j, h, id)
}

// Covers: C-79, WS-122
func TestConcurrentCommandsAreOneChain(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	id := create(t, h, "")
	w := watch(t, h, id)
	receipts := burst(t.Context(), h, id, 500)
	if len(receipts) != 500 {
		t.Fatalf("%d of 500 commands were taken", len(receipts))
	}
	records := journaled(t, j, id)
	if len(records) != 501 {
		t.Errorf("%d records", len(records))
	}
	checkOnce(t, records, receipts)
	checkFold(t, j, h, id)
	items := make([]*feed.Item, 600)
	n, _, _, err := w.Feed().Next(1, items)
	if err != nil || n != 501-1 && n != 501 {
		t.Fatalf("feed has %d items, %v", n, err)
	}
	for i, it := range items[:n] {
		if it.Seq != items[0].Seq+uint64(i) {
			t.Fatalf("item %d is record %d", i, it.Seq)
		}
	}
}

// Covers: STO-32, G-16
func TestUnloadAndReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{IdleAfter: time.Minute})
		id := create(t, h, "")
		first := do(t, h, id, rename("r1"))
		before := stateOf(t, h, id)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := h.Loaded(); n != 0 {
			t.Fatalf("%d sessions in memory after two idle minutes", n)
		}
		again := do(t, h, id, rename("r1"))
		if !again.Repeat || !slices.Equal(again.Records, first.Records) {
			t.Errorf("a repeat after a reload gives %+v, want %+v", again, first)
		}
		after := stateOf(t, h, id)
		if after.Title != before.Title || after.LastMessageID != before.LastMessageID {
			t.Errorf("state after a reload %+v, before %+v", after, before)
		}
		checkFold(t, j, h, id)
	})
}

func TestWatcherKeepsSessionLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{IdleAfter: time.Minute})
		id := create(t, h, "")
		w, err := h.Watch(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if h.Loaded() != 1 {
			t.Error("a watched session was unloaded")
		}
		w.Close()
		w.Close() // twice is once
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if h.Loaded() != 0 {
			t.Error("the session stayed after its last watcher left")
		}
	})
}

func TestUnknownSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
		ctx := t.Context()
		_, doErr := h.Do(ctx, "nobody", rename("r"))
		_, watchErr := h.Watch(ctx, "nobody")
		_, accessErr := h.Access(ctx, "nobody", ann)
		_, badErr := h.Access(ctx, "not/valid", ann)
		for _, err := range []error{doErr, watchErr, accessErr, badErr, h.Seal(ctx, "nobody"), h.Wake(ctx, "nobody")} {
			if clew.CodeOf(err).Number() != 3001 {
				t.Errorf("unknown session: %v", err)
			}
		}
		synctest.Wait()
		if n := h.Loaded(); n != 0 {
			t.Errorf("%d unknown sessions stay in memory", n)
		}
	})
}

func TestAccess(t *testing.T) {
	h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
	id := create(t, h, "")
	if role, err := h.Access(t.Context(), id, ann); role != clew.RoleOwner || err != nil {
		t.Errorf("owner: %q, %v", role, err)
	}
	if _, err := h.Access(t.Context(), id, bob); clew.CodeOf(err) != clew.SessionNotFound {
		t.Errorf("a stranger: %v", err)
	}
	do(t, h, id, clew.Command{Type: clew.CommandSetAccess, By: ann, Data: &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer}})
	if role, err := h.Access(t.Context(), id, bob); role != clew.RoleViewer || err != nil {
		t.Errorf("a viewer: %q, %v", role, err)
	}
}

// Of several who create a session under one name, one succeeds.
func TestCreateTwice(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() { _, errs[i] = h.Create(t.Context(), ann, session.NewSession{ID: "one"}) })
		wg.Go(func() { // lookers must not get in the way
			_, err := h.Access(t.Context(), "one", ann)
			if err != nil && clew.CodeOf(err) != clew.SessionNotFound {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		switch {
		case err == nil:
			made++
		case clew.CodeOf(err) != clew.SessionExists:
			t.Error(err)
		}
	}
	if made != 1 || len(journaled(t, j, "one")) != 1 {
		t.Errorf("created %d times, %d records", made, len(journaled(t, j, "one")))
	}
	if _, err := h.Create(t.Context(), ann, session.NewSession{ID: "no good"}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("a bad name: %v", err)
	}
}

// Commands that meet an unload at any moment are taken once all the same.
//
// Covers: C-79
func TestUnloadUnderFire(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	id := create(t, h, "")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			h.Unload(1 << 60)
		}
	})
	receipts := map[clew.ClientMessageID]session.Receipt{}
	var mu sync.Mutex
	var senders sync.WaitGroup
	for g := range 8 {
		senders.Go(func() {
			for i := range 40 {
				cmd := rename(fmt.Sprintf("g%d-%d", g, i))
				r, err := h.Do(t.Context(), id, cmd)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				receipts[cmd.ClientMessageID] = r
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	cancel()
	wg.Wait()
	records := journaled(t, j, id)
	if len(records) != 321 {
		t.Errorf("%d records, want 321", len(records))
	}
	checkOnce(t, records, receipts)
	checkFold(t, j, h, id)
}

// Callers that give up waiting leave nothing behind that the session's
// goroutine still writes to.
func TestGivingUp(t *testing.T) {
	h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
	id := create(t, h, "")
	w := watch(t, h, id)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Microsecond)
			defer cancel()
			role, accessErr := h.Access(ctx, id, ann)
			st, stateErr := w.State(ctx)
			page, pageErr := w.Messages(ctx, 1, 0, "")
			_, doErr := h.Do(ctx, id, rename(""))
			for _, err := range []error{accessErr, stateErr, pageErr, doErr} {
				if err != nil && clew.CodeOf(err) != clew.Unavailable {
					t.Error(err)
				}
			}
			if accessErr == nil && role != clew.RoleOwner || stateErr == nil && st.Owner != "ann" || page.Total != 0 {
				t.Errorf("role %q, owner %q, %d messages", role, st.Owner, page.Total)
			}
		})
	}
	wg.Wait()
}

// Covers: C-66, STO-39
func TestCloseEndsEverything(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	id := create(t, h, "")
	w := watch(t, h, id)
	pos, _ := w.Feed().End()
	stop(h)
	if _, _, _, err := w.Feed().Next(pos, make([]*feed.Item, 1)); !errors.Is(err, feed.ErrClosed) {
		t.Errorf("the feed after the end: %v", err)
	}
	if _, err := w.State(t.Context()); !errors.Is(err, feed.ErrClosed) && clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("state after the end: %v", err)
	}
	if _, err := h.Do(t.Context(), id, rename("late")); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("a command after the end: %v", err)
	}
	lease, _ := j.Claim(t.Context(), session.ShardOf(id))
	if _, loaded, _ := j.Open(t.Context(), lease, id); loaded.StateSeq != 1 {
		t.Errorf("sealed up to %d", loaded.StateSeq)
	}
}

// stubborn is an index that fails a few times.
type stubborn struct {
	*journaltest.MemoryNode
	fails atomic.Int32
}

func (x *stubborn) Put(ctx context.Context, owner clew.UserID, s ...core.Summary) error {
	if x.fails.Add(-1) >= 0 {
		return errDead
	}
	return x.MemoryNode.Put(ctx, owner, s...)
}

// What the index did not take comes into the list later.
func TestListCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &stubborn{MemoryNode: new(journaltest.Memory).Node("a")}
		x.fails.Store(3)
		h := start(t, x, session.Config{})
		id := create(t, h, "")
		do(t, h, id, rename("r1"))
		time.Sleep(time.Minute)
		list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
		if err != nil || len(list) != 1 || list[0].Title != "title r1" || list[0].LastSeq != 2 {
			t.Errorf("the list is %+v, %v", list, err)
		}
	})
}

// Who does something and then looks into the list finds it there.
func TestListShowsWhatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock stands still: no list is written by time
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
		id := create(t, h, "")
		for i := range 10 {
			cmd := rename(fmt.Sprint("r", i))
			do(t, h, id, cmd)
			list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
			if err != nil || len(list) != 1 || list[0].Title != fmt.Sprint("title r", i) {
				t.Fatalf("the list is %+v, %v", list, err)
			}
		}
		stop(h)
	})
}

// stuck is an index that takes nothing any more.
type stuck struct {
	*journaltest.MemoryNode
	on atomic.Bool
}

func (x *stuck) Put(ctx context.Context, owner clew.UserID, s ...core.Summary) error {
	if x.on.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return x.MemoryNode.Put(ctx, owner, s...)
}

// While the engine takes nothing, who looks has an older list after a while.
func TestListDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &stuck{MemoryNode: new(journaltest.Memory).Node("a")}
		h := start(t, x, session.Config{})
		id := create(t, h, "")
		x.on.Store(true)
		do(t, h, id, rename("r1"))
		for range 3 {
			began := time.Now() // of the bubble
			list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
			if err != nil || len(list) != 1 || list[0].Title != "first" {
				t.Fatalf("the list is %+v, %v", list, err)
			}
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
		}
		stop(h)
	})
}

// Covers: STO-27
func TestListOfSessions(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	h := start(t, j, session.Config{})
	for i := range 3 {
		create(t, h, clew.SessionID(fmt.Sprint("s", i)))
	}
	list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
	if err != nil || len(list) != 3 {
		t.Errorf("%d sessions in the list, %v", len(list), err)
	}
}
