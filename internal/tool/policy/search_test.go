package policy

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/nightly"
)

// wantedLines is how many lines of each program that has a star are executed in a night.
const wantedLines = 200

// How many lines are built and executed at most by day.
const dayBuilt, dayExecuted = 1_000_000, 150

// A search builds lines and executes those that a policy lets pass.
type search struct {
	t       testing.TB
	cage    *cage
	covers  func(line, pattern string, words []string) bool
	seen    map[string]bool
	built   int
	covered map[string]int // and executed, by program
	found   []string       // lines that did what they must not
	more    func() bool    // more lines are wanted
}

// until says how long a search takes: by day a number of lines, so that it does not
// depend on the machine what is tried.
func (s *search) until(t *testing.T) (more func() bool) {
	text := os.Getenv("CLEW_SEARCH")
	if text == "" && !nightly.On() {
		return func() bool { return s.built < dayBuilt && sum(s.covered) < dayExecuted }
	}
	limit, err := time.ParseDuration(cmp.Or(text, "1h"))
	must(t, err)
	end := time.Now().Add(limit)
	return func() bool { return time.Now().Before(end) }
}

// try executes a line, if it is new and covered, and reports whether it did.
func (s *search) try(of source, words []string) bool {
	s.built++
	line := written(words)
	if s.seen[line] || !s.covers(line, strings.Join(of.words, " ")+" *", words) {
		return false
	}
	s.seen[line] = true
	s.covered[of.words[0]]++
	if did := s.cage.execute(line); did != "" && !expected(of.words, did) {
		s.found = append(s.found, line)
		s.t.Logf("%s: %s", line, did)
	}
	return true
}

// expected reports whether a file is what the command is for: go build leaves the program
// that it built, and a clone is what it was told to write.
func expected(command []string, did string) bool {
	switch strings.Join(command, " ") {
	case "go build":
		return strings.HasPrefix(did, "wrote ") && !strings.Contains(did, "WROTE")
	case "git clone":
		return strings.HasPrefix(did, "wrote y/")
	}
	return false
}

// coversFast is Covers, which parses the line, for lines that the table does not refuse
// anyway.
func coversFast(line, pattern string, words []string) bool {
	return underStar(words).why == "" && Covers(line, pattern)
}

// Lines are built from the options that the installed programs say they have, and from
// those of the table; what a star covers is executed and does nothing but what the command
// is for. First every option with every payload, then at random until enough lines were built;
// at night, or with CLEW_SEARCH=1h, until the time is over.
//
// Covers: C-56
func TestSearch(t *testing.T) {
	nightly.Alone(t)
	s := &search{t: t, cage: newCage(t), covers: coversFast, seen: map[string]bool{}, covered: map[string]int{}}
	s.more = s.until(t)
	sources := searched()
	if nightly.On() {
		s.cage.warm()
	}
	rng := rand.New(rand.NewPCG(nightly.Seed(t), 1))
	left := s.enumerate(sources, rng)
	for s.more() {
		of := sources[rng.IntN(len(sources))]
		s.try(of, of.random(rng))
	}
	t.Logf("%d lines built, %d covered and executed, %d found; %d of %d commands had more options to try\n%s",
		s.built, sum(s.covered), len(s.found), left, len(sources), counts(s.covered))
	if len(s.found) > 0 {
		t.Errorf("%d lines that a star covers did more than the command is for", len(s.found))
	}
	if sum(s.covered) == 0 {
		t.Error("no line was executed")
	}
	if nightly.On() {
		s.enough()
	}
}

// enumerate tries every option with every payload, in turn for each command, so that none
// is left out when the time is over; first those of programs that have not had their share.
// It gives how many commands had more lines.
func (s *search) enumerate(sources []source, rng *rand.Rand) (left int) {
	type queue struct {
		of   source
		next func() ([]string, bool)
	}
	var queues []queue
	for _, of := range sources {
		next, stop := iter.Pull(of.each(rng))
		defer stop()
		queues = append(queues, queue{of, next})
	}
	for len(queues) > 0 && s.more() {
		some := slices.ContainsFunc(queues, func(q queue) bool { return s.wants(q.of) })
		queues = slices.DeleteFunc(queues, func(q queue) bool {
			if some && !s.wants(q.of) {
				return false
			}
			for s.more() { // to the next line that is executed
				words, ok := q.next()
				if !ok {
					s.fill(q.of, rng)
					return true
				}
				if s.try(q.of, words) {
					break
				}
			}
			return false
		})
	}
	return len(queues)
}

// fill executes random lines of a program that has few options until it had its share.
func (s *search) fill(of source, rng *rand.Rand) {
	for range 200_000 { // most lines are not covered, or are not new
		if !s.wants(of) || !s.more() {
			return
		}
		s.try(of, of.random(rng))
	}
}

// wants reports whether a command may have a star and its program had too few lines.
func (s *search) wants(of source) bool {
	f, _ := stars().find(of.words)
	return f != nil && s.covered[of.words[0]] < wantedLines
}

// enough checks that each program that has a star had its share.
func (s *search) enough() {
	for name := range stars() {
		switch n := s.covered[name]; {
		case !installed(name):
			s.t.Logf("%s is not installed", name)
		case n < wantedLines:
			s.t.Errorf("of %s only %d lines were executed", name, n)
		}
	}
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func counts(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return strings.Join(names, ", ")
}

// before is what was asked about under git clone * and go test *, which were suggested,
// when a list of dangerous options decided (38e5c91).
var before = map[string]hazard{
	"git": {
		short: "cOxo",
		long: []string{"output", "output-directory", "exec-path", "upload-pack", "receive-pack", "exec", "ext-diff", "textconv",
			"open-files-in-pager", "config-env", "config", "show-signature", "extcmd", "tool", "tool-help", "template", "git-dir", "work-tree",
			"paginate", "super-prefix", "separate-git-dir", "gpg-sign", "edit", "file"},
		words: []string{"run", "foreach", "ext"},
	},
	"go": {words: []string{"-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool", "-o", "--o", "-overlay", "--overlay", "-modfile", "--modfile", "-C", "--C",
		"-ldflags", "-gcflags", "-gccgoflags", "-modcacherw", "-w"}},
}

// The same search, with the policy as it was, finds the 15 known lines: else it would be
// blind, and finding nothing now would say nothing.
//
// Covers: C-56
func TestSearchFindsTheKnownLines(t *testing.T) {
	if !nightly.On() {
		t.Skip("make nightly runs it: it compiles")
	}
	s := &search{t: t, cage: newCage(t), seen: map[string]bool{}, covered: map[string]int{}}
	s.cage.warm()
	s.covers = func(_, _ string, words []string) bool {
		return !slices.ContainsFunc(words[2:], func(w string) bool { return before[words[0]].hits(w, 2) })
	}
	for _, words := range [][]string{{"git", "clone"}, {"go", "test"}} {
		of := source{words: words, options: optionsOf(words), tails: tailsOf(words)}
		for _, option := range of.options {
			for _, value := range []string{"./evil", "WROTE", "-linkmode=external -extld=./evil"} {
				for _, spelled := range spellings(option, value) {
					if words[0] == "git" || len(spelled) == 1 && strings.Contains(spelled[0], "=") { // go's lines take a second each
						s.try(of, slices.Concat(words, spelled, of.tails[0]))
					}
				}
			}
		}
	}
	t.Logf("%d lines built, %d covered then and executed, %d found", s.built, sum(s.covered), len(s.found))
	for _, line := range knownLines(t)[:15] {
		if !slices.Contains(s.found, line) {
			t.Errorf("%q was not found", line)
		}
	}
}
