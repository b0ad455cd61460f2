package wire

import (
	"encoding/json"

	"github.com/clew-run/clew"
)

// An Envelope is what travels on the wire, in both directions.
type Envelope struct {
	Type      string         `json:"type"`
	SessionID clew.SessionID `json:"session_id,omitempty"`
	MessageID string         `json:"message_id,omitempty"`
	Timestamp string         `json:"timestamp,omitempty"`
	// ClientMessageID, on a record, is what the client called the command that
	// led to it.
	ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty"`
	Data            json.RawMessage      `json:"data,omitempty"`
}

// Encode writes the envelope of an answer or of streamed text. Records need no
// encoding: see clew.Record. ts is in Unix ms; messageID may be ""; data may be
// nil.
func Encode(typ clew.EventType, session clew.SessionID, messageID string, ts int64, data any) ([]byte, error) {
	var raw json.RawMessage
	if data != nil {
		var err error
		if raw, err = clew.MarshalData(data); err != nil {
			return nil, err
		}
	}
	b := make([]byte, 0, 160+len(raw))
	b = append(b, `{"type":"`...)
	b = append(b, typ...)
	b = append(b, `","session_id":"`...)
	b = append(b, session...)
	if messageID != "" {
		b = append(b, `","message_id":"`...)
		b = append(b, messageID...)
	}
	b = append(b, `","timestamp":"`...)
	b = clew.AppendTimestamp(b, ts)
	b = append(b, '"')
	if raw != nil {
		b = append(b, `,"data":`...)
		b = append(b, raw...)
	}
	return append(b, '}'), nil
}

// EncodeError writes the error that answers a client's frame.
func EncodeError(session clew.SessionID, ts int64, err error, about clew.ErrorContext) []byte {
	b, encodeErr := Encode(clew.EventError, session, "", ts, clew.NewErrorData(err, about))
	if encodeErr != nil { // strings and numbers always encode
		panic(encodeErr)
	}
	return b
}

// EncodeCommand writes a client's frame. The command's By does not travel.
func EncodeCommand(session clew.SessionID, cmd clew.Command) ([]byte, error) {
	data, err := clew.MarshalData(cmd.Data)
	if err != nil {
		return nil, err
	}
	return clew.MarshalData(Envelope{
		Type: string(cmd.Type), SessionID: session, MessageID: string(cmd.ClientMessageID), Data: data,
	})
}

// DecodeEnvelope reads a server's frame on the client's side. An unknown type
// is passed on with its data undecoded, a json.RawMessage, so that an older
// client lives with a newer server.
func DecodeEnvelope(frame []byte) (Envelope, clew.Event, error) {
	var env Envelope
	if err := json.Unmarshal(frame, &env); err != nil {
		return Envelope{}, clew.Event{}, clew.WrapError(clew.InvalidMessage, err, "frame is not an envelope")
	}
	if env.Type == "" {
		return Envelope{}, clew.Event{}, bad("type is missing")
	}
	typ := clew.EventType(env.Type)
	if _, known := clew.EventInfoOf(typ); !known {
		return env, clew.Event{Type: typ, Data: env.Data}, nil
	}
	ev, err := clew.DecodeEvent(typ, env.Data)
	return env, ev, err
}

// Seq gives the sequence number of a record's envelope; 0 if it is an answer
// or streamed text.
func (e Envelope) Seq() uint64 {
	seq, err := clew.MessageID(e.MessageID).Seq()
	if err != nil {
		return 0
	}
	return seq
}
