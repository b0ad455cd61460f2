package shell

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestRunTellsOutputAndExitCode(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		out, r := b.run(`echo one; echo two >&2; printf '\e[31mred\e[0m\n'; echo on >/dev/stdout; exit 3`)
		if out != "one\ntwo\nred\non" || !r.IsError || !strings.Contains(r.Text, "exit code 3]") || r.Shown != out {
			t.Errorf("%+v", r)
		}
		if out, r = b.run("true"); out != "" || r.IsError || !strings.Contains(r.Text, "(no output)\n\n[ended after ") {
			t.Errorf("%+v", r)
		}
		if _, r = b.run("kill -SEGV $$"); !r.IsError || !strings.Contains(r.Text, "exit code 139, signal SEGV]") {
			t.Errorf("%+v", r)
		}
	})
}

func TestRunHasATerminalAndNoInput(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		out, _ := b.run(`test -t 1 && test -t 2 && echo terminal; stty size <&1; cat; read x || echo EOF; test -e /dev/tty && { : </dev/tty; } 2>/dev/null || echo none to ask`)
		if out != "terminal\n40 120\nEOF\nnone to ask" {
			t.Errorf("%q", out)
		}
	})
}

func TestRunInTheDirectory(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		if err := b.ws.Root.Mkdir("sub dir", 0o755); err != nil {
			t.Fatal(err)
		}
		b.use(executeCommand{b.shell}, map[string]any{"command": "pwd > here", "cwd": "sub dir"})
		got, err := b.ws.Root.ReadFile("sub dir/here")
		if err != nil || string(got) != b.ws.Dir+"/sub dir\n" {
			t.Errorf("%q %v", got, err)
		}
	})
}

// The command sees what the person was shown, and nothing of the server's.
func TestRunEnvironmentIsExact(t *testing.T) {
	t.Setenv("CLEW_TEST_CANARY", "secret")
	eachSandbox(t, func(t *testing.T, opts Options) {
		opts.Env = map[string]string{"EXTRA": "a b=c\td", "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/nowhere"}
		b := newBench(t, opts)
		call := b.call(map[string]any{"command": "env -0 | tr '\\n\\0' '?\\n'"})
		a, err := executeCommand{b.shell}.Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), newCapture())
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(r.Text, "\n\n[")
		got := map[string]string{}
		for line := range strings.Lines(text) {
			k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			got[k] = v
		}
		if got[callVariable] == "" {
			t.Error("the process has no mark to be found by")
		}
		delete(got, callVariable) // names the call, so it is no part of what is approved
		for _, bash := range []string{"_", "SHLVL", "OLDPWD"} {
			delete(got, bash)
		}
		if !maps.Equal(got, a.Effect.Environment) {
			t.Errorf("the command saw\n%v\nshown was\n%v", got, a.Effect.Environment)
		}
		if out, _ := b.run("cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c ^CLEW_TEST_CANARY= "); opts.Sandbox == SandboxBwrap && out != "0" {
			t.Errorf("the server's environment can be read: %s", out)
		}
	})
}

func TestRunTakesTheLongestCommand(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		command := "echo ok #" + strings.Repeat("x", maxCommand-9)
		if out, _ := b.run(command); out != "ok" || len(command) != maxCommand {
			t.Errorf("%d bytes: %.100s", len(command), out)
		}
	})
}

func TestRunStreams(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{
			"command": `echo first; while ! test -e go; do sleep 0.01; done; printf 'last\e[2J\n'`,
		}))
		if err != nil {
			t.Fatal(err)
		}
		out, ended := newCapture(), make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = a.Run(t.Context(), out)
		}()
		<-out.wrote // while it runs
		if err := b.ws.Root.WriteFile("go", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		<-ended
		if got := out.String(); got != "first\nlast\n" {
			t.Errorf("%q", got)
		}
	})
}

// daemon starts processes that leave their parent, session and group, refuse to
// end, and hide their mark.
func daemon(word string) string {
	return fmt.Sprintf(`
sleep %[1]s & (setsid nohup sleep %[1]s >/dev/null 2>&1 &) ; (env -i setsid sleep %[1]s & )
(trap '' TERM HUP INT; setsid bash -c 'trap "" TERM; sleep %[1]s; sleep %[1]s' & )
`, word)
}

