package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// An InboxChange is what happened to one row of somebody's inbox.
type InboxChange struct {
	SessionID clew.SessionID
	RequestID clew.RequestID
	Item      *core.InboxItem // nil if the row is gone
	// Current marks the end of what was there when the watch began. It comes
	// once, without a row.
	Current bool
}

// Inbox is the table of open questions, by person and session. It is a view:
// the journals are the truth. Implementations are safe for concurrent use; of
// one session there is one call at a time.
type Inbox interface {
	// Sync makes the session's rows exactly these. If another node owns the
	// session by now it changes nothing.
	Sync(ctx context.Context, id clew.SessionID, rows map[clew.UserID][]core.InboxItem) error
	// Forget says that the session left this node: another one may change its
	// rows from now on.
	Forget(id clew.SessionID)
}

// touchesInbox reports whether one of the records may change the rows. A title
// may be what a task is about.
func touchesInbox(records []clew.Record) bool {
	return slices.ContainsFunc(records, func(r clew.Record) bool {
		switch r.Type {
		case clew.EventHitlPlanReview, clew.EventHitlApprovalRequest, clew.EventHitlInputRequest, clew.EventHitlClarification,
			clew.EventHitlResolved, clew.EventHitlReminder, clew.EventHitlAssigned,
			clew.EventAccessChanged, clew.EventSessionRenamed, clew.EventTaskCreated,
			clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventSessionCreated, clew.EventSessionImported:
			return true
		}
		return false
	})
}

// openInbox has the rows of a session that was just loaded written once, if a
// crash may have come between its records and its rows.
func (s *Session) openInbox(loaded core.Loaded) {
	s.inboxDue = len(s.state.Questions) > 0 || touchesInbox(loaded.Tail)
	s.inboxRows = s.inboxDue
	s.noteInbox()
}

// touchInbox has the inboxes follow records that were just appended, before anyone
// hears of them. If the state is ahead of what is durable they follow later.
func (s *Session) touchInbox(records []clew.Record) {
	s.inboxDue = s.inboxDue || touchesInbox(records)
	if s.state.Seq == s.head.Seq {
		s.noteInbox()
	}
}

// noteInbox hands the rows to the host if they may have changed. The state must
// be durable: it runs after the commit.
func (s *Session) noteInbox() {
	if !s.inboxDue {
		return
	}
	s.inboxDue = false
	if s.host.mail == nil || len(s.state.Questions) == 0 && !s.inboxRows {
		return
	}
	s.inboxRows = len(s.state.Questions) > 0
	s.host.mail.put(s.id, s.state.Inbox())
}

// inboxWriter writes the inboxes. Commands never wait for it: the newest rows of each
// session that has any to write lie in due, and one goroutine writes them.
type inboxWriter struct {
	h    *Host
	kick chan struct{}

	mu sync.Mutex
	// due holds questions as the state has them; Apply never changes one in place.
	due     map[clew.SessionID]map[clew.UserID][]core.InboxItem
	writing bool
	waiting []chan struct{} // closed when what is due is written
}

const (
	mailAtOnce   = 8
	mailTimeout  = 10 * time.Second
	mailPause    = 50 * time.Millisecond // after a failure, doubled each time
	mailPauseMax = 5 * time.Second
)

func (h *Host) startMail(ctx context.Context) {
	if h.cfg.Inbox == nil {
		return
	}
	h.mail = &inboxWriter{h: h, kick: make(chan struct{}, 1), due: map[clew.SessionID]map[clew.UserID][]core.InboxItem{}}
	h.work.Go(func() { h.mail.run(ctx) })
}

// put replaces what waits to be written for the session.
func (m *inboxWriter) put(id clew.SessionID, rows map[clew.UserID][]core.InboxItem) {
	m.mu.Lock()
	m.due[id] = rows
	m.mu.Unlock()
	m.wake()
}

func (m *inboxWriter) wake() {
	select {
	case m.kick <- struct{}{}:
	default: // kicked already
	}
}

// InboxWritten returns when the inboxes have what sessions on this node had for them
// before: who heard of a question finds it there, and who answered one does not.
// What the engine refuses is not waited for, and a slow engine not for long.
func (h *Host) InboxWritten(ctx context.Context) {
	if h.mail == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, viewWait)
	defer cancel()
	done := h.mail.written()
	select {
	case <-done:
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
}

// written is closed when what is due or under way now was tried.
func (m *inboxWriter) written() <-chan struct{} {
	done := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.due) == 0 && !m.writing {
		close(done)
		return done
	}
	m.waiting = append(m.waiting, done)
	if m.writing { // what is due was kicked, or waits for the engine
		m.wake()
	}
	return done
}

func (m *inboxWriter) run(ctx context.Context) {
	var again <-chan time.Time
	pause := mailPause
	for {
		select {
		case <-m.kick:
		case <-again:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), indexEvery)
			m.write(last)
			cancel()
			return
		}
		again = nil
		if m.write(ctx) {
			pause = mailPause
			continue
		}
		again, pause = time.After(pause), min(2*pause, mailPauseMax)
	}
}

// write writes all that is due, a few sessions at a time, and keeps what failed
// unless there is something newer. It reports whether nothing failed.
func (m *inboxWriter) write(ctx context.Context) bool {
	m.mu.Lock()
	due, waiting := m.due, m.waiting
	m.due, m.waiting, m.writing = map[clew.SessionID]map[clew.UserID][]core.InboxItem{}, nil, true
	m.mu.Unlock()
	var writers sync.WaitGroup
	places := make(chan struct{}, mailAtOnce)
	failed := false // under mu
	for id, rows := range due {
		places <- struct{}{}
		writers.Go(func() {
			defer func() { <-places }()
			if err := m.sync(ctx, id, rows); err != nil {
				m.mu.Lock()
				defer m.mu.Unlock()
				failed = true
				if _, newer := m.due[id]; !newer {
					m.due[id] = rows
				}
				m.h.cfg.Log.Warn("inbox is written again later", "session", id, "err", err)
			}
		})
	}
	writers.Wait()
	m.mu.Lock()
	m.writing = false
	m.mu.Unlock()
	for _, done := range waiting {
		close(done)
	}
	return !failed
}

func (m *inboxWriter) sync(ctx context.Context, id clew.SessionID, rows map[clew.UserID][]core.InboxItem) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	err := m.h.cfg.Inbox.Sync(ctx, id, rows)
	if !m.h.has(id) { // it left meanwhile
		m.h.cfg.Inbox.Forget(id)
	}
	return err
}

func (h *Host) has(id clew.SessionID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id] != nil
}

// leaveInbox is called when a session has left memory.
func (h *Host) leaveInbox(id clew.SessionID) {
	if h.cfg.Inbox != nil {
		h.cfg.Inbox.Forget(id)
	}
}
