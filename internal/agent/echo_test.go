package agent_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Covers: C-57, C-70
func TestEcho(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain":        {"hello there", "You said: hello there"},
		"wide letters": {"größe 日本語 🧵 ok", "You said: größe 日本語 🧵 ok"},
		"spaces":       {"  a  b ", "You said:   a  b "},
		"long":         {strings.Repeat("word ", 500), "You said: " + strings.Repeat("word ", 500)},
		"nothing":      {"", "You said: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { echo(t, tt.text, tt.want) })
		})
	}
}

func echo(t *testing.T, text, want string) {
	node := new(journaltest.Memory).Node("a")
	h := session.NewHost(session.Config{Journal: node, Index: node, Agent: agent.Echo{}, Log: slog.New(slog.DiscardHandler)})
	defer h.Close(context.Background())
	by := clew.Principal{User: "ann", Role: clew.RoleOwner}
	id, err := h.Create(t.Context(), by, session.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Watch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var streamed strings.Builder
	reader := make(chan struct{})
	go func() { // reads along
		defer close(reader)
		follow(t, w.Feed(), &streamed)
	}()
	if _, err := h.Do(t.Context(), id, clew.Command{Type: clew.CommandUserMessage, By: by, Data: &clew.UserMessageData{Text: text}}); err != nil {
		t.Fatal(err)
	}
	<-reader
	if streamed.String() != want {
		t.Errorf("streamed %.200q, want %.200q", streamed.String(), want)
	}
	st, err := w.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := st.Messages[len(st.Messages)-1]; m.Text != want || m.Partial || m.Role != clew.SpeakerAssistant {
		t.Errorf("the answer on record is %.200q", m.Text)
	}
}

// follow puts the pieces together until the answer is closed.
func follow(t *testing.T, feed *session.Feed, text *strings.Builder) {
	pos := uint64(1)
	buf := make([]*session.Item, 16)
	for {
		n, _, wait, err := feed.Next(pos, buf)
		if err != nil {
			t.Error(err)
			return
		}
		if n == 0 {
			<-wait
			continue
		}
		pos += uint64(n)
		for _, it := range buf[:n] {
			var env struct {
				Data struct {
					clew.AgentResponseData
					Message clew.Message `json:"message"`
				} `json:"data"`
			}
			if err := json.Unmarshal(it.Envelope, &env); err != nil {
				t.Error(err)
				return
			}
			switch d := env.Data; {
			case it.Type == clew.EventAgentResponse:
				if d.Offset != text.Len() || !utf8.ValidString(d.Delta) {
					t.Errorf("piece %q at %d after %d bytes", d.Delta, d.Offset, text.Len())
				}
				text.WriteString(d.Delta)
			case it.Type == clew.EventMessageUpdated && !d.Message.Partial:
				return
			}
		}
	}
}
