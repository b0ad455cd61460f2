package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
)

// approvers are the two who answer, each through a node of their own.
var approvers = []clew.Principal{{User: "ada", Role: clew.RoleOwner}, {User: "bob", Role: clew.RoleOwner}}

// An arena is two nodes on one engine with sessions in which questions are
// asked, and watchers of each session on both.
type arena struct {
	t      testing.TB
	engine *engine
	hosts  []*session.Host
	agent  *asker
	ids    []clew.SessionID
	random *rand.Rand
	log    log

	watchers []*watcher
	stop     context.CancelFunc
	watching sync.WaitGroup
}

// newArena makes sessions by turns on both nodes, so that each answer is near
// its session's owner as often as not.
func newArena(t testing.TB, sessions int) *arena {
	t.Helper()
	s := nightly.Seed(t)
	a := &arena{t: t, engine: startEngine(t, 0), agent: newAsker(), random: rand.New(rand.NewPCG(s, 1))}
	for range approvers {
		a.hosts = append(a.hosts, startNode(t, a.engine, a.agent, nil).Host())
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	t.Cleanup(a.leave)
	a.ids = make([]clew.SessionID, sessions)
	many(sessions, 16, func(i int) { a.ids[i] = a.create(i) })
	for _, id := range a.ids {
		for _, h := range a.hosts {
			w := &watcher{t: t, host: h, id: id, ends: map[clew.RequestID]int{}}
			a.watchers = append(a.watchers, w)
			a.watching.Go(func() { w.run(ctx) })
		}
	}
	return a
}

func (a *arena) create(i int) clew.SessionID {
	h := a.hosts[i%len(a.hosts)]
	id, err := h.Create(context.Background(), owner, session.NewSession{ID: clew.SessionID(fmt.Sprintf("sess_arena_%04d", i))})
	if err != nil {
		a.t.Errorf("create: %v", err)
		return ""
	}
	for _, p := range approvers {
		a.do(h, id, clew.Command{Type: clew.CommandSetAccess, By: owner, Data: &clew.SetAccessData{UserID: p.User, Role: clew.RoleApprover}})
	}
	return id
}

func (a *arena) do(h *session.Host, id clew.SessionID, cmd clew.Command) {
	if _, err := h.Do(context.Background(), id, cmd); err != nil {
		a.t.Errorf("%s in %s: %v", cmd.Type, id, err)
	}
}

func (a *arena) leave() {
	a.stop()
	a.watching.Wait()
}

// ask has count questions asked in each session and gives them all.
func (a *arena) ask(count, timeoutSec int) []question {
	many(len(a.ids), 16, func(i int) {
		a.do(a.hosts[i%2], a.ids[i], clew.Command{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: askText(count, timeoutSec)}})
	})
	list := make([]question, 0, count*len(a.ids))
	limit := time.After(time.Minute)
	for len(list) < cap(list) {
		select {
		case q := <-a.agent.asked:
			list = append(list, q)
		case <-limit:
			a.t.Fatalf("%d of %d questions were asked", len(list), cap(list))
		}
	}
	return list
}

// delays says how long each approver waits once both may answer a question. Half
// of the time nobody does. Else the one at the owner's node waits about as long
// as the other's answer is on its way, so that both arrive at the same instant.
func (a *arena) delays(list []question) [][2]time.Duration {
	near := map[clew.SessionID]int{}
	for i, id := range a.ids {
		near[id] = i % len(a.hosts)
	}
	all := make([][2]time.Duration, len(list))
	for i, q := range list {
		if a.random.IntN(2) == 0 {
			all[i][near[q.session]] = time.Duration(a.random.Int64N(int64(8 * time.Millisecond)))
		}
	}
	return all
}

// answer sends one approver's answer through their node and notes what came of
// it.
func (a *arena) answer(who int, q question) outcome {
	by := approvers[who]
	call := now()
	_, err := a.hosts[who].Do(context.Background(), q.session, clew.Command{
		Type: clew.CommandHitlInputResponse, By: by, Data: &clew.HitlInputResponseData{RequestID: q.id, Value: string(by.User)},
	})
	out := settled
	if err == nil && q.deadline > 0 && call >= q.deadline*int64(time.Millisecond) {
		a.t.Errorf("question %s was answered after its deadline", q.id)
	}
	switch clew.CodeOf(err) {
	case "":
	case clew.HitlRequestExpired:
		out = expired
	default:
		a.t.Errorf("%s answers %s: %v", by.User, q.id, err)
		return expired
	}
	a.log.add(who, act{id: q.id, who: string(by.User)}, out, call, now())
	return out
}

// finish compares the records with what the watchers saw, adds what stands on
// record to the history and checks it. It gives who settled each question.
func (a *arena) finish(asked []question) map[clew.RequestID]clew.HitlResolvedData {
	a.t.Helper()
	ends := map[clew.RequestID]clew.HitlResolvedData{}
	for i, id := range a.ids {
		records := a.engine.records(a.t, id)
		for _, r := range records {
			if r.Type != clew.EventHitlResolved {
				continue
			}
			d := decode[clew.HitlResolvedData](a.t, r.Data())
			if _, twice := ends[d.RequestID]; twice {
				a.t.Errorf("question %s was settled twice", d.RequestID)
			}
			ends[d.RequestID] = d
		}
		for _, w := range a.watchers[2*i : 2*i+2] {
			proc.Eventually(a.t, "a watcher sees all", time.Minute, func() bool { return w.upTo(uint64(len(records))) })
		}
	}
	a.leave()
	a.timedOut(asked, ends)
	a.compare(asked, ends)
	a.log.check(a.t)
	return ends
}

func (a *arena) compare(asked []question, ends map[clew.RequestID]clew.HitlResolvedData) {
	a.t.Helper()
	seen := map[clew.RequestID]int{}
	for _, w := range a.watchers {
		for id, n := range w.ends {
			seen[id] += n
		}
	}
	for _, q := range asked {
		end, ok := ends[q.id]
		if !ok {
			a.t.Errorf("question %s has no outcome on record", q.id)
			continue
		}
		if seen[q.id] != len(a.hosts) {
			a.t.Errorf("%d watchers heard %d times of the end of %s", len(a.hosts), seen[q.id], q.id)
		}
		at := now()
		who, _ := end.Value.(string)
		if end.ByTimeout != (who == nobody) || who != nobody && string(end.ResolvedBy) != who {
			a.t.Errorf("question %s: the record is %+v", q.id, end)
		}
		a.log.add(len(a.hosts), act{id: q.id, read: who}, settled, at, now())
	}
	if len(ends) != len(asked) {
		a.t.Errorf("%d questions were asked, %d settled", len(asked), len(ends))
	}
}
