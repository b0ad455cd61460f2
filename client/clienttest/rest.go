package clienttest

import (
	"encoding/json"
	"net/http"

	"github.com/clew-run/clew"
)

// Handler serves the WebSocket and a part of REST. HTTPClient reaches it
// without a port; httptest.NewServer gives it one.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ws/{id}", s.socket)
	mux.HandleFunc("POST /api/v1/sessions", s.rest(s.create))
	mux.HandleFunc("GET /api/v1/sessions", s.rest(s.list))
	mux.HandleFunc("GET /api/v1/sessions/{id}", s.rest(s.get))
	mux.HandleFunc("GET /api/v1/sessions/{id}/messages", s.rest(s.messages))
	mux.HandleFunc("POST /api/v1/sessions/{id}/commands", s.rest(s.command))
	return mux
}

// rest adds the caller, and turns results and errors into JSON.
func (s *Server) rest(f func(r *http.Request, user clew.UserID) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user := s.user(r)
		if user == "" {
			refuse(w, http.StatusUnauthorized, clew.Errorf(clew.AuthRequired, "no credentials"))
			return
		}
		v, err := f(r, user)
		if err != nil {
			refuse(w, statusOf(err), err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client may be gone
	}
}

func statusOf(err error) int {
	if clew.CodeOf(err) == clew.SessionNotFound {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(clew.NewErrorData(err, clew.ErrorContext{})) // the client may be gone
}

func (s *Server) create(_ *http.Request, user clew.UserID) (any, error) {
	return map[string]clew.SessionID{"session_id": s.CreateSession(user)}, nil
}

type summary struct {
	SessionID clew.SessionID `json:"session_id"`
	Owner     clew.UserID    `json:"owner"`
	Status    string         `json:"status"`
	LastSeq   uint64         `json:"last_seq"`
}

func (s *Server) list(_ *http.Request, user clew.UserID) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []summary{}
	for _, ss := range s.sessions {
		if ss.owner == user {
			out = append(out, ss.summary())
		}
	}
	return map[string]any{"sessions": out}, nil
}

func (ss *session) summary() summary {
	return summary{ss.id, ss.owner, string(clew.StatusIdle), ss.head.Seq}
}

func (s *Server) get(r *http.Request, user clew.UserID) (any, error) {
	ss, err := s.session(clew.SessionID(r.PathValue("id")), user)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ss.summary(), nil
}

func (s *Server) messages(r *http.Request, user clew.UserID) (any, error) {
	ss, err := s.session(clew.SessionID(r.PathValue("id")), user)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ss.page(), nil
}

// page is the whole transcript; the fake does not page.
func (ss *session) page() clew.MessagesPage {
	var p clew.MessagesPage
	at := map[clew.MessageID]int{}
	for _, r := range ss.records {
		if r.Type != clew.EventMessageCreated && r.Type != clew.EventMessageUpdated {
			continue
		}
		var d clew.MessageCreatedData
		if err := json.Unmarshal(r.Data(), &d); err != nil {
			panic(err) // the server wrote it
		}
		if i, ok := at[d.Message.MessageID]; ok {
			p.Messages[i] = d.Message
			continue
		}
		at[d.Message.MessageID] = len(p.Messages)
		p.Messages = append(p.Messages, d.Message)
	}
	p.Total = len(p.Messages)
	return p
}

func (s *Server) command(r *http.Request, user clew.UserID) (any, error) {
	ss, err := s.session(clew.SessionID(r.PathValue("id")), user)
	if err != nil {
		return nil, err
	}
	var cmd incoming
	if err := json.NewDecoder(r.Body).Decode(&cmd); err != nil {
		return nil, clew.WrapError(clew.InvalidMessage, err, "not JSON")
	}
	s.mu.Lock()
	before := ss.head.Seq
	s.mu.Unlock()
	if _, err := s.do(ss, user, cmd); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []clew.MessageID{}
	for seq := before + 1; seq <= min(ss.head.Seq, before+2); seq++ { // the echo is not the command's
		ids = append(ids, clew.MessageIDOf(seq))
	}
	return map[string]any{"client_message_id": cmd.MessageID, "records": ids}, nil
}
