package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/anthropic"
	"github.com/clew-run/clew/internal/llm/echo"
	"github.com/clew-run/clew/internal/llm/gemini"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/llm/openai"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/settings"
)

const story = `
- when: {turn: 1, has_tool: read_file}
  reply:
  - thinking: Look first.
  - text: I read it.
  - tool: {name: read_file, id: c1, input: {path: a.txt}}
  - tool: {name: read_file, id: c2, input: {path: missing.txt}}
  - usage: {input: 100, output: 20, cache_read: 30, cache_write: 40}
- when: {tool_result: {id: c1, contains: the content}, turn: 2}
  times: 1
  reply: [{text: Half an ans}, {cut: true}]
- when: {tool_result: {id: c2, is_error: true}, turn: 2}
  reply:
  - tool: {name: write_file, id: c3, input: {path: b.txt, content: copied}}
  - usage: {input: 200, output: 10}
- when: {turn: 3}
  reply:
  - tool: {name: attempt_completion, id: c4, input: {result: It is copied.}}
  - usage: {input: 300, output: 5}
- when: {turn: 4, last_user: thanks}
  reply: [{text: You are welcome.}]
`

// The same work over each wire, through the vendors' own SDKs: thoughts,
// parallel calls, a failure, a broken stream, an approval and the end.
//
// Covers: C-17, C-50, TSK-11, HIS-05, MSG-16, AGT-27
func TestStoryOverTheWire(t *testing.T) {
	for _, vendor := range llmtest.Vendors() {
		t.Run(string(vendor), func(t *testing.T) {
			script, err := llmtest.Parse([]byte(story))
			if err != nil {
				t.Fatal(err)
			}
			server, err := llmtest.Start(script, llmtest.Options{Fast: true})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			w := newWorld(t, map[string]any{"auto_approval_enabled": true, "always_allow_read_only": true})
			w.provider = func(settings.Profile) (llm.Provider, error) { return vendorOf(vendor, server.URL()), nil }
			w.info = agent.Model{Cost: func(u clew.Usage) float64 { return float64(u.TokensIn+u.TokensOut) / 1e6 }}
			w.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			w.write("a.txt", "the content\n")
			w.open()
			defer w.close()
			tell(w, vendor)
			if bad := server.Unmatched(); len(bad) > 0 {
				t.Errorf("unmatched: %s", bad[0].Problem)
			}
		})
	}
}

// A window's agent and the main agent of another monitor begin over the connection that
// is open already, though each has a provider of its own.
//
// Covers: C-47
func TestWarmConnection(t *testing.T) {
	for _, vendor := range llmtest.Vendors() {
		t.Run(string(vendor), func(t *testing.T) {
			script := llmtest.MustParse(`
- when: {last_user: good morning}
  times: 0
  reply: [{text: Done.}]
- when: {last_user: open it, turn: 1}
  reply: [{tool: {name: window, id: c1, input: {action: open, window_id: notes, title: Notes, content: hi}}}]
- reply: [{text: Done.}]
  times: 0
`)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			counted := &countedListener{Listener: l}
			server, err := llmtest.Start(script, llmtest.Options{Fast: true, Listener: counted})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			w := newWorld(t, nil)
			var made atomic.Int32 // each worker makes its own
			w.provider = func(settings.Profile) (llm.Provider, error) {
				made.Add(1)
				return vendorOf(vendor, server.URL()), nil
			}
			w.open()
			defer w.close()
			for i, d := range []any{
				&clew.UserMessageData{Text: "open it"}, &clew.WindowMessageData{WindowID: "notes", Text: "good morning"}, &clew.UserMessageData{Text: "good morning", MonitorID: "monitor-1"},
			} {
				w.send(d)
				w.until(func(st clew.SessionState) bool { return len(server.Requests()) == i+2 && len(st.Agents) == 0 })
			}
			if made.Load() < 3 || counted.n.Load() != 1 {
				t.Errorf("%d providers made %d connections", made.Load(), counted.n.Load())
			}
		})
	}
}

// A countedListener counts the connections that were made.
type countedListener struct {
	net.Listener
	n atomic.Int32
}

func (l *countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.n.Add(1)
	}
	return c, err
}

func vendorOf(vendor llmtest.Vendor, url string) llm.Provider {
	key := func(context.Context) (string, error) { return "sk-test", nil }
	switch vendor {
	case llmtest.OpenAI:
		return openai.New(openai.Options{BaseURL: url + "/v1", Key: key})
	case llmtest.Responses:
		return openai.NewResponses(openai.Options{BaseURL: url + "/v1", Key: key})
	case llmtest.Gemini:
		return gemini.New(gemini.Options{BaseURL: url, Key: key})
	case llmtest.Bedrock:
		return anthropic.NewBedrock(anthropic.Options{BaseURL: url, Region: "eu-west-1", Key: key})
	case llmtest.Vertex:
		return anthropic.NewVertex(anthropic.Options{BaseURL: url, Project: "p", Key: key})
	}
	return anthropic.New(anthropic.Options{BaseURL: url, Key: key})
}

