package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/tool"
)

// The tests below talk in words of about 6,000 tokens to a model that takes
// 30,000 with its answer: the fourth of them is too much for 80 percent, the
// fifth for the model.
const (
	bulk   = 24_000
	window = 30_000
)

// long is a text that begins with a name.
func long(name string) string { return name + " " + strings.Repeat("x", bulk) }

// uncounted is an answer whose provider does not count.
func uncounted(s step) step { return wrap(s, func(a *answer) { a.Usage = clew.Usage{} }) }

func short(texts ...string) []step {
	var list []step
	for _, text := range texts {
		list = append(list, uncounted(says(text)))
	}
	return list
}

// narrow plays a test with that model, which keeps two messages as they are.
func narrow(t *testing.T, set map[string]any, fn func(w *world), steps ...step) {
	t.Helper()
	all := allowed(map[string]any{"condense_keep": 2})
	for k, v := range set {
		all[k] = v
	}
	run(t, all, func(w *world) {
		w.info = agent.Model{ContextWindow: window, Cost: func(u clew.Usage) float64 { return float64(tokensOf(u)) / 1e6 }}
		fn(w)
	}, steps...)
}

func tokensOf(u clew.Usage) int64 { return u.TokensIn + u.TokensOut + u.CacheReads + u.CacheWrites }

// plainWords leaves of a summary and of a marker what tells them apart.
var plainWords = strings.NewReplacer(
	"This is a summary of the conversation so far. It takes the place of the earlier messages.\n\n", "",
	"\n\n[This is the end of the summary. The conversation continues.]", "",
	" earlier messages were left out here to make room.]\n\nThe conversation began with this:\n\n", " left out] ",
	"\n\n[From here on nothing is left out.]", "",
)

// outline is what a model was sent: who says what, a word or two of each part.
func outline(req llm.Request) []string {
	var list []string
	for _, m := range req.Messages {
		var parts []string
		for _, p := range m.Content {
			text := plainWords.Replace(p.Text)
			switch p.Type {
			case clew.PartToolUse:
				text = "call " + p.ToolCallID
			case clew.PartToolResult:
				text = "result " + p.ToolCallID
			case clew.PartText, clew.PartImage, clew.PartThinking:
			}
			if text, _, ok := strings.Cut(text, " x"); ok {
				parts = append(parts, text)
				continue
			}
			parts = append(parts, text)
		}
		list = append(list, string(m.Role)+": "+strings.Join(parts, "|"))
	}
	return list
}

func (w *world) sent(want ...string) {
	w.Helper()
	if got := outline(w.model.last()); !slices.Equal(got, want) {
		w.Errorf("the model was sent\n%q\nwant\n%q", got, want)
	}
}

// isSummary checks the call for a summary: data in one message of the user, no
// tools, nothing of the task's own prompt.
func isSummary(t *testing.T, req llm.Request, lines int) {
	t.Helper()
	if len(req.Messages) != 1 || len(req.Tools) != 0 || !strings.Contains(req.System, "takes the place of the older part") {
		t.Fatalf("%d messages, %d tools, system %.80q", len(req.Messages), len(req.Tools), req.System)
	}
	if got := strings.Count(req.Messages[0].Content[0].Text, `{"role":`); got != lines {
		t.Errorf("the conversation has %d lines, want %d: %.300q", got, lines, req.Messages[0].Content[0].Text)
	}
}

// request gives the n-th request, from 0.
func (m *model) request(n int) llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[n]
}

// Before the history is too long for the model, a summary takes the place of
// its older part. People see what happened and what it cost, and it counts.
//
// Covers: HIS-01, HIS-04, HIS-05, HIS-06, HIS-07, HIS-08, HIS-11, MSG-06, MSG-21
func TestCondenseByItself(t *testing.T) {
	narrow(t, nil, func(w *world) {
		for _, name := range []string{"one", "two", "three"} {
			w.say(long(name))
		}
		if w.sent("user: one", "assistant: a1", "user: two", "assistant: a2", "user: three"); w.model.asked() != 3 {
			t.Fatalf("%d calls", w.model.asked())
		}
		w.say(long("four"))
		w.idle()
		isSummary(t, w.model.request(3), 4)
		w.sent("user: SUMMARY|three", "assistant: a3", "user: four")

		said := w.messages("condense_context")
		if len(said) != 1 || said[0].ContextCondense == nil {
			t.Fatalf("transcript:\n%s", w.story())
		}
		c := said[0].ContextCondense
		if c.Summary != "SUMMARY" || c.TokensBefore < 24_000 || c.TokensAfter > c.TokensBefore-11_000 || c.TokensAfter <= 0 || c.CostUSD != 18e-6 {
			t.Errorf("condense %+v", c)
		}
		var summaries []clew.ModelMessageData
		for _, d := range events[clew.ModelMessageData](w) {
			if d.Message.IsSummary {
				summaries = append(summaries, d)
			}
		}
		if len(summaries) != 1 || summaries[0].Hides != 4 || summaries[0].Message.CondenseID != c.CondenseID || summaries[0].Message.MessageID != said[0].MessageID {
			t.Errorf("summaries %+v", summaries)
		}
		if u := w.state().Usage; u == nil || tokensOf(*u) != tokensOf(usage) {
			t.Errorf("used %+v", u)
		}
		w.say("five") // it stays short
		w.sent("user: SUMMARY|three", "assistant: a3", "user: four", "assistant: a4", "user: five")
	}, append(short("a1", "a2", "a3"), says("SUMMARY"), uncounted(says("a4")), uncounted(says("a5")))...)
}

