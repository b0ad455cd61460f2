// Package clienttest has a small clew server in memory for tests of clients.
// It speaks the protocol from a list of records, answers user messages with an
// echo, and misbehaves on demand: see Plan.
package clienttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
)

// A Server is the fake. All fields are under mu.
type Server struct {
	mu       sync.Mutex
	sessions map[clew.SessionID]*session
	users    map[string]clew.UserID // by token
	conns    map[*websocket.Conn]bool
	plan     Plan
	refuse   func(attempt int) int
	attempts []*http.Request // every handshake, refused ones too
	accepted int
	sent     int                      // frames written
	heard    map[clew.CommandType]int // commands read
	down     bool
	pipes    *pipes
	http     *http.Server

	running sync.WaitGroup // connections and the HTTP server
}

// A session is a journal and a way to hear of its growth.
type session struct {
	id      clew.SessionID
	owner   clew.UserID
	epoch   string
	head    clew.Head
	records []clew.Record
	seen    map[clew.ClientMessageID]clew.Record
	feed    [][]byte      // what live connections hear: records and streamed text
	grown   chan struct{} // closed and replaced when the feed grows
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server. The token of a user, who is alice, bob or carol, is
// "token-" and the name. An example uses it with Close, a test better New.
func Start() *Server {
	s := &Server{
		sessions: map[clew.SessionID]*session{}, users: map[string]clew.UserID{}, conns: map[*websocket.Conn]bool{},
		heard: map[clew.CommandType]int{},
	}
	for _, u := range []clew.UserID{"alice", "bob", "carol"} {
		s.users["token-"+string(u)] = u
	}
	s.start()
	return s
}

func (s *Server) start() {
	s.pipes = newPipes()
	s.http = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: time.Minute}
	srv, pipes := s.http, s.pipes
	s.running.Go(func() { _ = srv.Serve(pipes) }) // ends with Close
}

// Close leaves nothing running.
func (s *Server) Close() {
	_ = s.http.Close() // the listener cannot fail
	s.DropAll()
	s.running.Wait()
}

// SetDown makes the server unreachable, or reachable again. Going down breaks
// the open connections.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.DropAll()
	}
}

// DropAll breaks every open connection without a word.
func (s *Server) DropAll() {
	s.mu.Lock()
	var open []*websocket.Conn
	for ws := range s.conns {
		open = append(open, ws)
	}
	s.mu.Unlock()
	for _, ws := range open {
		_ = ws.CloseNow() // it may be closed already
	}
}

// SetPlan sets what goes wrong from now on.
func (s *Server) SetPlan(p Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan = p
}

// Refuse makes handshakes fail with the HTTP status that f gives for an
// attempt, counted from 0 over the server's life; 0 lets it pass.
func (s *Server) Refuse(f func(attempt int) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// Attempts gives the handshakes so far.
func (s *Server) Attempts() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.attempts...)
}

// Sent gives the number of frames that were written to clients.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// Heard gives the number of commands of a type that clients sent.
func (s *Server) Heard(typ clew.CommandType) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[typ]
}

// CreateSession makes a session with its first record, session_created.
func (s *Server) CreateSession(owner clew.UserID) clew.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := clew.SessionID(fmt.Sprintf("sess_test%04d", len(s.sessions)+1))
	ss := &session{
		id: id, owner: owner, epoch: "epoch1", seen: map[clew.ClientMessageID]clew.Record{},
		grown: make(chan struct{}),
	}
	s.sessions[id] = ss
	ss.append(owner, &clew.SessionCreatedData{Owner: owner})
	return id
}

// Append adds a record to a session and sends it to whoever is connected. data
// points to an event's data.
func (s *Server) Append(id clew.SessionID, data any) clew.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id].append("test", data)
}

// append is called with the server's mu held.
func (ss *session) append(by clew.UserID, data any) clew.Record {
	ev := clew.NewEvent(data)
	b, err := json.Marshal(ev.Data)
	if err != nil {
		panic(err) // the catalogue's structs always encode
	}
	r := ss.head.Next(ss.id, 1, time.Now().UnixMilli(), by, ev.Type, b)
	ss.head = r.After()
	ss.records = append(ss.records, r)
	ss.tell(r.Envelope())
	return r
}

// tell adds to the feed. The server's mu is held.
func (ss *session) tell(frame []byte) {
	ss.feed = append(ss.feed, frame)
	close(ss.grown)
	ss.grown = make(chan struct{})
}

// Records gives a session's journal.
func (s *Server) Records(id clew.SessionID) []clew.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]clew.Record(nil), s.sessions[id].records...)
}

// Restore cuts a session's journal after seq and gives it a new epoch, as a
// restore from an old backup would.
func (s *Server) Restore(id clew.SessionID, seq uint64, epoch string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ss := s.sessions[id]
	ss.records = ss.records[:seq]
	ss.head = ss.records[seq-1].After()
	ss.epoch = epoch
}

// user gives the caller, "" if the credentials are wrong.
func (s *Server) user(r *http.Request) clew.UserID {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[token]
}

// session finds a session that the user owns.
func (s *Server) session(id clew.SessionID, user clew.UserID) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ss, ok := s.sessions[id]
	if !ok || ss.owner != user {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	return ss, nil
}