// tell plays the person's part of the story.
func tell(w *world, vendor llmtest.Vendor) {
	w.send(&clew.UserMessageData{Text: "copy a.txt"})
	w.until(func(st clew.SessionState) bool { return st.HitlPending != nil })
	q := w.asked(clew.AskTool)
	w.send(&clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: clew.ChoiceApprove})
	w.until(atRest)
	if w.read("b.txt") != "copied" || w.said(clew.SayCompletionResult) != "It is copied." {
		w.Fatalf("transcript:\n%s", w.story())
	}
	if w.said(clew.SayReasoning) != "Look first." || len(w.messages("api_req_retried")) != 1 {
		w.Errorf("transcript:\n%s", w.story())
	}
	if w.result("c2").Status != clew.ToolError || w.result("c1").Status != clew.ToolComplete {
		w.Errorf("results %+v", w.result("c2"))
	}
	u := w.state().Usage
	want := clew.Usage{TokensIn: 600, TokensOut: 35, CacheReads: 30, CacheWrites: 40, CostUSD: 0.000635}
	if vendor == llmtest.Gemini { // which does not tell what it wrote to its cache
		want = clew.Usage{TokensIn: 640, TokensOut: 35, CacheReads: 30, CostUSD: 0.000675}
	}
	if u == nil || *u != want {
		w.Errorf("used %+v, want %+v", u, want)
	}
	w.send(&clew.UserMessageData{Text: "thanks"})
	w.until(atRest)
	texts := w.messages("text")
	if got := texts[len(texts)-1].Text; got != "You are welcome." {
		w.Errorf("the last word is %q", got)
	}
}

func atRest(st clew.SessionState) bool { return !st.Monitors[0].Busy && st.HitlPending == nil }

// send is do for tests with a real network, whose clock cannot stand still.
func (w *world) send(data any) {
	w.Helper()
	if _, err := w.host.Do(w.Context(), w.id, clew.Command{Type: commandOf(data), By: ann, Data: data}); err != nil {
		w.Fatal(err)
	}
}

// until reads the session's feed until its state is as wanted.
func (w *world) until(want func(clew.SessionState) bool) {
	w.Helper()
	watch, err := w.host.Watch(w.Context(), w.id)
	if err != nil {
		w.Fatal(err)
	}
	defer watch.Close()
	limit, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	buf := make([]*feed.Item, 64)
	for pos := uint64(1); ; {
		n, _, wait, err := watch.Feed().Next(pos, buf)
		if err != nil && !errors.Is(err, feed.ErrBehind) {
			w.Fatal(err)
		}
		pos += uint64(n)
		if n > 0 {
			continue
		}
		st, err := watch.State(limit)
		if err != nil {
			w.Fatal(err)
		}
		if want(st) {
			return
		}
		select {
		case <-wait:
		case <-limit.Done():
			w.Fatalf("it does not come to that\n%s", w.story())
		}
	}
}

// Without a model profile the echo answers, and needs no question after a crash.
//
// Covers: C-57, C-70
func TestEcho(t *testing.T) {
	for name, words := range map[string]string{
		"plain": "hello there", "wide letters": "größe 日本語 🧵 ok", "long": strings.Repeat("word ", 500),
	} {
		t.Run(name, func(t *testing.T) {
			run(t, map[string]any{"model_profile": ""}, func(w *world) {
				w.provider = func(p settings.Profile) (llm.Provider, error) {
					if p.Provider != "echo" {
						t.Errorf("the provider is %q", p.Provider)
					}
					return echo.Provider{}, nil
				}
				watch, err := w.host.Watch(w.Context(), w.id)
				if err != nil {
					t.Fatal(err)
				}
				defer watch.Close()
				w.say(words)
				w.idle()
				got := w.said(clew.SayText)
				if !strings.HasPrefix(got, "You said: "+words) {
					t.Errorf("the answer is %.200q", got)
				}
				var streamed strings.Builder
				for _, it := range fed(t, watch.Feed()) {
					var env struct{ Data clew.AgentResponseData }
					if it.Type != clew.EventAgentResponse {
						continue
					}
					if err := json.Unmarshal(it.Envelope, &env); err != nil || env.Data.Offset != streamed.Len() {
						t.Fatalf("piece %+v after %d bytes, %v", env.Data, streamed.Len(), err)
					}
					streamed.WriteString(env.Data.Delta)
				}
				if streamed.String() != got {
					t.Errorf("streamed %.200q", streamed.String())
				}
			})
		})
	}
}
