package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/checkpoint"
)

// Locks of a git process that died with the machine do not keep a collection from
// its work for ever.
func TestCollectDespiteOldLocks(t *testing.T) {
	p, root := place(t, map[string]string{"a": "0"}, checkpoint.Options{}, checkpoint.Rules{})
	for i := range 3 {
		put(t, root, "a", fmt.Sprint(i))
		save(t, p)
	}
	repos, err := filepath.Glob(filepath.Join(filepath.Dir(root), "data", "*", "repo"))
	must(t, err)
	if len(repos) != 1 {
		t.Fatal(repos)
	}
	for _, name := range []string{"packed-refs.lock", "HEAD.lock"} {
		put(t, repos[0], name, "")
		long := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(filepath.Join(repos[0], name), long, long))
	}
	last := ""
	_, err = p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { last = c.Hash; return false })
	must(t, err)
	if list, err := p.List(t.Context(), ""); err != nil || len(list) > 0 || last == "" {
		t.Errorf("left %v, %v", list, err)
	}
	healthy(t, p)
}
