package session

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// timer is a session's timer for the next reminder, deadline or end of a hold. While the
// session is in memory the timer counts; the engine's wake-up is for when it is
// not, and for a machine whose clock stood still. Owned by run.
type timer struct {
	at   int64            // what the timer is set to, 0 if it is not
	held int64            // the hold that counted then
	c    <-chan time.Time // nil if it is not set
	stop func()
	hold int64 // not before so much has elapsed: the last try failed
	// woken is what the engine was last asked for, unknown after a load that may
	// have come between a record and its wake-up. early counts the wake-ups that
	// came before their time.
	woken int64
	early int
}

const (
	unknownWake = -1
	alarmMax    = 24 * time.Hour // a longer wait is cut in pieces
	expirePause = 30 * time.Second
	// readOnlyPause is how often is looked whether records are taken again.
	readOnlyPause = time.Second
	earlyMax      = 6 // 32 s: the most that a wake-up is put off
	wakeTry       = 5 * time.Second
	wakePause     = 100 * time.Millisecond // after a failure, doubled each time
	wakePauseMax  = 5 * time.Second
)

// settle handles what is due, one thing after the other. An error means that
// the session cannot go on here.
func (s *Session) settle() error {
	for {
		elapsed := s.host.elapsed()
		if at := s.state.NextDeadline(); at == 0 || at > s.host.now() || s.alarm.hold > elapsed {
			return nil
		}
		if s.host.cfg.Storage.Writable() != nil {
			s.alarm.hold = elapsed + readOnlyPause.Milliseconds()
			return nil
		}
		done := make(chan outcome, 1)
		if err := s.process([]request{{ctx: s.host.ctx, cmd: clew.Command{Data: &decide.TimeoutCommand{}}, done: done}}); err != nil {
			return err
		}
		s.lastUse.Store(elapsed)
		if out := <-done; out.err != nil || len(out.receipt.Records) == 0 {
			s.host.cfg.Log.Error("a question could not be settled at its deadline", "session", s.id, "err", out.err)
			s.alarm.hold = elapsed + expirePause.Milliseconds()
			return nil
		}
	}
}

// decideFitting is decide, and once more for a time-out that does not fit one
// batch: texts are cut then.
func (s *Session) decideFitting(req request) (pending, []draft, error) {
	d, ok := req.cmd.Data.(*decide.TimeoutCommand)
	if !ok {
		return s.decide(req)
	}
	d.Streamed = s.streamed()
	p, made, err := s.decide(req)
	if clew.CodeOf(err) == clew.MessageTooLarge && !d.Cut {
		d.Cut = true
		return s.decide(req)
	}
	return p, made, err
}

// arm sets the timer to what is due next, and has the engine's wake-up moved
// there. The state must be durable.
func (s *Session) arm() {
	next := s.state.NextDeadline()
	if planted.Bug("deadline lost on restart") && s.alarm.woken == unknownWake {
		return
	}
	if next != s.alarm.woken && !s.lost.Load() {
		s.alarm.woken, s.alarm.early = next, 0
		s.host.wakes.put(s.id, next)
	}
	if next == s.alarm.at && s.alarm.hold == s.alarm.held {
		return
	}
	s.disarm()
	if next == 0 {
		return
	}
	wait := min(max(next-s.host.now(), s.alarm.hold-s.host.elapsed(), 0), alarmMax.Milliseconds())
	s.alarm.at, s.alarm.held = next, s.alarm.hold
	s.alarm.c, s.alarm.stop = s.host.cfg.Clock.After(time.Duration(wait) * time.Millisecond)
}

func (s *Session) disarm() {
	if s.alarm.stop != nil {
		s.alarm.stop()
	}
	s.alarm.at, s.alarm.c, s.alarm.stop = 0, nil, nil
}

// wake handles what is due before it returns.
func (s *Session) wake(ctx context.Context) error {
	for {
		r, err := s.do(ctx, clew.Command{Data: &decide.TimeoutCommand{}})
		if err != nil {
			return err
		}
		if len(r.Records) == 0 {
			return s.read(ctx, (*Session).rewake)
		}
	}
}

