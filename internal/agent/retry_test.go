package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session/feed"
)

var busy = &llm.Error{Kind: llm.KindOverloaded, Status: 529, Message: "the model is overloaded"}

// A model call that fails for a moment is made again after 1, 2 and 4 seconds,
// visibly; then a person is asked. A yes tries all over, a no ends the turn.
//
// Covers: C-50, MSG-16, MSG-11
func TestRetries(t *testing.T) {
	run(t, nil, func(w *world) {
		start := time.Now()
		w.say("go")
		for i, at := range []int{1, 3, 7} {
			if n := w.model.asked(); n != i+1 {
				t.Errorf("%d calls before second %d", n, at)
			}
			time.Sleep(time.Until(start.Add(time.Duration(at) * time.Second)))
			synctest.Wait()
		}
		if q := w.asked(clew.AskAPIReqFailed); !strings.Contains(q.Reason, "overloaded") || w.model.asked() != 4 {
			t.Errorf("after %d calls: %+v", w.model.asked(), q)
		}
		var waits []string
		for _, m := range w.messages("api_req_retry_delayed") {
			waits = append(waits, m.Text[strings.LastIndex(m.Text, " in ")+4:])
		}
		if !slices.Equal(waits, []string{"1 s.", "2 s.", "4 s."}) || len(w.messages("api_req_retried")) != 3 {
			t.Errorf("waits %v\n%s", waits, w.story())
		}
		if got := providerStatuses(w); got != "[error anthropic: The model is overloaded (HTTP 529).]" {
			t.Errorf("of the provider people are told %s", got)
		}
		w.yes()
		sleep(1)
		w.idle()
		if got := w.said(clew.SayText); got != "Back." {
			t.Errorf("the answer is %q", got)
		}
		w.say("and now?") // that it is back is said once
		w.idle()
		if got := providerStatuses(w); !strings.HasSuffix(got, " connected anthropic: ]") || strings.Count(got, "connected") != 1 {
			t.Errorf("of the provider people are told %s", got)
		}
	}, fails(busy), fails(busy), fails(busy), fails(busy), fails(busy), says("Back."), says("Still."))
}

// providerStatuses is what was recorded of the provider.
func providerStatuses(w *world) string {
	w.Helper()
	list := []string{}
	for _, d := range events[clew.ProviderStatusData](w) {
		list = append(list, fmt.Sprintf("%s %s: %s", d.Status, d.Provider, d.Message))
	}
	return fmt.Sprint(list)
}

// A provider that gives no answer is disconnected, one that says why it failed is not;
// when it answers again, it is connected, also after a restart.
//
// Covers: WS-048
func TestProviderStatus(t *testing.T) {
	away := &llm.Error{Kind: llm.KindUnstable, Message: "no connection to the provider"}
	refused := &llm.Error{Kind: llm.KindAuth, Status: 401, Message: "the key is refused"}
	run(t, map[string]any{"model_retries": 0}, func(w *world) {
		w.say("go")
		w.asked(clew.AskAPIReqFailed)
		w.yes()
		w.asked(clew.AskAPIReqFailed)
		w.crash()
		w.yes()
		w.idle()
		var got []string
		for _, d := range events[clew.ProviderStatusData](w) {
			got = append(got, string(d.Status))
		}
		if fmt.Sprint(got) != "[disconnected error connected]" {
			t.Errorf("recorded %v\n%s", got, w.story())
		}
	}, fails(away), fails(refused), says("Back."))
}

// Covers: C-50, MSG-11
func TestRetriesRefused(t *testing.T) {
	run(t, map[string]any{"model_retries": 0}, func(w *world) {
		w.say("go")
		w.asked(clew.AskAPIReqFailed)
		w.no()
		w.idle()
		if e := w.failure(); e.Code != clew.ProviderError || !strings.Contains(e.Message, "overloaded") || strings.Contains(e.Message, "Try again") || e.Context.TaskID == "" {
			t.Errorf("the turn ended with %+v", e)
		}
		w.say("again")
		w.idle()
		if m := w.model.last().Messages; len(m) != 1 || len(m[0].Content) != 2 {
			t.Errorf("the history is %+v", m)
		}
	}, fails(busy), says("Back."))
}

