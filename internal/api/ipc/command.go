package ipc

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime/debug"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// onLine takes one line of the client to its end before the next one is read.
// A command is answered to the client alone: with message_accepted once it is
// durable, or with error.
func (c *conn) onLine(line []byte) {
	cmd, err := wire.DecodeLocalCommand(line)
	if err != nil {
		c.reject(wire.GlanceAt(line), err)
		return
	}
	c.leaveCurrent(cmd)
	done := accepted{session: cmd.SessionID}
	if err := c.guard(cmd, &done); err != nil {
		c.refuse(cmd, done.session, err)
		return
	}
	c.tell(done.session, clew.EventMessageAccepted, &clew.MessageAcceptedData{
		ClientMessageID: cmd.ClientMessageID, MessageID: done.first, TaskID: done.task,
	})
}

// leaveCurrent forgets which session the client is at, if the command starts or
// names another one or nobody knows what it was: should it fail, the next one
// must not go to the session before.
func (c *conn) leaveCurrent(cmd wire.LocalCommand) {
	if cmd.Name == "" || cmd.Name == clew.TaskCommandStartNewTask || cmd.SessionID != "" {
		c.current = ""
	}
}

// accepted is what came of a command.
type accepted struct {
	session clew.SessionID
	first   clew.MessageID
	task    clew.TaskID
}

func (c *conn) refuse(cmd wire.LocalCommand, id clew.SessionID, err error) {
	e := clew.AsError(err)
	if e.Err != nil {
		c.s.o.Log.Warn("local socket: command failed", "client_id", c.id, "session", id, "command", cmd.Name, "code", e.Code, "err", e.Err)
	}
	about := clew.ErrorContext{ClientMessageID: cmd.ClientMessageID, CommandType: cmd.Name.Command()}
	c.s.Send(c.id, errorEnvelope(id, e, about))
}

// tell sends an answer to this client alone.
func (c *conn) tell(id clew.SessionID, typ clew.EventType, data any) {
	envelope, err := wire.Encode(typ, id, "", time.Now().UnixMilli(), data)
	if err != nil { // only a fault of the program makes data that does not encode
		panic(err)
	}
	c.s.Send(c.id, envelope)
}

// guard runs a command and turns a panic into an error: a fault in one must not
// take the other connections with it.
func (c *conn) guard(cmd wire.LocalCommand, done *accepted) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.s.o.Log.Error("panic in a local command", "command", cmd.Name, "panic", p, "stack", string(debug.Stack()))
			err = clew.Errorf(clew.Internal, "internal error")
		}
	}()
	ctx, cancel := context.WithTimeout(c.s.ctx, commandTimeout)
	defer cancel()
	switch cmd.Name {
	case clew.TaskCommandFollow:
		return c.onFollow(ctx, cmd, done)
	case clew.TaskCommandStartNewTask:
		return c.onStart(ctx, cmd, done)
	}
	if cmd.Name.Command() == "" {
		return clew.Errorf(clew.InvalidMessage, "command_name %.64q is unknown", cmd.Name)
	}
	if err := c.choose(&cmd, done); err != nil {
		return err
	}
	data, err := decodeData(cmd.Name.Command(), cmd.Data)
	if err != nil {
		return err
	}
	return c.do(ctx, cmd, data, done)
}

// choose finds out which session a command is about.
func (c *conn) choose(cmd *wire.LocalCommand, done *accepted) error {
	if cmd.SessionID == "" {
		cmd.SessionID = c.current
	}
	if cmd.SessionID == "" {
		return clew.Errorf(clew.InvalidMessage, "data.session_id is missing: this connection has started or named no session, or was refused the last one")
	}
	done.session = cmd.SessionID
	return nil
}

// decodeData reads a command's data as on the WebSocket, but for text, which may
// be absent here.
func decodeData(t clew.CommandType, data json.RawMessage) (any, error) {
	if t != clew.CommandUserMessage && t != clew.CommandNewTask {
		return wire.DecodeData(t, data)
	}
	fields := map[string]json.RawMessage{}
	if err := wire.DecodeLocalData(data, &fields); err != nil {
		return nil, err
	}
	if _, ok := fields["text"]; !ok {
		fields["text"] = json.RawMessage(`""`)
	}
	filled, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return wire.DecodeData(t, filled)
}

