package limit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// put writes a file of a group that is there: the kernel makes them.
func put(dir, file, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func read(dir, file string) string {
	b, _ := os.ReadFile(filepath.Join(dir, file))
	return strings.TrimSpace(string(b))
}

// count reads one of several counters in a file.
func count(dir, file, name string) int {
	for line := range strings.Lines(read(dir, file)) {
		if k, v, _ := strings.Cut(strings.TrimSpace(line), " "); k == name {
			n, _ := strconv.Atoi(v)
			return n
		}
	}
	return 0
}

func processes(dir string) []int {
	var list []int
	for _, f := range strings.Fields(read(dir, "cgroup.procs")) {
		if pid, err := strconv.Atoi(f); err == nil && pid > 0 { // 0 is one that we cannot see
			list = append(list, pid)
		}
	}
	return list
}

func makeGroup(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// below lists the groups in a group.
func below(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// gone says that a process ended before it was moved.
func gone(err error) bool { return errors.Is(err, syscall.ESRCH) }