// A provider that says how long to wait is heeded, up to a minute.
//
// Covers: C-50
func TestRetryAfter(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		30 * time.Second: 30 * time.Second, time.Hour: time.Minute, time.Millisecond: time.Second,
	} {
		t.Run(asked.String(), func(t *testing.T) {
			failure := &llm.Error{Kind: llm.KindOverloaded, Message: "busy", RetryAfter: asked}
			run(t, nil, func(w *world) {
				start := time.Now()
				w.say("go")
				time.Sleep(want - time.Millisecond)
				synctest.Wait()
				if w.model.asked() != 1 {
					t.Errorf("tried again after %s", time.Since(start))
				}
				time.Sleep(time.Millisecond)
				synctest.Wait()
				w.idle()
			}, fails(failure), says("Back."))
		})
	}
}

// What cannot succeed is not tried again. A failure that is not the provider's
// own kind, and an answer without anything in it, is.
func TestWhatIsTriedAgain(t *testing.T) {
	for _, kind := range []llm.Kind{llm.KindAuth, llm.KindRequest, llm.KindContext, llm.KindQuota} {
		t.Run(string(kind), func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("go")
				if q := w.asked(clew.AskAPIReqFailed); !strings.HasPrefix(q.Reason, "no way. ") || !strings.HasSuffix(q.Reason, " Try again?") {
					t.Errorf("reason %q", q.Reason)
				}
				w.no()
				w.idle()
			}, fails(&llm.Error{Kind: kind, Message: "no way"}))
		})
	}
	odd := func(context.Context, llm.Request, func(llm.Delta) error) (llm.Answer, error) {
		return llm.Answer{}, fmt.Errorf("odd: %s", "key sk-123")
	}
	for name, bad := range map[string]step{"odd": odd, "empty": answers()} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("go")
				sleep(1)
				w.idle()
				if strings.Contains(w.story(), "sk-123") {
					t.Error("the text of a foreign error is shown")
				}
			}, bad, says("Back."))
		})
	}
}

// A call that breaks in the middle starts its text anew: the message is emptied
// on record, and the pieces begin at 0 again.
//
// Covers: C-57, C-70
func TestBrokenAnswerStartsAnew(t *testing.T) {
	run(t, nil, func(w *world) {
		watch, err := w.host.Watch(w.Context(), w.id)
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Close()
		w.say("go")
		sleep(1)
		w.idle()
		if got := w.said(clew.SayText); got != "All of it." {
			t.Errorf("the answer is %q", got)
		}
		var text strings.Builder
		restarts := 0
		for _, it := range fed(t, watch.Feed()) {
			var env struct {
				Data struct {
					clew.AgentResponseData
					Message *clew.Message `json:"message"`
				} `json:"data"`
			}
			if err := json.Unmarshal(it.Envelope, &env); err != nil {
				t.Fatal(err)
			}
			switch d := env.Data; {
			case it.Type == clew.EventAgentResponse:
				if d.Offset != text.Len() {
					t.Errorf("piece %q at %d after %q", d.Delta, d.Offset, text.String())
				}
				text.WriteString(d.Delta)
			case it.Type == clew.EventMessageUpdated && d.Message.Partial && d.Message.Text == "":
				restarts++
				text.Reset()
			}
		}
		if restarts != 1 || text.String() != "All of it." {
			t.Errorf("%d restarts, the pieces make %q", restarts, text.String())
		}
	}, fails(&llm.Error{Kind: llm.KindUnstable, Message: "cut"}, "Half ", "of"), answers(text("All "), text("of it.")))
}

// fed gives what is in a feed.
func fed(t *testing.T, f *feed.Feed) []*feed.Item {
	t.Helper()
	var all []*feed.Item
	buf := make([]*feed.Item, 64)
	for {
		n, _, _, err := f.Next(uint64(len(all)+1), buf)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return all
		}
		all = append(all, buf[:n]...)
	}
}

