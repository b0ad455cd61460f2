package choice

import (
	"context"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
)

// The test call: short, without tools, and over before its HTTP request would be.
const (
	testWithin = 12 * time.Second
	testTokens = 16 // the least that every API takes
	testText   = "Reply with the word OK."
)

// Tested is what one call of a model came to.
type Tested struct {
	OK        bool        `json:"ok"`
	LatencyMS int64       `json:"latency_ms" doc:"Until the answer was complete"`
	Model     string      `json:"model" doc:"The one that answered, as the provider names it, or else the one that was called"`
	Error     *TestFailed `json:"error,omitempty" doc:"Why it failed"`
}

// TestFailed says why a model cannot be used.
type TestFailed struct {
	Kind    llm.Kind `json:"kind" enum:"overloaded,unstable,auth,request,context_length,quota"`
	Message string   `json:"message" doc:"For people"`
	Next    string   `json:"next" doc:"What to do about it, for people"`
}

// next says what a person can do about a failed test.
var next = map[llm.Kind]string{
	llm.KindAuth:       "Check the key: it may be mistyped, revoked, or of another account.",
	llm.KindQuota:      "Add credit at the provider.",
	llm.KindOverloaded: "The provider is at its limit. Try again in a minute.",
	llm.KindUnstable:   "Check the address and the network, then try again.",
	llm.KindRequest:    "Check the model's name and the address.",
	llm.KindContext:    "Choose a model that takes more.",
}

// Test makes one short call of a profile's model. With fields it is that of a profile
// that need not be there: they are as PutProfile takes them, and nothing is stored.
func (m *Models) Test(ctx context.Context, name string, fields map[string]any) (Tested, error) {
	p, key, err := m.testProfile(name, fields)
	if err != nil {
		return Tested{}, err
	}
	provider, err := m.Open(p, key)
	if err != nil {
		return Tested{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	began := time.Now()
	answer, err := provider.Stream(ctx, llm.Request{
		Model: p.Model, MaxTokens: testTokens,
		Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: []clew.Part{{Type: clew.PartText, Text: testText}}}},
	}, func(llm.Delta) error { return nil })
	t := Tested{OK: err == nil, LatencyMS: time.Since(began).Milliseconds(), Model: p.Model}
	switch {
	case err != nil:
		t.Error = failed(ctx, err)
	case answer.Model != "":
		t.Model = answer.Model
	}
	return t, nil
}

func (m *Models) testProfile(name string, fields map[string]any) (settings.Profile, string, error) {
	if fields != nil {
		return m.Settings.DraftProfile(name, fields)
	}
	n, err := m.Settings.NamedProfile(name)
	return n.Profile, "", err
}

func failed(ctx context.Context, err error) *TestFailed {
	if ctx.Err() != nil {
		return &TestFailed{llm.KindUnstable, "the model did not answer in time", next[llm.KindUnstable]}
	}
	e := llm.AsError(err)
	return &TestFailed{e.Kind, e.Error(), next[e.Kind]}
}
