package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
)

// RetryAfter is what a refusal with 429 asks for, in seconds.
const RetryAfter = "7"

// socket serves one connection. Its own goroutine writes, a second one reads.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	attempt := len(s.attempts)
	s.attempts = append(s.attempts, r)
	status := 0
	if s.refuse != nil {
		status = s.refuse(attempt)
	}
	s.mu.Unlock()
	if status != 0 {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", RetryAfter)
		}
		w.WriteHeader(status)
		return
	}
	user := s.user(r)
	if user == "" {
		refuse(w, http.StatusUnauthorized, clew.Errorf(clew.AuthRequired, "no credentials"))
		return
	}
	ss, err := s.session(clew.SessionID(r.PathValue("id")), user)
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	s.running.Add(1)
	defer s.running.Done()
	s.attach(ws, ss, user, r)
}

func (s *Server) attach(ws *websocket.Conn, ss *session, user clew.UserID, r *http.Request) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	p := &peer{s: s, ss: ss, ws: ws, user: user, number: s.accepted, answers: make(chan []byte, 16)}
	s.accepted++
	s.conns[ws] = true
	s.mu.Unlock()

	read := make(chan struct{})
	go func() {
		defer close(read)
		defer cancel()
		p.read(ctx)
	}()
	p.write(ctx, r)
	_ = ws.CloseNow() // it may be closed already
	<-read
	s.mu.Lock()
	delete(s.conns, ws)
	s.mu.Unlock()
}

// A peer is one connection. number and the fields below answers belong to the
// writer.
type peer struct {
	s       *Server
	ss      *session
	ws      *websocket.Conn
	user    clew.UserID
	answers chan []byte

	number int
	frames int
	held   []byte // a frame that comes late
	at     int    // place in the session's feed
}

func (p *peer) read(ctx context.Context) {
	for {
		_, b, err := p.ws.Read(ctx)
		if err != nil {
			return
		}
		answer := p.answer(b)
		if answer == nil {
			continue
		}
		select {
		case p.answers <- answer:
		case <-ctx.Done():
			return
		}
	}
}

// answer carries out a frame and gives what its sender alone gets to hear.
func (p *peer) answer(b []byte) []byte {
	var cmd incoming
	if err := json.Unmarshal(b, &cmd); err != nil {
		return p.ss.envelope(clew.NewErrorData(clew.Errorf(clew.InvalidMessage, "not JSON"), clew.ErrorContext{}))
	}
	p.s.mu.Lock()
	p.s.heard[cmd.Type]++
	p.s.mu.Unlock()
	answer, err := p.s.do(p.ss, p.user, cmd)
	if err != nil {
		about := clew.ErrorContext{ClientMessageID: cmd.MessageID, CommandType: cmd.Type}
		return p.ss.envelope(clew.NewErrorData(err, about))
	}
	return answer
}

var errEnd = errors.New("the plan ends the connection")

// pingEvery is the server's heartbeat.
const pingEvery = 30 * time.Second

func (p *peer) write(ctx context.Context, r *http.Request) {
	if p.greet(ctx, r) != nil {
		return
	}
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		next, grown := p.next()
		var err error
		if next != nil {
			err = p.send(ctx, next)
		} else {
			err = p.idle(ctx, grown, tick.C)
		}
		if err != nil {
			return
		}
	}
}

// next gives the next frame of the feed, or what to wait for.
func (p *peer) next() ([]byte, chan struct{}) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.at >= len(p.ss.feed) {
		return nil, p.ss.grown
	}
	b := p.ss.feed[p.at]
	p.at++
	return b, nil
}

func (p *peer) idle(ctx context.Context, grown chan struct{}, tick <-chan time.Time) error {
	select {
	case <-grown:
		return nil
	case b := <-p.answers:
		return p.send(ctx, b)
	case <-tick:
		return p.send(ctx, []byte(`{"type":"ping","session_id":"`+string(p.ss.id)+`","timestamp":"`+
			clew.Timestamp(time.Now().UnixMilli())+`"}`))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// greet sends session_state, what was missed, and sync_complete.
func (p *peer) greet(ctx context.Context, r *http.Request) error {
	q := r.URL.Query()
	p.s.mu.Lock()
	p.at = len(p.ss.feed)
	from, lost := p.start(q.Get("resume_from"), q.Get("epoch"))
	missed := slices.Clone(p.ss.records[from:])
	state := p.ss.state(clew.ClientID(q.Get("client_id")))
	last := p.ss.lastID()
	p.s.mu.Unlock()
	if err := p.send(ctx, state); err != nil {
		return err
	}
	if lost {
		err := clew.Errorf(clew.CursorLost, "the journal does not hold this position")
		if err := p.send(ctx, p.ss.envelope(clew.NewErrorData(err, clew.ErrorContext{}))); err != nil {
			return err
		}
	}
	for _, r := range missed {
		if err := p.send(ctx, r.Envelope()); err != nil {
			return err
		}
	}
	return p.send(ctx, p.ss.envelope(&clew.SyncComplete{LastMessageID: last, Replayed: len(missed)}))
}

// start gives the seq to replay after. The server's mu is held.
func (p *peer) start(from, epoch string) (seq uint64, lost bool) {
	head := p.ss.head.Seq
	switch {
	case from == "":
		return head, false
	case epoch != "" && epoch != p.ss.epoch:
		return head, true
	case from == "start":
		return 0, false
	}
	seq, err := clew.MessageID(from).Seq()
	if err != nil || seq > head {
		return head, true
	}
	return seq, false
}

// send writes a frame, or does with it what the plan says.
func (p *peer) send(ctx context.Context, b []byte) error {
	p.s.mu.Lock()
	plan := p.s.plan
	p.s.sent++
	p.s.mu.Unlock()
	var f Fault
	if plan != nil {
		f = plan(p.number, p.frames)
	}
	p.frames++
	switch f.Kind {
	case Drop:
		return errEnd
	case Stall:
		<-ctx.Done()
		return ctx.Err()
	case Skip:
		return nil
	case Late:
		p.held = b
		return nil
	case Close:
		_ = p.ws.Close(websocket.StatusCode(f.Code), f.Reason) // the client may be gone
		return errEnd
	case Duplicate:
		if err := p.ws.Write(ctx, websocket.MessageText, b); err != nil {
			return err
		}
	}
	if err := p.ws.Write(ctx, websocket.MessageText, b); err != nil {
		return err
	}
	if late := p.held; late != nil {
		p.held = nil
		return p.ws.Write(ctx, websocket.MessageText, late)
	}
	return nil
}
