package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// A stateRig is a gateway with a real host.
type stateRig struct {
	*rig
	sessions *session.Host
}

func newStateRig(t *testing.T) stateRig { return stateRigOn(t, newRig) }

func stateRigOn(t *testing.T, newRig func(testing.TB, func(*Options)) *rig) stateRig {
	t.Helper()
	node := new(journaltest.Memory).Node("n1")
	host := session.NewHost(session.Config{Journal: node, Index: node, Encode: Frame, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { host.Close(context.Background()) })
	r := newRig(t, func(o *Options) {
		o.Host, o.CreateOnConnect = HostOf(host), true
		o.Limits.MessagesPerMinute, o.Limits.WriteTimeout = 0, time.Minute
	})
	return stateRig{r, host}
}

// A follower is a client in view `state`.
type follower struct {
	*peer
	client.Replica
	connected clew.ConnectedData
	frames    int
}

func (r stateRig) follow(query, token string) *follower {
	r.t.Helper()
	f := &follower{peer: r.connect("/ws/s1?view=state&"+query, token)}
	f.greet()
	return f
}

// again connects anew with what the follower has.
func (r stateRig) again(f *follower, token string) *follower {
	r.t.Helper()
	next := &follower{Replica: f.Replica}
	next.peer = r.connect(fmt.Sprintf("/ws/s1?view=state&resume_from=%s&epoch=%s", f.Cursor, f.connected.Epoch), token)
	next.greet()
	return next
}

func (f *follower) greet() {
	f.t.Helper()
	m := f.expect(clew.EventConnected)
	if err := json.Unmarshal(m.Data, &f.connected); err != nil {
		f.t.Fatal(err)
	}
	f.take(f.expect(clew.EventStateChanged))
	f.expect(clew.EventSyncComplete)
}

// take puts a change in its place.
func (f *follower) take(m message) clew.StateChangedData {
	f.t.Helper()
	var d clew.StateChangedData
	if err := json.Unmarshal(m.Data, &d); err != nil {
		f.t.Fatalf("%v in %s", err, m.raw)
	}
	if err := f.Apply(&d); err != nil {
		f.t.Fatal(err)
	}
	f.frames++
	return d
}

// until takes changes in up to the one that has a command.
func (f *follower) until(command string) clew.StateChangedData {
	f.t.Helper()
	for {
		d := f.take(f.expect(clew.EventStateChanged))
		for _, id := range d.Commands {
			if string(id) == command {
				return d
			}
		}
	}
}

// same holds what a follower has against session_state, as the other view gets
// it.
func (r stateRig) same(f *follower) {
	r.t.Helper()
	p := r.connect("/ws/s1?client_id=checker", "ann")
	defer func() { _ = p.conn.Close() }()
	var want clew.SessionState
	if err := json.Unmarshal(p.expect(clew.EventSessionState).Data, &want); err != nil {
		r.t.Fatal(err)
	}
	got := f.SessionState(want.LastMessageID)
	got.Viewers, got.ClientID, got.Epoch, got.Role = want.Viewers, want.ClientID, want.Epoch, want.Role
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		r.t.Errorf("in view state\n%s\nin view records\n%s", a, b)
	}
}

// Covers: WS-002, WS-094
func TestViewState(t *testing.T) {
	r := newStateRig(t)
	records := r.join("/ws/s1?client_id=records", "ann")
	f := r.follow("client_id=laptop", "ann")
	if c := f.connected; c.ClientID != "laptop" || c.Role != clew.RoleOwner || c.Epoch == "" || c.View != clew.ViewState {
		t.Errorf("connected %+v", c)
	}
	f.command(clew.CommandRenameSession, "c-1", `{"title":"Moods"}`)
	if d := f.until("c-1"); d.From == "" || d.Put.Session == nil || d.Put.Session.Title != "Moods" || d.Put.Usage != nil {
		t.Errorf("changed %+v", d)
	}
	f.command(clew.CommandUserMessage, "c-2", `{"text":"hello"}`)
	if d := f.until("c-2"); len(d.Put.Message) == 0 || len(d.Put.Task) == 0 || d.Total == 0 {
		t.Errorf("changed %+v", d)
	}
	r.same(f)
	if m := records.expect(clew.EventSessionRenamed); m.MessageID == "" {
		t.Errorf("in view records: %s", m.raw)
	}
	f.command(clew.CommandGetMessages, "page", `{"limit":5}`)
	for m := f.expectAny(); m.Type != string(clew.EventMessagesPage); m = f.expectAny() {
		f.take(m)
	}
}

