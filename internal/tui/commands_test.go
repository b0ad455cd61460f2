package tui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// written does a command as it is typed and sent.
func (d *desk) written(text string) {
	d.m.write.Set(text)
	d.press("enter")
}

// answerer is connected to a server that gives every command the same answer.
func answerer(t *testing.T, typ clew.EventType, data any) *client.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ", ")})
		if err != nil {
			return
		}
		for {
			var in wire.Envelope
			_, b, err := ws.Read(r.Context())
			if err != nil || json.Unmarshal(b, &in) != nil {
				return
			}
			raw, _ := json.Marshal(data)
			fields := map[string]any{}
			_ = json.Unmarshal(raw, &fields)
			fields["client_message_id"] = in.MessageID
			if b, err = wire.Encode(typ, "sess_1", "", 1, fields); err != nil || ws.Write(r.Context(), websocket.MessageText, b) != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	c, err := client.Dial(t.Context(), client.Options{URL: srv.URL, Session: "sess_1", NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The commands that people know are there, each with a line, at every size.
func TestKnownCommands(t *testing.T) {
	for _, name := range strings.Fields("model compact cost undo rewind fork diff plan clear resume mcp init help status") {
		at := slices.IndexFunc(actions, func(a action) bool { return a.name == name })
		if at < 0 || actions[at].what == "" {
			t.Fatalf("there is no /%s", name)
		}
		d := newDesk(t, 40, 12)
		d.opens(clew.SessionState{})
		d.press("/")
		d.typed(name)
		d.sees(" › /"+name, actions[at].what[:8])
	}
}

func TestCommandsSend(t *testing.T) {
	for written, want := range map[string]string{"/compact": "condense_context", "/undo": "undo_rewind", "/rename A new name": "rename_session", "/fork": "fork_session"} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{CanUndo: true})
		if written == "/fork" {
			d.refuse = clew.Errorf(clew.SessionInvalidState, "not now") // there is no session to go to
		}
		d.written(written)
		if d.types() != want || d.m.write.String() != "" {
			t.Errorf("%s: sent %v, left %q", written, d.types(), d.m.write.String())
		}
	}
	d := newDesk(t, 80, 24)
	d.m.o.InitPrompt = "Write the file."
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "make"))
	d.written("/plan build a boat")
	d.written("/init say how to test")
	if len(d.sent) != 2 || d.sent[0].Data["text"] != "build a boat" || d.sent[0].Data["mode"] != "run" || d.sent[1].Data["text"] != "Write the file.\n\nThe user adds: say how to test" {
		t.Fatalf("sent %v", d.sent)
	}
	for _, s := range d.sent {
		if list, ok := s.Data["may_answer"].([]any); !ok || len(list) != 0 {
			t.Errorf("it may answer a question: %v", s.Data)
		}
	}
	d.m.state.Status.CanUndo = false
	d.written("/undo")
	d.sees("Go back to before")
}

func TestPages(t *testing.T) {
	state := clew.StateData{
		Version: "v1", CurrentAPIConfigName: "anthropic", APIConfiguration: map[string]any{"model": "claude-x"}, Mode: "code", McpEnabled: true,
		AutoApprovalFlags: clew.AutoApprovalFlags{AutoApprovalEnabled: true, AlwaysAllowReadOnly: true},
		McpServers:        []clew.McpServer{{Name: "files", Status: "connected", Tools: []clew.McpTool{{Name: "stat"}}}, {Name: "web", Status: "failed", Error: "no such program"}},
	}
	diff := clew.CheckpointDiffAnswer{FilesCount: 2, Files: clew.List[clew.CheckpointFile]{{Paths: clew.FilePaths{Relative: "greet.sh"}, Status: "modified", Unified: "@@ -1 +1 @@\n-echo hi\n+echo hello\n"}}}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		for command, c := range map[string]struct {
			typ    clew.EventType
			answer any
			want   []string
		}{
			"/status": {clew.EventState, state, []string{"sess_1", "anthropic (claude-x)", "code"}},
			"/mcp":    {clew.EventState, state, []string{"files", "connected", "stat", "no such program"}},
			"/diff":   {clew.EventCheckpointDiff, diff, []string{"greet.sh", "modified", "echo hello", "… and 1 more"}},
			"/cost":   {"", nil, []string{"$0.25", "1.2k", "Tokens out"}},
			"/usage":  {"", nil, []string{"$0.25", "All your sessions: clew usage"}},
		} {
			d := newDesk(t, size[0], size[1])
			d.opens(clew.SessionState{Workspace: "/work/project", Usage: &clew.Usage{CostUSD: 0.25, TokensIn: 1200, TokensOut: 30}})
			d.m.link.client = answerer(t, c.typ, c.answer)
			d.written(command)
			all := d.text()
			d.press("end")
			all += d.text()
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("%s at %v has no %q:\n%s", command, size, w, all)
				}
			}
			d.press("esc")
			if d.m.overlay != nil {
				t.Error("it does not close")
			}
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.m.link.client = answerer(t, clew.EventError, clew.NewErrorData(clew.Errorf(clew.SessionInvalidState, "there are no checkpoints"), clew.ErrorContext{}))
	d.written("/diff")
	d.sees("there are no checkpoints")
}

// The help is whole also where there is little room.
func TestHelpAtFortyColumns(t *testing.T) {
	d := newDesk(t, 40, 12)
	d.opens(clew.SessionState{})
	d.press("f1")
	var all strings.Builder
	for range 30 {
		all.WriteString(d.text())
		d.press("pgdown")
	}
	got := strings.Join(strings.Fields(all.String()), " ")
	for _, want := range []string{"with its next step", "scroll; end (writing: ctrl+end)"} {
		if !strings.Contains(got, want) {
			t.Errorf("cut: %q", want)
		}
	}
	if strings.Contains(got, "…") {
		t.Error("a line is cut")
	}
}
