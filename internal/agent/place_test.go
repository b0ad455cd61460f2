package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// house gives the workspace a mode of its own, and more text behind it.
func (w *world) house(more string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, ".clew"), 0o700); err != nil {
		w.Fatal(err)
	}
	w.write(".clew/modes.yaml", "modes:\n- slug: house\n  name: House\n  prompt: House rules.\n  groups: [read]\n"+more)
}

// hash is what a person trusts who trusts the workspace as it is.
func (w *world) hash() string {
	w.Helper()
	place, err := settings.ReadWorkspace(w.place.Root.FS())
	if err != nil {
		w.Fatal(err)
	}
	return place.Hash
}

// A workspace with a .clew folder grants nothing before a person trusts it as it
// is: its modes do not count, and changes are asked about whatever the flags say.
func TestUntrustedWorkspace(t *testing.T) {
	write := calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`))
	run(t, allowed(), func(w *world) {
		w.house("")
		w.say("go")
		w.asked(clew.AskTool)
		w.no()
		w.idle()
		if strings.Contains(w.model.last().System, "house") {
			t.Error("the workspace's modes count")
		}
		w.set(map[string]any{"trusted_workspaces": map[string]any{w.place.Dir: w.hash()}})
		w.say("again")
		w.idle()
		if w.read("a.txt") != "x" || !strings.Contains(w.model.last().System, "house") {
			t.Errorf("trusted: file %q, prompt %.200q", w.read("a.txt"), w.model.last().System)
		}
		w.house("# changed\n") // the trust was in what it was
		w.say("and again")
		w.asked(clew.AskTool)
		w.no()
		w.idle()
	}, write, says("Fine."), write, says("Done."), write, says("Fine."))
}

// A work tree is trusted as the directory that it was made from, while its folders say
// what was trusted there: an agent that changes them gets nothing by it.
func TestTrustOfAWorkTree(t *testing.T) {
	write := calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`))
	run(t, allowed(), func(w *world) {
		w.house("")
		w.madeFrom = t.TempDir()
		w.set(map[string]any{"trusted_workspaces": map[string]any{w.madeFrom: w.hash()}})
		w.say("go")
		w.idle()
		if w.read("a.txt") != "x" || !strings.Contains(w.model.last().System, "house") {
			t.Errorf("trusted: file %q, prompt %.200q", w.read("a.txt"), w.model.last().System)
		}
		w.house("# changed\n")
		w.say("again")
		w.asked(clew.AskTool)
		w.no()
		w.idle()
		w.house("")
		w.madeFrom = filepath.Dir(w.madeFrom) // another directory
		w.say("and again")
		w.asked(clew.AskTool)
		w.no()
		w.idle()
	}, write, says("Done."), write, says("Fine."), write, says("Fine."))
}

// A tool server's tool asks under its own kind, says that it is used, and is
// gone when tool servers are off.
//
// Covers: TOOL-15, MSG-20
func TestToolOfAServer(t *testing.T) {
	g := &gadget{name: "mcp__peer__echo", class: clew.ClassOnce, server: "peer", prepare: func(tool.Call) (*tool.Action, error) {
		return &tool.Action{Ask: clew.AskUseMcpServer, Effect: clew.Effect{Server: "peer"}}, nil
	}}
	use := calls(call("c1", "mcp__peer__echo", `{}`))
	// An allowance is the flag and a person's word on this very tool.
	run(t, allowed(map[string]any{"always_allow_mcp": true, "mcp_servers": map[string]any{"peer": map[string]any{"url": "http://127.0.0.1:1"}}}), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskUseMcpServer)
		w.yes()
		w.idle()
		if len(g.runs()) != 1 || !strings.Contains(w.said(clew.SayMcpServerRequestStarted), "peer") {
			t.Errorf("runs %v\n%s", g.runs(), w.story())
		}
		w.always = true
		w.say("again")
		w.idle()
		if len(g.runs()) != 2 {
			t.Errorf("runs %v\n%s", g.runs(), w.story())
		}
		w.set(map[string]any{"mcp_enabled": false})
		w.say("and again")
		w.idle()
		if len(g.runs()) != 2 || slices.Contains(toolNames(w.model.last()), g.name) {
			t.Errorf("runs %v, tools %v", g.runs(), toolNames(w.model.last()))
		}
	}, use, says("Done."), use, says("Done."), use, says("Gone."))
}

