package trap_test

import (
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/checkpointtest/trap"
)

// The canaries are alive, and quiet until git is used.
func TestTheCanariesSing(t *testing.T) {
	dir := t.TempDir()
	x := trap.New(t, dir, filepath.Join(dir, "work"))
	if fired := x.Fired(); len(fired) > 0 {
		t.Errorf("before git was used: %v", fired)
	}
	t.Logf("%d canaries sing", len(x.Prove()))
}
