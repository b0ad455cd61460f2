package faults

import (
	"os"
	"path/filepath"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// The program believes a file that says how wrong the time of day is, and reads it
// each time: a jump meets it in the middle of its work. What elapsed stays true, as
// it does where somebody sets a machine's clock.
var clockKinds = []kind{
	{no: 35, group: "clock", name: "an hour ahead", how: "a program that takes the time from a file: it jumps an hour ahead, and back", tags: "faults", fault: func(w *world) {
		w.tellTime("1h 1", "0s 1")
	}},
	{no: 36, group: "clock", name: "an hour back", how: "the same, an hour back", tags: "faults", fault: func(w *world) {
		w.tellTime("-1h 1", "0s 1")
	}},
	{no: 37, group: "clock", name: "stands still", how: "the same, it stands still for a while", tags: "faults", fault: func(w *world) {
		w.tellTime("0s 0", "0s 1")
	}},
	{no: 38, group: "clock", name: "runs at another pace", how: "the same, three times as fast, then a third as fast", tags: "faults", fault: func(w *world) {
		w.tellTime("0s 3", "0s 0.33", "0s 1")
	}},
}

func (w *world) clockFile() string { return filepath.Join(w.dir, "clock") }

// tellTime has the server believe one time after the other, killed and started once
// under each but the last: what was stored meets another time than it was stored at.
func (w *world) tellTime(times ...string) {
	w.t.Helper()
	for i, text := range times {
		w.events++
		next := w.clockFile() + ".new"
		proc.Must(w.t, os.WriteFile(next, []byte(text), 0o600))
		proc.Must(w.t, os.Rename(next, w.clockFile()))
		w.load(40)
		w.hold(time.Second)
		if i < len(times)-1 {
			w.kill()
			w.load(40)
		}
	}
}
