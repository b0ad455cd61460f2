//go:build crashpoints

package crash_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/crash"
)

// The program dies at the n-th passing of the named place, at once and by a
// signal that nothing catches; every place passed is in the log.
func TestAt(t *testing.T) {
	if os.Getenv("CRASH_TEST") != "" {
		for range 3 {
			crash.At("one")
			crash.At("two")
		}
		return
	}
	for at, want := range map[string]struct {
		killed bool
		log    string
	}{
		"two:2":  {true, "one:1\ntwo:1\none:2\ntwo:2\n"},
		"two:9":  {false, "one:1\ntwo:1\none:2\ntwo:2\none:3\ntwo:3\n"},
		"else:1": {false, "one:1\ntwo:1\none:2\ntwo:2\none:3\ntwo:3\n"},
		"":       {false, "one:1\ntwo:1\none:2\ntwo:2\none:3\ntwo:3\n"},
	} {
		t.Run(at, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAt$")
			cmd.Env = append(os.Environ(), "CRASH_TEST=1", "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)
			err := cmd.Run()
			var exit *exec.ExitError
			killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
			if killed != want.killed || err != nil && !killed {
				t.Errorf("it ended with %v", err)
			}
			if b, err := os.ReadFile(log); err != nil || string(b) != want.log {
				t.Errorf("log %q, %v", b, err)
			}
		})
	}
}
