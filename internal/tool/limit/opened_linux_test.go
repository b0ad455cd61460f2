package limit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
)

// A group that another process made is joined and read by its open directory.
func TestOpened(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cgroup.procs": "", "memory.events": "low 0\noom_kill 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	g := Opened(f)
	if err := g.Join(12); err != nil {
		t.Error(err)
	}
	if got := g.Processes(); len(got) != 1 || got[0] != 12 {
		t.Errorf("%v", got)
	}
	if got := g.Reached(); got != clew.LimitMemory {
		t.Errorf("%q", got)
	}
}
