package shell

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/tool"
)

// A job for the test binary when it plays the server.
type serverJob struct {
	Options   Options
	Workspace string
	Command   string
}

// serve runs one command like a server would, passing its output on. Then it
// waits to be killed, or for the end of its input.
func serve() int {
	var job serverJob
	if err := json.Unmarshal([]byte(os.Getenv("CLEW_TEST_SERVER")), &job); err != nil {
		return 2
	}
	root, err := os.OpenRoot(job.Workspace)
	if err != nil {
		fmt.Println("no workspace:", err)
		return 2
	}
	s := New(func(context.Context) Options { return job.Options })
	input, _ := json.Marshal(map[string]any{"command": job.Command})
	a, err := executeCommand{s}.Prepare(context.Background(), tool.Call{
		ID: "call", SessionID: clew.SessionID(job.Workspace), Input: input,
		Workspace: &tool.Workspace{Dir: job.Workspace, Root: root, Ignored: func(string, bool) bool { return false }},
	})
	if err != nil {
		fmt.Println("not prepared:", err)
		return 2
	}
	out := newCapture()
	go func() {
		<-out.wrote
		fmt.Println("started")
	}()
	r, err := a.Run(context.Background(), out)
	fmt.Println(r.Text, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// startServer starts the test binary as a server, as another user if cred is
// set, and gives its output.
func startServer(t *testing.T, job serverJob, cred *syscall.Credential) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	raw, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(openTempDir(t), "server")
	if err := copyFile("/proc/self/exe", exe); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "CLEW_TEST_SERVER="+string(raw))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	cmd.Stderr = os.Stderr
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
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(out)
}

// openTempDir makes a directory that other users can reach.
func openTempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}

func TestKillOfTheServerLeavesNothing(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		word := secret()
		opts.Log = nil
		server, out := startServer(t, serverJob{opts, t.TempDir(), daemon(word) + "echo go; sleep " + word}, nil)
		if line, err := out.ReadString('\n'); err != nil || line != "started\n" {
			t.Fatalf("%q %v", line, err)
		}
		poll.Until(t, "the command to start all its processes", func() bool { return len(alive(word)) >= 5 })
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		poll.Until(t, "the end of all its processes", func() bool { return len(alive(word)) == 0 })
	})
}

// Even if the warden is killed with the server: the next server sweeps.
func TestSweepFindsWhatIsLeft(t *testing.T) {
	dataDir, word := t.TempDir(), secret()
	opts := Options{Sandbox: SandboxNone, Marker: Marker(dataDir)}
	command := fmt.Sprintf("(setsid nohup sleep %s >/dev/null 2>&1 &); echo go; sleep %s", word, word)
	server, out := startServer(t, serverJob{opts, t.TempDir(), command}, nil)
	if line, err := out.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("%q %v", line, err)
	}
	// Two that sleep, and nothing that has yet to become one of them.
	left := func() int {
		n := 0
		for _, pid := range pids() {
			if m, ok := mark(pid); ok && strings.HasPrefix(m, opts.Marker+".") {
				n++
			}
		}
		return n
	}
	asleep := func() int {
		n := 0
		for _, pid := range alive(word) {
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && string(b) == "sleep\x00"+word+"\x00" {
				n++
			}
		}
		return n
	}
	poll.Until(t, "two processes", func() bool { return asleep() == 2 })
	wardens := below(server.Process.Pid, 0)
	if err := syscall.Kill(server.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, pid := range wardens {
		if ppid, _, _ := parent(pid); ppid == server.Process.Pid {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The command died with its warden, the daemon did not.
	poll.Until(t, "only the daemon", func() bool { return asleep() == 1 && left() == 1 })
	if n, err := Sweep(t.Context(), Marker(t.TempDir())); n != 0 || err != nil {
		t.Fatalf("the sweep of another directory ended %d: %v", n, err)
	}
	if n, err := Sweep(t.Context(), Marker(dataDir)); n != 1 || err != nil {
		t.Fatalf("the sweep ended %d: %v", n, err)
	}
	poll.Until(t, "none", func() bool { return len(alive(word)) == 0 })
	if _, err := Sweep(t.Context(), ""); err == nil {
		t.Error("swept without a marker")
	}
}

// A command that kills its warden gains nothing.
func TestKillOfTheWarden(t *testing.T) {
	b, word := newBench(t, Options{Sandbox: SandboxNone, Marker: "test"}), secret()
	_, r := b.run(fmt.Sprintf("(setsid nohup sleep %s >/dev/null 2>&1 &); (setsid sleep %s &) ; kill -9 $PPID; sleep %s", word, word, word))
	if !r.IsError || !strings.Contains(r.Text, "exit code 137, signal KILL") {
		t.Errorf("%+v", r)
	}
	poll.Until(t, "the end of all its processes", func() bool { return len(alive(word)) == 0 })
}

// What a command makes belongs to the user that the server runs as, in the
// sandbox too, whoever that is.
func TestFilesBelongToTheServersUser(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		for _, uid := range []int{os.Getuid(), 65534} {
			var cred *syscall.Credential
			if uid != os.Getuid() {
				if os.Getuid() != 0 {
					t.Skip("only root can be somebody else")
				}
				cred = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
			}
			dir := openTempDir(t)
			if err := os.Chown(dir, uid, uid); errors.Is(err, syscall.EINVAL) {
				t.Skip("there is nobody else in this user namespace")
			} else if err != nil {
				t.Fatal(err)
			}
			server, out := startServer(t, serverJob{opts, dir, "touch made && rm -f nothing && echo made"}, cred)
			var text strings.Builder
			for !strings.Contains(text.String(), "exit code") {
				line, err := out.ReadString('\n')
				text.WriteString(line)
				if err != nil {
					t.Fatalf("%s: %v", text.String(), err)
				}
			}
			_ = server.Process.Kill()
			fi, err := os.Stat(filepath.Join(dir, "made"))
			if err != nil {
				t.Fatalf("as %d: %v\n%s", uid, err, text.String())
			}
			if st := fi.Sys().(*syscall.Stat_t); int(st.Uid) != uid {
				t.Errorf("as %d: it belongs to %d", uid, st.Uid)
			}
		}
	})
}
