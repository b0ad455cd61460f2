package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// An agent opens, changes and closes windows, and nobody is asked.
//
// Covers: TOOL-01, WIN-05, WS-045
func TestWindowTool(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		for id, want := range map[string]string{"a": "is open", "b": "is open", "c": "was changed", "d": "is closed"} {
			if r := w.result(id); r.Status != clew.ToolComplete || !strings.Contains(fmt.Sprint(r.Output), want) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		windows := w.state().Windows
		if len(windows) != 1 || windows[0].WindowID != "chart" || windows[0].Title != `Two\u202e words` || windows[0].Content.Kind != clew.WindowHTML || windows[0].Content.Text != "<p>new" {
			t.Fatalf("windows %+v", windows)
		}
		w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "chart"}}})
		w.say("and now")
		w.idle()
	}, calls(
		call("a", "window", `{"action":"open","window_id":"chart","title":"One","kind":"html","content":"<p>old"}`),
		call("b", "window", `{"action":"open","window_id":"notes","title":"Notes","content":"# hi"}`),
	), calls(
		call("c", "window", `{"action":"update","window_id":"chart","title":"Two\u202e\n words","content":"<p>new"}`),
		call("d", "window", `{"action":"close","window_id":"notes"}`),
	), says("There."), says("Gone."))
}

// What is wrong with a call is said to the model, and nothing is shown: an action that is
// none of the set, for instance.
//
// Covers: G-08
func TestWindowToolWrongly(t *testing.T) {
	for input, want := range map[string]string{
		`{"action":"wave","window_id":"a"}`:                                       "open, update or close",
		`{"action":"open","window_id":"a"}`:                                       "opens with a title and content",
		`{"action":"open","window_id":"a b","title":"t","content":"c"}`:           "letters, digits",
		`{"action":"open","window_id":"a","title":"t","content":"c","kind":"js"}`: "is markdown, text, table",
		`{"action":"update","window_id":"a"}`:                                     "give the title or the content",
		`{"action":"update","window_id":"a","title":"t"}`:                         "no window a",
		`{"action":"close","window_id":"a"}`:                                      "no window a",
		`[]`:                                                                      "does not fit",
	} {
		t.Run(want, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("go")
				w.idle()
				if r := w.result("a"); r.Status != clew.ToolError || !r.Mistake || !strings.Contains(r.Error, want) || len(w.state().Windows) != 0 {
					t.Errorf("%+v", r)
				}
			}, calls(call("a", "window", input)), says("Well."))
		})
	}
}
