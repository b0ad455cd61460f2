package supervisor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serverVariable names the directory of the program that the test binary starts when it
// plays the server.
const serverVariable = "CLEW_TEST_SUPERVISED"

// playServer starts a program, says so, and waits to be killed or for the end of its
// input.
func playServer() int {
	h, err := Start(context.Background(), os.Getenv(serverVariable), script("sleep 1000", time.Hour))
	if err != nil {
		fmt.Println("not started:", err)
		return 0
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
	h.Release()
	return 0
}

func TestServerKilled(t *testing.T) {
	dir := place(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverVariable+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "started\n" {
		t.Fatalf("%q %v", line, err)
	}
	f := look(dir)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	h, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if h.state.PID != f.PID || syscall.Kill(f.PID, 0) != nil {
		t.Errorf("found %+v, started %+v", h.state, f)
	}
	if err := h.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, h)
}

// Killed at each point of a start, the server or the supervisor: the program is found and
// runs, or it is gone and nothing of it is left.
func TestKilledAtEveryPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds this package anew")
	}
	bin := filepath.Join(t.TempDir(), "supervisor.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags=crashpoints,grpcnotrace", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	log := filepath.Join(t.TempDir(), "log")
	startAt(t, bin, place(t), "none:1", log)
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	points := strings.Fields(string(b))
	found := 0
	for _, at := range points {
		t.Run(at, func(t *testing.T) {
			dir := place(t)
			killed := startAt(t, bin, dir, at, "")
			if server := strings.HasPrefix(at, "supervisor."); server != killed {
				t.Errorf("the server was killed: %v", killed)
			}
			if settle(t, dir) {
				found++
			}
		})
	}
	if len(points) < 11 || found == 0 || found == len(points) {
		t.Errorf("%d points, of which %d left a program: %v", len(points), found, points)
	}
	t.Logf("%d points, of which %d left a program that was found: %v", len(points), found, points)
}

// startAt has a server start a program and reports whether it was killed.
func startAt(t *testing.T, bin, dir, at, log string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin)
	cmd.Env = append(os.Environ(), serverVariable+"="+dir, "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if err != nil && !killed {
		t.Fatalf("%v %s", err, out)
	}
	if log != "" { // nobody was killed: end it
		settle(t, dir)
	}
	return killed
}

// settle looks for the program as the next server does, and reports whether it runs. It
// is ended then, and the next one can be started in its place.
func settle(t *testing.T, dir string) bool {
	t.Helper()
	h, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if e, gone := h.Ended(); gone {
		if left := leftovers(dir); len(left) > 0 {
			t.Errorf("gone (%+v), and yet there are %v", e, left)
		}
		h.Release()
		next, err := Start(t.Context(), dir, script("exit 5", time.Hour))
		if err != nil {
			t.Fatal("the next one:", err)
		}
		if e := ended(t, next); e.Code != 5 {
			t.Errorf("the next one: %+v", e)
		}
		next.Release()
		return false
	}
	if syscall.Kill(h.state.PID, 0) != nil {
		t.Error("it is found and does not run")
	}
	if err := h.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, h)
	if err := h.Forget(); err != nil {
		t.Error(err)
	}
	return true
}
