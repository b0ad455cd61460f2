package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// mayWait are the functions of tests that may wait for the world's clock, each with the
// reason. None waits for another's work.
var mayWait = map[string]string{
	"internal/agent.sleep":                            "of bubbles: it waits for them, too",
	"internal/session.Sync":                           "of bubbles, through an interface",
	"internal/e2e/chaos.raceDeadlines":                "an answer aims at a deadline",
	"internal/e2e/chaos.TestTwoApprovers":             "how far apart two answers are",
	"internal/e2e/chaos.create":                       "the pace of who tries again, of the load",
	"internal/e2e/chaos.follow":                       "the pace of who tries again, of the load",
	"internal/e2e/chaos.cost":                         "the pace of measuring until it falls no more",
	"internal/e2e/faults.pass":                        "a slow network",
	"internal/e2e/faults.hold":                        "how long a fault lasts",
	"internal/e2e.kills":                              "how long a server lives until it is killed",
	"internal/e2e/notebookfigures.compareAway":        "how long somebody is away, for figures",
	"internal/e2e/notebookfigures.compareKill":        "figures, not part of CI",
	"internal/e2e/notebookfigures.ticksOn":            "figures, not part of CI",
	"internal/e2e/notebookfigures.resting":            "the pace of measuring until it falls no more",
	"internal/gateway.BenchmarkFanout":                "the pace of a benchmark",
	"internal/journal.TestLeasesWithAWrongClock":      "shows that nothing happens for as long as a lease lasts, in processes of others",
	"internal/notebook.Blob":                          "how slow a broken store is",
	"internal/notebook.TestAnswerGoesToItsQuestion":   "either order is right; it makes the rare one likely",
	"internal/notebook/kernel.TestSaysStarting":       "gives a client that is wrong the time to be; a right one passes without it",
	"internal/tool/mcp.peer":                          "a process that does nothing until it is killed",
	"internal/search.TestQueriesAreFast (a duration)": "only with a million messages, which make bench-search has",
}

// No test depends on how fast the machine is: none sleeps until others have done their
// work, and none fails because something took longer than a number of seconds. Use a
// channel, testing/synctest, poll.Until for other processes, a ratio of two measurements,
// or nightly.Promise.
func TestNoTestGoesByTheClock(t *testing.T) {
	used := map[string]bool{}
	eachTests(t, func(dir string, set *token.FileSet, b *bubbles) {
		check := func(kind, what string, list []ast.Node) {
			for _, n := range list {
				name := dir + "."
				if f := b.function(n); f != nil {
					name += f.Name.Name
				}
				name += kind
				if used[name] = true; mayWait[name] == "" {
					t.Errorf("%s: %s %s", set.Position(n.Pos()), name, what)
				}
			}
		}
		check("", "waits for the world's clock", b.sleeps())
		check(" (a duration)", "fails by the world's clock", b.durations())
	})
	for name := range mayWait {
		if !used[name] {
			t.Errorf("%s does not go by the clock any more: take it off the list", name)
		}
	}
}

// parsed are the tests of each directory.
var parsed = sync.OnceValues(func() (map[string]*bubbles, error) {
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(repository, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); e.IsDir() && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && name != "..") {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(testFiles, path, nil, parser.SkipObjectResolution)
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return err
	})
	all := map[string]*bubbles{}
	for dir, files := range packages {
		all[filepath.ToSlash(strings.TrimPrefix(dir, repository+"/"))] = bubblesOf(files)
	}
	return all, err
})

var testFiles = token.NewFileSet()

// eachTests gives the tests of each directory.
func eachTests(t *testing.T, look func(dir string, set *token.FileSet, b *bubbles)) {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d packages with tests were found", len(all))
	}
	for dir, b := range all {
		look(dir, testFiles, b)
	}
}