// expectAny reads the next envelope but presence.
func (p *peer) expectAny() message {
	p.t.Helper()
	for {
		m, err := p.next()
		if err != nil {
			p.t.Fatal(err)
		}
		if m.Type != string(clew.EventPresence) {
			return m
		}
	}
}

func (r stateRig) rename(title string) {
	r.t.Helper()
	r.do(&clew.RenameSessionData{Title: title})
}

func (r stateRig) do(data any) {
	r.t.Helper()
	if _, err := r.sessions.Do(context.Background(), "s1", clew.Command{By: clew.Principal{User: "ann", Role: clew.RoleOwner}, Data: data}); err != nil {
		r.t.Fatal(err)
	}
}

// Who comes back gets what changed meanwhile, in one; who has nothing, or
// something else, gets all of it.
//
// Covers: WS-094, WS-097, C-81
func TestViewStateResume(t *testing.T) {
	r := newStateRig(t)
	f := r.follow("", "ann")
	r.rename("one")
	f.take(f.expectAny())
	_ = f.conn.Close()
	for i := range 10 {
		r.rename(fmt.Sprint("away ", i))
	}
	back := r.again(f, "ann")
	if back.Session.Title != "away 9" || back.frames != 1 {
		t.Errorf("%d frames, title %q", back.frames, back.Session.Title)
	}
	r.same(back)
	r.rename("live")
	back.take(back.expectAny())
	r.same(back)

	lost := &follower{peer: r.connect("/ws/s1?view=state&resume_from=msg_000000099999", "ann")}
	lost.expect(clew.EventConnected)
	if d := lost.take(lost.expect(clew.EventStateChanged)); d.From != "" {
		t.Errorf("after a lost cursor: %+v", d)
	}
	lost.expectError(clew.CursorLost)
	lost.expect(clew.EventSyncComplete)
	r.same(lost)
}

// Covers: WS-005
func TestUnknownView(t *testing.T) {
	r := newStateRig(t)
	if _, no := r.request("/ws/s1?view=fancy", "ann", nil); no == nil || no.status != 400 {
		t.Errorf("%+v", no)
	}
}

// Access that is taken back ends the connection before the next frame, though no
// record is sent.
//
// Covers: WS-111, WS-112
func TestViewStateRevoked(t *testing.T) {
	for _, view := range []clew.View{clew.ViewState, clew.ViewRecords} {
		r := newStateRig(t)
		r.join("/ws/s1", "ann")
		r.do(&clew.SetAccessData{UserID: "bob", Role: clew.RoleApprover})
		p := r.connect("/ws/s1?view="+string(view), "bob")
		for p.expectAny().Type != string(clew.EventSyncComplete) {
		}
		r.do(&clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer})
		if view == clew.ViewState {
			if m := p.expectAny(); m.Type != string(clew.EventConnected) || m.field("role") != string(clew.RoleViewer) {
				t.Errorf("told of its role: %s", m.raw)
			}
		} else {
			p.expect(clew.EventAccessChanged)
		}
		r.do(&clew.SetAccessData{UserID: "bob", Role: clew.RoleNone})
		r.rename("a secret")
		for {
			m, err := p.next()
			if err != nil {
				t.Fatalf("%s: %v", view, err)
			}
			if bytes.Contains(m.raw, []byte("secret")) {
				t.Errorf("%s: who lost access heard %s", view, m.raw)
			}
			if m.Type == string(clew.EventError) {
				break
			}
		}
		p.expectClose(wire.ClosePolicy, string(clew.SessionNotFound))
	}
}

// A reader that the feed ran ahead of gets one summed change.
//
// Covers: C-81
func TestViewStateBehind(t *testing.T) {
	r := stateRigOn(t, newPipeRig) // a pipe holds nothing: who does not read holds the writer up
	f := r.follow("", "ann")
	const many = 2000
	for i := range many {
		r.rename(fmt.Sprint("title ", i))
	}
	f.frames = 0
	for f.Session.Title != fmt.Sprint("title ", many-1) {
		f.take(f.expectAny())
	}
	if f.frames > 100 {
		t.Errorf("%d frames for one who was behind", f.frames)
	}
	_ = f.conn.Close()
}
