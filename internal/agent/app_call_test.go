package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// weather is a tool with a page, refresh one for the page.
func (w *world) weather() (refresh *gadget) {
	forecast := &gadget{name: "mcp__weather__forecast", server: "weather", class: clew.ClassOnce, group: tool.GroupMCP}
	forecast.run = func(_ context.Context, c tool.Call, _ tool.Output) (tool.Result, error) {
		return tool.Result{Text: "sunny", View: &tool.View{
			URI: "ui://weather/forecast", Tool: "forecast", Title: "Forecast", HTML: "<h1>Weather</h1>" + string(c.Input),
			Connect: []string{"https://api.example.org"}, Resources: []string{"https://*.example.org"},
			Input: c.Input, Result: json.RawMessage(`{"content":[{"type":"text","text":"sunny"}]}`),
		}}, nil
	}
	refresh = &gadget{name: "mcp__weather__refresh", server: "weather", class: clew.ClassOnce, group: tool.GroupMCP}
	refresh.run = func(context.Context, tool.Call, tool.Output) (tool.Result, error) {
		return tool.Result{Text: "rain", Answer: json.RawMessage(`{"content":[],"structuredContent":{"rain":true}}`)}, nil
	}
	w.tools = append(w.tools, forecast)
	w.appTools = map[string]tool.Tool{"weather/refresh": refresh, "other/window": &gadget{name: "mcp__other__window", server: "other"}}
	return refresh
}

// withWeather has a tool server, and its tools run unasked if they are allowed.
func withWeather() map[string]any {
	return allowed(map[string]any{"always_allow_mcp": true, "mcp_servers": map[string]any{"weather": map[string]any{"url": "http://127.0.0.1:1"}}})
}

// page gives the only window of a page.
func (w *world) page() clew.WindowState {
	w.Helper()
	var found []clew.WindowState
	for _, x := range w.state().Windows {
		if x.Content.Kind == clew.WindowMCPApp {
			found = append(found, x)
		}
	}
	if len(found) != 1 {
		w.Fatalf("%d pages\n%s", len(found), w.story())
	}
	return found[0]
}

func (w *world) blob(address string) string {
	w.Helper()
	b, err := w.blobs.Blob(w.Context(), address)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

var forecast = func(id, input string) step { return calls(call(id, "mcp__weather__forecast", input)) }

// A call with a page shows it in the batch that has its result: in a new window, and from
// then on in that one, unless somebody has closed it.
func TestPageOfATool(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		w.weather()
		w.always = true
		w.say("Oslo?")
		w.idle()
		first := w.page()
		c := first.Content
		if first.Title != "Forecast" || first.Version != 1 || c.Server != "weather" || c.Tool != "forecast" || c.URI != "ui://weather/forecast" || c.MediaType != "text/html" ||
			!slices.Equal(c.Connect, []string{"https://api.example.org"}) || !slices.Equal(c.Load, []string{"https://*.example.org"}) || c.Text != "" {
			t.Fatalf("window %+v shows %+v", first, c)
		}
		if got := w.blob(c.Blob); got != `<h1>Weather</h1>{"city":"Oslo"}` || int64(len(got)) != c.Bytes {
			t.Errorf("page: %s", got)
		}
		if got := w.blob(c.Data); got != `{"input":{"city":"Oslo"},"result":{"content":[{"type":"text","text":"sunny"}]}}` {
			t.Errorf("call: %s", got)
		}
		types := w.types()
		shown := slices.Index(types, clew.EventActions)
		if list := events[clew.ActionsData](w); types[shown-1] != clew.EventToolProgress || list[0].Actions[0].ActionID == "" {
			t.Errorf("the page does not follow the result: %q", types)
		}
		if r := w.result("f1"); r.Output != "sunny" || r.ResultBlob != "" {
			t.Errorf("the model gets %+v", r)
		}
		w.say("Rome?")
		w.idle()
		if next := w.page(); next.WindowID != first.WindowID || next.Version != 2 || w.blob(next.Content.Data) == w.blob(c.Data) {
			t.Errorf("the next call: %+v", next)
		}
		w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: first.WindowID}}})
		w.say("Bonn?")
		w.idle()
		if again := w.page(); again.WindowID == first.WindowID || again.Version != 1 {
			t.Errorf("after it was closed: %+v", again)
		}
	}, forecast("f1", `{"city":"Oslo"}`), says("Sunny."), forecast("f2", `{"city":"Rome"}`), says("Sunny."), forecast("f3", `{"city":"Bonn"}`), says("Sunny."))
}

