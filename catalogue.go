package clew

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// An EventInfo describes an event type.
type EventInfo struct {
	Type EventType
	Kind EventKind
	Doc  string
	Data any // zero value of the data struct
}

// New makes an empty data struct and returns a pointer to it.
func (i EventInfo) New() any { return reflect.New(reflect.TypeOf(i.Data)).Interface() }

// A CommandInfo describes a command type.
type CommandInfo struct {
	Type CommandType
	// Right is the least role that may send it; RoleNone is anybody, even
	// before authentication.
	Right Role
	// Hitl marks an answer to a question, which has a rate limit of its own.
	Hitl bool
	Doc  string
	Data any // zero value of the data struct
}

// New makes an empty data struct and returns a pointer to it.
func (i CommandInfo) New() any { return reflect.New(reflect.TypeOf(i.Data)).Interface() }

// Allows reports whether a caller with this role may send the command. An
// administrator who is not the owner may watch, no more.
func (i CommandInfo) Allows(role Role) bool {
	return rank(role) >= rank(i.Right)
}

func rank(r Role) int {
	switch r {
	case RoleViewer, RoleAdmin:
		return 1
	case RoleApprover:
		return 2
	case RoleOwner:
		return 3
	}
	return 0
}

// A FrameType names a frame of the local socket.
type FrameType string

// The frames of the local socket.
const (
	FrameAck         FrameType = "ack"
	FrameTaskCommand FrameType = "task_command"
	FrameTaskEvent   FrameType = "task_event"
)

// A FrameInfo describes a frame of the local socket.
type FrameInfo struct {
	Type   FrameType
	Origin string // client or server
	Doc    string
	Data   any
}

// Frames lists the frames of the local socket.
var Frames = []FrameInfo{
	{FrameAck, "server", "The first frame a client gets: its id, the server's process ids and its address.", AckData{}},
	{FrameTaskCommand, "client", "Start, cancel, close or resume a task, send it a message, or follow a session.", TaskCommandData{}},
	{FrameTaskEvent, "server", "An envelope of a session that the client follows, or an answer to it alone.", TaskEventData{}},
}

var (
	eventIndex   = map[EventType]EventInfo{}
	eventOf      = map[reflect.Type]EventType{}
	commandIndex = map[CommandType]CommandInfo{}
	commandOf    = map[reflect.Type]CommandType{}
)

func init() {
	for _, e := range Events {
		eventIndex[e.Type] = e
		eventOf[reflect.TypeOf(e.Data)] = e.Type
	}
	for _, c := range Commands {
		commandIndex[c.Type] = c
		commandOf[reflect.TypeOf(c.Data)] = c.Type
	}
}

// EventInfoOf looks an event type up in Events.
func EventInfoOf(t EventType) (EventInfo, bool) {
	i, ok := eventIndex[t]
	return i, ok
}

// CommandInfoOf looks a command type up in Commands.
func CommandInfoOf(t CommandType) (CommandInfo, bool) {
	i, ok := commandIndex[t]
	return i, ok
}

// NewEvent makes the event whose data this is; data points to one of the
// structs that Events lists. Anything else is a programming error.
func NewEvent(data any) Event {
	t := reflect.TypeOf(data)
	if t == nil || t.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("clew: event data must be a pointer, not %T", data))
	}
	typ, ok := eventOf[t.Elem()]
	if !ok {
		panic(fmt.Sprintf("clew: %T is the data of no event", data))
	}
	return Event{Type: typ, Data: data}
}

// NewCommand makes the command whose data this is; data points to one of the
// structs that Commands lists. Anything else is a programming error.
func NewCommand(by Principal, data any) Command {
	t := reflect.TypeOf(data)
	if t == nil || t.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("clew: command data must be a pointer, not %T", data))
	}
	typ, ok := commandOf[t.Elem()]
	if !ok {
		panic(fmt.Sprintf("clew: %T is the data of no command", data))
	}
	return Command{Type: typ, By: by, Data: data}
}

// ErrUnknownEvent says that the catalogue has no such event type: a newer
// program wrote it.
var ErrUnknownEvent = errors.New("the type is not in this program's catalogue")

// DecodeEvent reads an event's data by the catalogue. Fields it does not know
// are ignored, so that older code reads newer records. A type it does not know
// fails with ErrUnknownEvent.
func DecodeEvent(t EventType, data []byte) (Event, error) {
	info, ok := eventIndex[t]
	if !ok {
		return Event{}, WrapError(InvalidMessage, ErrUnknownEvent, "unknown event type %q", t)
	}
	v := info.New()
	if len(data) > 0 {
		if err := json.Unmarshal(data, v); err != nil {
			return Event{}, WrapError(InvalidMessage, err, "data of %s is not readable", t)
		}
	}
	return Event{Type: t, Data: v}, nil
}

// MarshalData writes data as records and envelopes carry it: compact, and
// without the escapes that only HTML needs.
func MarshalData(data any) (json.RawMessage, error) {
	switch d := data.(type) { // the large ones, without a second pass
	case *SessionState:
		return d.MarshalJSON()
	case SessionState:
		return d.MarshalJSON()
	case *MessagesPage:
		return d.MarshalJSON()
	case MessagesPage:
		return d.MarshalJSON()
	}
	return encode(data)
}

func encode(data any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
