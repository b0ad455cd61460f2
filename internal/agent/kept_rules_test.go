package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
)

// another begins a further session, of somebody in a directory, and goes on in it.
func (w *world) another(by clew.Principal, dir string) {
	w.Helper()
	id, err := w.host.Create(w.Context(), by, session.NewSession{Workspace: dir})
	if err != nil {
		w.Fatal(err)
	}
	w.id = id
}

// What is remembered for a workspace counts in later sessions of the same person in
// that directory; what is remembered for good, in all of theirs. Nobody else has it.
func TestRememberedBeyondTheSession(t *testing.T) {
	for scope, elsewhere := range map[clew.RememberScope]bool{clew.RememberWorkspace: false, clew.RememberAlways: true} {
		g := commander()
		run(t, nil, func(w *world) {
			w.tools = append(w.tools, g)
			w.say("go")
			q := w.asked(clew.AskCommand)
			if err := w.remembered(scope, "go test *"); err != nil {
				t.Fatal(err)
			}
			w.idle()
			kept := w.settings.KeptBy("ann")
			if len(kept) != 1 || kept[0].ID != q.RequestID || kept[0].Tool != "execute_command" || kept[0].Pattern != "go test *" || (kept[0].Dir == w.dir) == elsewhere {
				t.Fatalf("kept %+v", kept)
			}
			if len(events[clew.SettingsChangedData](w)) != 0 {
				t.Error("it is among the session's settings")
			}
			w.another(ann, w.dir)
			w.say("go")
			w.idle()
			w.ranBy("c3", "execute_command go test ./c", &clew.AllowedBy{Scope: clew.AllowScope(scope), Rule: "go test *"})
			w.crash()
			if got := w.settings.KeptBy("ann"); !slices.Equal(got, kept) {
				t.Fatalf("kept %+v", got)
			}
			if found, err := w.settings.Unkeep(t.Context(), "bob", q.RequestID); found || err != nil {
				t.Errorf("somebody else took it back: %v", err)
			}
			if found, err := w.settings.Unkeep(t.Context(), "ann", q.RequestID); !found || err != nil {
				t.Errorf("not taken back: %v", err)
			}
			w.say("go")
			if q := w.asked(clew.AskCommand); q.ToolCallID != "c4" {
				t.Errorf("asked about %s", q.ToolCallID)
			}
			w.no()
		}, calls(command("c1", "go test ./a")), calls(command("c2", "go test ./b")), says("Done."),
			calls(command("c3", "go test ./c")), says("Done."), calls(command("c4", "go test ./d")), says("Done."))
	}
}

// A rule whose answer was lost in a crash goes when the question is answered otherwise:
// what counts is what is on record.
func TestRuleOfALostAnswer(t *testing.T) {
	for name, answer := range map[string]func(w *world){
		"no":  func(w *world) { w.no() },
		"yes": func(w *world) { w.yes() },
		"task": func(w *world) {
			if err := w.remembered(clew.RememberTask, "go test *"); err != nil {
				w.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.tools = append(w.tools, commander())
				w.say("go")
				q := w.asked(clew.AskCommand)
				for _, id := range []clew.RequestID{q.RequestID, "req_other"} {
					rule := settings.KeptRule{ID: id, Owner: "ann", Tool: "execute_command", Pattern: "make " + string(id), TS: 1}
					if err := w.settings.Keep(t.Context(), rule); err != nil {
						t.Fatal(err)
					}
				}
				answer(w)
				w.idle()
				if kept := w.settings.KeptBy("ann"); len(kept) != 1 || kept[0].ID != "req_other" {
					t.Errorf("kept %+v", kept)
				}
			}, calls(command("c1", "go test ./a")), says("Done."))
		})
	}
}

