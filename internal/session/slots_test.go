package session_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Slots are handed out in the order in which they were asked for, as far as an owner
// and the node have room, and none is ever lost.
//
// Covers: AGT-23, G-07
func TestLimiter(t *testing.T) {
	l := session.NewLimiter(func() (owner, node int) { return 2, 3 })
	var got []string
	wait := func(owner clew.UserID, name string) {
		l.OnFree(owner, func(release func()) {
			got = append(got, name)
			t.Cleanup(release)
		})
	}
	var ann []func()
	for range 2 {
		release, ok := l.Try("ann")
		if !ok {
			t.Fatal("no slot")
		}
		ann = append(ann, release)
	}
	if _, ok := l.Try("ann"); ok {
		t.Error("ann has three")
	}
	bob, ok := l.Try("bob")
	if !ok {
		t.Fatal("ann keeps bob from work")
	}
	if _, ok := l.Try("cid"); ok {
		t.Error("four are at work on the node")
	}
	wait("ann", "ann 1")
	wait("cid", "cid 1")
	wait("ann", "ann 2")
	bob()
	bob()                                      // once is enough
	if !slices.Equal(got, []string{"cid 1"}) { // ann has two
		t.Errorf("got %v", got)
	}
	ann[0]()
	ann[1]()
	if !slices.Equal(got, []string{"cid 1", "ann 1", "ann 2"}) || l.InUse() != 3 {
		t.Errorf("got %v, in use %d", got, l.InUse())
	}
}

// Many agents at once never hold more than there are, and all of them get their turn.
func TestLimiterCrowd(t *testing.T) {
	const each, node = 3, 7
	l := session.NewLimiter(func() (int, int) { return each, node })
	var mu sync.Mutex
	held, most := map[clew.UserID]int{}, 0
	var wg sync.WaitGroup
	for i := range 400 {
		owner := clew.UserID(fmt.Sprint("u", i%5))
		wg.Go(func() {
			got := make(chan func(), 1)
			if release, ok := l.Try(owner); ok {
				got <- release
			} else {
				l.OnFree(owner, func(release func()) { got <- release })
			}
			release := <-got
			mu.Lock()
			held[owner]++
			all := 0
			for _, n := range held {
				all += n
			}
			if most = max(most, all); all > node || held[owner] > each {
				t.Errorf("%d at work, %d of %s", all, held[owner], owner)
			}
			mu.Unlock()
			for range i % 50 { // any work
				runtime.Gosched()
			}
			mu.Lock()
			held[owner]--
			mu.Unlock()
			release()
		})
	}
	wg.Wait()
	if l.InUse() != 0 {
		t.Errorf("%d slots are held by nobody", l.InUse())
	}
}

// counted is an agent that says who is at work, and answers when it is told to.
type counted struct {
	mu    sync.Mutex
	order []clew.MessageID
	now   int
	most  int
	end   chan struct{}
}

func (c *counted) Work(ctx context.Context, turn core.Turn, _ clew.Message, desk *session.TurnContext) error {
	c.mu.Lock()
	c.order = append(c.order, turn.ID)
	c.now++
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	select {
	case <-c.end:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := desk.Begin(); err != nil {
		return err
	}
	return desk.End()
}

func sayOn(id string, on clew.MonitorID) clew.Command {
	return clew.Command{
		Type: clew.CommandUserMessage, By: ann, ClientMessageID: clew.ClientMessageID(id), Data: &clew.UserMessageData{Text: id, MonitorID: on},
	}
}

// Turns that find no slot stay on record and begin as soon as others have ended, the
// oldest first, in this session or in another one of the owner.
//
// Covers: AGT-23, G-07
func TestTurnsWaitForSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		limiter := session.NewLimiter(func() (int, int) { return 2, 0 })
		agent := &counted{end: make(chan struct{})}
		h := start(t, j, session.Config{Agent: agent, Slots: limiter})
		one, two := create(t, h, ""), create(t, h, "")
		do(t, h, one, sayOn("m1", ""))
		time.Sleep(time.Millisecond)
		do(t, h, two, sayOn("m2", ""))
		time.Sleep(time.Millisecond)
		do(t, h, one, sayOn("m3", "monitor-1"))
		time.Sleep(time.Millisecond)
		do(t, h, two, sayOn("m4", "monitor-1"))
		time.Sleep(time.Millisecond)
		do(t, h, one, sayOn("m5", "monitor-2"))
		synctest.Wait()
		if agent.now != 2 || limiter.InUse() != 2 {
			t.Fatalf("%d at work, %d slots", agent.now, limiter.InUse())
		}
		if st := stateOf(t, h, one); len(st.Agents) != 3 || !st.Monitors[1].Busy { // a turn without a slot is a turn
			t.Errorf("the agents are %+v", st.Agents)
		}
		do(t, h, two, clew.Command{Type: clew.CommandInterruptAgent, By: ann, Data: &clew.InterruptAgentData{Agent: "main-monitor-1"}}) // m4 waits no more
		for range 4 {
			agent.end <- struct{}{}
			synctest.Wait()
		}
		if agent.most != 2 || len(agent.order) != 4 || agent.now != 0 || limiter.InUse() != 0 {
			t.Errorf("%d at once, turns %v, %d slots held", agent.most, agent.order, limiter.InUse())
		}
		for _, id := range []clew.SessionID{one, two} {
			if st := stateOf(t, h, id); len(st.Agents) != 0 {
				t.Errorf("at rest: %+v", st.Agents)
			}
		}
	})
}

