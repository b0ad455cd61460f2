package faults

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// A bug is one that is planted in the program, to see whether the campaign finds
// it.
type bug struct {
	name   string
	kind   string  // in which it shows
	breaks promise // that it breaks
	brief  bool    // looked for in the short form, too
	fault  func(*world)
}

// An undone repair is a bug that was there once. The test that came with its repair
// must find it.
type undone struct {
	name     string
	pkg, run string
}

var repairs = []undone{
	{"restored under the old epoch", "./internal/journal", "TestRestoredHistories"},
	{"options under a star not looked at", "./internal/tool/policy", "TestStarsCannotBeStretched"},
	{"files of another node not missed", "./internal/e2e/failover", "TestWorkspaceOnAnotherNode"},
	{"commands without limits", "./internal/tool/shell", "TestProcessLimits"},
	{"blob of another session served", "./internal/e2e", "TestBlobsEndWithAccess"},
	{"engine not waited for", "./internal/e2e/failover", "TestNodeWaitsForTheEngine"},
	{"ready without a look", "./internal/journal", "TestReadyWithAWrongClock"},
	{"nobody is asked again at once", "./internal/e2e/failover", "TestLeaderLossBesideTheEngine"},
	{"metrics for everybody", "./internal/api", "TestOpenRoutes"},
	{"hash not compared", "./internal/journal", "TestRecordOfAnotherChain"},
	{"deadline lost on restart", "./internal/session", "TestDeadlineOf.*"},
}

var bugs = []bug{
	{name: "acknowledged before the append", kind: "killed at random", breaks: nothingLost, brief: true},
	{name: "cursor off by one", kind: "connections reset", breaks: resumeWhole, brief: true},
	{name: "record sent again", kind: "connections reset", breaks: resumeWhole},
	{name: "epoch not compared", kind: "cursor of another epoch", breaks: oneMeaning},
	{name: "cursor beyond the end taken", kind: "cursor of the future", breaks: resumeWhole},
	{name: "change of the state not told", kind: "connections reset", breaks: oneState},
	{name: "lost end served", kind: "file cut short", breaks: chainWhole, brief: true},
	{name: "question ends twice", kind: "two approvers at once", breaks: oneDecision},
	{name: "approval not asked for", kind: "two approvers at once", breaks: startsOnRecord},
	{name: "step run again", kind: "killed at named points", breaks: noSecondStart, brief: true, fault: atTools},
	{name: "doubt not shown", kind: "killed at named points", breaks: doubtShown, fault: atTools},
	{name: "mode lost", kind: "connections reset", breaks: rewindExact, fault: longer},
	{name: "link put back to another place", kind: "connections reset", breaks: rewindExact, fault: longer},
	{name: "changed tool called", kind: "a tool changes under an approval", breaks: startsOnRecord},
	{name: "server's environment handed on", kind: "connections reset", breaks: noSecret},
	{name: "provider's words not cleaned", kind: "provider refuses", breaks: noSecret},
	{name: "hidden process left", kind: "a process that hides", breaks: noOrphan},
	{name: "connection never let go", kind: "reconnect storm", breaks: noOrphan},
	{name: "slow reader holds everybody up", kind: "slow readers", breaks: slowBounded},
	{name: "repeated command carried out", kind: "duplicate commands", breaks: repeatSame},
	{name: "store never heals", kind: "disk full", breaks: liveAgain},
	{name: "fence dropped", kind: "owner stopped and taken over", breaks: oneOwner, fault: func(w *world) { w.stopOwners(8) }},
	{name: "claim ignores a live owner", kind: "leader steps down", breaks: oneOwner, fault: justLook},
}

// atTools kills the server while a command is under way, and after it.
func atTools(w *world) {
	for range 2 {
		w.dieAt("tool.done")
		w.dieAt("tool.running")
	}
}

// justLook breaks nothing and ends the world: nodes that take each other's sessions
// away hardly get anywhere, and what they wrote says enough.
func justLook(w *world) {
	w.leave()
	w.people.Wait()
	w.stopAll()
	w.journals()
	runtime.Goexit()
}

