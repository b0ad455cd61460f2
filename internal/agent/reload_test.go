package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

func (w *world) offered() string {
	text := heard(w.model.last())[0]
	if at := strings.Index(text, "<reload_options>"); at >= 0 {
		return text[at:]
	}
	return ""
}

func (w *world) openWindows() string {
	var ids []string
	for _, x := range w.state().Windows {
		ids = append(ids, x.WindowID)
	}
	return strings.Join(ids, " ")
}

// What a turn showed is offered when the same words come again, is shown again by one
// call, and is offered no more once somebody did not want it. What tools did is not done
// again.
//
// Covers: POL-13, POL-14, POL-15, POL-23, CTX-17, TOOL-07, G-18, WIN-12, WS-080
func TestReload(t *testing.T) {
	probe := &gadget{name: "probe", class: clew.ClassReadOnly, group: tool.GroupRead, run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) {
		return tool.Result{}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, probe)
		w.say("Show the report")
		w.closes("report")
		w.say(" show  the REPORT\n")
		w.idle()
		if got := w.offered(); got != "" { // the turn's last call
			t.Errorf("offered %q after the call", got)
		}
		offer := "<reload_options>\n<option id=\"reload_1\" match=\"exact\" for=\"Show the report\">Opened window report.</option>\n</reload_options>"
		if got := heard(w.model.request(2)); len(got) != 2 || !strings.HasSuffix(got[0], "</timeline>\n"+offer) {
			t.Errorf("heard %q, want the offer %q", got, offer)
		}
		if w.openWindows() != "report" || len(probe.keys) != 1 {
			t.Errorf("windows %q, the tool ran %d times", w.openWindows(), len(probe.keys))
		}
		acts := events[clew.ActionsData](w)
		last := acts[len(acts)-1]
		if n := len(last.Actions); n != 2 || last.ReloadID != "reload_1" || last.Actions[1].Type != clew.ActionToastShow || last.Actions[1].Params["toast_id"] != "reload_1" {
			t.Errorf("recorded %+v", last)
		}
		if n := w.state().Notices; len(n) != 1 || n[0].NoticeID != "reload_1" || n[0].Text != "Shown again: Show the report" {
			t.Errorf("the toast is %+v", n)
		}
		w.say("show the report") // with the window open
		if got := w.offered(); !strings.Contains(got, `match="similar"`) {
			t.Errorf("with another window open: %q", got)
		}
		w.crash() // the cache is in the fold
		w.do(&clew.ToastActionData{ToastID: "reload_1", Action: "dismiss"})
		if n := w.state().Notices; len(n) != 0 {
			t.Errorf("dismissed, and still there: %+v", n)
		}
		w.say("show the report")
		w.idle()
		if got := w.offered(); got != "" {
			t.Errorf("offered after it was dismissed: %q", got)
		}
		w.do(&clew.ToastActionData{ToastID: "reload_1", Action: "dismiss"}) // by somebody else, a moment later
		if d := events[clew.ToastDismissedData](w); len(d) != 1 || d[0].By != "ann" {
			t.Errorf("recorded %+v", d)
		}
	}, calls(opens("a", "report"), call("p", "probe", `{}`)), says("There."),
		calls(call("r", "reload_cached", `{"id":"reload_1"}`)), says("Again."), says("It is open."), says("Well."))
}

// What cannot be shown again is refused, and nothing of it is shown.
func TestReloadRefused(t *testing.T) {
	update := call("u", "window", `{"action":"update","window_id":"report","title":"Anew"}`)
	run(t, nil, func(w *world) {
		w.say("open it")
		w.say("rename it")
		w.closes("report")
		w.say("rename it")
		w.idle()
		for id, want := range map[string]string{"r": "not open any more", "s": "no reload option"} {
			if r := w.result(id); r.Status != clew.ToolError || !strings.Contains(r.Error, want) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		if w.openWindows() != "" {
			t.Errorf("windows %s", w.openWindows())
		}
	}, calls(opens("a", "report")), says("There."), calls(update), says("Done."), calls(
		call("r", "reload_cached", `{"id":"reload_2"}`), call("s", "reload_cached", `{"id":"reload_9"}`)), says("Sorry."))
}

// A turn that heard more than its first words, or was stopped, is not kept.
func TestReloadKeepsWholeTurnsOnly(t *testing.T) {
	working := new(gate)
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.say("and a title")
		working.open()
		w.say("go")
		if got := w.offered(); got != "" {
			t.Errorf("after a steered turn: %q", got)
		}
		w.do(&clew.InterruptData{})
		w.say("go")
		w.idle()
		if got := w.offered(); got != "" {
			t.Errorf("after a stopped turn: %q", got)
		}
	}, waits(working, calls(opens("a", "one"))), says("Done."), calls(opens("b", "two")), hangs(), says("Yes."))
}
