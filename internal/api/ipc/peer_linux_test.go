package ipc

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Covers: C-78
func TestCheckUser(t *testing.T) {
	for _, tt := range []struct {
		uid, own int
		ok       bool
	}{{1000, 1000, true}, {0, 1000, true}, {1001, 1000, false}, {1000, 0, false}} {
		if err := checkUser(tt.uid, tt.own); (err == nil) != tt.ok {
			t.Errorf("user %d at %d's: %v", tt.uid, tt.own, err)
		}
	}
}

// TestMain plays the stranger too: a process of another user that connects.
func TestMain(m *testing.M) {
	if path := os.Getenv("IPC_STRANGER"); path != "" {
		conn, err := net.Dial("unix", path)
		if err != nil {
			_, _ = os.Stdout.WriteString("refused: " + err.Error())
			os.Exit(0)
		}
		_, _ = io.Copy(os.Stdout, conn)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Another user gets nothing, even if somebody has opened the file to all.
//
// Covers: C-78
func TestStranger(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	b := newBench(t)
	program := filepath.Join(filepath.Dir(b.o.Path), "stranger")
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(b.o.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		cmd := exec.Command(program)
		cmd.Env = []string{"IPC_STRANGER=" + b.o.Path}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return string(out)
	}
	if got := ask(); !strings.Contains(got, "permission denied") {
		t.Errorf("by the mode: %q", got)
	}
	if err := os.Chmod(b.o.Path, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := ask(); got != "" || !strings.Contains(b.log.String(), "is not the server's user") {
		t.Errorf("by its user: %q\n%s", got, b.log.String())
	}
}
