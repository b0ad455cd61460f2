package ipc

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// fakeHost holds sessions in memory, each with a real feed.
type fakeHost struct {
	mu       sync.Mutex
	sessions map[clew.SessionID]*fakeSession
	made     []session.NewSession
	done     []clew.Command
	watches  int
	watchErr error
	creating func() // nil or a fault on the way
	// appended is told as the session host would tell.
	appended func(clew.SessionID, uint64)
	// do stands in for what a session does with a command.
	do func(s *fakeSession, cmd clew.Command) error
}

type fakeSession struct {
	*sessiontest.Tape
	host  *fakeHost
	owner clew.UserID
	epoch string
	seen  map[clew.ClientMessageID][]clew.MessageID
}

func newFakeHost() *fakeHost { return &fakeHost{sessions: map[clew.SessionID]*fakeSession{}} }

func plainFrame(b []byte) []byte { return b }

func (h *fakeHost) add(id clew.SessionID, owner clew.UserID) *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.addLocked(id, owner)
}

func (h *fakeHost) addLocked(id clew.SessionID, owner clew.UserID) *fakeSession {
	s := &fakeSession{Tape: sessiontest.NewTape(id, plainFrame), host: h, owner: owner, epoch: "e1", seen: map[clew.ClientMessageID][]clew.MessageID{}}
	h.sessions[id] = s
	return s
}

func (h *fakeHost) commands() []clew.Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]clew.Command(nil), h.done...)
}

func (h *fakeHost) tell(id clew.SessionID, first uint64) {
	h.mu.Lock()
	appended := h.appended
	h.mu.Unlock()
	if appended != nil {
		appended(id, first)
	}
}

func (h *fakeHost) failWatch(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchErr = err
}

func (h *fakeHost) get(id clew.SessionID) *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

func (h *fakeHost) openWatches() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watches
}

// append adds n records, as of a command if cause is given.
func (s *fakeSession) append(n int, cause clew.ClientMessageID) {
	s.appendOf(n, clew.EventTodoProgress, cause, `{"todo_id":"t1","progress":50}`)
}

// end ends the session's task.
func (s *fakeSession) end() {
	s.appendOf(1, clew.EventTaskCompleted, "", `{"task_id":"task_1","root_task_id":"task_1"}`)
}

func (s *fakeSession) appendOf(n int, typ clew.EventType, cause clew.ClientMessageID, data string) {
	s.host.mu.Lock()
	first := s.Head.Seq + 1
	for range n {
		s.record(typ, cause, data)
	}
	s.host.mu.Unlock()
	s.host.tell(s.ID, first)
}

func (s *fakeSession) record(typ clew.EventType, cause clew.ClientMessageID, data string) clew.MessageID {
	s.Write(1, clew.Draft{By: "u", Cause: cause, Type: typ, Data: json.RawMessage(data)})
	return clew.MessageIDOf(s.Head.Seq)
}

func (s *fakeSession) stream(text string) {
	s.Stream(text)
}

// move closes the feed and starts another one, as after a change of owner.
func (s *fakeSession) move() {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.Move()
}

func (h *fakeHost) Access(_ context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch s := h.sessions[id]; {
	case s == nil:
		return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	case s.owner == p.User:
		return clew.RoleOwner, nil
	}
	return clew.RoleAdmin, nil
}

func (h *fakeHost) Create(_ context.Context, by clew.Principal, n session.NewSession) (clew.SessionID, error) {
	h.mu.Lock()
	creating := h.creating
	h.mu.Unlock()
	if creating != nil {
		creating()
	}
	h.mu.Lock()
	if h.sessions[n.ID] != nil {
		h.mu.Unlock()
		return "", clew.Errorf(clew.SessionExists, "exists already")
	}
	h.made = append(h.made, n)
	h.addLocked(n.ID, by.User).record(clew.EventSessionCreated, "", `{}`)
	h.mu.Unlock()
	h.tell(n.ID, 1)
	return n.ID, nil
}

// Do makes two records of a command, once for each client message id.
func (h *fakeHost) Do(_ context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error) {
	h.mu.Lock()
	s := h.sessions[id]
	if s == nil {
		h.mu.Unlock()
		return session.Receipt{}, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	if records := s.seen[cmd.ClientMessageID]; cmd.ClientMessageID != "" && records != nil {
		h.mu.Unlock()
		return session.Receipt{ClientMessageID: cmd.ClientMessageID, Records: records, Repeat: true}, nil
	}
	h.done = append(h.done, cmd)
	do := h.do
	h.mu.Unlock()
	if do != nil {
		if err := do(s, cmd); err != nil {
			return session.Receipt{}, err
		}
	}
	h.mu.Lock()
	first := s.Head.Seq + 1
	records := []clew.MessageID{
		s.record(clew.EventTaskCreated, cmd.ClientMessageID, `{"task_id":"task_1","root_task_id":"task_1","task":"x"}`),
		s.record(clew.EventTaskStarted, cmd.ClientMessageID, `{"task_id":"task_1","root_task_id":"task_1"}`),
	}
	s.seen[cmd.ClientMessageID] = records
	h.mu.Unlock()
	h.tell(id, first)
	return session.Receipt{ClientMessageID: cmd.ClientMessageID, Records: records}, nil
}

func (h *fakeHost) Watch(_ context.Context, id clew.SessionID) (Watch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	if h.watchErr != nil {
		return nil, h.watchErr
	}
	h.watches++
	return &fakeWatch{s: s, feed: s.Feed, epoch: s.epoch}, nil
}

type fakeWatch struct {
	s     *fakeSession
	feed  *feed.Feed
	epoch string
}

func (w *fakeWatch) Feed() *feed.Feed { return w.feed }
func (w *fakeWatch) Epoch() string    { return w.epoch }

func (w *fakeWatch) State(context.Context) (clew.SessionState, error) {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	st := clew.SessionState{Status: clew.StatusIdle}
	if w.s.Head.Seq > 0 {
		st.LastMessageID = clew.MessageIDOf(w.s.Head.Seq)
	}
	return st, nil
}

func (w *fakeWatch) Read(_ context.Context, from, to uint64) iter.Seq2[clew.Record, error] {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	return w.s.Tape.Read(from, to)
}

func (w *fakeWatch) Close() {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	w.s.host.watches--
}
