package client

import (
	"bufio"
	"context"
	"net"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A LocalEvent is what a task_event of the local socket carries.
type LocalEvent struct {
	wire.Envelope
	// RelayClientID is set on what is for this client alone: answers to its
	// commands, and states that it asked for.
	RelayClientID clew.ClientID
}

// A Local is a client of a server's local socket, which needs no credentials. It
// hears of all sessions unless it says follow with scope own. The listeners of
// Acks, Events and Disconnects are called one after the other by the goroutine
// that reads: they must not wait for an answer to a command. Safe for concurrent
// use.
type Local struct {
	Acks        Emitter[clew.AckData]
	Events      Emitter[LocalEvent]
	Disconnects Emitter[error] // why; nil after Close

	path string

	mu      sync.Mutex
	conn    net.Conn      // nil before the ack and after the end
	name    clew.ClientID // its own, or that of the first ack; see sendLine
	ack     clew.AckData
	closed  bool
	waiting map[clew.ClientMessageID]chan LocalEvent
	done    chan struct{} // closed when the reader has ended

	sending sync.Mutex // a line is written whole
}

// A LocalAnswer says what a command came to. It is durable then.
type LocalAnswer struct {
	SessionID       clew.SessionID
	TaskID          clew.TaskID    // of a task that was started at once
	MessageID       clew.MessageID // the first record of it
	ClientMessageID clew.ClientMessageID
}

// NewLocal makes a client of the socket at a path. Connect connects it.
func NewLocal(path string) *Local {
	return &Local{path: path, waiting: map[clew.ClientMessageID]chan LocalEvent{}}
}

// Named gives the client a name of its own, an id of letters, digits, - and _.
// Commands are known by it and their ClientMessageID, so one that another run of
// the program sends again has no second effect either. Without a name that holds
// for the one client, over its reconnects. It is called before Connect.
func (l *Local) Named(name clew.ClientID) *Local {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
	return l
}

// DialLocal makes a client and connects it.
func DialLocal(ctx context.Context, path string) (*Local, error) {
	l := NewLocal(path)
	return l, l.Connect(ctx)
}

// Connect connects, and returns when the server has said who the client is. It
// may be called again after a disconnect.
func (l *Local) Connect(ctx context.Context) error {
	conn, err := dialLocal(ctx, l.path)
	if err != nil {
		return err
	}
	r, ack, err := awaitAck(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return err
	}
	l.mu.Lock()
	if l.closed || l.conn != nil {
		l.mu.Unlock()
		_ = conn.Close()
		return clew.Errorf(clew.ConnectionFailed, "the client is closed, or connected already")
	}
	l.conn, l.ack, l.done = conn, ack, make(chan struct{})
	if l.name == "" {
		l.name = ack.ClientID
	}
	done := l.done
	l.mu.Unlock()
	l.Acks.Emit(ack)
	go l.read(conn, r, done)
	return nil
}

// Ack is what the server said last, and whether the client is connected.
func (l *Local) Ack() (clew.AckData, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ack, l.conn != nil
}

// read tells of frames until the connection ends. What is no frame of a server
// is dropped.
func (l *Local) read(conn net.Conn, r *bufio.Reader, done chan struct{}) {
	defer close(done)
	var err error
	for {
		var line []byte
		if line, err = readLine(r, defaultReadLimit); err != nil {
			break
		}
		f, err := wire.DecodeLocalFrame(line)
		switch {
		case err != nil:
		case f.Ack != nil:
			l.mu.Lock()
			l.ack = *f.Ack
			l.mu.Unlock()
			l.Acks.Emit(*f.Ack)
		default:
			ev := LocalEvent{*f.Event, f.RelayClientID}
			l.settle(ev)
			l.Events.Emit(ev)
		}
	}
	_ = conn.Close()
	l.mu.Lock()
	l.conn = nil
	if l.closed {
		err = nil
	}
	l.mu.Unlock()
	l.Disconnects.Emit(err)
}

// settle hands an answer to whoever waits for it.
func (l *Local) settle(ev LocalEvent) {
	if ev.RelayClientID == "" {
		return
	}
	decoded, err := clew.DecodeEvent(clew.EventType(ev.Type), ev.Data)
	if err != nil {
		return
	}
	var id clew.ClientMessageID
	switch d := decoded.Data.(type) {
	case *clew.MessageAcceptedData:
		id = d.ClientMessageID
	case *clew.ErrorData:
		id = d.Context.ClientMessageID
	}
	l.mu.Lock()
	answer := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if answer != nil {
		answer <- ev
	}
}

// SendCommand sends a command and does not wait for its answer, which comes as
// an event. Before the ack, and after the end, it sends nothing and fails.
func (l *Local) SendCommand(cmd clew.TaskCommandData) error {
	_, err := l.sendLine(cmd)
	return err
}

// SendTaskMessage sends words, and images, to the task that the client works
// with.
func (l *Local) SendTaskMessage(text string, images ...string) error {
	return l.SendCommand(clew.TaskCommandData{
		CommandName: clew.TaskCommandSendMessage, Data: clew.UserMessageData{Text: text, Images: images},
	})
}

// sendLine writes a frame. It names the client as ever, so that the same command
// after a reconnect is known to be the same.
func (l *Local) sendLine(cmd clew.TaskCommandData) (done <-chan struct{}, err error) {
	l.mu.Lock()
	conn, name, done := l.conn, l.name, l.done
	l.mu.Unlock()
	if conn == nil {
		return nil, clew.Errorf(clew.ConnectionFailed, "not connected to the local socket")
	}
	line, err := wire.EncodeLocalCommand(name, cmd)
	if err != nil {
		return nil, err
	}
	l.sending.Lock()
	defer l.sending.Unlock()
	if _, err := conn.Write(line); err != nil {
		_ = conn.Close()
		return nil, clew.WrapError(clew.ConnectionFailed, err, "the local socket took no command")
	}
	return done, nil
}

// Do sends a command and waits until the server has it on record, or refuses it
// with a *clew.Error. If the line breaks meanwhile, nobody knows: connect and do
// the same command again, with the same ClientMessageID; it has no second effect.
func (l *Local) Do(ctx context.Context, cmd clew.TaskCommandData) (LocalAnswer, error) {
	if cmd.ClientMessageID == "" {
		cmd.ClientMessageID = newID()
	}
	answer := make(chan LocalEvent, 1)
	l.mu.Lock()
	l.waiting[cmd.ClientMessageID] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, cmd.ClientMessageID)
		l.mu.Unlock()
	}()
	done, err := l.sendLine(cmd)
	if err != nil {
		return LocalAnswer{}, err
	}
	select {
	case ev := <-answer:
		return answerOf(ev)
	case <-ctx.Done():
		return LocalAnswer{}, ctx.Err()
	case <-done:
	}
	select { // it may have been the last thing that was said
	case ev := <-answer:
		return answerOf(ev)
	default:
		return LocalAnswer{}, clew.Errorf(clew.ConnectionFailed, "the local socket was closed before it answered")
	}
}

