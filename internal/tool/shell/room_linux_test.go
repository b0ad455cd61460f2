package shell

import (
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// While the disk is nearly full a command that writes is ended, at once and
// whatever it does about signals. One that does not write goes on.
func TestNoRoom(t *testing.T) {
	full := func(string) error { return errors.New("full") }
	eachSandbox(t, func(t *testing.T, opts Options) {
		opts.Room = full
		b := newBench(t, opts)
		_, r := b.run("trap '' TERM; while :; do head -c 1m /dev/zero >x; done")
		if r.LimitReached != clew.LimitDisk || !r.IsError || !strings.Contains(r.Text, "the disk is nearly full") {
			t.Errorf("what writes: %+v", r)
		}
		if _, r := b.run("sleep 0.5"); r.IsError || r.LimitReached != "" {
			t.Errorf("what does not write: %+v", r)
		}
		opts.Room = func(string) error { return nil }
		if _, r := newBench(t, opts).run("head -c 10m /dev/zero >x; sleep 0.3"); r.IsError {
			t.Errorf("with room: %+v", r)
		}
	})
}
