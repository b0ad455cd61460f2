package clienttest

import (
	"encoding/json"
	"time"

	"github.com/clew-run/clew"
)

// incoming is a client's frame.
type incoming struct {
	Type      clew.CommandType     `json:"type"`
	MessageID clew.ClientMessageID `json:"message_id"`
	Data      json.RawMessage      `json:"data"`
}

const echoAgent clew.AgentID = "main-monitor-0"

// do carries a command out. The answer, if any, is for its sender alone.
func (s *Server) do(ss *session, user clew.UserID, cmd incoming) (answer []byte, err error) {
	switch cmd.Type {
	case clew.CommandPong, clew.CommandSubscribeMonitor:
		return nil, nil
	case clew.CommandGetState:
		s.mu.Lock()
		defer s.mu.Unlock()
		return ss.state(""), nil
	case clew.CommandGetMessages:
		s.mu.Lock()
		defer s.mu.Unlock()
		p := ss.page()
		p.ClientMessageID = cmd.MessageID
		return ss.envelope(&p), nil
	case clew.CommandUserMessage:
		var d clew.UserMessageData
		if err := json.Unmarshal(cmd.Data, &d); err != nil || d.Text == "" {
			return nil, clew.WrapError(clew.InvalidMessage, err, "user_message needs a text")
		}
		return s.userMessage(ss, user, cmd.MessageID, d), nil
	}
	if _, ok := clew.CommandInfoOf(cmd.Type); !ok {
		return nil, clew.Errorf(clew.InvalidMessage, "unknown type %q", cmd.Type)
	}
	return nil, clew.Errorf(clew.SessionInvalidState, "the fake does not know %s", cmd.Type)
}

// userMessage records a message and its echo. A repeat is answered with the
// first acceptance.
func (s *Server) userMessage(ss *session, user clew.UserID, id clew.ClientMessageID, d clew.UserMessageData) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := ss.seen[id]; ok && id != "" {
		return r.Envelope()
	}
	said := clew.MessageIDOf(ss.head.Seq + 1)
	ss.append(user, &clew.MessageCreatedData{Message: ss.message(clew.Message{
		Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: d.Text, ClientMessageID: id, UserID: user,
	})})
	ss.seen[id] = ss.append(user, &clew.MessageAcceptedData{
		ClientMessageID: id, MessageID: said, AgentID: echoAgent, Delivery: clew.DeliveryDirect,
	})
	reply := clew.Message{Say: clew.SayText, Role: clew.SpeakerAssistant, Partial: true, AgentID: echoAgent, ReplyTo: said}
	reply = ss.message(reply)
	ss.append(clew.UserID(echoAgent), &clew.MessageCreatedData{Message: reply})
	ss.tell(ss.envelope(&clew.AgentResponseData{MessageID: reply.MessageID, ReplyTo: said, AgentID: echoAgent, Delta: d.Text}))
	reply.Text, reply.Partial = d.Text, false
	ss.append(clew.UserID(echoAgent), &clew.MessageUpdatedData{Message: reply})
	return nil
}

// message fills in what every message has.
func (ss *session) message(m clew.Message) clew.Message {
	m.MessageID = clew.MessageIDOf(ss.head.Seq + 1)
	m.TS = max(time.Now().UnixMilli(), ss.head.TS+1)
	m.Type = clew.TypeSay
	return m
}

// envelope makes an envelope without a place in the journal.
func (ss *session) envelope(data any) []byte {
	ev := clew.NewEvent(data)
	out := struct {
		Type      clew.EventType `json:"type"`
		SessionID clew.SessionID `json:"session_id"`
		MessageID string         `json:"message_id,omitempty"`
		Timestamp string         `json:"timestamp"`
		Data      any            `json:"data"`
	}{Type: ev.Type, SessionID: ss.id, Timestamp: clew.Timestamp(time.Now().UnixMilli()), Data: ev.Data}
	if ev.Type == clew.EventSessionState {
		out.MessageID = "snap_" + string(clew.NewClientID())
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // the catalogue's structs always encode
	}
	return b
}

func (ss *session) state(client clew.ClientID) []byte {
	return ss.envelope(&clew.SessionState{
		Status: clew.StatusIdle, LastMessageID: ss.lastID(), ClientID: client, Epoch: ss.epoch,
		Owner: ss.owner, Messages: ss.page().Messages, Role: clew.RoleOwner,
	})
}

func (ss *session) lastID() clew.MessageID {
	if ss.head.Seq == 0 {
		return ""
	}
	return clew.MessageIDOf(ss.head.Seq)
}

// Broadcast sends any bytes to the connections of a session.
func (s *Server) Broadcast(id clew.SessionID, frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id].tell(frame)
}