func answerOf(ev LocalEvent) (LocalAnswer, error) {
	decoded, err := clew.DecodeEvent(clew.EventType(ev.Type), ev.Data)
	if err != nil {
		return LocalAnswer{}, err
	}
	switch d := decoded.Data.(type) {
	case *clew.ErrorData:
		return LocalAnswer{}, d.Err()
	case *clew.MessageAcceptedData:
		return LocalAnswer{SessionID: ev.SessionID, TaskID: d.TaskID, MessageID: d.MessageID, ClientMessageID: d.ClientMessageID}, nil
	}
	return LocalAnswer{}, clew.Errorf(clew.Internal, "%s answers no command", ev.Type)
}

// Follow says which sessions to hear of: with an id that one, from where data
// says; with a scope all, or own ones only.
func (l *Local) Follow(ctx context.Context, id clew.SessionID, data clew.FollowData) error {
	_, err := l.Do(ctx, clew.TaskCommandData{CommandName: clew.TaskCommandFollow, SessionID: id, Data: data})
	return err
}

// Disconnect ends the connection; Connect opens another one. A listener must not
// call it.
func (l *Local) Disconnect() {
	l.mu.Lock()
	conn, done := l.conn, l.done
	l.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
		<-done
	}
}

// Close ends the connection for good and waits until no listener is called any
// more. A listener must not call it.
func (l *Local) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.Disconnect()
}