// A summary hides the one before.
//
// Covers: HIS-07, HIS-08
func TestCondenseTwice(t *testing.T) {
	narrow(t, nil, func(w *world) {
		for _, name := range []string{"one", "two", "three", "four", "five", "six"} {
			w.say(long(name))
		}
		w.idle()
		w.sent("user: SECOND|five", "assistant: a5", "user: six")
		second := w.model.request(6).Messages[0].Content[0].Text
		if !strings.Contains(second, `{"role":"summary","text":"This is a summary of the conversation so far. It takes the place of the earlier messages.\n\nFIRST\n\n[This is the end of the summary. The conversation continues.]"}`) {
			t.Errorf("the older summary is not in %.200q", second)
		}
		if got := w.messages("condense_context"); len(got) != 2 || got[0].ContextCondense.CondenseID == got[1].ContextCondense.CondenseID {
			t.Errorf("condenses %+v", got)
		}
	}, append(short("a1", "a2", "a3", "FIRST", "a4", "a5", "SECOND"), short("a6")...)...)
}

// Calls and their results stay together on one side of a summary.
//
// Covers: HIS-05, HIS-08
func TestCondenseKeepsPairs(t *testing.T) {
	narrow(t, map[string]any{"condense_keep": 3}, func(w *world) {
		w.tools = append(w.tools, &gadget{name: "big", run: big})
		w.say("look")
		w.idle()
		w.sent("user: SUMMARY", "assistant: call c3", "user: result c3", "assistant: call c4", "user: result c4")
		isSummary(t, w.model.request(4), 5)
	}, uncounted(calls(call("c1", "big", `{}`))), uncounted(calls(call("c2", "big", `{}`))),
		uncounted(calls(call("c3", "big", `{}`))), uncounted(calls(call("c4", "big", `{}`))),
		says("SUMMARY"), uncounted(says("Done.")))
}

// The provider's own count corrects the estimate: a model that counts twice as
// many tokens gets its summary sooner.
//
// Covers: HIS-04
func TestCondenseByTheProvidersCount(t *testing.T) {
	narrow(t, nil, func(w *world) {
		w.say(long("one"))
		w.say(long("two"))
		w.idle()
		w.sent("user: one", "assistant: a1", "user: two")
		w.say("three")
		w.idle()
		w.sent("user: SUMMARY|two", "assistant: a2", "user: three")
	}, wrap(says("a1"), func(a *answer) { a.Usage = clew.Usage{TokensIn: 4000, CacheReads: 9000, CacheWrites: 2000} }),
		wrap(says("a2"), func(a *answer) { a.Usage = clew.Usage{TokensIn: 1000, CacheReads: 27_000} }), says("SUMMARY"), says("a3"))
}

// A failed summary leaves the history as it is, and is not tried again before
// there is more to gain.
//
// Covers: HIS-32, MSG-21
func TestCondenseFails(t *testing.T) {
	refused := fails(&llm.Error{Kind: llm.KindRequest, Message: "no summaries today"})
	for name, bad := range map[string]step{
		"provider": refused, "empty": uncounted(answers(thought("hm"))),
		"longer": uncounted(says(strings.Repeat("語", bulk))), "refusal": wrap(says("I will not."), func(a *answer) { a.Stop = llm.StopRefusal }),
	} {
		t.Run(name, func(t *testing.T) {
			narrow(t, nil, func(w *world) {
				for _, name := range []string{"one", "two", "three", "four"} {
					w.say(long(name))
				}
				w.idle()
				w.sent("user: one", "assistant: a1", "user: two", "assistant: a2", "user: three", "assistant: a3", "user: four")
				said := w.messages("condense_context_error")
				if len(said) != 1 || said[0].ContextCondense == nil || len(w.messages("condense_context")) != 0 {
					t.Fatalf("transcript:\n%s", w.story())
				}
				w.say("five") // no second try
				w.sent("user: one", "assistant: a1", "user: two", "assistant: a2", "user: three", "assistant: a3", "user: four", "assistant: a4", "user: five")
			}, append(short("a1", "a2", "a3"), bad, uncounted(says("a4")), uncounted(says("a5")))...)
		})
	}
}

