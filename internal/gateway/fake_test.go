package gateway

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/sessiontest"
	"github.com/clew-run/clew/internal/session/view"
)

// fakeHost holds sessions in memory, each with a real feed.
type fakeHost struct {
	mu       sync.Mutex
	sessions map[clew.SessionID]*fakeSession
	do       func(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error)
	done     []clew.Command
	watches  int
	watchErr error
}

type fakeSession struct {
	*sessiontest.Tape
	host  *fakeHost
	owner clew.UserID
	roles map[clew.UserID]clew.Role
	epoch string
	open  []clew.OpenMessage
	lag   uint64 // how far State is behind the feed
}

func newFakeHost() *fakeHost {
	return &fakeHost{sessions: map[clew.SessionID]*fakeSession{}}
}

func (h *fakeHost) add(id clew.SessionID, owner clew.UserID) *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &fakeSession{Tape: sessiontest.NewTape(id, Frame), host: h, owner: owner, epoch: "e1", roles: map[clew.UserID]clew.Role{}}
	h.sessions[id] = s
	return s
}

func (h *fakeHost) get(id clew.SessionID) *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

func (h *fakeHost) failWatch(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchErr = err
}

func (h *fakeHost) commands() []clew.Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]clew.Command(nil), h.done...)
}

// append adds n todo_progress records and returns the last seq.
func (s *fakeSession) append(n int) uint64 {
	return s.appendData(n, `{"todo_id":"t1","progress":50}`)
}

func (s *fakeSession) appendData(n int, data string) uint64 {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	return s.record(n, clew.EventTodoProgress, data)
}

// grant changes a user's role, with the record that says so.
func (s *fakeSession) grant(user clew.UserID, role clew.Role) {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.roles[user] = role
	s.record(1, clew.EventAccessChanged, `{}`)
}

func (s *fakeSession) record(n int, typ clew.EventType, data string) uint64 {
	s.Write(n, clew.Draft{By: "u", Type: typ, Data: json.RawMessage(data)})
	return s.Head.Seq
}

func (s *fakeSession) stream(text string) { s.Stream(text) }

// move closes the feed and starts another one, as after a change of owner.
func (s *fakeSession) move() {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.Move()
}

func notFound(id clew.SessionID) error {
	return clew.Errorf(clew.SessionNotFound, "no session %s", id)
}

func (h *fakeHost) Access(_ context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	switch {
	case s == nil:
		return clew.RoleNone, notFound(id)
	case s.owner == p.User:
		return clew.RoleOwner, nil
	case s.roles[p.User] != "":
		return s.roles[p.User], nil
	case p.Role == clew.RoleAdmin:
		return clew.RoleAdmin, nil
	}
	return clew.RoleNone, notFound(id)
}

func (h *fakeHost) Create(_ context.Context, by clew.Principal, n session.NewSession) (clew.SessionID, error) {
	h.add(n.ID, by.User)
	return n.ID, nil
}

func (h *fakeHost) Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error) {
	h.mu.Lock()
	h.done = append(h.done, cmd)
	do := h.do
	h.mu.Unlock()
	if do != nil {
		return do(ctx, id, cmd)
	}
	return session.Receipt{Records: []clew.MessageID{clew.MessageIDOf(1)}}, nil
}

func (h *fakeHost) Watch(_ context.Context, id clew.SessionID) (Watch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchErr != nil {
		return nil, h.watchErr
	}
	s := h.sessions[id]
	if s == nil {
		return nil, notFound(id)
	}
	h.watches++
	return &fakeWatch{s: s, feed: s.Feed, epoch: s.epoch}, nil
}

func (h *fakeHost) openWatches() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watches
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
	st := clew.SessionState{Status: clew.StatusIdle, Owner: w.s.owner, OpenMessages: w.s.open}
	if seq := w.s.Head.Seq - min(w.s.lag, w.s.Head.Seq); seq > 0 {
		st.LastMessageID = clew.MessageIDOf(seq)
	}
	return st, nil
}

func (w *fakeWatch) Since(context.Context, uint64) (*view.Change, uint64, error) {
	return nil, 0, clew.Errorf(clew.Internal, "a tape has no state")
}

func (w *fakeWatch) Read(_ context.Context, from, to uint64) iter.Seq2[clew.Record, error] {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	return w.s.Tape.Read(from, to)
}

func (w *fakeWatch) Messages(_ context.Context, limit, _ int, _ clew.MessageID) (clew.MessagesPage, error) {
	return clew.MessagesPage{Total: limit}, nil
}

func (w *fakeWatch) Close() {
	w.s.host.mu.Lock()
	defer w.s.host.mu.Unlock()
	w.s.host.watches--
}

// fakeAuth knows tokens by a table and can revoke keys.
type fakeAuth struct {
	mu      sync.Mutex
	tokens  map[string]clew.Principal
	revoked map[string]bool
	fn      func(string)
}

func newFakeAuth() *fakeAuth {
	return &fakeAuth{revoked: map[string]bool{}, tokens: map[string]clew.Principal{
		"ann":    {User: "ann", Role: clew.RoleOwner},
		"bob":    {User: "bob", Role: clew.RoleOwner},
		"root":   {User: "root", Role: clew.RoleAdmin},
		"annkey": {User: "ann", Role: clew.RoleOwner, KeyID: "k1"},
	}}
}

func (a *fakeAuth) allow(token string, p clew.Principal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens[token] = p
}

func (a *fakeAuth) Authenticate(_ context.Context, c auth.Credentials) (clew.Principal, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.tokens[c.Token]
	switch {
	case c.Token == "":
		return p, clew.Errorf(clew.AuthRequired, "credentials are required")
	case !ok:
		return p, clew.Errorf(clew.AuthFailed, "the credentials are not valid")
	case p.ExpiresMS != 0 && p.ExpiresMS <= time.Now().UnixMilli():
		return p, clew.Errorf(clew.TokenExpired, "the credentials have expired")
	}
	return p, nil
}

func (a *fakeAuth) OnRevoke(fn func(string)) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fn = fn
	return func() {}
}

func (a *fakeAuth) Revoked(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revoked[id]
}

func (a *fakeAuth) revoke(id string) {
	a.mu.Lock()
	a.revoked[id] = true
	fn := a.fn
	a.mu.Unlock()
	fn(id)
}
