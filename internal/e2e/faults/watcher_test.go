package faults

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// A position is where a record stands.
type position struct {
	session clew.SessionID
	epoch   string
	seq     uint64
}

// meanings are what everybody saw at each position.
type meanings struct {
	mu   sync.Mutex
	sums map[position][sha256.Size]byte
}

// same reports whether a position means what it always meant.
func (m *meanings) same(at position, frame []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sums == nil {
		m.sums = map[position][sha256.Size]byte{}
	}
	sum := sha256.Sum256(frame)
	was, known := m.sums[at]
	m.sums[at] = sum
	return !known || was == sum
}

// A watcher has the session open all the time and goes on where it was when the
// connection breaks. It has no library in between that would mend anything.
type watcher struct {
	w  *world
	id clew.SessionID

	mu    sync.Mutex
	last  uint64
	epoch string
	lost  int // how often it was told that its place is gone
}

func newWatcher(w *world, id clew.SessionID) *watcher { return &watcher{w: w, id: id} }

func (x *watcher) live(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		x.attach(ctx, x.w.nodes[turn%len(x.w.nodes)])
		pause(ctx, 20*time.Millisecond)
	}
}

func (x *watcher) upTo() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.last
}

func (x *watcher) attach(ctx context.Context, n *node) {
	q := url.Values{"client_id": {"watcher"}, "resume_from": {"start"}}
	if x.last > 0 {
		q.Set("resume_from", string(clew.MessageIDOf(x.last)))
		q.Set("epoch", x.epoch)
	}
	ws := x.w.dial(ctx, n, x.id, q)
	if ws == nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		once, cancel := context.WithTimeout(ctx, 4*time.Second) // silence is as good as a broken line
		_, frame, err := ws.Read(once)
		cancel()
		if err != nil || !x.take(frame) {
			return
		}
	}
}

// dial opens a socket, nil if it cannot be had.
func (w *world) dial(ctx context.Context, n *node, id clew.SessionID, q url.Values) *websocket.Conn {
	token, err := n.Token()
	proc.Must(w.t, err)
	once, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	ws, resp, err := websocket.Dial(once, n.URL()+"/ws/"+string(id)+"?"+q.Encode(),
		&websocket.DialOptions{HTTPClient: n.http, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil
	}
	ws.SetReadLimit(-1)
	return ws
}

// take looks at a frame and reports whether to go on with the connection.
func (x *watcher) take(frame []byte) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	var env wire.Envelope
	if err := json.Unmarshal(frame, &env); err != nil {
		x.w.broke(resumeWhole, "%s: a frame is not JSON: %v", x.id, err)
		return false
	}
	switch clew.EventType(env.Type) {
	case clew.EventSessionState:
		var s clew.SessionState
		if err := json.Unmarshal(env.Data, &s); err == nil {
			x.epoch = s.Epoch
		}
	case clew.EventError:
		var d clew.ErrorData
		if err := json.Unmarshal(env.Data, &d); err == nil && d.Code == clew.CursorLost {
			x.lost++
			x.last, x.epoch = 0, ""
			return false
		}
	}
	if env.Seq() == 0 {
		return true
	}
	x.w.holds(resumeWhole, env.Seq() == x.last+1, "%s: record %d came where %d was due", x.id, env.Seq(), x.last+1)
	x.w.holds(oneMeaning, x.w.meanings.same(position{x.id, x.epoch, env.Seq()}, frame), "%s: record %d of epoch %s was another one before", x.id, env.Seq(), x.epoch)
	x.last = env.Seq()
	return true
}
