package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// connections bounds how many there are that are no WebSockets. A new one is let in
// at the cost of the one that has waited longest for a request: so who opens many
// and says nothing, or was refused and stays, keeps nobody out. It is safe for
// concurrent use.
type connections struct {
	most       int // 0 is any number
	perAddress int // the same, but for addresses that stand for many
	shared     func(ip net.IP) bool
	turnedAway atomic.Int64

	mu      sync.Mutex
	open    map[net.Conn]*connection
	waiting *list.List // of *connection, longest first
	of      map[string]*list.List
	count   map[string]int
}

type connection struct {
	conn net.Conn
	ip   string // "" if it is not counted by address
	all  *list.Element
	own  *list.Element
}

func newConnections(most, perAddress int, shared func(ip net.IP) bool) *connections {
	return &connections{
		most: most, perAddress: perAddress, shared: shared,
		open: map[net.Conn]*connection{}, waiting: list.New(), of: map[string]*list.List{}, count: map[string]int{},
	}
}

// note is told by the HTTP server what becomes of a connection.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	if tooMany := c.settle(conn, state); tooMany != nil {
		c.turnedAway.Add(1)
		_ = tooMany.Close()
	}
}

// settle keeps the books and gives a connection that has to go.
func (c *connections) settle(conn net.Conn, state http.ConnState) (tooMany net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.open[conn]
	switch {
	case state == http.StateNew:
		x = c.enter(conn)
		tooMany = c.over(x)
		c.wait(x)
	case x == nil: // it went already
	case state == http.StateActive:
		c.unwait(x)
	case state == http.StateIdle:
		c.wait(x)
	default:
		c.leave(x)
	}
	return tooMany
}

func (c *connections) enter(conn net.Conn) *connection {
	x := &connection{conn: conn}
	if addr, ok := conn.RemoteAddr().(*net.TCPAddr); ok && !c.shared(addr.IP) {
		x.ip = networkOf(addr.IP)
		c.count[x.ip]++
	}
	c.open[conn] = x
	return x
}

// networkOf is what one customer has: an address, of IPv6 a network.
func networkOf(ip net.IP) string {
	if ip.To4() == nil {
		ip = ip.Mask(net.CIDRMask(64, 128))
	}
	return ip.String()
}

// over takes one off the books if x is one too many: one that waits, or x itself.
func (c *connections) over(x *connection) net.Conn {
	queue := c.waiting
	switch {
	case c.perAddress > 0 && x.ip != "" && c.count[x.ip] > c.perAddress:
		queue = c.of[x.ip]
	case c.most <= 0 || len(c.open) <= c.most:
		return nil
	}
	if queue != nil && queue.Len() > 0 {
		x = queue.Front().Value.(*connection)
	}
	c.leave(x)
	return x.conn
}

func (c *connections) wait(x *connection) {
	if c.open[x.conn] != x || x.all != nil {
		return
	}
	x.all = c.waiting.PushBack(x)
	if x.ip == "" {
		return
	}
	if c.of[x.ip] == nil {
		c.of[x.ip] = list.New()
	}
	x.own = c.of[x.ip].PushBack(x)
}

func (c *connections) unwait(x *connection) {
	if x.all == nil {
		return
	}
	c.waiting.Remove(x.all)
	if x.own != nil {
		c.of[x.ip].Remove(x.own)
	}
	x.all, x.own = nil, nil
}

func (c *connections) leave(x *connection) {
	c.unwait(x)
	delete(c.open, x.conn)
	if x.ip == "" {
		return
	}
	if c.count[x.ip]--; c.count[x.ip] <= 0 {
		delete(c.count, x.ip)
		delete(c.of, x.ip)
	}
}
