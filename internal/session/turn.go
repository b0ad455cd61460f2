package session

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// An Agent works on turns. The session starts it in a goroutine of its own and
// ends it through ctx; everything it brings about goes through the TurnContext. Work
// returns when the turn is over or when it waits for somebody: the session
// calls it again once there is something to do.
type Agent interface {
	Work(ctx context.Context, turn core.Turn, prompt clew.Message, desk *TurnContext) error
}

// turn is an agent at work.
type turn struct {
	id            clew.MessageID
	lastRewindSeq uint64 // the session's last return when it began
	cancel        context.CancelFunc
	desk          *TurnContext
	// waiter is closed when there are records beyond after, nil if nobody waits.
	waiter chan struct{}
	after  uint64
}

// startTurns starts the agents of tasks that have something to do and that
// nobody is working on: after a message, an answer, or a restart. It ends those
// whose turn is over.
func (s *Session) startTurns() {
	for id, running := range s.turns {
		if t := s.state.Task(id); t == nil || t.Turn == nil || t.Turn.ID != running.id || s.state.LastRewindSeq != running.lastRewindSeq || s.state.PendingRewind != nil {
			running.cancel() // it stays here until it has left: no two agents work on one task
		}
		if running.waiter != nil && s.state.Seq > running.after {
			close(running.waiter)
			running.waiter = nil
		}
	}
	waits := false
	defer func() {
		if !waits { // what came while a turn asked for it is that turn's: it would lose its place
			s.slots.giveBack(false)
		}
	}()
	defer func() {
		s.busy.Store(s.state.Busy() || len(s.turns) > 0 || len(s.notebooks) > 0 || s.state.MissingFiles() != nil)
	}()
	if s.host.cfg.Agent == nil || s.state.Owner == "" { // a fork or an import whose own first record is still to come
		return
	}
	if s.noteMissing() {
		return
	}
	due := s.waitingTurns()
	for i, t := range due {
		if !s.state.MayStart(t, s.background()) { // it begins when another one is over
			continue
		}
		release := s.slotFor()
		if release == nil { // they stay as they are on record, and begin when one is free
			s.awaitSlots(len(due) - i)
			waits = true
			return
		}
		s.startTurn(t, release)
	}
}

// waitingTurns are the tasks that have something to do and that nobody works on, first
// come, first served.
func (s *Session) waitingTurns() []*core.Task {
	var list []*core.Task
	for id, t := range s.state.Tasks {
		if s.turns[id] == nil && s.state.Runnable(t) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *core.Task) int {
		return cmp.Or(core.CompareMessageIDs(a.Turn.ID, b.Turn.ID), cmp.Compare(a.Number, b.Number))
	})
	return list
}

// background counts the turns at work on monitors other than the main one.
func (s *Session) background() (n int) {
	for id := range s.turns {
		if t := s.state.Task(id); t != nil && t.MonitorID != clew.MainMonitor {
			n++
		}
	}
	return n
}

func (s *Session) startTurn(t *core.Task, release func()) {
	work := *t.Turn
	prompt := clew.Message{MessageID: work.ID}
	if m := s.state.Message(work.ID); m != nil {
		prompt = *m
	}
	ctx, cancel := context.WithCancel(context.Background())
	slot := &turnSlot{slots: s.host.cfg.Slots, owner: s.state.Owner, release: release}
	desk := &TurnContext{s: s, turn: work, lastRewindSeq: s.state.LastRewindSeq, ctx: ctx, slot: slot}
	desk.seen.Store(s.state.Seq)
	if reply := s.state.Message(work.Reply); reply != nil {
		desk.stream = &Stream{d: desk, m: *reply}
	}
	if s.turns == nil {
		s.turns = map[clew.TaskID]*turn{}
	}
	running := &turn{id: work.ID, lastRewindSeq: s.state.LastRewindSeq, cancel: cancel, desk: desk}
	s.turns[work.TaskID] = running
	s.agents.Add(1)
	s.host.loops.Go(func() { // Close waits for it
		defer s.agents.Done()
		defer cancel()
		s.work(ctx, work, prompt, desk)
		slot.put(true)
		// There may be more to do by now: an answer came while it was leaving.
		_ = s.read(context.Background(), func(s *Session) {
			if s.turns[work.TaskID] == running {
				delete(s.turns, work.TaskID)
			}
		})
	})
}

// work runs the agent. A turn never stays open behind an agent that failed.
func (s *Session) work(ctx context.Context, work core.Turn, prompt clew.Message, desk *TurnContext) {
	err := s.workSafely(ctx, work, prompt, desk)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		idle := false
		_ = s.read(ctx, func(s *Session) {
			t := s.state.Task(work.TaskID)
			idle = t != nil && t.Turn != nil && t.Turn.ID == work.ID && s.state.Runnable(t) && desk.recorded.Load() == 0 && desk.seen.Load() == s.state.Seq
		})
		if !idle {
			return
		}
		err = clew.Errorf(clew.ExecutionFailed, "the agent left its turn unfinished")
	}
	s.host.cfg.Log.Warn("turn failed", "session", s.id, "turn", work.ID, "err", err)
	desk.fail(err)
}

// workSafely makes an error of an agent's panic: it ends its turn, not the
// process.
func (s *Session) workSafely(ctx context.Context, work core.Turn, prompt clew.Message, desk *TurnContext) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.host.cfg.Log.Error("agent panicked", "session", s.id, "turn", work.ID, "panic", p, "stack", string(debug.Stack()))
			err = clew.WrapError(clew.ExecutionFailed, fmt.Errorf("panic: %v", p), "the agent failed")
		}
	}()
	return s.host.cfg.Agent.Work(ctx, work, prompt, desk)
}

// stopTurns ends the agents at work. It does not wait: an agent may be waiting
// for this very goroutine; what it still reports is refused, as its turn is over.
func (s *Session) stopTurns() {
	for _, t := range s.turns {
		t.cancel()
	}
}
