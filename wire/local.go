package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// The origins of frames of the local socket. A frame's type decides which it is.
const (
	OriginClient = "client"
	OriginServer = "server"
)

// A LocalCommand is a task_command as the server takes it.
type LocalCommand struct {
	// ClientID is what the frame says, "" if nothing: the id of this connection,
	// of an earlier one of the same client, or the program's own name.
	ClientID        clew.ClientID
	Name            clew.TaskCommandName
	SessionID       clew.SessionID
	ClientMessageID clew.ClientMessageID
	Data            json.RawMessage
}

// DecodeLocalCommand reads a client's frame, one line without its end. It is
// strict; a Glance says what a frame is about that it does not take.
func DecodeLocalCommand(line []byte) (LocalCommand, error) {
	var cmd LocalCommand
	var f struct {
		Type     clew.FrameType  `json:"type"`
		Origin   *string         `json:"origin"`
		ClientID clew.ClientID   `json:"client_id"`
		Data     json.RawMessage `json:"data"`
	}
	if err := strict(line, "frame", &f); err != nil {
		return cmd, err
	}
	switch {
	case f.Type != clew.FrameTaskCommand:
		return cmd, bad("type %.64q is not task_command", f.Type)
	case f.Origin != nil && *f.Origin != OriginClient:
		return cmd, bad("origin %.64q is not client", *f.Origin)
	case f.ClientID != "" && !clew.ValidID(string(f.ClientID)):
		return cmd, bad("client_id %.64q is not an id", f.ClientID)
	case len(f.Data) == 0:
		return cmd, bad("data is missing")
	}
	var d struct {
		CommandName     clew.TaskCommandName `json:"command_name"`
		SessionID       clew.SessionID       `json:"session_id"`
		ClientMessageID clew.ClientMessageID `json:"client_message_id"`
		Data            json.RawMessage      `json:"data"`
	}
	if err := strict(f.Data, "data", &d); err != nil {
		return cmd, err
	}
	if d.CommandName == "" {
		return cmd, bad("data.command_name is missing")
	}
	if err := checkMessageID(string(d.ClientMessageID)); err != nil {
		return cmd, bad("data.client_%s", clew.AsError(err).Message)
	}
	if d.SessionID != "" && !d.SessionID.Valid() {
		return cmd, bad("data.session_id is not an id")
	}
	return LocalCommand{f.ClientID, d.CommandName, d.SessionID, d.ClientMessageID, d.Data}, nil
}

// strict decodes one JSON object: UTF-8, not too deep, no field that out lacks.
func strict(b []byte, place string, out any) error {
	switch {
	case !utf8.Valid(b):
		return bad("%s is not UTF-8", place)
	case !depthOK(b, MaxDepth):
		return bad("%s is nested deeper than %d", place, MaxDepth)
	}
	list, ok := members(b, nil)
	if !ok {
		return bad("%s is not a JSON object", place)
	}
	for i, m := range list {
		switch {
		case !plainName(m.name):
			return bad("%s: unknown field %.64q", place, m.name)
		case seenBefore(list[:i], m.name):
			return bad("%s: %.64s is given twice", place, m.name)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return bad("%s: %.200s", place, err.Error())
	}
	if rest := bytes.TrimSpace(b[dec.InputOffset():]); len(rest) > 0 {
		return bad("%s: there is something after the object", place)
	}
	return nil
}

// plainName reports whether a field's name is spelled as ours are. The decoder
// would take TYPE for type, and one of each for no repetition.
func plainName(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// DecodeLocalData reads the data of a local command that has no counterpart
// among the others into out, a pointer to its struct.
func DecodeLocalData(data []byte, out any) error {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	return strict(data, "data.data", out)
}

// A LocalFrame is a server's frame as a client takes it. One of Ack and Event is
// set.
type LocalFrame struct {
	Ack   *clew.AckData
	Event *Envelope
	// RelayClientID, on an event, is the one client that it is for.
	RelayClientID clew.ClientID
}

// DecodeLocalFrame reads a server's frame, one line. What is not a server's is
// refused; fields it does not know are ignored.
func DecodeLocalFrame(line []byte) (LocalFrame, error) {
	var f struct {
		Type          clew.FrameType  `json:"type"`
		Origin        string          `json:"origin"`
		RelayClientID clew.ClientID   `json:"relay_client_id"`
		Data          json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return LocalFrame{}, clew.WrapError(clew.InvalidMessage, err, "frame is not readable")
	}
	if f.Origin != "" && f.Origin != OriginServer {
		return LocalFrame{}, bad("origin %.64q is not server", f.Origin)
	}
	out := LocalFrame{RelayClientID: f.RelayClientID}
	var err error
	switch f.Type {
	case clew.FrameAck:
		out.Ack = new(clew.AckData)
		if err = json.Unmarshal(f.Data, out.Ack); err == nil && out.Ack.ClientID == "" {
			err = bad("ack has no client_id")
		}
	case clew.FrameTaskEvent:
		out.Event = new(Envelope)
		if err = json.Unmarshal(f.Data, out.Event); err == nil && out.Event.Type == "" {
			err = bad("task_event has no type")
		}
	default:
		err = bad("type %.64q is unknown", f.Type)
	}
	if err != nil {
		return LocalFrame{}, clew.WrapError(clew.InvalidMessage, err, "frame does not fit")
	}
	return out, nil
}

// AppendAck writes an ack, a whole line.
func AppendAck(b []byte, data clew.AckData) []byte {
	raw, err := clew.MarshalData(data)
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	b = append(b, `{"type":"ack","origin":"server","data":`...)
	return append(append(b, raw...), "}\n"...)
}

// AppendTaskEvent writes a task_event, a whole line. relay is the one client
// that it is for, "" if it is for all.
func AppendTaskEvent(b []byte, relay clew.ClientID, envelope []byte) []byte {
	b = append(b, `{"type":"task_event","origin":"server",`...)
	if relay != "" {
		b = append(append(append(b, `"relay_client_id":"`...), relay...), `",`...)
	}
	b = append(b, `"data":`...)
	if bytes.IndexByte(envelope, '\n') >= 0 { // between tokens; in strings it is escaped
		var flat bytes.Buffer
		if json.Compact(&flat, envelope) == nil {
			envelope = flat.Bytes()
		}
	}
	return append(append(b, envelope...), "}\n"...)
}

// EncodeLocalCommand writes a task_command, a whole line.
func EncodeLocalCommand(client clew.ClientID, data clew.TaskCommandData) ([]byte, error) {
	b, err := clew.MarshalData(struct {
		Type     clew.FrameType       `json:"type"`
		Origin   string               `json:"origin"`
		ClientID clew.ClientID        `json:"client_id,omitempty"`
		Data     clew.TaskCommandData `json:"data"`
	}{clew.FrameTaskCommand, OriginClient, client, data})
	return append(b, '\n'), err
}
