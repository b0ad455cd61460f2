// Package ipc is the local socket: the way in for programs on the same machine.
// It carries one JSON object a line, see PROTOCOL.md.
//
// A connection is a reader, which takes one command after the other, a writer,
// and a follower for each session that the client hears of. A follower is a
// position in the session's feed, as a WebSocket's is, so a slow client costs a
// bounded buffer and no more. The life of a connection, file by file: listen.go
// (the file), conn.go (in and out), read.go, command.go, follow.go, pump.go.
package ipc

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// Options is what a Socket is made with. Path, Host and By are required.
type Options struct {
	Path    string
	Host    Host
	By      clew.Principal // whoever can open the file acts as this one
	URL     string         // where the server is reached by HTTP
	Version string         // of the program

	Frame        int           // bytes in one line of a client; 0 = wire.MaxFrame
	Clients      int           // at the same time; 0 = 4,096
	WriteTimeout time.Duration // for a client to take something; 0 = 10 s
	Linger       time.Duration // for a client that took nothing to hear why it is closed; 0 = 2 s
	QuietAfter   time.Duration // a session that only happens to be followed is let go; 0 = 1 min
	Log          *slog.Logger
	// Connected and Disconnected are told of clients; nil tells nobody.
	Connected, Disconnected func(clew.ClientID)
}

const (
	defaultClients      = 4096
	defaultWriteTimeout = 10 * time.Second
	defaultLinger       = 2 * time.Second
	defaultQuietAfter   = time.Minute
	commandTimeout      = 30 * time.Second
	// readers is how many followers read the journal at the same time.
	readers = 64
)

func (o Options) withDefaults() Options {
	if o.Frame == 0 {
		o.Frame = wire.MaxFrame
	}
	if o.Clients == 0 {
		o.Clients = defaultClients
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = defaultWriteTimeout
	}
	if o.Linger == 0 {
		o.Linger = defaultLinger
	}
	if o.QuietAfter == 0 {
		o.QuietAfter = defaultQuietAfter
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Connected == nil {
		o.Connected = func(clew.ClientID) {}
	}
	if o.Disconnected == nil {
		o.Disconnected = func(clew.ClientID) {}
	}
	return o
}

// A Socket serves the clients of one socket file. Safe for concurrent use.
type Socket struct {
	o        Options
	listener *net.UnixListener
	file     fs.FileInfo // of the socket as it was made
	unlock   func()      // lets another server have the path
	places   chan struct{}

	ctx    context.Context // ends when the socket has stopped
	cancel context.CancelFunc
	work   sync.WaitGroup // accept and spread
	conns  sync.WaitGroup

	mu      sync.Mutex
	clients map[clew.ClientID]*conn
	closed  bool

	movedMu sync.Mutex
	moved   map[clew.SessionID]uint64 // sessions with new records, and the first one's seq
	kick    chan struct{}
	hearing atomic.Int64 // clients that hear of sessions which they do not follow
}

// Listen makes the socket file and serves it. Shutdown ends it.
func Listen(o Options) (*Socket, error) {
	o = o.withDefaults()
	listener, file, unlock, err := open(o.Path)
	if err != nil {
		return nil, err
	}
	s := &Socket{
		o: o, listener: listener, file: file, unlock: unlock, places: make(chan struct{}, readers), clients: map[clew.ClientID]*conn{},
		moved: map[clew.SessionID]uint64{}, kick: make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.work.Go(s.accept)
	s.work.Go(s.spread)
	return s, nil
}

// accept takes connections until the listener is closed.
func (s *Socket) accept() {
	for {
		sock, err := s.listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no file descriptors left, for instance
			s.o.Log.Warn("the local socket cannot take a connection", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-s.ctx.Done():
			}
			continue
		}
		if err := checkPeer(sock); err != nil {
			s.o.Log.Warn("a connection to the local socket was refused", "err", err)
			_ = sock.Close()
			continue
		}
		s.welcome(sock)
	}
}

// welcome gives a client its id and serves it.
func (s *Socket) welcome(sock *net.UnixConn) {
	c := newConn(s, sock)
	s.mu.Lock()
	full := s.closed || len(s.clients) >= s.o.Clients
	for !full {
		c.id = clew.NewClientID()
		if _, taken := s.clients[c.id]; !taken {
			s.clients[c.id] = c
			s.conns.Add(1)
			break
		}
	}
	s.mu.Unlock()
	if full {
		s.turnAway(sock)
		return
	}
	c.widen(clew.FollowAll)
	c.append(wire.AppendAck(nil, clew.AckData{ClientID: c.id, PID: os.Getpid(), PPID: os.Getppid(), URL: s.o.URL, Version: s.o.Version}))
	s.o.Connected(c.id)
	go func() {
		defer s.conns.Done()
		c.serve()
		s.mu.Lock()
		delete(s.clients, c.id)
		s.mu.Unlock()
		s.o.Disconnected(c.id)
	}()
}

// turnAway says why there is no place, as far as the kernel takes it.
func (s *Socket) turnAway(sock *net.UnixConn) {
	_ = sock.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = sock.Write(eventLine("", "", clew.Errorf(clew.Unavailable, "the local socket has no place for another client"), clew.ErrorContext{}))
	_ = sock.Close()
}

// Send gives an envelope to one client. An unknown one is none of its business.
func (s *Socket) Send(id clew.ClientID, envelope []byte) {
	s.mu.Lock()
	c := s.clients[id]
	s.mu.Unlock()
	if c != nil {
		_ = c.push(wire.AppendTaskEvent(nil, id, envelope))
	}
}

// Broadcast gives an envelope to all clients. It waits for none of them: who
// does not take what there is to take is closed anyway.
func (s *Socket) Broadcast(envelope []byte) {
	line := wire.AppendTaskEvent(nil, "", envelope)
	for _, c := range s.all() {
		c.append(line)
	}
}

func (s *Socket) all() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*conn, 0, len(s.clients))
	for _, c := range s.clients {
		list = append(list, c)
	}
	return list
}

// Clients is how many are connected.
func (s *Socket) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

// Shutdown takes the file away, lets the clients' commands end, tells them that
// the server stops, and waits until they are gone. When ctx ends first, they are
// cut.
func (s *Socket) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.unlink()
	_ = s.listener.Close()
	defer s.unlock()
	for _, c := range s.all() {
		c.stop()
	}
	done := make(chan struct{})
	go func() { s.conns.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		s.cancel()
		for _, c := range s.all() {
			_ = c.sock.Close()
		}
		<-done
	}
	s.cancel()
	s.work.Wait()
}

// Moved tells that a session has got records from seq first on. It does not wait.
func (s *Socket) Moved(id clew.SessionID, first uint64) {
	if s.hearing.Load() == 0 {
		return
	}
	s.movedMu.Lock()
	if from, ok := s.moved[id]; !ok || first < from {
		s.moved[id] = first
	}
	s.movedMu.Unlock()
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// spread lets the clients that want to hear of it follow what moves.
func (s *Socket) spread() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.kick:
		}
		s.movedMu.Lock()
		moved := s.moved
		s.moved = map[clew.SessionID]uint64{}
		s.movedMu.Unlock()
		for _, c := range s.all() {
			for id, first := range moved {
				c.hearOf(id, first-1)
			}
		}
	}
}
