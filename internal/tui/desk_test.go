package tui

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/paint"
	"github.com/clew-run/clew/wire"
)

// A desk is a model without a terminal, and a server that takes down what is
// asked of it.
type desk struct {
	*testing.T
	m      *model
	asked  []string // method and path
	sent   []sent
	answer map[string]any // by method and path
	refuse error          // what every command gets
	seq    uint64
}

type sent struct {
	Type clew.CommandType
	Data map[string]any
}

func newDesk(t *testing.T, width, height int) *desk {
	t.Helper()
	d := &desk{T: t, answer: map[string]any{}}
	srv := httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(srv.Close)
	d.m = newModel(t.Context(), Options{Server: srv.URL, Line: func(a ...string) string { return strings.Join(a, " ") }})
	d.m.now = time.UnixMilli(1_000_000)
	d.m.clock = func() time.Time { return d.m.now }
	d.m.link = &link{session: "sess_1"}
	d.m.conn = client.Active
	d.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

func (d *desk) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/v1/sessions/sess_1")
	d.asked = append(d.asked, r.Method+" "+path)
	if path == "/commands" {
		body, _ := io.ReadAll(r.Body)
		var s sent
		_ = json.Unmarshal(body, &s)
		d.sent = append(d.sent, s)
		if d.refuse != nil {
			w.WriteHeader(http.StatusConflict)
			_ = json.NewEncoder(w).Encode(clew.NewErrorData(d.refuse, clew.ErrorContext{}))
			return
		}
	}
	answer := d.answer[r.Method+" "+path]
	if answer == nil {
		answer = map[string]any{}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// do carries out what an update asked for, up to its end.
func (d *desk) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.do(c)
		}
	case done:
		d.do(msg.after(d.m))
	}
}

// press presses keys: names as the program knows them, or letters.
func (d *desk) press(keys ...string) {
	d.Helper()
	for _, k := range keys {
		_, cmd := d.m.Update(key(k))
		d.do(cmd)
		d.m.View() // as after every message
	}
}

func key(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace},
		"space": {Code: ' ', Text: " "}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "f1": {Code: tea.KeyF1},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// typed types a text, a character at a time.
func (d *desk) typed(text string) {
	for _, r := range text {
		d.press(string(r))
	}
}

func (d *desk) frame(data any) wire.Envelope {
	d.Helper()
	ev := clew.NewEvent(data)
	raw, err := clew.MarshalData(ev.Data)
	if err != nil {
		d.Fatal(err)
	}
	return wire.Envelope{Type: string(ev.Type), Data: raw, Timestamp: clew.Timestamp(1_000_000)}
}

// hears takes a frame in.
func (d *desk) hears(data any) {
	d.Helper()
	d.m.apply(d.frame(data))
	d.m.View()
}

// change goes on from the last one.
func (d *desk) change(c clew.StateChangedData) {
	d.Helper()
	d.hears(d.next(c))
}

func (d *desk) next(c clew.StateChangedData) *clew.StateChangedData {
	d.seq++
	c.From, c.To, c.Total = d.m.state.Cursor, clew.MessageIDOf(d.seq), d.m.state.Total
	return &c
}

func (d *desk) changes(put clew.StatePut) {
	d.Helper()
	d.change(clew.StateChangedData{Put: put})
}

// asks opens a question.
func (d *desk) asks(data any) {
	d.Helper()
	d.changes(clew.StatePut{Question: []clew.Question{question(data)}})
}

func question(data any) clew.Question { return clew.Question(clew.NewEvent(data)) }

// undrawn takes a change in that is not on the screen yet.
func (d *desk) undrawn(c clew.StateChangedData) {
	d.Helper()
	d.m.receive(batch{link: d.m.link, state: client.Active, envs: []wire.Envelope{d.frame(d.next(c))}})
}