// rewake asks for the wake-up again that may just have been used up. If it
// keeps coming early the engine's clock is ahead of ours, and it is put off more
// and more, lest it comes at once again and again.
func (s *Session) rewake() {
	next := s.state.NextDeadline()
	if next == 0 || next != s.alarm.woken || s.lost.Load() { // arm sees to it
		return
	}
	at := next
	if s.alarm.early > 0 {
		at += int64(1000) << (s.alarm.early - 1)
	}
	s.alarm.early = min(s.alarm.early+1, earlyMax)
	s.host.wakes.put(s.id, at)
}

// wakeAfterLoad says what is known of the engine's wake-up of a session that
// was just loaded: nothing if there is a deadline, or if one may have gone since
// the snapshot.
func wakeAfterLoad(state *core.State, loaded core.Loaded) int64 {
	mark := []byte(`"deadline_ms":`)
	touched := state.NextDeadline() > 0
	had := bytes.Contains(loaded.State, mark) || bytes.Contains(loaded.State, []byte(`"held_until_ms":`))
	for _, r := range loaded.Tail {
		touched = touched || r.Type == clew.EventMonitorHeld || had && (r.Type == clew.EventHitlResolved || r.Type == clew.EventHistoryRewound || r.Type == clew.EventRewindUndone) || bytes.Contains(r.Data(), mark)
	}
	if touched {
		return unknownWake
	}
	return 0
}

// wakes holds the wake-ups that the engine has yet to be asked for: the newest
// of each session, 0 to take it back. Safe for concurrent use.
type wakes struct {
	kick chan struct{}

	mu sync.Mutex
	at map[clew.SessionID]int64
}

func newWakes() *wakes {
	return &wakes{kick: make(chan struct{}, 1), at: map[clew.SessionID]int64{}}
}

func (w *wakes) put(id clew.SessionID, at int64) {
	w.mu.Lock()
	w.at[id] = at
	w.mu.Unlock()
	select {
	case w.kick <- struct{}{}:
	default: // kicked already
	}
}

func (w *wakes) get(id clew.SessionID) (at int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok = w.at[id]
	return at, ok
}

// has reports whether the session's wake-up is not stored yet. Such a session
// counts as busy.
func (w *wakes) has(id clew.SessionID) bool {
	_, ok := w.get(id)
	return ok
}

// drop forgets a session that another node has taken over.
func (w *wakes) drop(id clew.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at, id)
}

func (w *wakes) stored(id clew.SessionID, at int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at[id] == at {
		delete(w.at, id)
	}
}

func (w *wakes) ids() []clew.SessionID {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]clew.SessionID, 0, len(w.at))
	for id := range w.at {
		list = append(list, id)
	}
	return list
}

// keepWakes asks the engine for the wake-ups, out of the commands' way, and
// again as long as it is away.
func (h *Host) keepWakes(ctx context.Context) {
	var again <-chan time.Time
	pause := wakePause
	for {
		select {
		case <-h.wakes.kick:
		case <-again:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), indexEvery)
			_ = h.storeWakes(last) // the next owner asks again
			cancel()
			return
		}
		again = nil
		err := h.storeWakes(ctx)
		if err == nil {
			pause = wakePause
			continue
		}
		if pause == wakePause && ctx.Err() == nil { // once for each outage
			h.cfg.Log.Warn("wake-ups are stored again later", "err", err)
		}
		again, pause = time.After(pause), min(2*pause, wakePauseMax)
	}
}

// storeWakes stops at the first failure: the engine is away.
func (h *Host) storeWakes(ctx context.Context) error {
	for _, id := range h.wakes.ids() {
		at, ok := h.wakes.get(id)
		if !ok { // dropped meanwhile
			continue
		}
		try, cancel := context.WithTimeout(ctx, wakeTry)
		err := h.cfg.Journal.Wake(try, id, at)
		cancel()
		if err != nil {
			return err
		}
		h.wakes.stored(id, at)
	}
	return nil
}