// What does not fit and cannot be put into a summary is left out: the older
// half, in whole exchanges. The model still knows what it all began with.
//
// Covers: HIS-04, HIS-06, HIS-09, HIS-11, MSG-06, MSG-21
func TestSlidingWindow(t *testing.T) {
	for name, set := range map[string]map[string]any{"off": {"auto_condense": false}, "failed": nil} {
		t.Run(name, func(t *testing.T) {
			steps := short("a1", "a2", "a3")
			if name == "failed" {
				bad := fails(&llm.Error{Kind: llm.KindRequest, Message: "no summaries today"})
				steps = append(steps, bad, uncounted(says("a4")), bad)
			} else {
				steps = append(steps, short("a4")...)
			}
			narrow(t, set, func(w *world) {
				for _, name := range []string{"one", "two", "three", "four", "five"} {
					w.say(long(name))
				}
				w.idle()
				w.sent("user: [4 left out] one|three", "assistant: a3", "user: four", "assistant: a4", "user: five")
				said := w.messages("sliding_window_truncation")
				if len(said) != 1 || said[0].ContextTruncation == nil || said[0].ContextTruncation.Hidden != 4 {
					t.Fatalf("transcript:\n%s", w.story())
				}
				for _, d := range events[clew.ModelMessageData](w) {
					if d.Message.IsTruncationMarker && (d.Hides != 4 || d.Message.TruncationID != said[0].ContextTruncation.TruncationID) {
						t.Errorf("marker %+v", d)
					}
				}
			}, append(steps, uncounted(says("a5")))...)
		})
	}
}

// A provider that says that the history is too long is asked again once there is
// room; one that never has enough leads to a question.
//
// Covers: HIS-04, HIS-09
func TestProviderSaysTooLong(t *testing.T) {
	tooLong := fails(&llm.Error{Kind: llm.KindContext, Status: 400, Message: "prompt is too long"})
	chat := func(w *world) {
		for _, name := range []string{"one", "two", "three", "four"} {
			w.say(name + " x" + strings.Repeat("y", 2000))
		}
	}
	t.Run("summary", func(t *testing.T) {
		narrow(t, nil, func(w *world) {
			chat(w)
			w.idle()
			w.sent("user: SUMMARY", "assistant: a3", "user: four")
			if len(w.messages("api_req_deleted")) != 1 || len(w.messages("condense_context")) != 1 {
				t.Errorf("transcript:\n%s", w.story())
			}
		}, append(short("a1", "a2", "a3"), tooLong, uncounted(says("SUMMARY")), uncounted(says("a4")))...)
	})
	t.Run("window", func(t *testing.T) {
		narrow(t, map[string]any{"auto_condense": false}, func(w *world) {
			chat(w)
			w.idle()
			w.sent("user: [4 left out] one|three", "assistant: a3", "user: four")
		}, append(short("a1", "a2", "a3"), tooLong, uncounted(says("a4")))...)
	})
	t.Run("both", func(t *testing.T) {
		narrow(t, nil, func(w *world) {
			chat(w)
			w.idle()
			if len(w.messages("condense_context_error")) != 1 || len(w.messages("sliding_window_truncation")) != 1 {
				t.Errorf("transcript:\n%s", w.story())
			}
		}, append(short("a1", "a2", "a3"), tooLong, tooLong, uncounted(says("a4")))...)
	})
	t.Run("never", func(t *testing.T) {
		narrow(t, nil, func(w *world) {
			w.say("one")
			w.asked(clew.AskAPIReqFailed) // there is nothing to leave out
			w.no()
		}, tooLong)
		narrow(t, map[string]any{"auto_condense": false}, func(w *world) {
			chat(w)
			w.asked(clew.AskAPIReqFailed)
			w.no()
			if n := w.count(clew.SaySlidingWindowTruncation); n == 0 || n > 3 {
				t.Errorf("room was made %d times", n)
			}
			w.model.steps = nil
		}, append(short("a1", "a2", "a3"), tooLong, tooLong, tooLong, tooLong)...)
	})
}

// big is a tool with much to say.
func big(context.Context, tool.Call, tool.Output) (tool.Result, error) {
	return tool.Result{Text: strings.Repeat("x", bulk)}, nil
}