// Where there is no room for a window the result is as without one, and people are told.
func TestPageWithoutRoom(t *testing.T) {
	var steps []step
	for i := range 16 {
		steps = append(steps, calls(call(fmt.Sprint("w", i), "window", fmt.Sprintf(`{"action":"open","window_id":"w%d","title":"W","content":"x"}`, i))))
	}
	run(t, withWeather(), func(w *world) {
		w.weather()
		w.always = true
		w.say("go")
		w.idle()
		if n := len(w.state().Windows); n != 16 {
			t.Errorf("%d windows", n)
		}
		if r := w.result("f"); r.Status != clew.ToolComplete || r.Output != "sunny" {
			t.Errorf("result: %+v", r)
		}
		if got := w.said(clew.SayError); !strings.Contains(got, "is not shown: 16 windows are open") {
			t.Errorf("people are told %q", got)
		}
	}, append(steps, forecast("f", `{}`), says("Sunny."))...)
}

// A page asks for a tool of its server: people are asked as for an agent's call, no model
// is, and what came of it is in the state for whoever looks, also after a crash.
func TestPageCallsItsServer(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		refresh := w.weather()
		w.always = true
		w.say("Oslo?")
		w.idle()
		w.always = false
		id := w.page().WindowID
		asks := &clew.AppCallData{WindowID: id, RequestID: "r1", Tool: "refresh", Arguments: map[string]any{"city": "Oslo"}}
		w.do(asks)
		w.do(asks) // by a page that was not sure
		if q := w.asked(clew.AskTool); q.Tool != "mcp__weather__refresh" || string(q.Input) != `{"city":"Oslo"}` {
			t.Fatalf("asked %+v", q)
		}
		if got := w.page().AppCalls; len(got) != 1 || got[0] != (clew.AppCall{RequestID: "r1", Tool: "refresh", Status: clew.AppCallWaiting}) {
			t.Fatalf("while a person is asked: %+v", got)
		}
		w.crash()
		if len(refresh.runs()) != 0 {
			t.Fatal("it ran unasked")
		}
		w.yes()
		w.idle()
		got := w.page().AppCalls
		if len(got) != 1 || got[0].Status != clew.AppCallDone || w.blob(got[0].Result) != `{"content":[],"structuredContent":{"rain":true}}` || len(refresh.runs()) != 1 {
			t.Fatalf("after a yes: %+v", got)
		}
		w.do(asks)
		w.do(&clew.AppCallData{WindowID: id, RequestID: "r2", Tool: "refresh"})
		w.no()
		w.idle()
		if got := w.page().AppCalls; len(got) != 2 || got[1].Status != clew.AppCallRefused || got[1].Result != "" || got[1].Error == "" || len(refresh.runs()) != 1 {
			t.Errorf("after a no: %+v", got)
		}
		if n := len(w.state().Agents); n != 0 {
			t.Errorf("%d agents are left at work", n)
		}
		if v := w.page().Version; v != 1 {
			t.Errorf("the page was changed: version %d", v)
		}
	}, forecast("f", `{}`), says("Sunny."))
}

