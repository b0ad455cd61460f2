package retention_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew/internal/checkpoint/retention"
)

const crashPart = "CLEW_KEEP_PART"

// TestCrashHelper is the process that is killed.
func TestCrashHelper(t *testing.T) {
	part, dir, hash := os.Getenv(crashPart), os.Getenv("CLEW_KEEP_DIR"), os.Getenv("CLEW_KEEP_HASH")
	if part == "" {
		t.Skip("not the helper")
	}
	k, err := retention.Open(filepath.Join(dir, "data", "checkpoints"), retention.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := rewind.Workspace{Session: "-sess_1", Dir: filepath.Join(dir, "work")}
	switch part {
	case "restore":
		_, err = k.Restore(t.Context(), at, "rw_1", hash)
	case "copy":
		err = k.Copy(t.Context(), at, hash, rewind.Workspace{Session: "fork", Dir: filepath.Join(dir, "copy")})
	}
	if err = errors.Join(err, k.Close()); err != nil {
		t.Fatal(err)
	}
}

// play runs a part in a process that dies at a place, and lists the places that
// it passed.
func (d *desk) play(bin, part, hash, at string) (places []string, killed bool) {
	d.Helper()
	dir := filepath.Dir(d.at.Dir)
	log := filepath.Join(dir, "log")
	cmd := exec.CommandContext(d.Context(), bin, "-test.run=^TestCrashHelper$")
	cmd.Env = append(os.Environ(), crashPart+"="+part, "CLEW_KEEP_DIR="+dir, "CLEW_KEEP_HASH="+hash, "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	killed = errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if err != nil && !killed {
		d.Fatalf("%s: %v %s", part, err, out)
	}
	b, err := os.ReadFile(log)
	d.must(err)
	return strings.Fields(string(b)), killed
}

// twoStates has a first state saved, and a second one on disk.
func twoStates(t *testing.T) (d *desk, hash string) {
	t.Helper()
	d = newDesk(t)
	d.put("change", "1")
	d.put("gone/x", "1")
	hash = d.save().Hash
	d.put("change", "2")
	d.put("new/y", "2")
	d.must(os.RemoveAll(filepath.Join(d.at.Dir, "gone")))
	d.must(d.Close())
	return d, hash
}

func (d *desk) is(state string) bool {
	if state == "1" {
		return d.read("change") == "1" && d.read("gone/x") == "1" && d.read("new/y") == "gone"
	}
	return d.read("change") == "2" && d.read("gone/x") == "gone" && d.read("new/y") == "2"
}

// Killed at each step: asked for again under its name, a restore is done, once,
// and leads back; a copy is whole or not there.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	bin := filepath.Join(t.TempDir(), "keep.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "crashpoints", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for part, again := range map[string]func(t *testing.T, d *desk, hash string){"restore": restoreAgain, "copy": copyAgain} {
		d, hash := twoStates(t)
		places, killed := d.play(bin, part, hash, "none:1")
		if killed || len(places) < 5 {
			t.Fatalf("%s passes %v", part, places)
		}
		for _, at := range places {
			t.Run(part+" "+at, func(t *testing.T) {
				d, hash := twoStates(t)
				if _, killed := d.play(bin, part, hash, at); !killed {
					t.Fatal("it was not killed")
				}
				d.open()
				again(t, d, hash)
				if _, found, err := d.Check(t.Context(), ""); err != nil || len(found) > 0 {
					t.Errorf("fsck: %v, %v", found, err)
				}
			})
		}
	}
}

func restoreAgain(t *testing.T, d *desk, hash string) {
	r, err := d.Restore(t.Context(), d.at, "rw_1", hash)
	d.must(err)
	if !d.is("1") || r.Changed+r.Removed == 0 {
		t.Errorf("the files are not those of the checkpoint after %+v", r)
	}
	again, err := d.Restore(t.Context(), d.at, "rw_1", hash)
	d.must(err)
	if again.Before != r.Before {
		t.Errorf("a third time it came from %s, before from %s", again.Before, r.Before)
	}
	_, err = d.Restore(t.Context(), d.at, "rw_1_back", r.Before)
	d.must(err)
	if !d.is("2") {
		t.Error("it does not lead back")
	}
}

func copyAgain(t *testing.T, d *desk, hash string) {
	to := rewind.Workspace{Session: "fork", Dir: filepath.Join(filepath.Dir(d.at.Dir), "copy")}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to.Dir), ".clew-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	d.must(d.Copy(t.Context(), d.at, hash, to))
	if !d.is("2") {
		t.Error("the files that were copied changed")
	}
	d.at.Dir = to.Dir
	if !d.is("1") {
		t.Error("the copy is not the checkpoint")
	}
}
