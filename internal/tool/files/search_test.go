package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// A pattern is shown as it was written.
func TestSearchSummary(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a": "x"})
	for pattern, want := range map[string]string{`\d+\.5`: `Search . for "\d+\.5"`, "a\tb": `Search . for "a\tb"`} {
		if a := prepare(t, searchFiles{}, ws, in{"pattern": pattern}); a.Effect.Summary != want {
			t.Errorf("%q is shown as %s", pattern, a.Effect.Summary)
		}
	}
}

// Covers: TOOL-19
func TestSearch(t *testing.T) {
	files := map[string]string{
		"a.go": "package a\n\nfunc one() {}\nfunc two() {}\n", "sub/b.go": "func three() {}\r\n", "sub/c.txt": "func four\n",
		"skipped/x.go": "func hidden()\n", ".gitignore": "skipped/\n", ".github/ci.yml": "func: ci\n", ".git/x": "func git\n",
		"bin": "func \x00\n", "bad": "func \xff\xfe\n", "bom": "\ufefffunc bom\n", "-e": "func dash\n",
	}
	for way, s := range searches() {
		ws, beside := newWorkspace(t, files)
		if err := os.Symlink(beside, filepath.Join(ws.Dir, "l")); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			input in
			want  string
		}{
			{in{"pattern": `func \w+\(`, "glob": "*.go"}, "a.go\n     3: func one() {}\n     4: func two() {}\n\nsub/b.go\n     1: func three() {}\n"},
			{in{"pattern": `\{\}$`, "path": "sub"}, "sub/b.go\n     1: func three() {}\n"},
			{in{"pattern": "one", "context": 1}, "a.go\n     2- \n     3: func one() {}\n     4- func two() {}\n"},
			{in{"pattern": "func", "path": "sub/c.txt"}, "sub/c.txt\n     1: func four\n"},
			{in{"pattern": "func", "path": "-e"}, "-e\n     1: func dash\n"},
			{in{"pattern": "dash"}, "-e\n     1: func dash\n"},
			{in{"pattern": "func bom"}, "bom\n     1: \ufefffunc bom\n"},
			{in{"pattern": "func: ci"}, ".github/ci.yml\n     1: func: ci\n"},
			{in{"pattern": "func .", "path": "bad"}, "bad\n     1: func \uFFFD\n"},
			{in{"pattern": "func git|hidden|outside"}, "No matches.\n"},
			{in{"pattern": "--pre=touch"}, "No matches.\n"},
			{in{"pattern": "func", "glob": "--pre=x"}, "No matches.\n"},
			{in{"pattern": "func", "glob": "sub/*.go"}, "sub/b.go\n     1: func three() {}\n"},
		} {
			r, err := do(t, s, ws, c.input)
			if c.input["path"] == "bad" { // one engine may see two letters where the other sees none
				if err != nil {
					t.Errorf("%s: %v", way, err)
				}
				continue
			}
			if err != nil || r.Text != c.want || r.Say != clew.SayCodebaseSearchResult || r.Shown != r.Text {
				t.Errorf("%s %v: %q %v", way, c.input, r.Text, err)
			}
		}
	}
}

func TestSearchLimits(t *testing.T) {
	for way, s := range searches() {
		ws, _ := newWorkspace(t, map[string]string{
			"many": strings.Repeat("match\n", 5000), "z/long": "match " + strings.Repeat("x", 10_000) + "\n", "z/huge": "match " + strings.Repeat("x", 2<<20) + "\n",
		})
		got := must(t, s, ws, in{"pattern": "match"})
		if strings.Count(got, ": match") != maxMatches || !strings.HasSuffix(got, "(only the first 200 matching lines)\n") {
			t.Errorf("%s: %d %q", way, strings.Count(got, ": match"), got[len(got)-60:])
		}
		if got := must(t, s, ws, in{"pattern": "match", "limit": 3}); strings.Count(got, ": match") != 3 {
			t.Errorf("%s: %q", way, got)
		}
		got = must(t, s, ws, in{"pattern": "match", "path": "z"})
		if want := "z/long\n     1: match " + strings.Repeat("x", 494) + " … (cut)\n(1 lines too long to be shown)\n"; got != want {
			t.Errorf("%s: %.100q", way, got)
		}
	}
}

// No setting from outside reaches the search program: neither a configuration
// file nor the environment.
func TestSearchEnvironment(t *testing.T) {
	if findRipgrep() == "" {
		missing(t, "ripgrep is not there")
	}
	ws, beside := newWorkspace(t, map[string]string{"a.txt": "find me\n", ".ripgreprc": "--files\n"})
	config := filepath.Join(beside, "secret.txt")
	if err := os.WriteFile(config, []byte("--invert-match\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RIPGREP_CONFIG_PATH", config)
	if got := must(t, searchFiles{rg: findRipgrep}, ws, in{"pattern": "find"}); got != "a.txt\n     1: find me\n" {
		t.Errorf("%q", got)
	}
}

func TestSearchStops(t *testing.T) {
	for way, s := range searches() {
		ws, _ := newWorkspace(t, map[string]string{"a.txt": "x\n"})
		a, err := s.Prepare(t.Context(), callOf(t, ws, in{"pattern": "x"}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.Run(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// A search that does not end is ended, and says so.
func TestSearchTakesTooLong(t *testing.T) {
	if findRipgrep() == "" {
		missing(t, "ripgrep is not there")
	}
	ws, beside := newWorkspace(t, map[string]string{"a.txt": "x\n"})
	slow := filepath.Join(beside, "slow")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nexec /bin/sleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := searchFiles{rg: func() string { return slow }, within: 50 * time.Millisecond}
	if got := must(t, s, ws, in{"pattern": "x"}); got != "No matches.\n(stopped after 50ms; narrow it with path or glob)\n" {
		t.Errorf("%q", got)
	}
}

// Names that mean something in globs are left out by their letters.
func TestSearchHidesOddNames(t *testing.T) {
	odd := []string{"a*b", "[x]", "{y,z}", "!bang", `back\slash`, "que?ry", "#hash"}
	files := map[string]string{"plain.txt": "needle\n", "axb": "needle\n", "x": "needle\n", "y": "needle\n"}
	for _, name := range odd {
		files[name+"/f"] = "needle\n"
	}
	for way, s := range searches() {
		ws, _ := newWorkspace(t, files)
		inner := ws.Ignored
		ws.Ignored = func(name string, dir bool) bool {
			top, _, _ := strings.Cut(name, "/")
			for _, o := range odd {
				if top == o {
					return true
				}
			}
			return inner(name, dir)
		}
		got := must(t, s, ws, in{"pattern": "needle"})
		want := ""
		for i, name := range []string{"axb", "plain.txt", "x", "y"} {
			if i > 0 {
				want += "\n"
			}
			want += fmt.Sprintf("%s\n     1: needle\n", name)
		}
		if got != want {
			t.Errorf("%s: %q", way, got)
		}
	}
}

// missing skips a test for want of a program, except in CI, which installs it.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