// settles ends one, by commands of the client.
func (d *desk) settles(id clew.RequestID, how clew.MessageAnswer, by ...clew.ClientMessageID) {
	d.Helper()
	c := settled(id, how)
	c.Commands = by
	d.change(c)
}

func settled(id clew.RequestID, how clew.MessageAnswer) clew.StateChangedData {
	return clew.StateChangedData{
		Del: map[clew.EntityKind][]string{clew.EntityQuestion: {string(id)}},
		Put: clew.StatePut{Settled: []clew.SettledQuestion{{RequestID: id, MessageAnswer: how}}},
	}
}

// text is the screen without its colours.
func (d *desk) text() string {
	lines, _, _ := d.m.draw()
	return text(lines)
}

func text(lines []paint.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func (d *desk) sees(want ...string) {
	d.Helper()
	text := d.text()
	for _, w := range want {
		if !strings.Contains(text, w) {
			d.Errorf("no %q on the screen:\n%s", w, text)
		}
	}
}

func (d *desk) seesNot(not string) {
	d.Helper()
	if text := d.text(); strings.Contains(text, not) {
		d.Errorf("%q on the screen:\n%s", not, text)
	}
}

// opens begins with a state.
func (d *desk) opens(s clew.SessionState) {
	d.Helper()
	if s.Status == "" {
		s.Status = clew.StatusIdle
	}
	d.seq = max(d.seq, 1)
	d.hears(&clew.ConnectedData{Role: s.Role, Epoch: "e", View: clew.ViewState})
	d.hears(whole(s, d.seq))
}

// holds is opens for what would not survive being encoded.
func (d *desk) holds(s clew.SessionState) {
	d.Helper()
	if err := d.m.state.Apply(whole(s, 1)); err != nil {
		d.Fatal(err)
	}
	d.m.feed.Load(&d.m.state)
}

// whole is a state as a client is sent it.
func whole(s clew.SessionState, seq uint64) *clew.StateChangedData {
	c := &clew.StateChangedData{To: clew.MessageIDOf(seq), Total: len(s.Messages), Put: clew.StatePut{
		Session: &clew.SessionInfo{Title: s.Title, Owner: s.Owner, Workspace: s.Workspace},
		Status: &clew.StatusInfo{
			Status: s.Status, CurrentLayer: s.CurrentLayer, Front: "front", CanUndo: s.CanUndo, CanRedo: s.CanRedo, Returning: s.Returning,
		},
		Usage: s.Usage, Queue: &s.Queue, Viewers: &s.Viewers, Message: s.Messages, Question: s.HitlQueue,
		Run: []clew.RunInfo{{RunID: "front", Plan: s.Plan}},
	}}
	if s.HitlPending != nil {
		c.Put.Question = append([]clew.Question{*s.HitlPending}, s.HitlQueue...)
	}
	for _, t := range s.Todos {
		c.Put.Todo = append(c.Put.Todo, clew.TodoInfo{Of: "front", Todo: t})
	}
	return c
}

func approval(id clew.RequestID, command string) *clew.HitlApprovalRequestData {
	return &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: id, WordsEffect: clew.WordsDeny}, Ask: clew.AskCommand, Tool: "execute_command",
		Effect:  &clew.Effect{Command: command, Directory: "/work", Sandbox: "bwrap"},
		Options: []clew.Choice{clew.ChoiceApprove, clew.ChoiceReject}, Reason: "asked",
		Remember: &clew.RememberOffer{Scopes: []clew.RememberScope{clew.RememberTask, clew.RememberSession}, Pattern: command + " *", Match: command, NearMiss: "other"},
	}
}

// deafClient is connected to a server that takes everything and says nothing.
func deafClient(t *testing.T) *client.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ", ")})
		if err != nil {
			return
		}
		for err == nil {
			_, _, err = ws.Read(r.Context())
		}
	}))
	t.Cleanup(srv.Close)
	c, err := client.Dial(t.Context(), client.Options{URL: srv.URL, Session: "sess_1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
