package e2e

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// hasty retries soon, so that a run has many reconnects.
var hasty = client.Retry{MaxRetries: 1 << 30, InitialDelay: 10 * time.Millisecond, MaxDelay: 100 * time.Millisecond, Multiplier: 2}

// A follower is a client of the client package that misbehaves as people's
// machines do: it leaves, its line is cut, it stops reading for a while.
type follower struct {
	chaos *chaos
	view  *view
	id    clew.SessionID
	rng   *rand.Rand

	from, epoch string // cursor of the next life
	line        line
}

// A line is the network connection under a client, so that it can be cut.
type line struct {
	mu   sync.Mutex
	conn net.Conn
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(32 << 10) // a reader that stalls is noticed early
	}
	l.mu.Lock()
	l.conn = conn
	l.mu.Unlock()
	return conn, nil
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

func (f *follower) live(ctx context.Context) {
	if f.view.whole {
		f.from = client.FromStart
		f.view.begin(0)
	}
	for ctx.Err() == nil {
		f.once(ctx)
	}
}

// begin says which record was the last before the view's first.
func (v *view) begin(seq uint64) {
	v.started, v.first = true, seq+1
	v.seq.Store(seq)
}

// once is one life of a client, from Dial to Close.
func (f *follower) once(ctx context.Context) {
	f.view.does("dials from %s", f.from)
	transport := &http.Transport{DialContext: f.line.dial, DisableKeepAlives: true}
	c, err := client.Dial(ctx, client.Options{
		URL: f.chaos.srv.URL(), Token: f.chaos.token, Session: f.id, ResumeFrom: f.from, Epoch: f.epoch,
		Retry: hasty, WaitForServer: true, HTTPClient: &http.Client{Transport: transport}, OnState: f.onState,
	})
	if err != nil {
		if ctx.Err() == nil {
			f.chaos.problems.addf("%s: %v", f.view.name, err)
		}
		return
	}
	defer c.Close()
	life, end := context.WithTimeout(ctx, f.between(200*time.Millisecond, 8*time.Second))
	defer end()
	f.follow(ctx, life, c)
	id, epoch := c.Cursor()
	if id != "" {
		f.from, f.epoch = string(id), epoch
	}
}

// onState watches for what a client heals by itself and a server must not do.
func (f *follower) onState(s client.State, why error) {
	f.view.does("is %s (%v)", s, why)
	if s == client.Connected {
		f.chaos.reconnects.Add(1)
	}
	if why != nil && strings.Contains(why.Error(), "protocol error") {
		f.chaos.problems.addf("%s: %v", f.view.name, why)
	}
	if s == client.Failed && ownGhost(why) {
		// Rare: the server sees most of these. Many would mean that it does not.
		if n := f.chaos.ghosts.Add(1); n > 3 {
			f.chaos.problems.addf("%d clients were displaced by handshakes they had given up", n)
		}
	} else if s == client.Failed {
		f.chaos.problems.addf("%s gave up: %v", f.view.name, why)
	}
}

// ownGhost: the client was displaced under an id that only it knows, so by an
// attempt of its own that was cut and reached the server late. It goes on under
// a new one, with the cursor it had.
func ownGhost(err error) bool {
	return err != nil && strings.Contains(err.Error(), wire.ReasonTakenOver)
}

func (f *follower) between(low, high time.Duration) time.Duration {
	return low + time.Duration(f.rng.Int64N(int64(high-low)))
}

func (f *follower) follow(run, life context.Context, c *client.Client) {
	mischief := time.Now().Add(f.between(50*time.Millisecond, 3*time.Second))
	for env, err := range c.Follow(life) {
		if err != nil {
			if life.Err() == nil && !ownGhost(err) {
				f.chaos.problems.addf("%s: %v", f.view.name, err)
			}
			return
		}
		if err := f.take(env); err != nil {
			f.chaos.problems.addf("%s: %v", f.view.name, err)
			return
		}
		if time.Now().Before(mischief) {
			continue
		}
		mischief = time.Now().Add(f.between(50*time.Millisecond, 3*time.Second))
		if f.rng.IntN(2) == 0 {
			f.line.cut()
			continue
		}
		f.view.does("stalls")
		select { // a stall
		case <-time.After(f.between(50*time.Millisecond, 2500*time.Millisecond)):
		case <-run.Done():
			return
		}
	}
}

func (f *follower) take(env wire.Envelope) error {
	if !f.view.started && env.Type == string(clew.EventSessionState) {
		var d clew.SessionState
		if err := json.Unmarshal(env.Data, &d); err != nil {
			return err
		}
		seq, err := d.LastMessageID.Seq()
		if err != nil {
			return err
		}
		f.view.begin(seq)
	}
	if env.Seq() == 0 {
		return nil
	}
	f.chaos.deliveries.Add(1)
	return f.view.take(env.Seq(), sumOfEnvelope(env))
}

// A bare client has no package between it and the wire: what the server sends
// must be the next record each time, without the client's help.
type bare struct {
	chaos *chaos
	view  *view
	id    clew.SessionID
	rng   *rand.Rand
	epoch string
}

func (b *bare) live(ctx context.Context) {
	b.view.begin(0)
	for ctx.Err() == nil {
		life, end := context.WithTimeout(ctx, 100*time.Millisecond+time.Duration(b.rng.Int64N(int64(4*time.Second))))
		b.once(life)
		end()
		select {
		case <-time.After(time.Duration(b.rng.Int64N(int64(100 * time.Millisecond)))):
		case <-ctx.Done():
		}
	}
}

func (b *bare) once(ctx context.Context) {
	query := url.Values{"resume_from": {"start"}}
	if seq := b.view.last(); seq > 0 {
		query.Set("resume_from", string(clew.MessageIDOf(seq)))
		query.Set("epoch", b.epoch)
	}
	ws, err := dialBare(ctx, b.chaos.srv.URL(), b.chaos.token, b.id, query)
	if err != nil { // the server is away; anything else shows in the end
		return
	}
	b.chaos.reconnects.Add(1)
	defer func() { _ = ws.CloseNow() }()
	for {
		_, frame, err := ws.Read(ctx)
		if err != nil {
			return
		}
		if err := b.take(ctx, ws, frame); err != nil {
			b.chaos.problems.addf("%s: %v in %s", b.view.name, err, frame)
			return
		}
	}
}

func (b *bare) take(ctx context.Context, ws *websocket.Conn, frame []byte) error {
	var env wire.Envelope
	if err := json.Unmarshal(frame, &env); err != nil {
		return err
	}
	switch clew.EventType(env.Type) {
	case clew.EventSessionState:
		var d struct {
			Epoch string `json:"epoch"`
		}
		err := json.Unmarshal(env.Data, &d)
		b.epoch = d.Epoch
		return err
	case clew.EventPing:
		_ = ws.Write(ctx, websocket.MessageText, []byte(`{"type":"pong"}`)) // a broken line shows at the read
		return nil
	case clew.EventError:
		if env.Seq() == 0 {
			return clew.Errorf(clew.Internal, "an error")
		}
	}
	if env.Seq() == 0 {
		return nil
	}
	b.chaos.deliveries.Add(1)
	return b.view.take(env.Seq(), sumOf(frame))
}
