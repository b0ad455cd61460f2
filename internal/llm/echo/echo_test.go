package echo

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

func message(role clew.Speaker, parts ...clew.Part) clew.ModelMessage {
	return clew.ModelMessage{Role: role, Content: parts}
}

func text(s string) clew.Part { return clew.Part{Type: clew.PartText, Text: s} }

func TestEcho(t *testing.T) {
	hi := message(clew.SpeakerUser, text("hi"))
	answer := message(clew.SpeakerAssistant, text("You said: hi"))
	summary := hi
	summary.IsSummary = true
	for name, c := range map[string]struct {
		messages []clew.ModelMessage
		want     string
		hint     bool
	}{
		"first":        {[]clew.ModelMessage{hi}, "You said: hi", true},
		"wide letters": {[]clew.ModelMessage{message(clew.SpeakerUser, text("größe 日本語 🧵 ok"))}, "You said: größe 日本語 🧵 ok", true},
		"spaces":       {[]clew.ModelMessage{hi, answer, message(clew.SpeakerUser, text("  a  b "))}, "You said:   a  b ", false},
		"second":       {[]clew.ModelMessage{hi, answer, message(clew.SpeakerUser, text("and?"))}, "You said: and?", false},
		"condensed":    {[]clew.ModelMessage{summary, message(clew.SpeakerUser, text("and?"))}, "You said: and?", false},
		"tool results": {[]clew.ModelMessage{hi, answer, message(clew.SpeakerUser, clew.Part{Type: clew.PartToolResult, Text: "done"})}, "You said: hi", false},
		"images":       {[]clew.ModelMessage{message(clew.SpeakerUser, clew.Part{Type: clew.PartImage, Images: []string{"blob:1"}})}, "You said: (images: 1)", true},
		"nothing":      {nil, "You said: ", true},
	} {
		t.Run(name, func(t *testing.T) {
			var streamed strings.Builder
			a, err := Provider{}.Stream(t.Context(), llm.Request{Messages: c.messages}, func(d llm.Delta) error {
				if d.Kind != llm.DeltaText || d.Text == "" || strings.Contains(strings.TrimSuffix(d.Text, " "), " ") {
					t.Errorf("delta %+v is not one word", d)
				}
				streamed.WriteString(d.Text)
				return nil
			})
			want := c.want
			if c.hint {
				want += "\n\n" + Hint
			}
			if err != nil || a.Parts[0].Text != want || streamed.String() != want || a.Stop != llm.StopEnd {
				t.Errorf("got %+v %v", a.Parts, err)
			}
			if a.Usage.TokensOut != int64(len(strings.Fields(want))) {
				t.Errorf("usage %+v", a.Usage)
			}
		})
	}
}

func TestEchoEnds(t *testing.T) {
	enough := errors.New("enough")
	if _, err := (Provider{}).Stream(t.Context(), llm.Request{}, func(llm.Delta) error { return enough }); err != enough { //nolint:errorlint // returned as it is
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Provider{}.Stream(ctx, llm.Request{}, func(llm.Delta) error {
		cancel()
		return nil
	})
	if _, ok := errors.AsType[*llm.Error](err); !ok || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
