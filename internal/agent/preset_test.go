package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// held is a commander whose commands are in a sandbox, or are not.
func held(sandbox string, network, guarded bool) *gadget {
	g := commander()
	prepare := g.prepare
	g.prepare = func(call tool.Call) (*tool.Action, error) {
		a, err := prepare(call)
		if err == nil {
			a.Effect.Sandbox, a.Effect.Network, a.Guarded = sandbox, network, guarded
		}
		return a, err
	}
	return g
}

// The preset that somebody chose for a directory counts there, for them, and a session's
// own settings stand above it. A .clew folder that nobody trusts ends it.
func TestPresetOfAWorkspace(t *testing.T) {
	edit := func(id, path string) step { return calls(call(id, "write_file", `{"path":"`+path+`","content":"x"}`)) }
	run(t, nil, func(w *world) {
		g := held("bwrap", false, true)
		w.tools = append(w.tools, g)
		choose := func(owner clew.UserID, dir, preset string) {
			t.Helper()
			if err := w.settings.SetPermissions(t.Context(), owner, dir, preset); err != nil {
				t.Fatal(err)
			}
		}
		asked := func(id string, as clew.Ask) {
			t.Helper()
			w.say("go")
			if q := w.asked(as); q.ToolCallID != id {
				t.Errorf("asked about %s, want %s", q.ToolCallID, id)
			}
			w.no()
			w.idle()
		}
		free := func() { t.Helper(); w.say("go"); w.idle() }
		asked("a1", clew.AskTool)
		choose("bob", w.dir, "sandbox")
		choose("ann", filepath.Dir(w.dir), "sandbox")
		asked("a2", clew.AskCommand)
		choose("ann", w.dir, "edits")
		free()
		w.ranBy("e1", "Create e1.txt (1 bytes)", &clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "always_allow_write"})
		asked("a3", clew.AskCommand)
		asked("a4", clew.AskTool) // protected
		choose("ann", w.dir, "sandbox")
		free()
		w.ranBy("s1", "execute_command make all", &clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "permissions"})
		w.do(&clew.UpdateSettingsData{Settings: map[string]any{"permissions": "ask"}, Scope: clew.SettingsSession})
		asked("a5", clew.AskCommand)
		w.do(&clew.UpdateSettingsData{Settings: map[string]any{"permissions": nil}, Scope: clew.SettingsSession})
		if err := os.MkdirAll(filepath.Join(w.dir, ".clew"), 0o755); err != nil {
			t.Fatal(err)
		}
		asked("a6", clew.AskCommand)
	}, edit("a1", "x.txt"), says("Done."), calls(command("a2", "make all")), says("Done."), edit("e1", "e1.txt"), says("Done."),
		calls(command("a3", "make all")), says("Done."), edit("a4", ".env"), says("Done."), calls(command("s1", "make all")), says("Done."),
		calls(command("a5", "make all")), says("Done."), calls(command("a6", "make all")), says("Done."))
}

// In a work tree counts what was chosen for the directory that it was made from, unless
// something was chosen for the work tree itself.
func TestPresetOfAWorkTree(t *testing.T) {
	edit := func(id string) step { return calls(call(id, "write_file", `{"path":"`+id+`.txt","content":"x"}`)) }
	run(t, nil, func(w *world) {
		w.madeFrom = t.TempDir()
		for dir, preset := range map[string]string{w.madeFrom: "edits", filepath.Dir(w.madeFrom): "ask"} {
			if err := w.settings.SetPermissions(t.Context(), "ann", dir, preset); err != nil {
				t.Fatal(err)
			}
		}
		w.say("go")
		w.idle()
		w.ranBy("e1", "Create e1.txt (1 bytes)", &clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "always_allow_write"})
		if err := w.settings.SetPermissions(t.Context(), "ann", w.dir, "ask"); err != nil {
			t.Fatal(err)
		}
		w.say("go")
		w.asked(clew.AskTool)
		w.no()
		w.idle()
	}, edit("e1"), says("Done."), edit("e2"), says("Done."))
}

// Nothing but a real sandbox without network counts for the preset.
func TestSandboxPresetNeedsASandbox(t *testing.T) {
	for name, g := range map[string]*gadget{"none": held("none", true, false), "network": held("bwrap", true, true), "not guarded": held("bwrap", false, false), "another": held("chroot", false, true)} {
		run(t, map[string]any{"permissions": "sandbox"}, func(w *world) {
			w.tools = append(w.tools, g)
			w.say("go")
			w.asked(clew.AskCommand)
			w.no()
			w.idle()
			if len(g.runs()) != 0 {
				t.Errorf("%s: it ran", name)
			}
		}, calls(command("c1", "make all")), says("Done."))
	}
}
