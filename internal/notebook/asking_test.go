package notebook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// Somebody who types gets an answer of a kernel that runs and is idle. Otherwise there is
// none, at once, and no kernel is started for it.
func TestHelpWhileTyping(t *testing.T) {
	t.Parallel()
	w, p := playedWorld(t, kerneltest.Options{})
	nothing := func(when string) {
		t.Helper()
		if c := w.runner.Complete(t.Context(), w.id, w.notebook, "pr", 2); len(c.Matches) != 0 {
			t.Errorf("%s there are %+v", when, c)
		}
		if text, found := w.runner.Inspect(t.Context(), w.id, w.notebook, "pr", 2, 0); found || text != "" {
			t.Errorf("%s there is %q", when, text)
		}
	}
	nothing("without a kernel")
	if len(w.kernel) != 0 {
		t.Errorf("a kernel was started: %+v", w.kernel)
	}
	w.run("print a")
	poll(t, "a completion", func() bool {
		return slices.Equal(w.runner.Complete(t.Context(), w.id, w.notebook, "pr", 99).Matches, []string{"print", "probe"})
	})
	if text, found := w.runner.Inspect(t.Context(), w.id, w.notebook, "print", -1, 1); !found || text != "of print" {
		t.Errorf("it explains %q, %v", text, found)
	}
	if c := w.runner.Complete(t.Context(), w.id, "another", "pr", 2); len(c.Matches) != 0 {
		t.Errorf("another notebook's kernel says %+v", c)
	}
	run := w.start("print b\nwait long")
	w.until("the output", func() bool { return len(w.shown(run)) > 0 })
	nothing("while a cell runs")
	p.only().Kernel.Release("long")
	w.await(run)
}

// What a kernel says to somebody who types is a stranger's.
func TestHostileHelp(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	many := slices.Repeat([]string{"match"}, 100_000)
	complete := func(start, end any, matches any) map[string]any {
		return map[string]any{"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end}
	}
	inspect := func(text any) map[string]any {
		return map[string]any{"status": "ok", "found": true, "data": map[string]any{"text/plain": text, "text/html": long}}
	}
	for name, test := range map[string]struct {
		answer  any
		matches int
		text    int
	}{
		"many":          {complete(0, 2, many), 300, 0},
		"long":          {complete(0, 2, []string{long, "", "a\nb", "a\u202eb", "\x1b[31m", "good"}), 1, 0},
		"before":        {complete(-5, 2, many), 0, 0},
		"behind":        {complete(0, 3000, many), 0, 0},
		"turned":        {complete(2, 1, many), 0, 0},
		"no numbers":    {complete("a", []int{}, many), 0, 0},
		"no matches":    {complete(0, 2, map[string]any{"__proto__": 1}), 0, 0},
		"refused":       {map[string]any{"status": "error", "ename": "E", "matches": many, "found": true}, 0, 0},
		"no object":     {[]string{"ok"}, 0, 0},
		"a long text":   {inspect(long), 0, 64<<10 + len("\n…")},
		"no text":       {inspect(map[string]any{"a": 1}), 0, 0},
		"nothing there": {map[string]any{"status": "ok", "found": true}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := playedWorld(t, kerneltest.Options{Help: func(string) any { return test.answer }})
			w.run("print a")
			poll(t, "an idle kernel", func() bool { return w.runner.Idle(w.id, w.notebook) })
			if c := w.runner.Complete(t.Context(), w.id, w.notebook, "pr", 2); len(c.Matches) != test.matches {
				t.Errorf("%d matches: %.200v", len(c.Matches), c)
			}
			if text, found := w.runner.Inspect(t.Context(), w.id, w.notebook, "pr", 2, 0); len(text) != test.text || found != (test.text > 0) {
				t.Errorf("a text of %d bytes, %v", len(text), found)
			}
			if d := w.run("7"); d.Status != clew.CellOK {
				t.Errorf("the next cell: %+v", d)
			}
		})
	}
}

// Nobody waits forever for a kernel that does not answer, and cells run as before.
func TestSlowHelp(t *testing.T) {
	t.Parallel()
	w, _ := playedWorld(t, kerneltest.Options{Help: func(string) any { return nil }})
	w.run("print a")
	poll(t, "an idle kernel", func() bool { return w.runner.Idle(w.id, w.notebook) })
	if c := w.runner.Complete(t.Context(), w.id, w.notebook, "pr", 2); len(c.Matches) != 0 { // which the kernel never answers
		t.Errorf("nobody said %+v", c)
	}
	if d := w.run("7"); d.Status != clew.CellOK {
		t.Errorf("the next cell: %+v", d)
	}
}

// A real kernel completes what it has only learnt by running, and shows a docstring.
func TestRealHelp(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import math")
	poll(t, "a completion", func() bool {
		c := w.runner.Complete(t.Context(), w.id, w.notebook, "é = math.sq", 11)
		return c.Start == 9 && c.End == 11 && slices.Contains(c.Matches, "sqrt") || slices.Contains(c.Matches, "math.sqrt")
	})
	if text, found := w.runner.Inspect(t.Context(), w.id, w.notebook, "math.sqrt", 9, 0); !found || !strings.Contains(text, "square root") {
		t.Errorf("it explains %q, %v", text, found)
	}
	if text, found := w.runner.Inspect(t.Context(), w.id, w.notebook, "no_such_name", 4, 0); found || text != "" {
		t.Errorf("it explains %q", text)
	}
}