// onStart starts a task, in a session of its own unless one is named.
func (c *conn) onStart(ctx context.Context, cmd wire.LocalCommand, done *accepted) error {
	var d clew.StartNewTaskData
	if err := wire.DecodeLocalData(cmd.Data, &d); err != nil {
		return err
	}
	data, err := startData(d)
	if err != nil {
		return err
	}
	if cmd.SessionID != "" {
		if d.Title != "" || d.Workspace != "" {
			return clew.Errorf(clew.InvalidMessage, "title and workspace are of a new session, and session_id names one that is there")
		}
		return c.do(ctx, cmd, data, done)
	}
	cmd.SessionID = c.sessionFor(cmd)
	f, err := c.place(cmd.SessionID, whole) // first: a session that cannot be followed is not made
	if err != nil {
		return err
	}
	if f != nil {
		defer c.abandon(f)
	}
	if err := c.create(ctx, cmd, d); err != nil {
		return err
	}
	if f != nil {
		if err := c.begin(ctx, f, cursor{resumeFrom: fromStart}, whole); err != nil {
			return err
		}
	}
	return c.do(ctx, cmd, data, done)
}

// create makes the session of a start, unless it is there: the start is a repeat
// then.
func (c *conn) create(ctx context.Context, cmd wire.LocalCommand, d clew.StartNewTaskData) error {
	_, err := c.s.o.Host.Create(ctx, c.s.o.By, session.NewSession{ID: cmd.SessionID, Title: d.Title, Workspace: d.Workspace})
	if clew.CodeOf(err) == clew.SessionExists && cmd.ClientMessageID != "" {
		return nil
	}
	return err
}

// startData checks what the task is to be as new_task does.
func startData(d clew.StartNewTaskData) (any, error) {
	raw, err := clew.MarshalData(clew.NewTaskData{Text: d.Text, Images: d.Images, Mode: d.Mode})
	if err != nil {
		return nil, err
	}
	return wire.DecodeData(clew.CommandNewTask, raw)
}

// clientOf names the program that gives a command: as it calls itself, or by its
// connection.
func (c *conn) clientOf(cmd wire.LocalCommand) clew.ClientID {
	return cmp.Or(cmd.ClientID, c.id)
}

// sessionFor names the session that a command makes, over a broken line and a
// server that died.
func (c *conn) sessionFor(cmd wire.LocalCommand) clew.SessionID {
	if cmd.ClientMessageID == "" {
		return clew.NewSessionID()
	}
	return clew.SessionIDFor("client "+string(c.clientOf(cmd)), cmd.ClientMessageID)
}

// causeOf names a command in the journal. All programs are one user there, and
// two of them may call their commands alike.
func (c *conn) causeOf(cmd wire.LocalCommand) clew.ClientMessageID {
	if cmd.ClientMessageID == "" {
		return ""
	}
	return clew.ClientMessageID(c.clientOf(cmd)) + ":" + cmd.ClientMessageID
}

// do carries a command out in a session. The client follows the session from
// before that, so it misses nothing of what follows.
func (c *conn) do(ctx context.Context, cmd wire.LocalCommand, data any, done *accepted) error {
	done.session = cmd.SessionID
	role, err := c.s.o.Host.Access(ctx, cmd.SessionID, c.s.o.By)
	if err != nil {
		return err
	}
	if info, ok := clew.CommandInfoOf(cmd.Name.Command()); !ok || !info.Allows(role) {
		return clew.Errorf(clew.Forbidden, "the session belongs to somebody else: you may watch it")
	}
	if err := c.follow(ctx, cmd.SessionID, cursor{}, joins); err != nil {
		return err
	}
	command := clew.NewCommand(c.s.o.By, data)
	command.ClientMessageID = c.causeOf(cmd)
	receipt, err := c.s.o.Host.Do(ctx, cmd.SessionID, command)
	if err != nil {
		return err
	}
	c.current = cmd.SessionID
	if len(receipt.Records) > 0 {
		done.first = receipt.Records[0]
	}
	if cmd.Name == clew.TaskCommandStartNewTask {
		done.task = c.taskOf(ctx, cmd.SessionID, receipt)
	}
	return nil
}

// taskOf finds the task that a command started, "" if it waits for another.
func (c *conn) taskOf(ctx context.Context, id clew.SessionID, receipt session.Receipt) clew.TaskID {
	if len(receipt.Records) == 0 {
		return ""
	}
	first, err := receipt.Records[0].Seq()
	if err != nil {
		return ""
	}
	last, err := receipt.Records[len(receipt.Records)-1].Seq()
	if err != nil {
		return ""
	}
	w, err := c.s.o.Host.Watch(ctx, id)
	if err != nil {
		return ""
	}
	defer w.Close()
	for r, err := range w.Read(ctx, first, last) {
		if err != nil {
			return ""
		}
		if r.Type != clew.EventTaskCreated {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if d, ok := ev.Data.(*clew.TaskCreatedData); ok && err == nil {
			return d.TaskID
		}
	}
	return ""
}
