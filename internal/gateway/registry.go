package gateway

import (
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A registry knows all connections: in a list for the ticker, and by session
// and client. Its lock is taken before a connection's own, never after.
type registry struct {
	idle sync.WaitGroup // goroutines of connections

	mu       sync.Mutex
	draining bool
	head     conn // of the ring of all connections
	byClient map[clientKey]*conn
	waiting  map[string]int // unauthenticated ones, by address
	waitSum  int

	moved func(clew.SessionID) // told of every coming and going
}

type clientKey struct {
	session clew.SessionID
	client  clew.ClientID
}

func (r *registry) init() {
	r.head.next, r.head.prev = &r.head, &r.head
	r.byClient = make(map[clientKey]*conn)
	r.waiting = make(map[string]int)
	r.moved = func(clew.SessionID) {}
}

// add takes a connection in and accounts for its two goroutines. It fails once
// the gateway stops.
func (r *registry) add(c *conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return false
	}
	r.idle.Add(2)
	c.next, c.prev = &r.head, r.head.prev
	c.prev.next, r.head.prev = c, c
	return true
}

// file gives an admitted connection its name, (session, client). Of two
// connections of the same user under that name the one that came first is
// returned: it has been replaced. That may be c, if a handshake that its client
// gave up and repeated took longer than the next one. Another user's is left
// alone, and the new one is named anew.
func (r *registry) file(c *conn) (replaced *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := clientKey{c.session, c.client}
	old := r.byClient[key]
	for old != nil && old.user != c.by.User || key.client == "" {
		key.client = clew.NewClientID()
		old = r.byClient[key]
	}
	if old != nil && old.arrival > c.arrival {
		return c
	}
	c.client, c.filed, c.user, c.keyID = key.client, true, c.by.User, c.by.KeyID
	r.byClient[key] = c
	if old != nil {
		old.filed, c.since = false, old.since
	}
	if c.source == nil {
		r.moved(c.session)
	}
	return old
}

// rekey notes the API key that a connection has from now on.
func (r *registry) rekey(c *conn, keyID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.keyID = keyID
}

// remove forgets a connection.
func (r *registry) remove(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.prev.next, c.next.prev = c.next, c.prev
	c.next, c.prev = nil, nil
	if c.filed {
		delete(r.byClient, clientKey{c.session, c.client})
		if c.source == nil {
			r.moved(c.session)
		}
	}
	r.unwait(c)
}

// await counts a socket without credentials, if there is room for it.
func (r *registry) await(addr string, l Limits) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waitSum >= l.AuthTotal || r.waiting[addr] >= l.AuthPerAddress {
		return false
	}
	r.waitSum++
	r.waiting[addr]++
	return true
}

// admitted takes a connection off the count of those without credentials.
func (r *registry) admitted(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unwait(c)
}

func (r *registry) unwait(c *conn) {
	if c.addr == "" {
		return
	}
	r.release(c.addr)
	c.addr = ""
}

func (r *registry) release(addr string) {
	r.waitSum--
	if r.waiting[addr]--; r.waiting[addr] <= 0 {
		delete(r.waiting, addr)
	}
}

// unawait gives back what await counted, if no connection came of it.
func (r *registry) unawait(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release(addr)
}

// each calls fn with every connection, under the lock: fn must not wait.
func (r *registry) each(fn func(*conn)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := r.head.next; c != &r.head; c = c.next {
		fn(c)
	}
}

func (r *registry) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
}

func (r *registry) stopping() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining
}

// SendTo sends an envelope to one client of a session and reports whether
// there is such a connection here. Nobody there is not an error.
func (g *Gateway) SendTo(id clew.SessionID, client clew.ClientID, envelope []byte) bool {
	g.reg.mu.Lock()
	c := g.reg.byClient[clientKey{id, client}]
	g.reg.mu.Unlock()
	if c == nil {
		return false
	}
	c.push(Frame(envelope))
	return true
}

// Tell sends every connection the event that make gives for its session and
// caller, as an answer that nobody asked for. make may take its time.
func (g *Gateway) Tell(make func(id clew.SessionID, by clew.Principal) (clew.EventType, any, error)) {
	var conns []*conn
	g.reg.each(func(c *conn) {
		if c.filed && c.source == nil {
			conns = append(conns, c)
		}
	})
	for _, c := range conns {
		typ, data, err := make(c.session, c.by)
		if err != nil {
			g.log.Debug("a notice was not made", "session", c.session, "err", err)
			continue
		}
		c.push(c.answerFrame(typ, data))
	}
}

// revoke ends the live connections of an API key.
func (g *Gateway) revoke(keyID string) {
	g.reg.each(func(c *conn) {
		if keyID != "" && c.keyID == keyID {
			c.close(wire.ClosePolicy, string(clew.AuthFailed))
		}
	})
}
