package notebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/supervisor"
)

// A victim is a kernel's own process and the supervisor beside it.
type victim struct{ pid, supervisor int }

// kernel waits for the process of the kernel that runs.
func (s *story) kernel() (v victim) {
	s.T.Helper()
	proc.Eventually(s.T, "the kernel's process", within, func() bool {
		for _, f := range supervisor.List(supervisor.LookForRoot(filepath.Join(s.Dir, "data"))) {
			s.dirs[f.Dir] = true
			if pid := pythonOf(f.Dir); f.Running && pid > 0 {
				v = victim{pid, f.Supervisor}
			}
		}
		return v.pid > 0
	})
	return v
}

// pythonOf finds the kernel itself: not its supervisor, and not its sandbox.
func pythonOf(dir string) int {
	for pid, args := range processes("cmdline") {
		words := strings.Split(string(args), "\x00")
		if strings.HasPrefix(filepath.Base(words[0]), "python") && bytes.Contains(args, []byte(filepath.Join(dir, "k", "connection.json"))) {
			return pid
		}
	}
	return 0
}

// processes reads a file of each process.
func processes(file string) map[int][]byte {
	all := map[int][]byte{}
	names, _ := filepath.Glob("/proc/[0-9]*/" + file)
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if b, err := os.ReadFile(name); err == nil && len(b) > 0 { // it may be gone, or be a zombie
			all[pid] = b
		}
	}
	return all
}

// kill9 ends a process and waits until it is gone.
func kill9(t testing.TB, pid int) {
	t.Helper()
	proc.Must(t, syscall.Kill(pid, syscall.SIGKILL))
	proc.Eventually(t, "the end of the process", within, func() bool {
		b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		return err != nil || len(b) == 0
	})
}

// nobodyLeft wants no process of any kernel that there was.
func (s *story) nobodyLeft() {
	s.T.Helper()
	proc.Eventually(s.T, "the end of all processes of kernels", within, func() bool {
		for _, env := range processes("environ") {
			for dir := range s.dirs {
				if bytes.Contains(env, []byte(supervisor.Mark(dir))) {
					return false
				}
			}
		}
		return true
	})
}
