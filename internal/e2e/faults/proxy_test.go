package faults

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A proxy stands between two that talk to each other and does to their bytes what
// a bad network does. There is no netem here.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	rules rules
	links map[*link]bool
	dead  bool
}

// rules say what happens to bytes. The zero value lets them through.
type rules struct {
	up, down way
	refuse   bool // new connections are reset
}

// A way is one direction.
type way struct {
	drop  bool          // bytes vanish
	hold  bool          // bytes wait until that is over
	delay time.Duration // before each piece
	shake time.Duration // up to so much more, by turns
	piece int           // largest piece, 0 for any
}

type link struct {
	client, server *net.TCPConn
	held           atomic.Bool // its bytes wait, whatever the rules are
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	return startProxyAt(t, "127.0.0.1", target)
}

// startProxyAt listens on another address.
func startProxyAt(t testing.TB, host, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, links: map[*link]bool{}}
	go p.accept()
	t.Cleanup(p.close)
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.reset()
}

// set changes what happens from now on, to open connections too.
func (p *proxy) set(r rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
}

func (p *proxy) now() (rules, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules, p.dead
}

// point sends new connections elsewhere and ends the old ones.
func (p *proxy) point(target string) {
	p.mu.Lock()
	p.target = target
	p.mu.Unlock()
	p.reset()
}

func (p *proxy) goal() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

func (p *proxy) open() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*link
	for l := range p.links {
		list = append(list, l)
	}
	return list
}

// reset ends all connections as a router does that forgot them.
func (p *proxy) reset() {
	for _, l := range p.open() {
		l.reset()
	}
}

func (l *link) reset() {
	for _, c := range []*net.TCPConn{l.client, l.server} {
		_ = c.SetLinger(0)
		_ = c.Close()
	}
}

// halfClose ends one direction of all connections: the server hears that no more
// comes, and its own bytes go through.
func (p *proxy) halfClose() {
	for _, l := range p.open() {
		_ = l.server.CloseWrite()
	}
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.join(c.(*net.TCPConn))
	}
}

func (p *proxy) join(c *net.TCPConn) {
	r, _ := p.now()
	s, err := net.Dial("tcp", p.goal())
	if err != nil || r.refuse {
		_ = c.SetLinger(0)
		_ = c.Close()
		if err == nil {
			_ = s.Close()
		}
		return
	}
	l := &link{client: c, server: s.(*net.TCPConn)}
	p.mu.Lock()
	p.links[l] = true
	p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { p.carry(l, l.server, l.client, func(r rules) way { return r.up }) })
	wg.Go(func() { p.carry(l, l.client, l.server, func(r rules) way { return r.down }) })
	wg.Wait()
	_ = l.client.Close()
	_ = l.server.Close()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

func (p *proxy) carry(l *link, to, from *net.TCPConn, of func(rules) way) {
	defer func() { _ = to.CloseWrite() }()
	buf := make([]byte, 32<<10)
	for turn := 0; ; turn++ {
		n, err := from.Read(buf)
		if n > 0 && !p.pass(l, to, buf[:n], turn, of) || err != nil {
			return
		}
	}
}

// pass carries bytes on under the rules as they are then.
func (p *proxy) pass(l *link, to io.Writer, b []byte, turn int, of func(rules) way) bool {
	for len(b) > 0 {
		r, dead := p.now()
		w := of(r)
		switch {
		case dead:
			return false
		case w.drop:
			return true
		case w.hold || l.held.Load():
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if w.delay > 0 || w.shake > 0 {
			time.Sleep(w.delay + w.shake*time.Duration(turn%4)/4)
		}
		n := len(b)
		if w.piece > 0 {
			n = min(n, w.piece)
		}
		if _, err := to.Write(b[:n]); err != nil {
			return false
		}
		b = b[n:]
	}
	return true
}
