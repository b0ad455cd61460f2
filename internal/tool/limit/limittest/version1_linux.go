package limittest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/limit"
)

// groups1 are control groups of version 1, which the program itself does not use:
// one hierarchy for each controller.
type groups1 struct{ roots map[string]string }

func version1(t testing.TB) (limit.Groups, error) {
	g := groups1{map[string]string{}}
	for _, c := range []string{"memory", "pids", "cpu"} {
		dir, err := os.MkdirTemp("/sys/fs/cgroup/"+c, "clew-test-")
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { removeAll(dir) })
		g.roots[c] = dir
	}
	return g, nil
}

func (g groups1) Held() limit.Held { return limit.Held{Memory: true, Processes: true, CPU: true} }

func (g groups1) New(s limit.Share) (limit.Group, error) {
	c := group1{}
	var errs []error
	for controller, root := range g.roots {
		user := filepath.Join(root, s.User)
		c[controller] = filepath.Join(user, s.Call)
		errs = append(errs, os.MkdirAll(c[controller], 0o755), bound1(controller, user, s.Total), bound1(controller, c[controller], s.Command))
	}
	return c, errors.Join(errs...)
}

func bound1(controller, dir string, l limit.Limits) error {
	put := func(file string, n int64) error {
		if n <= 0 {
			return nil
		}
		return os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(n, 10)), 0)
	}
	switch controller {
	case "memory":
		return put("memory.limit_in_bytes", l.Memory)
	case "pids":
		return put("pids.max", int64(l.Processes))
	default:
		return put("cpu.shares", int64(l.CPUWeight)*1024/100)
	}
}

// group1 is the directory of a command by controller.
type group1 map[string]string

func (c group1) Dir() *os.File { return nil }

func (c group1) Join(pid int) error {
	var errs []error
	for _, dir := range c {
		errs = append(errs, os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0))
	}
	return errors.Join(errs...)
}

func (c group1) Processes() (list []int) {
	b, _ := os.ReadFile(filepath.Join(c["pids"], "cgroup.procs"))
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

func (c group1) Kill() {
	for _, pid := range c.Processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func (c group1) Reached() clew.CommandLimit {
	count := func(controller, file, name string) (n int) {
		b, _ := os.ReadFile(filepath.Join(c[controller], file))
		for line := range strings.Lines(string(b)) {
			if k, v, _ := strings.Cut(line, " "); k == name {
				_, _ = fmt.Sscan(v, &n)
			}
		}
		return n
	}
	switch {
	case count("memory", "memory.oom_control", "oom_kill") > 0:
		return clew.LimitMemory
	case count("pids", "pids.events", "max") > 0:
		return clew.LimitProcesses
	}
	return ""
}

func (c group1) Close(within time.Duration) bool {
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		c.Kill()
		left := len(c)
		for _, dir := range c {
			if err := os.Remove(dir); err == nil || errors.Is(err, os.ErrNotExist) {
				left--
			}
		}
		if left == 0 || time.Now().After(deadline) {
			return left == 0
		}
	}
}
