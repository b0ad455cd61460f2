package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// appRequests gives what agents want of the app in a window.
func (w *world) appRequests(window string) []clew.AppRequest {
	w.Helper()
	for _, x := range w.state().Windows {
		if x.WindowID == window {
			return x.AppRequests
		}
	}
	return nil
}

func openApp() step {
	return calls(call("open", "window", `{"action":"open","window_id":"calc","title":"Calculator","kind":"html","content":"<p>0"}`))
}

func ready(w *world) {
	w.Helper()
	w.do(&clew.AppProtocolReadyData{WindowID: "calc", App: "calculator", Queries: []string{"total"}, Commands: []string{"clear"}})
}

// An agent asks the app in a window and tells it to do something; the first answer is
// the call's result, whatever dies meanwhile.
//
// Covers: WIN-15, TOOL-14, WS-055, WS-082, WS-083
func TestAppIsAsked(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("open it")
		w.idle()
		if got := toolNames(w.model.last()); slices.Contains(got, "app_query") {
			t.Errorf("tools without an app: %q", got)
		}
		ready(w)
		ready(w) // said again, nothing is recorded again
		if n := strings.Count(fmt.Sprint(w.types()), string(clew.EventAppRegistered)); n != 1 {
			t.Errorf("registered %d times", n)
		}
		w.say("what is the total?")
		asked := w.appRequests("calc")
		if len(asked) != 1 || asked[0].Kind != clew.AppQuery || asked[0].Name != "total" || fmt.Sprint(asked[0].Params) != "map[round:true]" || asked[0].DeadlineMS == 0 {
			t.Fatalf("asked for %+v", asked)
		}
		if got := toolNames(w.model.last()); !slices.Contains(got, "app_query") || !slices.Contains(got, "app_command") {
			t.Errorf("tools: %q", got)
		}
		w.crash()
		if got := w.appRequests("calc"); len(got) != 1 || got[0].RequestID != asked[0].RequestID {
			t.Fatalf("after a crash: %+v", got)
		}
		w.do(&clew.AppProtocolResponseData{RequestID: asked[0].RequestID, WindowID: "calc", Result: map[string]any{"total": 42}})
		w.do(&clew.AppProtocolResponseData{RequestID: asked[0].RequestID, WindowID: "calc", Result: map[string]any{"total": 43}}) // another browser
		if r := w.result("q"); r.Status != clew.ToolComplete || r.Output != `{"total":42}` {
			t.Errorf("query: %+v", r)
		}
		asked = w.appRequests("calc")
		if len(asked) != 1 || asked[0].Kind != clew.AppCommand {
			t.Fatalf("told %+v", asked)
		}
		if err := w.try(&clew.AppProtocolResponseData{RequestID: asked[0].RequestID, WindowID: "other"}); err == nil {
			t.Error("an answer for another window was taken")
		}
		w.do(&clew.AppProtocolResponseData{RequestID: asked[0].RequestID, Error: "it is locked"})
		w.idle()
		if r := w.result("c"); r.Status != clew.ToolError || !strings.Contains(r.Error, "it is locked") {
			t.Errorf("command: %+v", r)
		}
		if got := w.appRequests("calc"); len(got) != 0 {
			t.Errorf("left over: %+v", got)
		}
	}, openApp(), says("It is open."),
		calls(call("q", "app_query", `{"window_id":"calc","name":"total","params":{"round":true}}`)),
		calls(call("c", "app_command", `{"window_id":"calc","name":"clear"}`)), says("42."))
}

// Nobody waits for ever: without an answer there is an error, with the server down in
// between as well.
//
// Covers: WIN-16
func TestAppDoesNotAnswer(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("open it")
		w.idle()
		ready(w)
		w.say("total?")
		if len(w.appRequests("calc")) != 1 {
			t.Fatal("not asked")
		}
		sleep(4)
		w.crash()
		if len(w.appRequests("calc")) != 1 {
			t.Fatal("given up early")
		}
		sleep(2)
		if r := w.result("q"); r.Status != clew.ToolError || !strings.Contains(r.Error, "did not answer in time") || strings.Contains(r.Error, "not known") {
			t.Errorf("query: %+v", r)
		}
		sleep(6)
		w.idle()
		if r := w.result("c"); r.Status != clew.ToolError || !strings.Contains(r.Error, "It is not known whether") {
			t.Errorf("command: %+v", r)
		}
	}, openApp(), says("It is open."), calls(call("q", "app_query", `{"window_id":"calc","name":"total"}`)),
		calls(call("c", "app_command", `{"window_id":"calc","name":"clear"}`)), says("Nobody is there."))
}

// What cannot be asked is refused at once, and a page that was replaced has to say anew
// what it can.
func TestAppCannotBeAsked(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("open it")
		w.idle()
		ready(w)
		w.say("try")
		w.asked(clew.AskMistakeLimitReached)
		w.yes()
		w.idle()
		for id, want := range map[string]string{"a": "no window none", "b": "has the queries total", "c": "has the commands clear", "d": "does not fit"} {
			if r := w.result(id); r.Status != clew.ToolError || !strings.Contains(r.Error, want) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		w.say("change it")
		w.idle()
		if a := w.state().Windows[0].App; a != nil {
			t.Errorf("the new page has the old one's words: %+v", a)
		}
		for _, d := range []any{
			&clew.AppProtocolReadyData{WindowID: "none"},
			&clew.AppProtocolReadyData{WindowID: "calc", Queries: []string{"a b"}},
			&clew.AppProtocolReadyData{WindowID: "calc", Commands: make([]string, 51)},
		} {
			if checked, ok := d.(interface{ Check() error }); ok && checked.Check() == nil && w.try(d) == nil {
				t.Errorf("taken: %+v", d)
			}
		}
	}, openApp(), says("It is open."),
		calls(call("a", "app_query", `{"window_id":"none","name":"total"}`), call("b", "app_query", `{"window_id":"calc","name":"clear"}`),
			call("c", "app_command", `{"window_id":"calc","name":"total"}`), call("d", "app_query", `[]`)),
		says("No."), calls(call("u", "window", `{"action":"update","window_id":"calc","content":"<p>1"}`)), says("Changed."))
}

// An interrupt ends the waiting.
func TestAppInterrupted(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("open it")
		w.idle()
		ready(w)
		w.say("total?")
		w.do(&clew.InterruptData{})
		w.idle()
		if len(w.appRequests("calc")) != 0 {
			t.Error("an interrupted call still waits")
		}
		if r := w.result("q"); r.Status != clew.ToolStopped {
			t.Errorf("the call: %+v", r)
		}
	}, openApp(), says("It is open."), calls(call("q", "app_query", `{"window_id":"calc","name":"total"}`)))
}
