package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
)

// A question about a failed call says what can be done about it.
func TestAdvice(t *testing.T) {
	for want, failure := range map[string]*llm.Error{
		"clew secret set my_key": {Kind: llm.KindAuth, Status: 401, Message: "the model provider x refused the key"},
		`the model "m-1"?`:       {Kind: llm.KindRequest, Status: 404, Message: "the model provider x refused the call: not found"},
		"your account":           {Kind: llm.KindQuota, Status: 402, Message: "the model provider x wants to be paid first"},
	} {
		w := &worker{toolSet: toolSet{profile: settings.Profile{Provider: "openai", Model: "m-1", KeyName: "my_key"}}}
		got := w.explained(failure)
		if !strings.HasPrefix(got, "The model provider x ") || !strings.Contains(got, want) || strings.Contains(got, "..") {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
	w := &worker{toolSet: toolSet{profile: settings.Profile{Provider: "anthropic"}}}
	if got := w.explained(&llm.Error{Kind: llm.KindAuth, Message: "no key; set it with: clew secret set x"}); strings.Count(got, "clew secret set") != 1 {
		t.Errorf("said twice: %q", got)
	}
	if got := w.explained(&llm.Error{Kind: llm.KindUnstable, Message: "the model provider x failed"}); got != "The model provider x failed." {
		t.Errorf("%q", got)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Second: "1 s", 1500 * time.Millisecond: "1.5 s", time.Minute: "1 min", 90 * time.Second: "90 s"} {
		if got := seconds(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
