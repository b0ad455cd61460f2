package agent_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/session/blob"
)

// A person sees the source that would run and what holds it, and decides; what was
// changed since is asked about anew.
func TestRunCellIsAsked(t *testing.T) {
	runNotebooks(t, nil, func(w *world) {
		w.say("run a")
		q := w.asked(clew.AskCommand)
		if e := q.Effect; e == nil || e.Command != "1" || e.Sandbox != "bwrap" || !strings.Contains(e.Summary, "ipykernel") || e.Digest == "" {
			t.Fatalf("asked with %+v", q.Effect)
		}
		two := "2"
		w.do(&clew.NotebookEditData{NotebookID: events[clew.NotebookOpenedData](w)[0].NotebookID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "a", Source: &two}}})
		w.yes()
		if q := w.asked(clew.AskCommand); q.Effect.Command != "2" || q.WhyCode != clew.PolicyChangedSince {
			t.Fatalf("asked anew with %+v", q)
		}
		w.no()
		w.idle()
		if r := w.result("r"); r.Status != clew.ToolError {
			t.Errorf("result: %+v", r)
		}
		if got := w.books.ran(); len(got) > 0 {
			t.Errorf("the kernel got %q", got)
		}
	}, calls(call("r", "run_cell", `{"cell_ids":["a"]}`)), says("You did not want it."))
}

// Flags cover cells only if a sandbox holds the kernel; the workspace's own kernel and a
// list of forbidden commands are asked about whatever the flags say.
func TestRunCellUnasked(t *testing.T) {
	for name, c := range map[string]struct {
		set   map[string]any
		plan  func(p *agent.KernelPlan)
		asked bool
	}{
		"allowed":       {nil, nil, false},
		"no sandbox":    {nil, func(p *agent.KernelPlan) { p.Sandbox = "none" }, true},
		"the workspace": {nil, func(p *agent.KernelPlan) { p.FromWorkspace = true }, true},
		"deny list":     {map[string]any{"denied_commands": []any{"rm *"}}, nil, true},
		"flag off":      {map[string]any{"always_allow_execute": false}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			steps := []step{calls(call("r", "run_cell", `{"cell_ids":["a"]}`))}
			if !c.asked {
				steps = append(steps, says("Done."))
			}
			runNotebooks(t, unasked, func(w *world) {
				w.set(c.set)
				if c.plan != nil {
					c.plan(&w.books.plan)
				}
				w.say("run a")
				if c.asked {
					w.asked(clew.AskCommand)
					return
				}
				w.idle()
			}, steps...)
		})
	}
}

// What a person approves is the text, also of a cell whose source the record has no place
// for; where it cannot be read nothing runs and nothing is thrown away.
func TestSourcesOfBlobsAreShown(t *testing.T) {
	lines, long := "import os\nfor x in y:\n    os.remove(x)", strings.Repeat("x = 1\n", 50_000)
	steps := []step{
		calls(call("r1", "run_cell", `{"cell_ids":["e","f"]}`)), calls(call("d1", "notebook_edit", `{"edits":[{"op":"delete","cell_id":"f"}]}`)), says("No."),
		calls(call("d2", "notebook_edit", `{"edits":[{"op":"delete","cell_id":"h"}]}`)), calls(call("r2", "run_cell", `{"cell_ids":["h"]}`)),
		calls(call("r3", "run_cell", `{"cell_ids":["g"]}`)), calls(call("d3", "notebook_edit", `{"edits":[{"op":"replace","cell_id":"g","source":"1"}]}`)), says("No."),
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]any{"mistake_limit": 0})
		put := func(text string) string {
			address, err := w.blobs.PutBlob(t.Context(), blob.For{}, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return "blob:" + address
		}
		w.books = newBooks("1", "2", "3", "4", "first = 1", put(lines), "blob:"+strings.Repeat("cd", 32), put(long))
		w.model = &model{t: t, steps: steps}
		w.open()
		defer w.close()
		w.do(&clew.NotebookOpenData{Path: "a.ipynb"})
		w.say("run it")
		if q := w.asked(clew.AskCommand); q.Effect.Command != "first = 1\n\n"+lines {
			t.Errorf("asked with %q", q.Effect.Command)
		}
		w.no()
		if q := w.asked(clew.AskTool); q.Effect.Diff != "@@ delete f @@\n-import os\n-for x in y:\n-    os.remove(x)\n" {
			t.Errorf("asked with %q", q.Effect.Diff)
		}
		w.no()
		w.idle()
		w.say("and the others")
		if q := w.asked(clew.AskTool); len(q.Effect.Diff) > 32<<10 || !strings.Contains(q.Effect.Diff, "bytes more") {
			t.Errorf("asked with %d bytes", len(q.Effect.Diff))
		}
		w.no()
		w.idle()
		for id, want := range map[string]string{"r2": "256 KiB", "r3": "cell g cannot be read", "d3": "cell g cannot be read"} {
			if r := w.result(id); r.Status != clew.ToolError || !strings.Contains(r.Error, want) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		if got := w.books.ran(); len(got) > 0 {
			t.Errorf("the kernel got %q", got)
		}
	})
}

