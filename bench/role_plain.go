package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A plain server is what one would write in an afternoon: a queue of 256
// messages and a writer goroutine for each socket, each message written to each
// socket by coder/websocket.
type plain struct {
	mu      sync.RWMutex
	clients map[*plainClient]struct{}
}

type plainClient struct {
	conn  *websocket.Conn
	queue chan []byte
}

const plainQueue = 256

// rolePlain is the process of the plain server.
func rolePlain() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	meter, err := listenProgress()
	if err != nil {
		return err
	}
	p := &plain{clients: map[*plainClient]struct{}{}}
	srv := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	return answer(ops{
		"where":   op(func(struct{}) (any, error) { return address{l.Addr().String(), meter.addr()}, nil }),
		"publish": op(func(r publishing) (any, error) { return nil, p.publish(r, meter) }),
		"rss":     op(func(struct{}) (any, error) { return residentSize() }),
	})
}

// ServeHTTP takes a client: /ws follows what is published, /replay/N/SIZE gets
// N messages at once, /stream/N/SIZE gets N stamped ones, one a millisecond.
func (p *plain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := context.Background()
	var count, size int
	if _, err := fmt.Sscanf(r.URL.Path, "/replay/%d/%d", &count, &size); err == nil {
		message := []byte(strings.Repeat("x", size))
		for range count {
			if conn.Write(ctx, websocket.MessageText, message) != nil {
				return
			}
		}
		_, _, _ = conn.Read(ctx)
		return
	}
	if _, err := fmt.Sscanf(r.URL.Path, "/stream/%d/%d", &count, &size); err == nil {
		pace(count, func() bool {
			return conn.Write(ctx, websocket.MessageText, stamped(size)) == nil
		})
		_, _, _ = conn.Read(ctx)
		return
	}
	p.follow(ctx, conn)
}

// follow feeds a client from its queue until it goes.
func (p *plain) follow(ctx context.Context, conn *websocket.Conn) {
	c := &plainClient{conn: conn, queue: make(chan []byte, plainQueue)}
	if conn.Write(ctx, websocket.MessageText, []byte("welcome")) != nil {
		return
	}
	go func() {
		for m := range c.queue {
			if conn.Write(ctx, websocket.MessageText, m) != nil {
				return
			}
		}
	}()
	p.mu.Lock()
	p.clients[c] = struct{}{}
	p.mu.Unlock()
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			break
		}
	}
	p.mu.Lock()
	delete(p.clients, c)
	p.mu.Unlock()
	close(c.queue) // clients go between two runs, never during one
}

// publish puts each message into each queue; a full one holds it back.
func (p *plain) publish(r publishing, meter *progress) error {
	meter.reset()
	message := []byte(strings.Repeat("x", r.Size))
	p.mu.RLock()
	clients := make([]*plainClient, 0, len(p.clients))
	for c := range p.clients {
		clients = append(clients, c)
	}
	p.mu.RUnlock()
	for range r.Count {
		for _, c := range clients {
			c.queue <- message
		}
	}
	return nil
}

// pace calls fn once a millisecond, count times, while it returns true.
func pace(count int, fn func() bool) {
	start := time.Now()
	for i := range count {
		if d := time.Until(start.Add(time.Duration(i) * time.Millisecond)); d > 0 {
			time.Sleep(d)
		}
		if !fn() {
			return
		}
	}
}

// stampMark stands before the time in a stamped message.
const stampMark = "at="

// stamped is a message of a size that carries the time it was made.
func stamped(size int) []byte {
	b := fmt.Appendf(make([]byte, 0, size), "%s%019d ", stampMark, time.Now().UnixNano())
	for len(b) < size {
		b = append(b, 'x')
	}
	return b
}
