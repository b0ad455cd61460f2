package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func TestEstimateTokens(t *testing.T) {
	say := func(parts ...clew.Part) []clew.ModelMessage {
		return []clew.ModelMessage{{Role: clew.SpeakerUser, Content: parts}}
	}
	words := strings.Repeat("word ", 1000) // about 1000 tokens
	huge := "data:image/png;base64," + strings.Repeat("A", 1<<20)
	hidden := say(clew.Part{Type: clew.PartText, Text: words})
	hidden[0].CondenseParent = "c1"
	for name, c := range map[string]struct {
		messages []clew.ModelMessage
		system   string
		tools    []Tool
		min, max int
	}{
		"nothing":  {max: 0},
		"prose":    {messages: say(clew.Part{Type: clew.PartText, Text: words}), min: 1000, max: 1500},
		"chinese":  {messages: say(clew.Part{Type: clew.PartText, Text: strings.Repeat("语", 1000)}), min: 1000, max: 2000},
		"system":   {system: words, min: 1000, max: 1500},
		"tools":    {tools: []Tool{{Name: "t", Description: words, Schema: json.RawMessage(`{"type":"object"}`)}}, min: 1000, max: 1500},
		"image":    {messages: say(clew.Part{Type: clew.PartImage, Images: []string{huge}}), min: 1000, max: 2000},
		"a result": {messages: say(clew.Part{Type: clew.PartToolResult, Text: words, Images: []string{"blob:1", "blob:2"}}), min: 3000, max: 5000},
		"hidden":   {messages: hidden, max: 0},
	} {
		if got := EstimateTokens(c.messages, c.system, c.tools); got < c.min || got > c.max {
			t.Errorf("%s: %d, want %d to %d", name, got, c.min, c.max)
		}
	}
}

func TestError(t *testing.T) {
	cause := errors.New("cause")
	err := error(&Error{Kind: KindOverloaded, Status: 429, Message: "busy", Err: cause})
	if err.Error() != "busy (HTTP 429)" || !errors.Is(err, cause) || AsError(err).Kind != KindOverloaded {
		t.Errorf("%v", err)
	}
	if e := AsError(cause); e.Kind != KindUnstable || !e.Temporary() || strings.Contains(e.Error(), "cause") {
		t.Errorf("%v", e)
	}
	for _, k := range []Kind{KindAuth, KindRequest, KindContext, KindQuota} {
		if (&Error{Kind: k}).Temporary() {
			t.Errorf("%s is temporary", k)
		}
	}
}
