package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/tool"
)

// between plays a chain of three todos; while the second is at work, something
// changes. It gives what the agents of all three were asked.
func between(t *testing.T, set map[string]any, change func(w *world)) (before, during, after llm.Request) {
	t.Helper()
	rest := new(gate)
	c := &cast{
		plan: plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z","depends_on":["b"]}]`),
		todo: only("b", inTurn(waits(rest, calls(call("l", "list_files", `{"path":"."}`))), completes("did b"))),
	}
	plays(t, allowed(set), c, func(w *world) {
		w.approve()
		change(w)
		synctest.Wait()
		rest.open()
		for len(w.questions()) > 0 {
			w.yes()
		}
		w.in("completed")
	})
	b := c.of("todo b")
	return c.of("todo a")[0], b[len(b)-1], c.of("todo c")[0]
}

// A change of the settings holds from the next step of every agent.
func TestCacheSettings(t *testing.T) {
	before, during, after := between(t, nil, func(w *world) { w.set(map[string]any{"custom_instructions": "Speak low.", "model": "m-2"}) })
	for i, req := range []llm.Request{before, during, after} {
		if changed := i > 0; strings.Contains(req.System, "Speak low.") != changed || (req.Model == "m-2") != changed {
			t.Errorf("%d: model %s, prompt %.100q", i, req.Model, req.System)
		}
	}
}

// So does a change of the session's own.
func TestCacheOwnSettings(t *testing.T) {
	_, during, after := between(t, nil, func(w *world) {
		w.do(&clew.UpdateSettingsData{Settings: map[string]any{"custom_instructions": "Speak low."}})
	})
	for i, req := range []llm.Request{during, after} {
		if !strings.Contains(req.System, "Speak low.") {
			t.Errorf("%d: prompt %.100q", i, req.System)
		}
	}
}

// Tools come and go with their servers.
func TestCacheTools(t *testing.T) {
	before, during, after := between(t, nil, func(w *world) {
		w.tools = append(slices.Clone(w.tools), &gadget{name: "fresh"})
		w.set(map[string]any{"custom_instructions": "x"}) // the version tells of both
	})
	for i, req := range []llm.Request{before, during, after} {
		if slices.Contains(toolNames(req), "fresh") != (i > 0) {
			t.Errorf("%d: tools %v", i, toolNames(req))
		}
	}
}

// A mode that one agent changes to is its own.
func TestCacheMode(t *testing.T) {
	c := &cast{
		plan: plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]}]`),
		todo: only("a", inTurn(calls(call("m", "switch_mode", `{"mode":"ask"}`)), completes("did a"))),
	}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.in("completed")
	})
	a, b := c.of("todo a"), c.of("todo b")[0]
	if !slices.Contains(toolNames(a[0]), "write_file") || slices.Contains(toolNames(a[1]), "write_file") || !strings.Contains(a[1].System, "Mode: ask.") {
		t.Errorf("a: tools %v", toolNames(a[1]))
	}
	if !slices.Contains(toolNames(b), "write_file") || strings.Contains(b.System, "Mode: ask.") {
		t.Errorf("b: tools %v", toolNames(b))
	}
}

// A workspace that brings something along is not trusted from the next call on,
// though nothing else has changed; once it is gone again, it is.
func TestCacheWorkspace(t *testing.T) {
	folder := func(w *world) string { return filepath.Join(w.dir, ".clew") }
	write := func(id string) step {
		return onceThen(id+".txt", calls(call("w", "write_file", fmt.Sprintf(`{"path":"%s.txt","content":"x"}`, id))), completes("did "+id))
	}
	c := &cast{plan: plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z","depends_on":["b"]}]`), todo: write}
	var w *world
	c.todo = func(id string) step {
		return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
			var err error
			switch id {
			case "b":
				err = os.MkdirAll(folder(w), 0o700)
			case "c":
				err = os.RemoveAll(folder(w))
			}
			if err != nil {
				return llm.Answer{}, err
			}
			return write(id)(ctx, req, on)
		}
	}
	plays(t, allowed(), c, func(in *world) {
		w = in
		w.approve()
		if q := w.asked(clew.AskTool); q.TodoID != "b" {
			t.Errorf("question of %s", q.TodoID)
		}
		w.yes()
		w.in("completed")
		if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
			t.Errorf("%d questions", n)
		}
	})
}

