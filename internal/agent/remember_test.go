package agent_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
)

var allScopes = clew.List[clew.RememberScope]{clew.RememberTask, clew.RememberSession, clew.RememberWorkspace, clew.RememberAlways}

func command(id, text string) clew.Part { return call(id, "execute_command", `{"command":"`+text+`"}`) }

// remembered answers the open question with a yes that is to be remembered.
func (w *world) remembered(scope clew.RememberScope, pattern string) error {
	w.Helper()
	return w.try(&clew.HitlApprovalResponseData{
		RequestID: w.question().RequestID(), Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: scope, Pattern: pattern},
	})
}

// ranBy checks what the transcript tells of a call that began: what it does, and
func (w *world) ranBy(call, title string, by *clew.AllowedBy) {
	w.Helper()
	for _, m := range w.state().Messages {
		if m.ToolCallID == call && m.Type == clew.TypeAsk {
			if m.Tool == nil || m.Tool.Title != title || !reflect.DeepEqual(m.Tool.AllowedBy, by) {
				w.Errorf("call %s is shown as %+v", call, m.Tool)
			}
			return
		}
	}
	w.Errorf("no message shows call %s", call)
}

// What is remembered for a task holds in the whole tree, over a crash, for calls
// alike, and is gone with the task. The rule is the very text that was sent.
func TestRememberedForTheTask(t *testing.T) {
	g := commander()
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		q := w.asked(clew.AskCommand)
		want := &clew.RememberOffer{Scopes: allScopes, Pattern: "go test *", Match: "go test something-else", NearMiss: "go test -exec x", RunsWorkspace: true, WhileAuto: true}
		if !reflect.DeepEqual(q.Remember, want) {
			t.Errorf("offered is %+v", q.Remember)
		}
		for pattern, code := range map[string]clew.Code{
			"*": clew.HitlInvalidResponse, "": clew.HitlInvalidResponse, "go vet *": clew.HitlInvalidResponse,
			"gо test *": clew.HitlInvalidResponse, "go test\u200b *": clew.HitlInvalidResponse, "sudo *": clew.HitlInvalidResponse,
		} {
			if err := w.remembered(clew.RememberTask, pattern); clew.CodeOf(err) != code || w.question() == nil {
				t.Errorf("%q: %v", pattern, err)
			}
		}
		if err := w.remembered(clew.RememberTask, "go test *"); err != nil {
			t.Fatal(err)
		}
		if q := w.asked(clew.AskCommand); q.ToolCallID != "c3" { // c2 was run
			t.Errorf("asked about %s", q.ToolCallID)
		}
		w.ranBy("c1", "execute_command go test ./a", nil) // a person said yes
		w.ranBy("c2", "execute_command go test ./b", &clew.AllowedBy{Scope: clew.AllowedForTask, Rule: "go test *"})
		w.crash()
		w.no()
		w.idle()
		if len(g.runs()) != 3 {
			t.Errorf("runs %v", g.runs())
		}
		w.do(&clew.NewTaskData{Text: "another"})
		if q := w.asked(clew.AskCommand); q.ToolCallID != "c5" {
			t.Errorf("in another task %s is asked about", q.ToolCallID)
		}
		w.no()
	}, calls(command("c1", "go test ./a")), calls(command("c2", "go test ./b")), calls(command("c3", "go vet ./b")),
		calls(command("c4", "go test ./c")), says("Done."), calls(command("c5", "go test ./a")), says("Done."))
}

// A rule for the session is among its settings, in one append with the answer.
// Only the owner makes one.
func TestRememberedForTheSession(t *testing.T) {
	g := commander()
	set := allowed(map[string]any{"always_allow_execute": true, "allowed_commands": []any{"ls *"}})
	run(t, set, func(w *world) {
		w.tools = append(w.tools, g)
		w.do(&clew.SetAccessData{UserID: "bob", Role: clew.RoleApprover})
		w.say("go")
		q := w.asked(clew.AskCommand)
		if !slices.Equal(q.Remember.Scopes, allScopes) {
			t.Fatalf("offered is %+v", q.Remember)
		}
		bob := clew.Command{By: clew.Principal{User: "bob", Role: clew.RoleOwner}, Data: &clew.HitlApprovalResponseData{
			RequestID: q.RequestID, Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberSession, Pattern: "go test *"},
		}}
		if _, err := w.host.Do(w.Context(), w.id, bob); clew.CodeOf(err) != clew.Forbidden || w.question() == nil {
			t.Errorf("an approver's rule: %v", err)
		}
		if err := w.remembered(clew.RememberSession, "go test *"); err != nil {
			t.Fatal(err)
		}
		w.idle()
		changes := events[clew.SettingsChangedData](w)
		if len(changes) != 1 || !reflect.DeepEqual(changes[0].Settings["remembered_commands"], []any{"go test *"}) || len(g.runs()) != 2 {
			t.Errorf("settings %+v, runs %v", changes, g.runs())
		}
		// What an administrator takes out is not kept by the session.
		w.set(map[string]any{"allowed_commands": []any{}})
		w.say("more")
		if q := w.asked(clew.AskCommand); q.ToolCallID != "c4" {
			t.Errorf("asked about %s", q.ToolCallID)
		}
		w.no()
	}, calls(command("c1", "go test ./a")), calls(command("c2", "go test ./b")), says("Done."),
		calls(command("c3", "go test ./c")), calls(command("c4", "ls d")), says("Done."))
}

// Who names a pattern that cannot cover the command hears why.
func TestPatternSaysWhyNot(t *testing.T) {
	q := &clew.HitlApprovalRequestData{Remember: &clew.RememberOffer{Pattern: "sh check.sh"}, Effect: &clew.Effect{Command: "sh check.sh"}}
	_, err := (&agent.Agent{}).Remember(nil, q, clew.Remember{Scope: clew.RememberTask, Pattern: "sh *"})
	if err == nil || !strings.Contains(err.Error(), "sh may run or change anything, so only the exact line can be remembered") {
		t.Errorf("%v", err)
	}
}