func TestRunLeavesNothing(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		t.Run("at its end", func(t *testing.T) {
			b, word := newBench(t, opts), secret()
			if out, r := b.run(daemon(word) + "echo started"); out != "started" || r.IsError {
				t.Errorf("%+v", r)
			}
			if left := alive(word); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
		t.Run("at the time limit", func(t *testing.T) {
			b, word := newBench(t, opts), secret()
			r := b.use(executeCommand{b.shell}, map[string]any{"command": daemon(word) + "echo started; sleep " + word, "timeout_sec": 1})
			if !r.IsError || !strings.HasPrefix(r.Text, "started") || !strings.Contains(r.Text, stoppedByLimit) {
				t.Errorf("%+v", r)
			}
			if left := alive(word); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
		t.Run("when cancelled", func(t *testing.T) {
			b, word := newBench(t, opts), secret()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			a, err := executeCommand{b.shell}.Prepare(ctx, b.call(map[string]any{
				"command": "trap '' TERM\n" + daemon(word) + "echo started; while :; do sleep " + word + "; done",
			}))
			if err != nil {
				t.Fatal(err)
			}
			out := newCapture()
			go func() { <-out.wrote; cancel() }()
			r, err := a.Run(ctx, out)
			if err != nil || !strings.Contains(r.Text, stoppedByCancel) || !r.IsError {
				t.Errorf("%+v %v", r, err)
			}
			if left := alive(word); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	})
}

func TestRunGivesTimeToEnd(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		r := b.use(executeCommand{b.shell}, map[string]any{
			"command": `trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.05; done`, "timeout_sec": 1,
		})
		if !strings.HasPrefix(r.Text, "ready\n") || !strings.Contains(r.Text, "\ntidied\n") || !r.IsError {
			t.Errorf("%+v", r)
		}
	})
}

// A flood neither fills the memory nor hides the command's end.
func TestRunBoundsAFlood(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var cpu0, cpu1 syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &cpu0)
		r := b.use(executeCommand{b.shell}, map[string]any{"command": "echo begin; yes 0123456789012345678901234567890", "timeout_sec": 2})
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &cpu1)
		runtime.ReadMemStats(&after)
		if len(r.Text) > keepForeground+1000 || !strings.HasPrefix(r.Text, "begin\n") || !strings.Contains(r.Text, "bytes left out") {
			t.Errorf("%d bytes: %.80q", len(r.Text), r.Text)
		}
		if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 32<<20 {
			t.Errorf("the heap grew by %d bytes", grown)
		}
		t.Logf("cpu %v for 2 s of flood", time.Duration(cpu1.Utime.Nano()+cpu1.Stime.Nano()-cpu0.Utime.Nano()-cpu0.Stime.Nano()))
		_, r = b.run(`yes | head -c 3000000; echo; echo the end; exit 5`)
		if !strings.Contains(r.Text, "the end\n\n[ended") || !strings.Contains(r.Text, "exit code 5]") {
			t.Errorf("%.200q", r.Text[max(0, len(r.Text)-200):])
		}
	})
}

func TestRunInParallel(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				out, r := b.run(fmt.Sprintf("echo %d > f%d; cat f%d; exit %d", i, i, i, i))
				if out != fmt.Sprint(i) || !strings.Contains(r.Text, fmt.Sprintf("exit code %d]", i)) {
					t.Errorf("%d: %+v", i, r)
				}
			})
		}
		wg.Wait()
	})
}

// Descriptors of the server are not the command's.
func TestRunInheritsNothing(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		// A file that whoever started the server left open.
		fd, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(fd) }()
		closeInherited()
		if out, _ := b.run("ls -l /proc/self/fd | grep -c -e ' -> '"); out != "4" { // and the listing itself
			t.Errorf("%s open files", out)
		}
	})
}

func TestCloseEndsAll(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		b, word := newBench(t, opts), secret()
		a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": daemon(word) + "echo started; sleep " + word}))
		if err != nil {
			t.Fatal(err)
		}
		out, ended := newCapture(), make(chan struct{})
		go func() {
			defer close(ended)
			r, err := a.Run(t.Context(), out)
			if err != nil || !strings.Contains(r.Text, stoppedByServer) {
				t.Errorf("%+v %v", r, err)
			}
		}()
		<-out.wrote
		b.shell.Close()
		if left := alive(word); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		<-ended
		if _, err := a.Run(t.Context(), out); err == nil {
			t.Error("a closed shell started a command")
		}
	})
}

func TestStartFailureIsTold(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone})
	a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "true"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.ws.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), newCapture()); err == nil {
		t.Error("it ran in a directory that is gone")
	}
}