// An attempt that breaks after its thoughts leaves nothing open.
//
// Covers: C-17
func TestBrokenThoughts(t *testing.T) {
	broken := func(_ context.Context, _ llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		for _, d := range []llm.Delta{{Kind: llm.DeltaThinking, Text: "Hm"}, {Text: "Wel"}} {
			if err := on(d); err != nil {
				return llm.Answer{}, err
			}
		}
		return llm.Answer{}, busy
	}
	run(t, nil, func(w *world) {
		w.say("go")
		sleep(1)
		w.idle()
		for _, m := range w.state().Messages {
			if m.Partial {
				t.Errorf("%s is open", m.MessageID)
			}
		}
		if n := len(w.messages("text")); n == 0 || w.messages("text")[n-1].Text != "Good." {
			t.Errorf("transcript:\n%s", w.story())
		}
	}, broken, answers(thought("Aha"), text("Good.")))
}

// A provider that panics ends its turn; the next message works.
func TestProviderPanics(t *testing.T) {
	bad := func(context.Context, llm.Request, func(llm.Delta) error) (llm.Answer, error) { panic("oh") }
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		if e := events[clew.ErrorData](w); len(e) != 1 || strings.Contains(e[0].Message, "oh") {
			t.Errorf("errors %+v", e)
		}
		w.say("again")
		w.idle()
	}, bad, says("Back."))
}

// Without a provider the turn ends with an error that says why.
func TestNoProvider(t *testing.T) {
	run(t, nil, func(w *world) {
		w.provider = noProvider
		w.say("go")
		w.idle()
		if e := events[clew.ErrorData](w); len(e) != 1 || e[0].Code != clew.SettingsInvalid {
			t.Errorf("errors %+v", e)
		}
	})
}

// An answer that was cut at its limit says so.
func TestCutAnswer(t *testing.T) {
	cut := wrap(says("Once upon"), func(a *answer) { a.Stop = llm.StopMaxTokens })
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		if !strings.Contains(w.said(clew.SayError), "cut") {
			t.Errorf("transcript:\n%s", w.story())
		}
		if n := w.model.last().MaxTokens; n != 1000 {
			t.Errorf("max_tokens is %d", n)
		}
	}, cut)
}

// failure is the last error on record.
func (w *world) failure() clew.ErrorData {
	w.Helper()
	list := events[clew.ErrorData](w)
	if len(list) == 0 {
		w.Fatalf("no error is on record\n%s", w.story())
	}
	return list[len(list)-1]
}

// A profile names those that are used while its provider is at its limit or away.
// The switch is on record and lasts five minutes; what another provider would refuse
// as well is no reason.
func TestFallback(t *testing.T) {
	profiles := map[string]any{
		"model_retries": 0, "model_profile": "first",
		"model_profiles": map[string]any{
			"first":  map[string]any{"provider": "anthropic", "model": "one", "fallback": []any{"second", "third"}},
			"second": map[string]any{"provider": "openai", "model": "two"},
			"third":  map[string]any{"provider": "openai", "model": "three"},
		},
	}
	away := &llm.Error{Kind: llm.KindUnstable, Status: 502, Message: "bad gateway"}
	run(t, profiles, func(w *world) {
		w.say("go")
		w.idle()
		if got := w.said(clew.SayText); got != "Here." || w.model.last().Model != "three" {
			t.Errorf("%q by %s\n%s", got, w.model.last().Model, w.story())
		}
		var notes []string
		for _, m := range w.messages("model_fallback") {
			notes = append(notes, fmt.Sprintf("%s %v>%v %v", m.Text, m.Metadata["from"], m.Metadata["to"], m.Metadata["reason"]))
		}
		want := []string{
			"Anthropic is at its limit. Switched to second. first>second overloaded", "OpenAI does not answer. Switched to third. second>third unstable",
		}
		if !slices.Equal(notes, want) {
			t.Errorf("on record is %q", notes)
		}
		for _, next := range []struct{ after, model string }{{"1m", "three"}, {"5m", "one"}} {
			d, _ := time.ParseDuration(next.after)
			time.Sleep(d)
			w.say("more")
			w.idle()
			if got := w.model.last().Model; got != next.model {
				t.Errorf("%s later %s answers", next.after, got)
			}
		}
		w.say("bad")
		if q := w.asked(clew.AskAPIReqFailed); !strings.Contains(q.Reason, "refused") {
			t.Errorf("asked about %q", q.Reason)
		}
	}, fails(busy), fails(away), says("Here."), says("Still."), says("Back."), fails(&llm.Error{Kind: llm.KindAuth, Status: 401, Message: "the key was refused"}))
}
