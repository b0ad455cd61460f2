package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/disk"
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
		if _, r := b.run("for i in $(seq 1000); do head -c 48k /dev/zero >x; sleep 0.1; done"); r.LimitReached != clew.LimitDisk {
			t.Errorf("what writes slowly: %+v", r)
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

// A command whose workspace grows over what its user may have is ended, whatever it
// does about signals, and says why. The next one may delete, and write little.
func TestWorkspaceFull(t *testing.T) {
	base := t.TempDir()
	all := disk.NewWorkspaces(filepath.Join(base, "workspaces"), filepath.Join(base, "usage"), func() int64 { return 8 << 20 })
	t.Cleanup(all.Close)
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		id := clew.SessionID(filepath.Base(t.Name()))
		dir := filepath.Join(base, "workspaces", string(id))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		b.ws = openWorkspace(t, dir)
		var err error
		if b.ws.Share, err = all.Share(clew.UserID(id), id); err != nil {
			t.Fatal(err)
		}
		_, r := b.run("trap '' TERM; for i in $(seq 100); do head -c 4m /dev/zero >x$i; sleep 0.05; done; sleep 30")
		if r.LimitReached != clew.LimitWorkspace || !r.IsError || !strings.Contains(r.Text, "of the 8 MB that they may take (workspace_quota_mb)") {
			t.Errorf("what fills it: %+v", r)
		}
		if _, r := b.run("exec head -c 2m /dev/zero >y"); r.LimitReached != clew.LimitWorkspace || !strings.Contains(r.Text, "1 MB for a file") {
			t.Errorf("what writes: %+v", r)
		}
		if _, r := b.run("rm x* y"); r.IsError {
			t.Errorf("what deletes: %+v", r)
		}
		if _, r := b.run("exec head -c 2m /dev/zero >y"); r.IsError {
			t.Errorf("what writes later: %+v", r)
		}
	})
}
