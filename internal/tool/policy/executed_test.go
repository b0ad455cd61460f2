package policy

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/nightly"
)

// byDay is how many lines of programs that start slowly CI executes; of what compiles, it
// executes none. make nightly executes all.
var byDay = map[string]int{"npm": 3, "kubectl": 6, "docker": 12, "go": 20, "cargo": 0}

// Every line of the corpus is covered by the star that is suggested for it, and does
// nothing but what the command is for.
//
// Covers: C-56
func TestCorpus(t *testing.T) {
	lines := linesOf(t, "testdata/executed.txt")
	if len(lines) < 400 {
		t.Fatalf("only %d lines", len(lines))
	}
	count := map[string]int{}
	for _, line := range lines {
		v := underStar(first(t, line))
		if star := Suggest(line); !strings.HasSuffix(star, " *") || v.form == nil {
			t.Errorf("%q: suggested is %q (%s)", line, star, v.why)
			continue
		}
		count[commandOf(line, v.form)]++
	}
	for _, words := range commands() {
		if name := strings.Join(words, " "); count[name] < 5 {
			t.Errorf("%s has only %d lines", name, count[name])
		}
	}
}

// commandOf names the command of a line without the options before its subcommand.
func commandOf(line string, f *form) string {
	name, _, _ := strings.Cut(line, " ")
	return strings.Join(append([]string{name}, f.words...), " ")
}

// Covers: C-56
func TestCorpusExecuted(t *testing.T) {
	nightly.Alone(t)
	c := newCage(t)
	if nightly.On() {
		c.warm()
	}
	executed, absent := map[string]int{}, []string{}
	total := 0
	for _, line := range linesOf(t, "testdata/executed.txt") {
		argv := first(t, line)
		name := argv[0]
		if limit, slow := byDay[name]; !nightly.On() && (underStar(argv).form.runs || slow && executed[name] >= limit) {
			continue
		}
		if !installed(name) {
			absent = append(absent, name)
			continue
		}
		executed[name]++
		total++
		if did := c.execute(line); did != "" {
			t.Errorf("%q: %s", line, did)
		}
	}
	slices.Sort(absent)
	t.Logf("%d lines executed; not installed: %v", total, slices.Compact(absent))
	if total < nightly.Size(250, 350) {
		t.Errorf("only %d lines were executed", total)
	}
}

func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
