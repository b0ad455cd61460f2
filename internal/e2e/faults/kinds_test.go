package faults

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// A kind is a way in which something breaks.
type kind struct {
	no    int    // as in the table
	name  string //
	group string
	how   string // it is brought about

	shape shape
	tags  string            // of the program
	env   map[string]string // of the server
	disk  string            // size of a disk of its own
	image int64             // size of a disk of its own that can lose its power
	fuse  bool              // it has a disk of its own that can be made read-only
	peer  bool              // there is a tool server
	// python says that it needs the kernel of Jupyter. What people see then, and can do.
	python     bool
	sees, does string
	fault      func(*world) // breaks it and heals it
	bug        string       // that is planted in the program, "" for none
	brief      bool         // played in the short form, too
	// missing says what cannot be had here, nil if the kind needs nothing.
	missing func() string
	// savesFail says that files may not be saved for a while.
	savesFail bool
	// losesCursors says that clients may be told that their place is gone.
	losesCursors bool
}

// kinds are all of them, in the order of the table.
var kinds = concat(processKinds, diskKinds, engineKinds, networkKinds, clockKinds, clientKinds, outsideKinds, toolKinds, kernelKinds)

func concat(lists ...[]kind) (all []kind) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// TestFaults breaks everything that can be broken, one after the other. The short
// form plays some kinds, the nightly one all of them.
func TestFaults(t *testing.T) {
	var lines []line
	played := kinds
	if !nightly.On() && os.Getenv("CLEW_SEED") == "" {
		played = nightly.Third(slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !k.brief }))
	}
	for _, k := range played {
		t.Run(k.name, func(t *testing.T) {
			l := line{kind: k}
			r := &skipRecorder{TB: t}
			defer func() { l.notRun = r.why; lines = append(lines, l) }()
			for _, seed := range seeds(t, nightly.Size(1, 3)) {
				w := newWorld(r, k, seed)
				w.play()
				for _, problem := range w.problems() {
					t.Error(problem)
				}
				t.Log(w.summary())
				l.add(w)
			}
		})
	}
	if path := os.Getenv("CLEW_FAULTS_TABLE"); path != "" && !t.Failed() {
		proc.Must(t, os.WriteFile(path, []byte(table(lines)), 0o644))
	}
}

// summary is what a run came to.
func (w *world) summary() string {
	return fmt.Sprintf("seed %d: %d faults, %d commands acknowledged, longest time without service %s, checked %v", w.seed, w.events, w.acks.Load(), &w.gap, w.checked[1:])
}
