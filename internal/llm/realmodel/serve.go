//go:build realmodel

package realmodel

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Serve serves the model until the test ends, and gives its base URL. Root is the
// way from the test to the top of the source.
func Serve(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools/real-model"))
	cmd.WaitDelay = 10 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // it serves until its input ends
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the model's log:\n%s", &log)
		}
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "real-model: ready "); ok {
			return url
		}
	}
	t.Fatalf("the model does not start: %v", lines.Err())
	return ""
}
