package llmtest

import (
	"context"
	"testing"
)

// A reply waits at its gate, also when there are no delays, and another one speaks
// meanwhile. A gate stays open, and without gates nobody waits.
func TestGates(t *testing.T) {
	const script = `
- when: {last_user: first}
  times: 0
  reply: [{text: One}, {wait: second}, {text: " three."}]
- times: 0
  reply: [{text: two}]
`
	gates := new(Gates)
	s := start(t, script, Options{Fast: true, Gates: gates})
	done := make(chan string)
	go func() {
		_, text := post(t, s, Anthropic, anthropicBody(say("user", "first")))
		done <- text
	}()
	if err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if status, _ := post(t, s, Anthropic, anthropicBody(say("user", "other"))); status != 200 {
		t.Errorf("the other one got %d", status)
	}
	select {
	case text := <-done:
		t.Errorf("it did not wait: %s", text)
	default:
	}
	gates.Open("second")
	gates.Open("second")
	<-done
	post(t, s, Anthropic, anthropicBody(say("user", "first"))) // does not wait

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := gates.wait(ended, "never"); err == nil {
		t.Error("a client that is gone waits")
	}
	if err := (*Gates)(nil).wait(t.Context(), "x"); err != nil {
		t.Error(err)
	}
}
