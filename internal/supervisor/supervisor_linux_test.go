package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/poll"
)

// TestMain also plays the server that is killed: see server_linux_test.go.
func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		os.Exit(playServer())
	}
	os.Exit(m.Run())
}

// place gives a directory for a program, and fails the test if a process is left.
func place(t testing.TB) string {
	t.Helper()
	dir := Dir(t.TempDir(), t.Name())
	t.Cleanup(func() {
		if left := leftovers(dir); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return dir
}

// leftovers lists the processes of a program, and its supervisor.
func leftovers(dir string) (list []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		env, _ := os.ReadFile(filepath.Join(name, "environ"))
		args, _ := os.ReadFile(filepath.Join(name, "cmdline"))
		if bytes.Contains(env, []byte(Mark(dir))) || string(args) == commandName+"\x00"+dir+"\x00" {
			list = append(list, filepath.Base(name)+" "+string(bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return list
}

func script(text string, orphan time.Duration) Program {
	return Program{ID: "id", About: "a script", Argv: []string{"/bin/sh", "-c", text}, Dir: "/", Orphan: orphan}
}

// run starts a script and releases it at the end of the test.
func run(t testing.TB, dir, text string, orphan time.Duration) *Held {
	t.Helper()
	h, err := Start(t.Context(), dir, script(text, orphan))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Release)
	t.Cleanup(func() { _ = h.Kill(); <-h.Done() })
	return h
}

func ended(t testing.TB, h *Held) Ended {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(time.Minute):
		t.Fatal("the program does not end")
	}
	e, _ := h.Ended()
	return e
}

func waitFile(t testing.TB, name string) string {
	t.Helper()
	poll.Until(t, name, func() bool { b, _ := os.ReadFile(name); return bytes.HasSuffix(b, []byte("\n")) })
	b, _ := os.ReadFile(name)
	return strings.TrimSpace(string(b))
}

func TestHowItEnded(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   Ended
	}{
		"well":          {"exit 0", Ended{Why: WhyExited}},
		"badly":         {"echo no such thing >&2; exit 3", Ended{Why: WhyExited, Code: 3, Stderr: "no such thing\n"}},
		"by a signal":   {"kill -SEGV $$", Ended{Why: WhyExited, Code: 139, Signal: "SEGV"}},
		"long-winded":   {"yes 0123456 2>/dev/null | head -c 100000 >&2; exit 1", Ended{Why: WhyExited, Code: 1, Stderr: strings.Repeat("0123456\n", maxStderr/8)}},
		"other threads": {"sleep 1000 & exit 0", Ended{Why: WhyExited}}, // what it left is ended
	} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			before := time.Now()
			got := ended(t, run(t, dir, c.script, time.Hour))
			if got.At.Before(before.Add(-time.Second)) || got.At.After(time.Now()) {
				t.Errorf("it ended at %v", got.At)
			}
			got.At = time.Time{}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "control")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the socket is left: %v", err)
			}
		})
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	for name, p := range map[string]Program{
		"no such program":   {Argv: []string{"/no/such/program"}, Dir: "/"},
		"no such directory": {Argv: []string{"/bin/true"}, Dir: "/no/such/directory"},
		"no words":          {Dir: "/"},
		"not absolute":      {Argv: []string{"true"}, Dir: "/"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			if h, err := Start(t.Context(), dir, p); err == nil {
				h.Release()
				t.Fatal("it was started")
			}
			h, err := Start(t.Context(), dir, script("exit 0", time.Hour))
			if err != nil {
				t.Fatal("the next one:", err)
			}
			ended(t, h)
			h.Release()
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(ctx, place(t), script("sleep 1000", time.Hour)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// The program has the environment and files that it was given, and no others: secrets of
// the server and locks are not its business.
func TestWhatItGets(t *testing.T) {
	t.Setenv("CLEW_SECRET_KEY", "hunter2")
	dir := place(t)
	out := filepath.Join(t.TempDir(), "out")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	p := script("{ env; for f in /proc/self/fd/*; do echo FD ${f##*/} $(readlink $f); done; cat <&3; } > "+out+".new; mv "+out+".new "+out, time.Hour)
	p.Env, p.Files = []string{"A=b c"}, []*os.File{r}
	_, _ = w.WriteString("from the pipe\n")
	_ = w.Close()
	h, err := Start(t.Context(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if e := ended(t, h); e.Code != 0 {
		t.Fatalf("%+v", e)
	}
	got := waitFile(t, out)
	if !strings.Contains(got, "A=b c\n") || !strings.HasSuffix(got, "from the pipe") || strings.Contains(got, "hunter2") {
		t.Errorf("it has\n%s", got)
	}
	for i := 4; i < 40; i++ {
		if strings.Contains(got, fmt.Sprintf("FD %d ", i)) && i != 10 { // dash keeps one there
			t.Errorf("descriptor %d is open in it:\n%s", i, got)
		}
	}
}

func TestSignal(t *testing.T) {
	dir := place(t)
	file := filepath.Join(t.TempDir(), "ready")
	h := run(t, dir, "trap 'exit 7' INT; echo ok > "+file+"; while :; do sleep 0.01; done", time.Hour)
	waitFile(t, file)
	if err := h.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if e := ended(t, h); e.Code != 7 || e.Why != WhyExited {
		t.Errorf("%+v", e)
	}
	if err := h.Signal(syscall.SIGINT); !errors.Is(err, ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
	if err := h.Forget(); err != nil {
		t.Error(err)
	}
	if _, err := Find(t.Context(), dir); !errors.Is(err, ErrNone) {
		t.Errorf("forgotten: %v", err)
	}
}

// daemon leaves session and group, and has another parent.
const daemon = "setsid sh -c 'trap \"\" TERM; echo $$ >> FILE; sleep 1000' & "

func TestKillTakesEverything(t *testing.T) {
	dir := place(t)
	file := filepath.Join(t.TempDir(), "pids")
	h := run(t, dir, strings.ReplaceAll(daemon, "FILE", file)+"trap '' TERM INT; sleep 1000", time.Hour)
	waitFile(t, file)
	if err := h.Forget(); !errors.Is(err, ErrRunning) {
		t.Errorf("forgotten while it runs: %v", err)
	}
	if err := h.Kill(); err != nil {
		t.Fatal(err)
	}
	if e := ended(t, h); e.Why != WhyKilled || e.Signal != "KILL" {
		t.Errorf("%+v", e)
	}
	if left := leftovers(dir); len(left) > 0 {
		t.Errorf("left at Done: %v", left)
	}
}

// A program that was released goes on, is found again, and is nobody else's meanwhile.
func TestFoundAgain(t *testing.T) {
	dir := place(t)
	if _, err := Find(t.Context(), dir); !errors.Is(err, ErrNone) {
		t.Errorf("before the start: %v", err)
	}
	h := run(t, dir, "sleep 1000", time.Hour)
	if _, err := Find(t.Context(), dir); !errors.Is(err, ErrHeld) {
		t.Errorf("held: %v", err)
	}
	h.Release()
	again, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.state.PID != h.state.PID || again.state.PID == 0 {
		t.Errorf("found %+v, started %+v", again.state, h.state)
	}
	again.Release()
	if _, err := Start(t.Context(), dir, script("exit 0", 0)); !errors.Is(err, ErrRunning) {
		t.Errorf("started twice: %v", err)
	}
	last, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Release()
	if err := last.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, last)
	close(h.done) // for the clean-up, which waits for the first holder
}

// A program that ended while nobody held it is known with its end.
func TestEndedMeanwhile(t *testing.T) {
	dir := place(t)
	file := filepath.Join(t.TempDir(), "go")
	h, err := Start(t.Context(), dir, script("while ! test -e "+file+"; do sleep 0.01; done; echo bye >&2; exit 4", time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	h.Release()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "its end", func() bool { return !supervised(dir) })
	again, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Release()
	if e, ok := again.Ended(); !ok || e.Code != 4 || e.Stderr != "bye\n" {
		t.Errorf("%+v %v", e, ok)
	}
	if err := again.Kill(); !errors.Is(err, ErrEnded) {
		t.Errorf("killed after its end: %v", err)
	}
}

// Without a server the program ends, also one that does not want to. A server that comes
// in time stops the clock.
func TestOrphan(t *testing.T) {
	t.Run("ended", func(t *testing.T) {
		dir := place(t)
		file := filepath.Join(t.TempDir(), "ready")
		h, err := Start(t.Context(), dir, script("trap '' TERM; echo ok > "+file+"; sleep 1000 & wait; wait; sleep 1000", 0))
		if err != nil {
			t.Fatal(err)
		}
		waitFile(t, file)
		h.Release()
		poll.Until(t, "its end", func() bool { return !supervised(dir) })
		again, err := Find(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Release()
		if e, ok := again.Ended(); !ok || e.Why != WhyOrphan {
			t.Errorf("%+v %v", e, ok)
		}
	})
	t.Run("held again", func(t *testing.T) {
		dir := place(t)
		h, err := Start(t.Context(), dir, script("sleep 1000", time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			h.Release()
			poll.Until(t, "it is alone", func() bool { f := look(dir); return !f.Held && !f.AloneSince.IsZero() })
			if h, err = Find(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if f := look(dir); !f.Held || !f.AloneSince.IsZero() || !f.Running {
				t.Fatalf("%+v", f)
			}
			h.Release()
			// At once: what the watch saw before must not count.
			if h, err = Find(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			poll.Until(t, "it is held", func() bool { return look(dir).Held })
		}
		defer h.Release()
		if err := h.Kill(); err != nil {
			t.Fatal(err)
		}
		ended(t, h)
	})
}

// A supervisor that is killed takes its program along, with what that started.
func TestSupervisorKilled(t *testing.T) {
	dir := place(t)
	file := filepath.Join(t.TempDir(), "pids")
	h := run(t, dir, strings.ReplaceAll(daemon, "FILE", file)+"sleep 1000", time.Hour)
	waitFile(t, file)
	if err := syscall.Kill(h.state.Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := ended(t, h); e.Why != WhyLost {
		t.Errorf("%+v", e)
	}
	if left := leftovers(dir); len(left) > 0 {
		t.Errorf("left at Done: %v", left)
	}
	if f := look(dir); f.Running || f.Ended == nil || f.Ended.Why != WhyLost {
		t.Errorf("%+v", f)
	}
}

func TestSupervisorToldToEnd(t *testing.T) {
	dir := place(t)
	h := run(t, dir, "sleep 1000", time.Hour)
	if err := syscall.Kill(h.state.Supervisor, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := ended(t, h); e.Why != WhyKilled || e.Signal != "TERM" {
		t.Errorf("%+v", e)
	}
}

func TestList(t *testing.T) {
	dir := place(t)
	root := filepath.Dir(dir)
	if got := List(root); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	if err := os.MkdirAll(filepath.Join(root, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := run(t, dir, "sleep 1000", time.Minute)
	got := List(root)
	if len(got) != 1 || !got[0].Running || !got[0].Held || got[0].ID != "id" || got[0].About != "a script" || got[0].PID != h.state.PID || got[0].Supervisor != h.state.Supervisor || got[0].Orphan != time.Minute {
		t.Errorf("%+v", got)
	}
	_ = h.Kill()
	ended(t, h)
	if got = List(root); len(got) != 1 || got[0].Running || got[0].Ended == nil || got[0].Ended.Why != WhyKilled {
		t.Errorf("%+v", got)
	}
}