// Sleeps and durations are found, and what is in a bubble, or is a ratio, is not.
func TestClocksAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		src               string
		sleeps, durations int
	}{
		"a sleep":                {`func TestX(t *testing.T) { time.Sleep(1) }`, 1, 0},
		"a sleep in a loop":      {`func TestX(t *testing.T) { for ; !ok(); time.Sleep(1) {} }`, 1, 0},
		"another word for it":    {`func TestX(t *testing.T) { <-time.After(1) }`, 1, 0},
		"a time-out":             {`func TestX(t *testing.T) { select { case <-c: case <-time.After(1): t.Fatal() } }`, 0, 0},
		"a goroutine":            {`func TestX(t *testing.T) { go func() { time.Sleep(1) }() }`, 1, 0},
		"a helper":               {`func TestX(t *testing.T) { wait() }; func wait() { time.Sleep(1) }`, 1, 0},
		"a bubble":               {`func TestX(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1) }) }`, 0, 0},
		"a helper in a bubble":   {`func TestX(t *testing.T) { synctest.Test(t, func(t *testing.T) { wait() }) }; func wait() { time.Sleep(1) }`, 0, 0},
		"a helper in both":       {`func TestX(t *testing.T) { wait(); synctest.Test(t, func(t *testing.T) { wait() }) }; func wait() { time.Sleep(1) }`, 1, 0},
		"what runs a bubble":     {`func in(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) { f() }) }; func TestX(t *testing.T) { in(t, func() { time.Sleep(1) }) }`, 0, 0},
		"what runs a function":   {`func in(t *testing.T, f func()) { f() }; func TestX(t *testing.T) { in(t, func() { time.Sleep(1) }) }`, 1, 0},
		"a table":                {`var all = []func(){func() { time.Sleep(1) }}`, 1, 0},
		"too long":               {`func TestX(t *testing.T) { a := time.Now(); if time.Since(a) > time.Second { t.Error() } }`, 0, 1},
		"a variable":             {`func TestX(t *testing.T) { took := time.Since(a); best := min(took, 5); if best >= limit { t.Fatalf("") } }`, 0, 1},
		"the other way round":    {`func TestX(t *testing.T) { if ok && limit < time.Since(a) { t.Error() } }`, 0, 1},
		"not soon enough":        {`func TestX(t *testing.T) { if !(time.Since(a) < limit) { t.Error() } }`, 0, 1},
		"a helper that measures": {`func took() time.Duration { return time.Since(a) }; func TestX(t *testing.T) { if took() > 5 { t.Error() } }`, 0, 1},
		"elements":               {`func TestX(t *testing.T) { all[0] = time.Now().Sub(a); if all[0] > 5 { t.Error() } }`, 0, 1},
		"a judge":                {`func TestX(t *testing.T) { holds(time.Since(a) < time.Second) }`, 0, 1},
		"kinds":                  {`var all = []kind{{f: func() { holds(time.Since(a) < time.Second) }}}`, 0, 1},
		"a ratio":                {`func TestX(t *testing.T) { quick, slow := time.Since(a), time.Since(b); if slow > 3*quick { t.Error() } }`, 0, 0},
		"a share":                {`func TestX(t *testing.T) { quick, slow := time.Since(a), time.Since(b); if share := float64(slow) / float64(quick); share > 3 { t.Error() } }`, 0, 0},
		"too early":              {`func TestX(t *testing.T) { if time.Since(a) < time.Second { t.Error() } }`, 0, 0},
		"told":                   {`func TestX(t *testing.T) { if time.Since(a) > time.Second { t.Log() } }`, 0, 0},
		"of a bubble":            {`func TestX(t *testing.T) { synctest.Test(t, func(t *testing.T) { if time.Since(a) > 1 { t.Error() } }) }`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package p\n"+test.src, 0)
			if err != nil {
				t.Fatal(err)
			}
			b := bubblesOf([]*ast.File{file})
			if s, d := len(b.sleeps()), len(b.durations()); s != test.sleeps || d != test.durations {
				t.Errorf("%d sleeps and %d durations were found, want %d and %d", s, d, test.sleeps, test.durations)
			}
		})
	}
}
