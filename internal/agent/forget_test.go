package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// What is remembered can be seen, and taken back by the owner: the next call alike
// is asked about, also after a crash, and after a rewind to a time when it held.
func TestForgottenRule(t *testing.T) {
	g := commander()
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		first := w.asked(clew.AskCommand)
		if err := w.remembered(clew.RememberTask, "go test *"); err != nil {
			t.Fatal(err)
		}
		second := w.asked(clew.AskCommand)
		rules := w.state().Allowed
		if len(rules) != 1 || rules[0].ID != first.RequestID || rules[0].Tool != "execute_command" || rules[0].Pattern != "go test *" ||
			rules[0].By != ann.User || rules[0].TS == 0 || rules[0].TaskID != first.TaskID {
			t.Fatalf("remembered is %+v", rules)
		}
		if err := w.try(&clew.ForgetRuleData{ID: "other"}); clew.CodeOf(err) != clew.SessionInvalidState {
			t.Errorf("a rule that is not there: %v", err)
		}
		w.do(&clew.ForgetRuleData{ID: first.RequestID})
		if rules := w.state().Allowed; len(rules) != 0 {
			t.Errorf("after it was taken back there is %+v", rules)
		}
		w.crash()
		w.no()
		if q := w.asked(clew.AskCommand); q.ToolCallID != "c3" {
			t.Errorf("asked about %s", q.ToolCallID)
		}
		w.no()
		w.idle()
		gone := events[clew.RuleForgottenData](w)
		if len(gone) != 1 || gone[0].ID != first.RequestID || gone[0].By != ann.User {
			t.Errorf("on record is %+v", gone)
		}
		w.do(&clew.RewindData{Target: clew.Target{MessageID: second.MessageID}})
		if rules := w.state().Allowed; len(rules) != 0 {
			t.Errorf("a rewind brought back %+v", rules)
		}
	}, calls(command("c1", "go test ./a")), calls(command("c2", "go vet ./b")), calls(command("c3", "go test ./c")), says("Done."))
}

// Who switches auto-approval off wants to be asked, whatever is remembered: in the
// session for good, on the server for as long as it is off.
func TestRulesEndWithAutoApproval(t *testing.T) {
	for name, off := range map[string]func(w *world){
		"session": func(w *world) {
			w.do(&clew.UpdateSettingsData{Settings: map[string]any{"auto_approval_enabled": false}})
		},
		"server": func(w *world) { w.set(map[string]any{"auto_approval_enabled": false}) },
	} {
		g := commander()
		run(t, allowed(), func(w *world) {
			w.tools = append(w.tools, g)
			w.say("go")
			if q := w.asked(clew.AskCommand); !q.Remember.WhileAuto {
				t.Errorf("%s: offered is %+v", name, q.Remember)
			}
			if err := w.remembered(clew.RememberTask, "go test *"); err != nil {
				t.Fatal(err)
			}
			if q := w.asked(clew.AskCommand); q.ToolCallID != "c3" || len(w.state().Allowed) != 1 {
				t.Errorf("%s: asked about %s, remembered is %+v", name, q.ToolCallID, w.state().Allowed)
			}
			off(w)
			if rules := w.state().Allowed; len(rules) != 0 {
				t.Errorf("%s: shown as in force is %+v", name, rules)
			}
			w.no()
			if q := w.asked(clew.AskCommand); q.ToolCallID != "c4" {
				t.Errorf("%s: asked about %s", name, q.ToolCallID)
			}
			w.no()
			w.idle()
		}, calls(command("c1", "go test ./a")), calls(command("c2", "go test ./b")), calls(command("c3", "go vet ./c")), calls(command("c4", "go test ./d")), says("Done."))
	}
}

// So do those that were made before it was switched on.
func TestRulesFromBeforeEndWithAutoApproval(t *testing.T) {
	g := commander()
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		if err := w.remembered(clew.RememberTask, "go test *"); err != nil {
			t.Fatal(err)
		}
		w.asked(clew.AskCommand)
		flag := func(on bool) {
			w.do(&clew.UpdateSettingsData{Settings: map[string]any{"auto_approval_enabled": on}})
		}
		flag(true)
		if len(w.state().Allowed) != 1 {
			t.Errorf("while it is on there is %+v", w.state().Allowed)
		}
		flag(false)
		flag(true)
		if gone := events[clew.RuleForgottenData](w); len(gone) != 1 || len(w.state().Allowed) != 0 {
			t.Errorf("on record is %+v, remembered %+v", gone, w.state().Allowed)
		}
		w.no()
		if q := w.asked(clew.AskCommand); q.ToolCallID != "c3" {
			t.Errorf("asked about %s", q.ToolCallID)
		}
		w.no()
	}, calls(command("c1", "go test ./a")), calls(command("c2", "go vet ./b")), calls(command("c3", "go test ./c")), says("Done."))
}

// Who lets one site be fetched from did not let all of them.
func TestRememberedFetchIsForTheHost(t *testing.T) {
	g := &gadget{name: "fetch", group: tool.GroupFetch}
	g.prepare = func(c tool.Call) (*tool.Action, error) {
		var in struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return nil, err
		}
		return &tool.Action{Ask: clew.AskTool, Effect: clew.Effect{URL: in.URL, Network: true}}, nil
	}
	fetch := func(id, url string) step { return calls(call(id, "fetch", `{"url":"`+url+`"}`)) }
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		if err := w.remembered(clew.RememberTask, ""); err != nil {
			t.Fatal(err)
		}
		if q := w.asked(clew.AskTool); q.ToolCallID != "f3" {
			t.Errorf("asked about %s", q.ToolCallID)
		}
		if rules := w.state().Allowed; len(rules) != 1 || rules[0].Pattern != "example.org" {
			t.Errorf("remembered is %+v", rules)
		}
		w.no()
		if q := w.asked(clew.AskTool); q.ToolCallID != "f4" {
			t.Errorf("asked about %s", q.ToolCallID)
		}
		w.no()
		w.idle()
	}, fetch("f1", "https://example.org/a"), fetch("f2", "https://example.org/b"), fetch("f3", "https://example.org.evil.test/"),
		fetch("f4", "https://example.org:8443/"), says("Done."))
}
