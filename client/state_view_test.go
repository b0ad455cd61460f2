package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A script is a server that says fixed frames on each connection, and breaks all
// but the last of them off.
type script struct {
	frames [][]string // by connection

	mu    sync.Mutex
	asked []url.Values
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, r.URL.Query())
	s.mu.Unlock()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }() // it may be closed already
	for _, f := range s.frames[min(n, len(s.frames)-1)] {
		if ws.Write(r.Context(), websocket.MessageText, []byte(f)) != nil {
			return
		}
	}
	if n < len(s.frames)-1 {
		return
	}
	for err == nil { // until the client leaves
		_, _, err = ws.Read(r.Context())
	}
}

// watch follows a script in the view of the state until a replica is at a cursor.
func watch(t *testing.T, s *script, until clew.MessageID) (*client.Replica, *client.Client) {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	c, err := client.Dial(t.Context(), client.Options{
		URL: srv.URL, Session: "sess_1", View: clew.ViewState,
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var r client.Replica
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Take(env); err != nil {
			t.Fatal(err)
		}
		if r.Cursor == until {
			break
		}
	}
	return &r, c
}

const (
	connectedFrame = `{"type":"connected","data":{"client_id":"c","role":"owner","epoch":"e1","view":"state"}}`
	syncFrame      = `{"type":"sync_complete","data":{"last_message_id":"msg_000000000002"}}`
	wholeFrame     = `{"type":"state_changed","data":{"to":"msg_000000000002","total":1,"put":{"session":{"title":"A","owner":"ann"},"message":[{"message_id":"msg_000000000002","type":"say","say":"text","role":"assistant","partial":true,"text":"Hi"}]}}}`
)

// The view of the state is asked for, and a replica holds what was sent. A broken
// connection goes on from the cursor.
//
// Covers: C-57
func TestWatchResumes(t *testing.T) {
	s := &script{frames: [][]string{
		{connectedFrame, wholeFrame, syncFrame, `{"type":"text","data":{"message_id":"msg_000000000002","offset":2,"delta":" there"}}`},
		{connectedFrame, `{"type":"state_changed","data":{"from":"msg_000000000002","to":"msg_000000000004","total":1,"put":{"session":{"title":"B","owner":"ann"}}}}`, syncFrame},
	}}
	r, c := watch(t, s, "msg_000000000004")
	if r.Session.Title != "B" || r.Connection.Role != clew.RoleOwner || len(r.Messages) != 1 || r.Messages[0].Text != "Hi there" {
		t.Errorf("the replica holds %+v", r)
	}
	if id, epoch := c.Cursor(); id != "msg_000000000004" || epoch != "e1" {
		t.Errorf("the cursor is %s of %s", id, epoch)
	}
	first, second := s.asked[0], s.asked[1]
	if first.Get("view") != "state" || first.Has("resume_from") {
		t.Errorf("it began with %v", first)
	}
	if second.Get("view") != "state" || second.Get("resume_from") != "msg_000000000002" || second.Get("epoch") != "e1" {
		t.Errorf("it came back with %v", second)
	}
}

// A change that does not go on from what is held never reaches the caller: the
// client asks for what changed since its cursor.
//
// Covers: C-81
func TestWatchHealsGaps(t *testing.T) {
	for name, gap := range map[string]string{
		"later":   `{"type":"state_changed","data":{"from":"msg_000000000003","to":"msg_000000000005","put":{"session":{"title":"wrong","owner":"x"}}}}`,
		"earlier": `{"type":"state_changed","data":{"from":"msg_000000000001","to":"msg_000000000002","put":{"session":{"title":"wrong","owner":"x"}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{frames: [][]string{
				{connectedFrame, wholeFrame, syncFrame, gap},
				{connectedFrame, `{"type":"state_changed","data":{"from":"msg_000000000002","to":"msg_000000000006","total":1}}`, syncFrame},
			}}
			r, _ := watch(t, s, "msg_000000000006")
			if r.Session.Title != "A" || s.asked[1].Get("resume_from") != "msg_000000000002" {
				t.Errorf("title %q, resumed from %q", r.Session.Title, s.asked[1].Get("resume_from"))
			}
		})
	}
}

// A command is answered by the change that has its effect.
func TestDoInTheStateView(t *testing.T) {
	s := &script{frames: [][]string{{connectedFrame, wholeFrame, syncFrame}}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		for _, f := range s.frames[0] {
			_ = ws.Write(r.Context(), websocket.MessageText, []byte(f)) // a client that left reads nothing
		}
		_, _, _ = ws.Read(r.Context()) // the command
		_ = ws.Write(r.Context(), websocket.MessageText, []byte(`{"type":"state_changed","data":{"from":"msg_000000000002","to":"msg_000000000003","total":1,"commands":["other","mine"]}}`))
		_, _, _ = ws.Read(r.Context())
	}))
	t.Cleanup(srv.Close)
	c, err := client.Dial(t.Context(), client.Options{
		URL: srv.URL, Session: "sess_1", View: clew.ViewState, NoFollow: true, NewID: func() clew.ClientMessageID { return "mine" },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	env, err := c.Do(ctx, clew.CommandRenameSession, clew.RenameSessionData{Title: "B"})
	if err != nil || clew.EventType(env.Type) != clew.EventStateChanged {
		t.Errorf("%+v, %v", env, err)
	}
}

// Older pages stay before a transcript that is put anew, but for what may have
// changed since.
func TestReplicaKeepsOlderPages(t *testing.T) {
	said := func(n uint64) clew.Message {
		return clew.Message{MessageID: clew.MessageIDOf(n), Type: clew.TypeSay, Say: clew.SayText}
	}
	growing := said(2)
	growing.Partial = true
	var r client.Replica
	apply := func(d *clew.StateChangedData) {
		t.Helper()
		if err := r.Apply(d); err != nil {
			t.Fatal(err)
		}
	}
	apply(&clew.StateChangedData{To: clew.MessageIDOf(6), Total: 6, Put: clew.StatePut{Message: []clew.Message{said(5), said(6)}}})
	r.Older(&clew.MessagesPage{Messages: clew.List[clew.Message]{said(1), growing, said(3), said(4)}})
	apply(&clew.StateChangedData{To: clew.MessageIDOf(7), Total: 7, Put: clew.StatePut{Message: []clew.Message{said(6), said(7)}}})
	if n := len(r.Messages); n != 5 || r.Messages[0].MessageID != clew.MessageIDOf(3) {
		t.Errorf("%d messages, the first is %s", n, r.Messages[0].MessageID)
	}
	apply(&clew.StateChangedData{From: clew.MessageIDOf(7), To: clew.MessageIDOf(8), Total: 1, Reset: []clew.EntityKind{clew.EntityMessage}, Put: clew.StatePut{Message: []clew.Message{said(4)}}})
	if n := len(r.Messages); n != 1 {
		t.Errorf("after a rewind to the first message there are %d", n)
	}
}