// An answer whose rule cannot be kept is refused, and the question stays open.
func TestRuleThatCannotBeKept(t *testing.T) {
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, commander())
		for i := range 200 {
			rule := settings.KeptRule{ID: clew.RequestID(fmt.Sprint("req_", i)), Owner: "ann", Tool: "execute_command", Pattern: fmt.Sprint("make ", i), TS: 1}
			if err := w.settings.Keep(t.Context(), rule); err != nil {
				t.Fatal(err)
			}
		}
		w.say("go")
		w.asked(clew.AskCommand)
		if err := w.remembered(clew.RememberAlways, "go test *"); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("answered: %v", err)
		}
		w.asked(clew.AskCommand)
		w.yes()
		w.idle()
	}, calls(command("c1", "go test ./a")), says("Done."))
}

// A rule counts for its owner and in its directory alone, and not while the directory
// has a .clew folder that nobody trusts.
func TestKeptRulesOfOthersDoNotCount(t *testing.T) {
	g := commander()
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		here := settings.KeptRule{ID: "req_1", Owner: "ann", Dir: w.dir, Tool: "execute_command", Pattern: "go test *", TS: 1}
		ask := func(call string, rule settings.KeptRule) {
			t.Helper()
			if err := w.settings.Keep(t.Context(), rule); err != nil {
				t.Fatal(err)
			}
			w.say("go")
			if q := w.asked(clew.AskCommand); q.ToolCallID != call {
				t.Errorf("asked about %s, want %s", q.ToolCallID, call)
			}
			w.no()
			w.idle()
			if _, err := w.settings.Unkeep(t.Context(), rule.Owner, rule.ID); err != nil {
				t.Fatal(err)
			}
		}
		others := here
		others.Owner, others.Dir = "bob", ""
		ask("c1", others)
		elsewhere := here
		elsewhere.Dir = filepath.Dir(w.dir)
		ask("c2", elsewhere)
		below := here
		below.Dir = filepath.Join(w.dir, "sub")
		ask("c3", below)
		if err := os.MkdirAll(filepath.Join(w.dir, ".clew"), 0o755); err != nil {
			t.Fatal(err)
		}
		// What a workspace says about rules is nothing.
		text := `{"kept_rules":[{"id":"req_9","owner":"ann","tool":"execute_command","pattern":"go test *","ts":1}],"permissions":"sandbox"}`
		for _, name := range []string{"settings.json", "settings.yaml", "rules.json"} {
			if err := os.WriteFile(filepath.Join(w.dir, ".clew", name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		always := here
		always.Dir = ""
		ask("c4", here)
		ask("c5", always)
		if len(g.runs()) != 0 {
			t.Errorf("runs %v", g.runs())
		}
	}, calls(command("c1", "go test ./a")), says("Done."), calls(command("c2", "go test ./a")), says("Done."), calls(command("c3", "go test ./a")), says("Done."),
		calls(command("c4", "go test ./a")), says("Done."), calls(command("c5", "go test ./a")), says("Done."))
}

// A tool that changes files can be remembered in every scope.
func TestRememberedEdits(t *testing.T) {
	for _, scope := range allScopes {
		run(t, nil, func(w *world) {
			w.say("go")
			if q := w.asked(clew.AskTool); !slices.Equal(q.Remember.Scopes, allScopes) {
				t.Errorf("offered is %+v", q.Remember)
			}
			if err := w.remembered(scope, ""); err != nil {
				t.Fatal(err)
			}
			w.idle()
			w.ranBy("w2", "Create b.txt (1 bytes)", &clew.AllowedBy{Scope: clew.AllowScope(scope), Rule: "write_file"})
			w.say("more")
			if q := w.asked(clew.AskTool); q.ToolCallID != "w3" || q.Remember != nil {
				t.Errorf("a protected file: asked about %s with %+v", q.ToolCallID, q.Remember)
			}
			w.no()
		}, calls(call("w1", "write_file", `{"path":"a.txt","content":"x"}`)), calls(call("w2", "write_file", `{"path":"b.txt","content":"x"}`)), says("Done."),
			calls(call("w3", "write_file", `{"path":".env","content":"x"}`)), says("Done."))
	}
}
