package client

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// The places are what people said, what they answered by a button, and what is
// still asked; each once, and none that the server would not go to.
func TestPlaces(t *testing.T) {
	marks := []mark{
		{MessageID: "msg_000000000001", Kind: "user", Label: "repair it", Target: true},
		{MessageID: "msg_000000000002", Kind: "assistant", Label: "I look", Target: true},
		{MessageID: "msg_000000000003", Kind: "question", Label: "run go test?", RequestID: "a", Target: true},
		{MessageID: "msg_000000000004", Kind: "answer", Label: "approve", What: "approve", Subject: "run go test?", RequestID: "a", Target: true},
		{MessageID: "msg_000000000005", Kind: "question", Label: "which one?", RequestID: "b", Target: true},
		{MessageID: "msg_000000000006", Kind: "user", Label: "the second", RequestID: "b", Target: true},
		{MessageID: "msg_000000000007", Kind: "answer", Label: "answer: the second", RequestID: "b", Target: true},
		{MessageID: "msg_000000000008", Kind: "checkpoint", Label: "before a change"},
		{MessageID: "msg_000000000009", Kind: "answer", Label: "cancelled", RequestID: "c"},
		{MessageID: "msg_000000000010", Kind: "question", Label: "go on?", RequestID: "d", Target: true},
	}
	var got []string
	for _, p := range placesOf(marks) {
		got = append(got, string(p.Kind)+" "+p.Text)
	}
	want := []string{"user repair it", "answer yes · run go test?", "user the second", "question go on?"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for want, m := range map[string]mark{
		"no: too soon · deploy":        {What: "reject", Words: "too soon", Subject: "deploy"},
		"Read it as 12.50 · How?":      {What: "answer", Words: "Read it as 12.50", Subject: "How?", Label: "answer: Read it as 12.50"},
		"nobody answered in time: no":  {What: "reject", ByTimeout: true},
		"something new · what it does": {What: "something_new", Label: "something new", Subject: "what it does"},
	} {
		if got := m.answer(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if list := placesOf(nil); list == nil || len(list) != 0 {
		t.Errorf("none: %v", list)
	}
	if got := placesOf(marks)[1]; got.MessageID != "msg_000000000004" || got.RequestID != clew.RequestID("a") {
		t.Errorf("the answer: %+v", got)
	}
}
