package process

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/supervisor"
)

// Killed at each point of a start in the sandbox, the server or the supervisor: the
// kernel is found and runs, or it is gone and nothing of it is left.
func TestKilledAtEveryPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds this package anew")
	}
	bin := filepath.Join(t.TempDir(), "process.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags=crashpoints,grpcnotrace", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	log := filepath.Join(t.TempDir(), "log")
	b := newSleeper(t, time.Hour)
	b.startAt(bin, "none:1", log)
	b.settle()
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	points, found := strings.Fields(string(said)), 0
	for _, at := range points {
		t.Run(at, func(t *testing.T) {
			b := newSleeper(t, time.Hour)
			b.startAt(bin, at, "")
			if b.settle() {
				found++
			}
		})
	}
	if len(points) < 12 || found == 0 || found == len(points) {
		t.Errorf("%d points, of which %d left a kernel: %v", len(points), found, points)
	}
}

// startAt has a server start the kernel and be killed at a point.
func (b *bench) startAt(bin, at, log string) {
	b.t.Helper()
	raw, err := json.Marshal(served{Root: b.Root, Workspace: b.ws.Dir, Spec: b.spec})
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), bin)
	cmd.Env = append(os.Environ(), serverVariable+"="+string(raw), "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if server := strings.HasPrefix(at, "supervisor.") || strings.HasPrefix(at, "kernel."); server != killed {
		b.t.Errorf("the server ended with %v: %s", err, out)
	}
}

// settle looks for the kernel as the next server does, ends it and reports whether it ran.
func (b *bench) settle() bool {
	b.t.Helper()
	k, err := b.Find(b.t.Context(), "kernel")
	how, ended := b.forgotten(k)
	if ended || errors.Is(err, ErrNone) {
		if left := b.leftovers(); len(left) > 0 {
			b.t.Errorf("gone (%v, %v), and yet there are %v", how, err, left)
		}
		k, err = b.Start(b.t.Context(), Start{ID: "kernel", Spec: b.spec, Workspace: b.ws})
		if err != nil {
			b.t.Fatal("the next one:", err)
		}
		b.end(k)
		return false
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if f := b.All(); len(f) != 1 || !f[0].Running || f[0].Dir != supervisor.Dir(b.Root, "kernel") {
		b.t.Errorf("%+v", f)
	}
	b.end(k)
	return true
}
