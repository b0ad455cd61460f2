package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

const closeChart = `<ui:close>chart</ui:close>`

func opens(id, window string) clew.Part {
	return call(id, "window", `{"action":"open","window_id":"`+window+`","title":"<`+window+`>","content":"# hi"}`)
}

func (w *world) closes(window string) {
	w.Helper()
	w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: window}}})
}

// heard gives the texts of the newest message to the model.
func heard(req llm.Request) (texts []string) {
	for _, p := range req.Messages[len(req.Messages)-1].Content {
		texts = append(texts, p.Text)
	}
	return texts
}

// What happened meanwhile and what is open stands in front of the words, in the user's
// message, once. The system prompt stays as it is, so that providers need not read it
// anew; people see their words alone.
//
// Covers: CTX-06, CTX-09, CTX-10, CTX-11, C-46
func TestWordsWithWhatHappened(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		if got := heard(w.model.request(0)); !slices.Equal(got, []string{"go"}) {
			t.Errorf("with nothing to tell: %q", got)
		}
		w.say("more")
		w.closes("chart")
		w.closes("notes")
		w.say("and now")
		w.say("again")
		w.idle()
		for n, want := range map[int][]string{
			2: {"<open_windows>\n<window id=\"chart\" kind=\"markdown\" monitor=\"monitor-0\">&lt;chart&gt;</window>\n<window id=\"notes\" kind=\"markdown\" monitor=\"monitor-0\">&lt;notes&gt;</window>\n</open_windows>", "more"},
			3: {"<timeline>\n" + closeChart + "\n<ui:close>notes</ui:close>\n</timeline>\n<open_windows>\n</open_windows>", "and now"},
			4: {"again"},
		} {
			if got := heard(w.model.request(n)); !slices.Equal(got, want) {
				t.Errorf("call %d: %q, want %q", n, got, want)
			}
		}
		if a, b := w.model.request(0), w.model.request(4); a.System != b.System {
			t.Errorf("the system prompt was\n%s\nand is\n%s", a.System, b.System)
		}
		for _, m := range w.messages(string(clew.SayUserFeedback)) {
			if strings.Contains(m.Text, "<") {
				t.Errorf("people see %q", m.Text)
			}
		}
		var to []int64
		for _, d := range events[clew.ModelMessageData](w) {
			if d.TimelineTo > 0 {
				to = append(to, d.TimelineTo)
			}
		}
		if !slices.Equal(to, []int64{2}) {
			t.Errorf("the records say that it was heard to %v", to)
		}
	}, calls(opens("a", "chart"), opens("b", "notes")), says("There."), says("Fine."), says("Gone."), says("Yes."))
}

// What is said into a turn brings along what happened since it began.
func TestSteeredWordsWithWhatHappened(t *testing.T) {
	working := new(gate)
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.say("look around")
		w.closes("chart")
		w.say("I closed it")
		working.open()
		w.idle()
		got := heard(w.model.last())
		if n := len(got); n != 3 || !strings.Contains(got[1], closeChart) || got[2] != "I closed it" {
			t.Errorf("it heard %q", got)
		}
	}, calls(opens("a", "chart")), says("There."), waits(working, calls(call("l", "list_files", `{"path":"."}`))), says("Seen."))
}

// A server that stops before the record says that it was heard tells it again, and one
// that stops after it does not.
//
// Covers: CTX-09, C-46
func TestHeardOnceAcrossCrashes(t *testing.T) {
	run(t, map[string]any{"model_crash_retry": "auto"}, func(w *world) {
		w.say("go")
		w.closes("chart")
		w.crash() // nobody has heard it
		w.say("and now")
		w.crash() // the record is there, the answer is not
		w.idle()
		w.say("again")
		w.idle()
		times := 0
		for _, m := range w.model.last().Messages {
			for _, p := range m.Content {
				times += strings.Count(p.Text, closeChart)
			}
		}
		if times != 1 {
			t.Errorf("the model was told %d times", times)
		}
	}, calls(opens("a", "chart")), says("There."), hangs(), says("Gone."), says("Yes."))
}

// A summary may hide what the model was told of open windows: it is told anew.
func TestWindowsToldAnewAfterASummary(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.say("more")
		w.do(&clew.CondenseContextData{})
		w.say("and now")
		w.idle()
		if got := heard(w.model.last()); len(got) != 2 || !strings.HasPrefix(got[0], "<open_windows>") {
			t.Errorf("it heard %q", got)
		}
	}, calls(opens("a", "chart")), says("There."), says("Fine."), says("A summary."), says("Yes."))
}