// An answer that no record can hold ends the turn with an error; the session
// goes on.
func TestGiantCall(t *testing.T) {
	giant := fmt.Sprintf(`{"path":"a.txt","content":%q}`, strings.Repeat("x", 5<<20))
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.idle()
		if e := events[clew.ErrorData](w); len(e) != 1 || e[0].Code != clew.MessageTooLarge {
			t.Errorf("errors %+v", e)
		}
		w.say("again")
		w.idle()
	}, calls(call("c1", "write_file", giant)), says("Smaller."))
}

// A limit on output that is larger than what a record takes is as large as that,
// not as small as if none were set.
func TestLargeOutputLimit(t *testing.T) {
	whole := strings.Repeat("x", 400<<10)
	run(t, allowed(map[string]any{"tool_output_limit": 1 << 20}), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: whole}))
		w.say("go")
		w.idle()
		if n := len(fmt.Sprint(w.result("c1").Output)); n != len(whole) {
			t.Errorf("the model gets %d of %d bytes", n, len(whole))
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// The model that a session chose belongs to its profile, not to one that a mode
// brings along; a mode whose profile is gone uses the session's.
func TestModelOfAMode(t *testing.T) {
	mode := func(slug, profile string) map[string]any {
		return map[string]any{"slug": slug, "name": slug, "prompt": "x", "groups": []any{"read"}, "model_profile": profile}
	}
	set := map[string]any{
		"model_profiles": map[string]any{"p": profiles["p"], "small": map[string]any{"provider": "openai", "model": "s-1"}},
		"custom_modes":   []any{mode("quick", "small"), mode("lost", "nowhere")},
		"model":          "m-9",
	}
	for name, want := range map[string]string{"quick": "openai s-1", "lost": "anthropic m-9", "code": "anthropic m-9"} {
		t.Run(name, func(t *testing.T) {
			run(t, set, func(w *world) {
				var got string
				w.provider = func(p settings.Profile) (llm.Provider, error) {
					got = p.Provider + " " + p.Model
					return w.model, nil
				}
				w.do(&clew.UserMessageData{Text: "go", Mode: clew.MessageMode(name)})
				w.idle()
				if got != want || !strings.HasSuffix(want, w.model.last().Model) {
					t.Errorf("the model is %q", got)
				}
			}, says("Done."))
		})
	}
}

// The echo answers where no model is set up, and never in place of one that was asked
// for: by a name in the settings, or by a mode.
func TestEchoStandsInForNoModel(t *testing.T) {
	quick := map[string]any{"slug": "quick", "name": "quick", "prompt": "x", "groups": []any{"read"}, "model_profile": "nowhere"}
	for name, set := range map[string]map[string]any{
		"":          {},
		`"gpt-5.5"`: {"model": "gpt-5.5"},
		`"nowhere"`: {"custom_modes": []any{quick}, "mode": "quick"},
	} {
		t.Run(name, func(t *testing.T) {
			set["model_profile"], set["model_profiles"] = "", map[string]any{}
			steps := []step{says("Done.")}
			if name != "" {
				steps = nil
			}
			run(t, set, func(w *world) {
				w.say("go")
				w.idle()
				switch {
				case name == "" && w.said(clew.SayText) != "Done.":
					t.Error("nobody answers")
				case name != "" && (w.model.asked() > 0 || !strings.Contains(w.failure().Message, name)):
					t.Errorf("%d calls, %s", w.model.asked(), w.story())
				}
			}, steps...)
		})
	}
}
