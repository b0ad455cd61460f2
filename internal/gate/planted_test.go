package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A gate is a run of .ci/run with the planted steps, with a memory of its own.
type gate struct {
	t     *testing.T
	cache string
}

func newGate(t *testing.T) *gate {
	t.Helper()
	for _, tool := range []string{"bash", "git", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here", tool)
		}
	}
	return &gate{t: t, cache: t.TempDir()}
}

// run answers with what was printed, what is kept of flaky tests, and whether it passed.
func (g *gate) run(steps string, env ...string) (out, kept string, passed bool) {
	g.t.Helper()
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		g.t.Fatal(err)
	}
	results := g.t.TempDir()
	cmd := exec.Command("bash", append([]string{"../../.ci/run"}, strings.Fields(steps)...)...)
	for _, kv := range os.Environ() { // of the gate that runs this test
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "CI_") && !strings.HasPrefix(name, "CLEW_") && name != "FRESH" {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "CI_STEPS="+abs(g.t, "testdata/planted/steps.sh"), "CI_RESULTS="+results, "CLEW_TEST_PYTHON=none",
		"XDG_CACHE_HOME="+g.cache, "GOCACHE="+strings.TrimSpace(string(goCache)), "PLANTED_DIR="+g.t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	file, _ := os.ReadFile(filepath.Join(results, "flaky.txt"))
	return string(text), string(file), err == nil
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// What is broken is red, what fails now and then is told, and nothing is passed over.
func TestPlanted(t *testing.T) {
	for name, x := range map[string]struct {
		steps, env string
		passes     bool
		says       []string
		kept       string
	}{
		"each kind of failure": {
			steps: "broken raced fine+silent silent nowhere flaky",
			says: []string{
				"<== broken FAILED", "as ever", "<== raced FAILED", "DATA RACE", "<== fine ok", "<== silent FAILED", "silent printed nothing",
				"<== nowhere FAILED", "<== flaky ok", "ci: FAILED",
			},
		},
		"three tests that fail once": {
			steps: "flaky", env: "PLANTED_RUN=TestSecond$|Two|Three", passes: true,
			says: []string{"flaky: 3 tests", "ci: passed", "flaky internal/gate/testdata/planted/second"}, // in the table of timings
			kept: "internal/gate/testdata/planted/second TestSecond\n    === RUN   TestSecond\n        second_test.go:22: not this time",
		},
		"four such tests":           {steps: "flaky", env: "PLANTED_RUN=TestSecond", says: []string{"4 tests are flaky, at most 3 may be", "ci: FAILED"}},
		"more than the limit takes": {steps: "fine", env: "CI_LIMIT=-1", says: []string{"take too much of the processors", "ci: FAILED"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, kept, passed := newGate(t).run(x.steps, strings.Fields(x.env)...)
			for _, said := range x.says {
				if !strings.Contains(out, said) {
					t.Errorf("not said: %s", said)
				}
			}
			if passed != x.passes || !strings.Contains(kept, x.kept) || t.Failed() {
				t.Errorf("passed: %t; kept: %s\n%s", passed, kept, out)
			}
		})
	}
}

// What passed is left out the next time, and the types that it recorded are told again. What
// was flaky is not, nor is anything if the memory is lost.
func TestPassedBefore(t *testing.T) {
	g := newGate(t)
	types := filepath.Join(t.TempDir(), "types")
	for i, want := range []string{"1 packages; 0 others passed before", "0 packages; 1 others passed before", "1 packages; 0 others passed before"} {
		if i == 2 {
			if err := os.RemoveAll(g.cache); err != nil {
				t.Fatal(err)
			}
		}
		_ = os.Remove(types)
		out, _, passed := g.run("fine", "CI_TYPES="+types)
		if !passed || !strings.Contains(out, want) {
			t.Errorf("run %d: passed %t, want %q\n%s", i, passed, want, out)
		}
		if data, err := os.ReadFile(types); err != nil || string(data) != "event planted\n" {
			t.Errorf("run %d: types: %q %v", i, data, err)
		}
	}
	for range 2 {
		if out, _, passed := g.run("flaky"); !passed || !strings.Contains(out, "1 packages; 0 others passed before") {
			t.Errorf("what was flaky is left out\n%s", out)
		}
	}
}