// A page reaches tools of its own server that are for pages, and no others, whatever it
// names; others than such pages reach nothing.
func TestPageCallsWhatItMayNot(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		refresh := w.weather()
		w.always = true
		w.say("Oslo?")
		w.idle()
		id := w.page().WindowID
		for i, name := range []string{"forecast", "window", "mcp__weather__refresh", "other/window", "../other/window", "attempt_completion", "run_command"} {
			w.do(&clew.AppCallData{WindowID: id, RequestID: clew.RequestID(fmt.Sprint("r", i)), Tool: name})
			got := w.page().AppCalls
			if last := got[len(got)-1]; last.Status != clew.AppCallRefused || !strings.Contains(last.Error, "has no tool "+name+" that pages can call") {
				t.Errorf("%s: %+v", name, last)
			}
		}
		if n := len(w.state().Windows); n != 2 || len(refresh.runs()) != 0 {
			t.Errorf("%d windows, %d runs", n, len(refresh.runs()))
		}
		for _, wrong := range []clew.AppCallData{{WindowID: "gone"}, {WindowID: "note"}} {
			wrong.RequestID, wrong.Tool = "x", "refresh"
			if err := w.try(&wrong); clew.CodeOf(err) != clew.SessionInvalidState {
				t.Errorf("window %s: %v", wrong.WindowID, err)
			}
		}
		for _, wrong := range []clew.AppCallData{
			{RequestID: "a b", Tool: "refresh"}, {Tool: "refresh"}, {RequestID: "x"}, {RequestID: "x", Tool: strings.Repeat("x", 129)},
			{RequestID: "x", Tool: "refresh", Arguments: map[string]any{"x": strings.Repeat("x", 16<<10)}},
		} {
			if wrong.Check() == nil {
				t.Errorf("%.80v is taken", wrong)
			}
		}
	}, calls(call("n", "window", `{"action":"open","window_id":"note","title":"Note","content":"x"}`)), forecast("f", `{}`), says("Sunny."))
}

// A page waits for a few calls at once, and asks for so many a minute.
func TestPageAsksTooMuch(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		w.weather()
		w.always = true
		w.say("Oslo?")
		w.idle()
		id, n := w.page().WindowID, 0
		ask := func() error {
			n++
			return w.try(&clew.AppCallData{WindowID: id, RequestID: clew.RequestID(fmt.Sprint("r", n)), Tool: "refresh"})
		}
		for range 8 {
			if err := ask(); err != nil {
				t.Fatal(err)
			}
		}
		if err := ask(); clew.CodeOf(err) != clew.BudgetExceeded {
			t.Errorf("the ninth at once: %v", err)
		}
		sleep(17)
		w.always = false
		for range 4 {
			if err := ask(); err != nil {
				t.Fatal(err)
			}
			sleep(17)
		}
		if err := ask(); clew.CodeOf(err) != clew.QueueFull {
			t.Errorf("the fifth that waits: %v", err)
		}
		if got := w.page().AppCalls; len(got) != 8 || got[7].RequestID != "r13" {
			t.Errorf("kept: %+v", got)
		}
	}, forecast("f", `{}`), says("Sunny."))
}

// A call that ran when the server stopped is in doubt, and its page is told so; nobody
// runs it again.
func TestPageCallInDoubt(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		refresh := w.weather()
		refresh.run = blocks
		w.always = true
		w.say("Oslo?")
		w.idle()
		w.do(&clew.AppCallData{WindowID: w.page().WindowID, RequestID: "r1", Tool: "refresh"})
		if got := w.page().AppCalls; got[0].Status != clew.AppCallRunning {
			t.Fatalf("under way: %+v", got)
		}
		w.crash()
		w.idle()
		got := w.page().AppCalls
		if got[0].Status != clew.AppCallRefused || !strings.Contains(got[0].Error, "It may have taken effect") || len(refresh.runs()) != 1 {
			t.Errorf("after a crash: %+v", got)
		}
		if list := events[clew.ToolProgressData](w); !list[len(list)-1].InDoubt {
			t.Errorf("on record: %+v", list[len(list)-1])
		}
	}, forecast("f", `{}`), says("Sunny."))
}

