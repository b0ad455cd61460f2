package faults

import (
	"fmt"
	"io/fs"
	"os"
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
	{name: "repeated command carried out", kind: "duplicate commands", breaks: repeatSame},
	{name: "store never heals", kind: "disk full", breaks: liveAgain},
}

// atTools kills the server while a command is under way, and after it.
func atTools(w *world) {
	for range 2 {
		w.dieAt("tool.done")
		w.dieAt("tool.running")
	}
}

// longer lets people work on undisturbed.
func longer(w *world) {
	w.events++
	w.load(300)
}

// TestPlanted plants bugs. One that is not found fails: then the campaign would
// not find it either.
func TestPlanted(t *testing.T) {
	for _, x := range bugs {
		if !x.brief && !nightly.On() {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == x.kind })]
			k.bug = x.name
			if x.fault != nil {
				k.fault = x.fault
			}
			proc.Program(t, "crashpoints") // what goes wrong here is no find
			found := &finder{TB: t}
			w := found.play(k, seeds(t, 1)[0])
			if len(w.broken[x.breaks]) == 0 {
				t.Errorf("nobody noticed: %s", strings.Join(append(w.problems(), found.said...), "\n"))
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
	for _, x := range bugs {
		if !there[x.name] {
			t.Errorf("%q is planted nowhere", x.name)
		}
		delete(there, x.name)
	}
	for name := range there {
		t.Errorf("%q is planted, and nobody looks for it", name)
	}
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