// lateSlots has one slot, which becomes free just after somebody tried for it.
type lateSlots struct {
	mu   sync.Mutex
	gone bool
	back int
}

func (*lateSlots) Try(clew.UserID) (func(), bool) { return nil, false }

func (l *lateSlots) OnFree(_ clew.UserID, take func(release func())) {
	l.mu.Lock()
	given := l.gone
	l.gone = true
	l.mu.Unlock()
	if !given {
		take(func() {
			l.mu.Lock()
			l.back++
			l.mu.Unlock()
		})
	}
}

// A slot that comes while a turn asks for it is that turn's: who gave it back would wait
// anew, behind all others.
func TestSlotThatComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots, agent := &lateSlots{}, &counted{end: make(chan struct{})}
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{Agent: agent, Slots: slots})
		do(t, h, create(t, h, ""), sayOn("m1", ""))
		synctest.Wait()
		if agent.now != 1 || slots.back != 0 {
			t.Fatalf("%d at work, %d slots were given back", agent.now, slots.back)
		}
		agent.end <- struct{}{}
		synctest.Wait()
		if agent.now != 0 || slots.back != 1 {
			t.Errorf("at the end %d at work, %d slots were given back", agent.now, slots.back)
		}
	})
}

// A session that leaves memory, or a host that closes, keeps no slot.
func TestSlotsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		limiter := session.NewLimiter(func() (int, int) { return 1, 0 })
		h := start(t, j, session.Config{Agent: &counted{end: make(chan struct{})}, Slots: limiter})
		id := create(t, h, "")
		do(t, h, id, sayOn("m1", ""))
		do(t, h, id, sayOn("m2", "monitor-1"))
		synctest.Wait()
		stop(h)
		synctest.Wait()
		if n := limiter.InUse(); n != 0 {
			t.Errorf("%d slots are held", n)
		}
	})
}

// A tool that asks a person holds no slot while it waits.
//
// Covers: G-07
func TestNoSlotWhileAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		limiter := session.NewLimiter(func() (int, int) { return 1, 0 })
		var asked sync.Map
		agent := agentFunc(func(ctx context.Context, turn core.Turn, _ clew.Message, desk *session.TurnContext) error {
			if turn.ID == clew.MessageIDOf(2) {
				a, err := desk.Ask(ctx, clew.HitlInputRequestData{Field: "x", Question: "well?", InputType: clew.InputText})
				if err != nil {
					return err
				}
				asked.Store("answer", a.Value)
			}
			if err := desk.Begin(); err != nil {
				return err
			}
			return desk.End()
		})
		h := start(t, j, session.Config{Agent: agent, Slots: limiter})
		id := create(t, h, "")
		do(t, h, id, sayOn("m1", ""))
		synctest.Wait()
		st := stateOf(t, h, id)
		if limiter.InUse() != 0 || st.HitlPending == nil {
			t.Fatalf("%d slots are held while %+v is open", limiter.InUse(), st.HitlPending)
		}
		do(t, h, id, sayOn("m2", "monitor-1"))
		synctest.Wait()
		if st := stateOf(t, h, id); st.Monitors[1].Busy {
			t.Error("the other monitor waits for the answer")
		}
		do(t, h, id, clew.Command{Type: clew.CommandHitlInputResponse, By: ann, Data: &clew.HitlInputResponseData{RequestID: st.HitlPending.RequestID(), Value: "fine"}})
		synctest.Wait()
		if v, _ := asked.Load("answer"); v != "fine" || limiter.InUse() != 0 {
			t.Errorf("answered %v, %d slots are held", v, limiter.InUse())
		}
	})
}