// What a page waits for ends when somebody interrupts it, and with its window.
func TestPageCallIsStopped(t *testing.T) {
	run(t, withWeather(), func(w *world) {
		refresh := w.weather()
		refresh.run = blocks
		w.always = true
		w.say("Oslo?")
		w.idle()
		id := w.page().WindowID
		w.do(&clew.AppCallData{WindowID: id, RequestID: "r1", Tool: "refresh"})
		w.do(&clew.InterruptAgentData{Agent: "window-" + id + "/r1"})
		if got := w.page().AppCalls; got[0].Status != clew.AppCallRefused || got[0].Error == "" {
			t.Errorf("interrupted: %+v", got)
		}
		w.always = false
		w.do(&clew.AppCallData{WindowID: id, RequestID: "r2", Tool: "refresh"})
		w.asked(clew.AskTool)
		w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: id}}})
		w.idle()
		if n := len(w.state().Agents); n != 0 || len(refresh.runs()) != 1 {
			t.Errorf("%d agents are left, it ran %d times", n, len(refresh.runs()))
		}
	}, forecast("f", `{}`), says("Sunny."))
}

// A file of the workspace is an app, which can be asked once it is ready.
//
// Covers: WIN-15, TOOL-14
func TestAppFromAFile(t *testing.T) {
	run(t, map[string]any{"mistake_limit": 100}, func(w *world) {
		for name, text := range map[string]string{"calc.html": "<h1>Calc</h1>", "next.html": "<h1>Next</h1>", "big.html": strings.Repeat("x", clew.AppPageMax+1), "none.html": "", "odd.html": "\xff"} {
			if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.say("open it")
		w.idle()
		x := w.state().Windows[0]
		if c := x.Content; c.Kind != clew.WindowApp || w.blob(c.Blob) != "<h1>Next</h1>" || c.Bytes != 13 || c.MediaType != "text/html" || c.Alt != "a calculator" || x.Version != 2 || x.App != nil {
			t.Errorf("window %+v shows %+v", x, c)
		}
		for id, why := range map[string]string{"c": "may have 2097152", "d": "is no page", "e": "is no page", "f": "has a path", "g": "those of a table", "h": "open with the calls"} {
			if r := w.result(id); r.Status != clew.ToolError || !strings.Contains(r.Error, why) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		ready(w)
		w.say("what is the total?")
		w.do(&clew.AppProtocolResponseData{RequestID: w.appRequests("calc")[0].RequestID, WindowID: "calc", Result: 42})
		w.idle()
		if r := w.result("q"); r.Output != "42" {
			t.Errorf("it says %+v", r)
		}
	}, calls(call("a", "window", `{"action":"open","window_id":"calc","title":"Calculator","kind":"app","path":"calc.html"}`)),
		calls(call("b", "window", `{"action":"update","window_id":"calc","path":"next.html","alt":"a calculator"}`)),
		calls(call("c", "window", `{"action":"update","window_id":"calc","kind":"app","path":"big.html"}`)),
		calls(call("d", "window", `{"action":"update","window_id":"calc","kind":"app","path":"none.html"}`)),
		calls(call("e", "window", `{"action":"update","window_id":"calc","kind":"app","path":"odd.html"}`)),
		calls(call("f", "window", `{"action":"update","window_id":"calc","kind":"app","content":"<p>"}`)),
		calls(call("g", "window", `{"action":"open","window_id":"x","title":"X","kind":"app","rows":[]}`)),
		calls(call("h", "window", `{"action":"open","window_id":"x","title":"X","kind":"mcp_app","path":"calc.html"}`)),
		says("It is open."), calls(call("q", "app_query", `{"window_id":"calc","name":"total"}`)), says("42."))
}
