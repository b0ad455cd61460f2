package ipc

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// fakeHost holds sessions in memory, each with a real feed.
type fakeHost struct {
	mu       sync.Mutex
	sessions map[clew.SessionID]*fakeSession
	made     []session.NewSession
	done     []clew.Command
	watches  int
	// appended is told as the session host would tell.
	appended func(clew.SessionID, uint64)
	// do stands in for what a session does with a command.
	do func(s *fakeSession, cmd clew.Command) error
}

type fakeSession struct {
	host    *fakeHost
	id      clew.SessionID
	owner   clew.UserID
	epoch   string
	records []clew.Record
	seen    map[clew.ClientMessageID][]clew.MessageID
	head    clew.Head
	feed    *session.Feed
}

func newFakeHost() *fakeHost { return &fakeHost{sessions: map[clew.SessionID]*fakeSession{}} }

func plainFrame(b []byte) []byte { return b }

func (h *fakeHost) add(id clew.SessionID, owner clew.UserID) *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.addLocked(id, owner)
}

func (h *fakeHost) addLocked(id clew.SessionID, owner clew.UserID) *fakeSession {
	s := &fakeSession{host: h, id: id, owner: owner, epoch: "e1", feed: session.NewFeed(0, plainFrame), seen: map[clew.ClientMessageID][]clew.MessageID{}}
	h.sessions[id] = s
	return s
}

func (h *fakeHost) commands() []clew.Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]clew.Command(nil), h.done...)
}

func (h *fakeHost) openWatches() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watches
}

// append adds n records, as of a command if cause is given.
func (s *fakeSession) append(n int, cause clew.ClientMessageID) {
	s.host.mu.Lock()
	first := s.head.Seq + 1
	for range n {
		s.record(clew.EventTodoProgress, cause, `{"todo_id":"t1","progress":50}`)
	}
	s.host.mu.Unlock()
	if s.host.appended != nil {
		s.host.appended(s.id, first)
	}
}

func (s *fakeSession) record(typ clew.EventType, cause clew.ClientMessageID, data string) clew.MessageID {
	r := s.head.Write(s.id, 1, 1_700_000_000_000, clew.Draft{By: "u", Cause: cause, Type: typ, Data: json.RawMessage(data)})
	s.head = r.After()
	s.records = append(s.records, r)
	s.feed.Append([]clew.Record{r})
	return r.MessageID()
}

func (s *fakeSession) stream(text string) {
	s.feed.Stream(clew.EventAgentResponse, []byte(`{"type":"agent_response","session_id":"`+string(s.id)+`","timestamp":"t","data":{"delta":"`+text+`"}}`))
}

// move closes the feed and starts another one, as after a change of owner.
func (s *fakeSession) move() {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.feed.Close()
	s.feed = session.NewFeed(s.head.Seq, plainFrame)
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
	defer h.mu.Unlock()
	if h.sessions[n.ID] != nil {
		return "", clew.Errorf(clew.SessionInvalidState, "exists already")
	}
	h.made = append(h.made, n)
	h.addLocked(n.ID, by.User).record(clew.EventSessionCreated, "", `{}`)
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
	first := s.head.Seq + 1
	records := []clew.MessageID{
		s.record(clew.EventTaskCreated, cmd.ClientMessageID, `{"task_id":"task_1","root_task_id":"task_1","task":"x"}`),
		s.record(clew.EventTaskStarted, cmd.ClientMessageID, `{"task_id":"task_1","root_task_id":"task_1"}`),
	}
	s.seen[cmd.ClientMessageID] = records
	h.mu.Unlock()
	if h.appended != nil {
		h.appended(id, first)
	}
	return session.Receipt{ClientMessageID: cmd.ClientMessageID, Records: records}, nil
}

func (h *fakeHost) Watch(_ context.Context, id clew.SessionID) (Watch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	h.watches++
	return &fakeWatch{s: s, feed: s.feed, epoch: s.epoch}, nil
}

type fakeWatch struct {
	s     *fakeSession
	feed  *session.Feed
	epoch string
}

func (w *fakeWatch) Feed() *session.Feed { return w.feed }
func (w *fakeWatch) Epoch() string       { return w.epoch }

func (w *fakeWatch) State(context.Context) (clew.SessionState, error) {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	st := clew.SessionState{Status: clew.StatusIdle}
	if w.s.head.Seq > 0 {
		st.LastMessageID = clew.MessageIDOf(w.s.head.Seq)
	}
	return st, nil
}

func (w *fakeWatch) Read(_ context.Context, from, to uint64) iter.Seq2[clew.Record, error] {
	w.s.host.mu.Lock()
	records := w.s.records
	w.s.host.mu.Unlock()
	return func(yield func(clew.Record, error) bool) {
		for seq := from; seq <= to; seq++ {
			if seq > uint64(len(records)) {
				yield(clew.Record{}, fmt.Errorf("no record %d", seq))
				return
			}
			if !yield(records[seq-1], nil) {
				return
			}
		}
	}
}

func (w *fakeWatch) Close() {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	w.s.host.watches--
}
