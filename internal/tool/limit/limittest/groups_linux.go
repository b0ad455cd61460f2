// Package limittest finds control groups for tests: of version 2 where memory and
// processes can be limited with them, else of version 1.
package limittest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/tool/limit"
)

// Groups gives groups of the test's own. Where none can be made the test is not
// run, and says why.
func Groups(t testing.TB) limit.Groups {
	t.Helper()
	g, err2 := version2(t)
	if err2 == nil {
		return g
	}
	g, err1 := version1(t)
	if err1 == nil {
		t.Logf("control groups of version 1, since version 2: %v", err2)
		return g
	}
	t.Skipf("not run: control groups of version 2: %v; of version 1: %v", err2, err1)
	return nil
}

// Version2 is Groups for what only version 2 can do.
func Version2(t testing.TB) limit.Groups {
	t.Helper()
	g, err := version2(t)
	if err != nil {
		t.Skipf("not run: control groups of version 2: %v", err)
	}
	return g
}

func version2(t testing.TB) (limit.Groups, error) {
	dir, err := Dir(t)
	if err != nil {
		return nil, err
	}
	return limit.Below(dir)
}

// Dir makes a control group of version 2 whose parts can be limited.
func Dir(t testing.TB) (string, error) {
	const root = "/sys/fs/cgroup"
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
		return "", errors.New("memory and processes are not limited with them here")
	}
	_ = os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+memory +pids +cpu"), 0)
	dir, err := os.MkdirTemp(root, "clew-test-")
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { removeAll(dir) })
	has, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err == nil && (!strings.Contains(string(has), "memory") || !strings.Contains(string(has), "pids")) {
		err = fmt.Errorf("a new one has the controllers %q", strings.TrimSpace(string(has)))
	}
	return dir, err
}

// removeAll removes groups with all below, once their last processes are gone.
func removeAll(dir string) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var dirs []string
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return nil
		})
		for i := len(dirs) - 1; i >= 0; i-- {
			_ = os.Remove(dirs[i])
		}
		if _, err := os.Stat(dir); err != nil {
			return
		}
	}
}