// longer lets people work on undisturbed.
func longer(w *world) {
	w.events++
	w.load(300)
}

// TestPlanted plants bugs. One that is not found fails: then the campaign would
// not find it either.
func TestPlanted(t *testing.T) {
	looked := bugs
	if !nightly.On() {
		looked = nightly.Third(slices.DeleteFunc(slices.Clone(bugs), func(b bug) bool { return !b.brief }))
	}
	for _, x := range looked {
		t.Run(x.name, func(t *testing.T) {
			k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == x.kind })]
			k.bug = x.name
			if x.fault != nil {
				k.fault = x.fault
			}
			proc.Program(t, "crashpoints") // what goes wrong here is no find
			var said []string
			for _, seed := range seeds(t, 3) { // the campaign has as many
				found := &finder{TB: t}
				w := found.play(k, seed)
				if len(w.broken[x.breaks]) > 0 {
					return
				}
				said = append(append(said, w.problems()...), found.said...)
			}
			t.Errorf("nobody noticed: %s", strings.Join(said, "\n"))
		})
	}
}

// TestUndone takes repairs back, one at a time. A repair that can be taken back without
// a test that fails will be, one day.
func TestUndone(t *testing.T) {
	if !nightly.On() {
		t.Skip("make faults runs it")
	}
	program := proc.Program(t, "crashpoints")
	for _, x := range repairs {
		t.Run(x.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "test", "-tags", "crashpoints", "-count=1", "-run", "^("+x.run+")$", x.pkg)
			cmd.Dir = proc.Root()
			cmd.Env = append(os.Environ(), "CLEW_NIGHTLY=", "CLEW_PLANTED="+x.name, "CLEW_E2E_PROGRAM="+program, "CLEW_E2E_PROGRAM_CRASHPOINTS="+program)
			out, err := cmd.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("--- FAIL: Test")) {
				t.Errorf("nobody noticed: %v\n%s", err, out)
			}
		})
	}
}

// TestPlantedBugsAreLookedFor compares the list with the sources: a bug that nobody
// looks for shows nothing, and one that is not there cannot be found.
func TestPlantedBugsAreLookedFor(t *testing.T) {
	there := map[string]bool{}
	call := regexp.MustCompile(`planted\.Bug\("([^"]+)"\)`)
	err := filepath.WalkDir(filepath.Join(proc.Root(), "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range call.FindAllStringSubmatch(string(b), -1) {
			there[m[1]] = true
		}
		return err
	})
	proc.Must(t, err)
	for _, name := range append(names(bugs, func(x bug) string { return x.name }), names(repairs, func(x undone) string { return x.name })...) {
		if !there[name] {
			t.Errorf("%q is planted nowhere", name)
		}
		delete(there, name)
	}
	for name := range there {
		t.Errorf("%q is planted, and nobody looks for it", name)
	}
}

func names[T any](list []T, name func(T) string) (all []string) {
	for _, x := range list {
		all = append(all, name(x))
	}
	return all
}

// A finder is a test in which a fault is welcome: the program is broken, so that a
// world may well come to an early end.
type finder struct {
	testing.TB
	said []string
}

func (f *finder) note(text string) { f.said = append(f.said, text) }

// Error and the like only take notes.
func (f *finder) Error(args ...any)                 { f.note(fmt.Sprint(args...)) }
func (f *finder) Errorf(format string, args ...any) { f.note(fmt.Sprintf(format, args...)) }
func (f *finder) Failed() bool                      { return false }

// Fatal and the like end the world.
func (f *finder) Fatal(args ...any)                 { f.Error(args...); runtime.Goexit() }
func (f *finder) Fatalf(format string, args ...any) { f.Errorf(format, args...); runtime.Goexit() }

// play plays a kind and gives the world as it was at the end.
func (f *finder) play(k kind, seed uint64) *world {
	w := newWorld(f, k, seed)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.play()
	}()
	<-done
	return w
}