// Sessions share what is made from the same settings, and nothing else: not if
// their settings look alike on paper, and not if one's owner is trusted less.
func TestCacheOtherSessions(t *testing.T) {
	type place struct {
		owner clew.Principal
		set   map[string]any
		want  string // in the prompt
		box   bool
	}
	bob := clew.Principal{User: "bob", Role: clew.RoleAdmin}
	places := []place{
		{ann, nil, "", false},
		{ann, map[string]any{"custom_instructions": "x mode:ask"}, "x mode:ask", false},
		{ann, map[string]any{"custom_instructions": "x", "mode": "ask"}, "Mode: ask.", false},
		{bob, nil, "", true},
		{bob, map[string]any{"custom_instructions": "x", "mode": "ask"}, "Mode: ask.", true},
	}
	var mu sync.Mutex
	boxed := map[clew.SessionID]bool{}
	g := &gadget{name: "look", run: func(ctx context.Context, call tool.Call, _ tool.Output) (tool.Result, error) {
		v, _ := agent.ValuesOf(ctx)
		mu.Lock()
		defer mu.Unlock()
		boxed[call.SessionID] = v.CommandSandbox == "bwrap"
		return tool.Result{Text: "looked"}, nil
	}}
	c := &cast{}
	c.todo = func(string) step { return onceThen("looked", calls(call("l", "look", `{}`)), completes("did it")) }
	synctest.Test(t, func(t *testing.T) {
		w := newRun(t, allowed(map[string]any{"command_sandbox": "none"}), c)
		w.tools = append(w.tools, g)
		w.trusted = func(u clew.UserID) bool { return u == "ann" }
		w.open()
		defer w.close()
		for i, p := range places {
			var err error
			if w.id, err = w.host.Create(w.Context(), p.owner, session.NewSession{Workspace: w.dir}); err != nil {
				t.Fatal(err)
			}
			w.by = p.owner
			if p.set != nil {
				w.do(&clew.UpdateSettingsData{Settings: p.set})
			}
			w.approve()
			w.in("completed")
			list := c.of("todo a")
			last := list[len(list)-1]
			if !strings.Contains(last.System, p.want) || strings.Contains(last.System, "Mode: ask.") != (p.want == "Mode: ask.") {
				t.Errorf("%d: prompt %.2000q", i, last.System)
			}
			if boxed[w.id] != p.box {
				t.Errorf("%d: in a box: %t", i, boxed[w.id])
			}
		}
	})
}

// Many sessions at once, while settings and tools change all the time: nobody
// works with what was there before the change once a later step has begun. Run it
// with the race detector.
func TestCacheUnderFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var generation atomic.Int64
		c := &cast{plan: wide(6)}
		c.todo = func(string) step {
			return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
				if want := fmt.Sprintf("generation %d.", generation.Load()); !strings.Contains(req.System, want) {
					t.Errorf("the prompt is not of %s", want)
				}
				if err := pauseFor(ctx, 1); err != nil {
					return llm.Answer{}, err
				}
				if len(req.Messages) < 5 {
					return calls(call("l", "list_files", `{"path":"."}`))(ctx, req, on)
				}
				return completes("did it")(ctx, req, on)
			}
		}
		w := newRun(t, allowed(map[string]any{"custom_instructions": "generation 0.", "run_parallel_todos": 3}), c)
		w.open()
		defer w.close()
		var ids []clew.SessionID
		for range 5 {
			id, err := w.host.Create(w.Context(), ann, session.NewSession{Workspace: w.dir})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		for _, id := range ids {
			w.id = id
			w.begin()
			w.reviewed(clew.ChoiceApprove)
		}
		// The change comes between two steps of the clock, so all that begins in a
		// second is of one generation.
		for n := range 5 {
			generation.Store(int64(n + 1))
			w.set(map[string]any{"custom_instructions": fmt.Sprintf("generation %d.", n+1)})
			sleep(1)
		}
		w.in("executing") // else nothing was shown
		sleep(60)
		for _, w.id = range ids {
			w.in("completed")
		}
	})
}

// What is allowed unasked can be taken back while a model is thinking: it holds
// for what the model asks for then.
//
// Covers: UIC-54
func TestCacheDuringAModelCall(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"for all": func(w *world) { w.set(map[string]any{"auto_approval_enabled": false}) },
		"for one": func(w *world) {
			w.do(&clew.UpdateSettingsData{Settings: map[string]any{"auto_approval_enabled": false}})
		},
		"by a folder": func(w *world) { _ = os.Mkdir(filepath.Join(w.dir, ".clew"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			rest := new(gate)
			c := &cast{todo: only("a", waits(rest, onceThen("a.txt", calls(call("w", "write_file", `{"path":"a.txt","content":"x"}`)), completes("did a"))))}
			plays(t, allowed(), c, func(w *world) {
				w.approve()
				change(w)
				rest.open()
				w.asked(clew.AskTool)
				w.yes()
				w.in("completed")
			})
		})
	}
}
