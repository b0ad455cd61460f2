package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pids lists all processes.
func pids() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(-1)
	list := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// parent reads a process's parent and state. The name in parentheses may
// contain anything, so the fields are counted from its end.
func parent(pid int) (ppid int, state byte, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 2 {
		return 0, 0, false
	}
	ppid, err = strconv.Atoi(string(f[1]))
	return ppid, f[0][0], err == nil
}

// below lists the descendants of a process, leaving out the first generations:
// skip 1 leaves out the children.
func below(root, skip int) []int {
	children := map[int][]int{}
	for _, pid := range pids() {
		if ppid, _, ok := parent(pid); ok {
			children[ppid] = append(children[ppid], pid)
		}
	}
	var list []int
	for generation, depth := children[root], 0; len(generation) > 0; depth++ {
		var next []int
		for _, pid := range generation {
			if depth >= skip {
				list = append(list, pid)
			}
			next = append(next, children[pid]...)
		}
		generation = next
	}
	return list
}

// signalBelow signals the descendants of a process from a generation on: 0 is
// the process itself, 1 its children.
func signalBelow(root, generation int, sig syscall.Signal) {
	for _, pid := range below(root, max(0, generation-1)) {
		_ = syscall.Kill(pid, sig)
	}
}

// mark reads the value of CLEW_CALL in a process's environment.
func mark(pid int) (string, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false
	}
	for v := range bytes.SplitSeq(b, []byte{0}) {
		if value, ok := bytes.CutPrefix(v, []byte(callVariable+"=")); ok {
			return string(value), true
		}
	}
	return "", false
}

// killMarked kills every process with a mark that fits, and lists them.
func killMarked(fits func(mark string) bool) (killed []int) {
	for _, pid := range pids() {
		if pid == os.Getpid() {
			continue
		}
		if m, ok := mark(pid); !ok || !fits(m) {
			continue
		}
		// The handle stays with the process, the number does not: look again.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if m, ok := mark(pid); ok && fits(m) && p.Kill() == nil {
			killed = append(killed, pid)
		}
		_ = p.Release()
	}
	return killed
}

// Sweep ends the processes that an earlier server with the same marker left
// behind, and says how many. Call it before any command is started.
func Sweep(ctx context.Context, marker string) (int, error) {
	if marker == "" {
		return 0, errors.New("shell: no marker")
	}
	fits := func(m string) bool { return strings.HasPrefix(m, marker+".") }
	ended := map[int]bool{} // one that is slow to end is killed more than once
	for {
		killed := killMarked(fits)
		if len(killed) == 0 {
			return len(ended), nil
		}
		for _, pid := range killed {
			ended[pid] = true
		}
		t := time.NewTimer(10 * time.Millisecond) // the kernel needs a moment
		select {
		case <-ctx.Done():
			t.Stop()
			return len(ended), fmt.Errorf("processes of an earlier server do not end: %w", ctx.Err())
		case <-t.C:
		}
	}
}

// written sums what processes have written, to files or elsewhere: what goes to a
// file system in memory the kernel counts only there.
func written(pids []int) (sum int64) {
	for _, pid := range pids {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
		var calls, pages int64
		for line := range bytes.Lines(b) {
			name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
			n, _ := strconv.ParseInt(string(value), 10, 64)
			switch string(name) {
			case "wchar":
				calls = n
			case "write_bytes":
				pages = n
			}
		}
		sum += max(calls, pages)
	}
	return sum
}