// Who may edit may not start a kernel, be it with a cell in which nothing is.
func TestEmptyCellIsAskedAbout(t *testing.T) {
	set := map[string]any{"auto_approval": true, "always_allow_write": true, "always_allow_read_only": true}
	runNotebooks(t, set, func(w *world) {
		w.say("run nothing")
		if q := w.asked(clew.AskCommand); q.ToolCallID != "r" || q.Effect.Sandbox != "bwrap" || !strings.Contains(q.Effect.Summary, "in a new kernel") || q.Effect.Command != "/usr/bin/python3 -m ipykernel" {
			t.Errorf("asked with %+v", q.Effect)
		}
		if got := w.books.ran(); len(got) > 0 {
			t.Errorf("the kernel got %q", got)
		}
	}, calls(call("e", "notebook_edit", `{"edits":[{"op":"insert","cell_id":"none","source":""}]}`)), calls(call("r", "run_cell", `{"cell_ids":["none","none"]}`)))
}

// To restart a kernel is to start a program: what is asked about when cells start it is
// asked about then, too, and what may not run is not started.
func TestRestartIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		set         map[string]any
		plan        func(p *agent.KernelPlan)
		asked, runs bool
	}{
		"allowed":       {nil, nil, false, true},
		"the workspace": {nil, func(p *agent.KernelPlan) { p.FromWorkspace = true }, true, false},
		"protected":     {nil, func(p *agent.KernelPlan) { p.Protected = true }, true, false},
		"no sandbox":    {nil, func(p *agent.KernelPlan) { p.Sandbox = "none" }, true, false},
		"deny list":     {map[string]any{"denied_commands": []any{"rm *"}}, nil, true, false},
		"refused":       {nil, func(p *agent.KernelPlan) { p.Refused = "there is no sandbox" }, false, false},
		"missing":       {nil, func(p *agent.KernelPlan) { p.Missing = "install ipykernel" }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			steps := []step{calls(call("k", "kernel", `{"action":"restart"}`))}
			if !c.asked {
				steps = append(steps, says("Done."))
			}
			runNotebooks(t, unasked, func(w *world) {
				w.do(&clew.NotebookRunData{NotebookID: events[clew.NotebookOpenedData](w)[0].NotebookID, Cells: clew.List[string]{"a"}}) // so that a kernel runs
				w.set(c.set)
				if c.plan != nil {
					c.plan(&w.books.plan)
				}
				w.say("restart the kernel")
				if c.asked {
					if q := w.asked(clew.AskCommand); !strings.Contains(q.Effect.Summary, "Restart") || !slices.Equal(q.Effect.Argv, w.books.plan.Argv) || q.Effect.Command != "/usr/bin/python3 -m ipykernel" {
						t.Errorf("asked with %+v", q.Effect)
					}
					return
				}
				w.idle()
				if r := w.result("k"); (r.Status == clew.ToolComplete) != c.runs {
					t.Errorf("result: %+v", r)
				}
			}, steps...)
		})
	}
}

// Cells that are to run in a kernel which is just beginning wait until it is there: people
// are asked once, about the kernel that the cells run in.
func TestRestartThenRun(t *testing.T) {
	begins := func(t *testing.T, set map[string]any, fn func(w *world), steps ...step) {
		steps = append([]step{calls(call("k", "kernel", `{"action":"restart"}`), call("r", "run_cell", `{"cell_ids":["a"]}`))}, steps...)
		runNotebooks(t, set, func(w *world) {
			w.books.slow = make(chan struct{})
			w.do(&clew.NotebookRunData{NotebookID: events[clew.NotebookOpenedData](w)[0].NotebookID, Cells: clew.List[string]{"d"}}) // so that a kernel runs
			w.say("restart and run a")
			if set == nil {
				w.asked(clew.AskCommand)
				w.yes()
			}
			w.asked("")
			if release, free := w.slots.Try("ann"); !free {
				t.Error("the agent holds its slot while the kernel begins")
			} else {
				release()
			}
			fn(w)
		}, steps...)
	}
	ran := func(w *world) {
		w.idle()
		if r := w.result("r"); r.Status != clew.ToolComplete {
			w.Errorf("result: %+v", r)
		}
	}
	t.Run("asked", func(t *testing.T) {
		begins(t, nil, func(w *world) {
			close(w.books.slow)
			synctest.Wait()
			if q := w.asked(clew.AskCommand); q.ToolCallID != "r" || strings.Contains(q.Effect.Summary, "new kernel") {
				t.Errorf("asked with %+v", q.Effect)
			}
			w.yes()
			ran(w)
		}, says("Done."))
	})
	t.Run("unasked, on another server", func(t *testing.T) {
		begins(t, unasked, func(w *world) {
			w.crash()
			close(w.books.slow)
			synctest.Wait()
			ran(w)
		}, says("Done."))
	})
	t.Run("interrupted", func(t *testing.T) {
		begins(t, unasked, func(w *world) {
			w.do(&clew.InterruptData{})
			close(w.books.slow)
			synctest.Wait()
			w.idle()
			if got := w.books.ran(); len(got) != 1 {
				t.Errorf("the kernel got %q", got)
			}
		})
	})
}

// A kernel that has to be started is the one that the notebook names by now, and not the
// one that ran before.
func TestKernelOfTheNotebook(t *testing.T) {
	runNotebooks(t, unasked, func(w *world) {
		w.books.runs = "julia"
		w.do(&clew.NotebookRunData{NotebookID: events[clew.NotebookOpenedData](w)[0].NotebookID, Cells: clew.List[string]{"a"}})
		w.say("restart the kernel")
		w.idle()
		if slices.Contains(w.books.named, "julia") || len(w.books.named) == 0 {
			t.Errorf("looked for %q", w.books.named)
		}
	}, calls(call("k", "kernel", `{"action":"restart"}`)), says("Done."))
}
