package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The type of an event follows from its data: no code writes both.
func TestEventsAreAddedByTheirData(t *testing.T) {
	forbid(t, `clew\.Event\{|\bType:\s*clew\.Event`, "makes an event by hand; use Tx.Add")
}

// Nothing of an agent runs in the session's goroutine: scripts are for tests.
func TestAgentsHaveNoScripts(t *testing.T) {
	forbid(t, `\bScript\(|session\.Script\b|sessiontest\.`, "hands the session code to run; use an intent")
}

// forbid looks for a pattern in the code of the session and of the agent.
func forbid(t *testing.T, pattern, why string) {
	t.Helper()
	literal := regexp.MustCompile(pattern)
	for _, dir := range []string{".", "core", "decide", "view", "../agent"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) < 10 {
			t.Fatalf("%d files in %s, %v", len(files), dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if at := literal.FindIndex(text); at != nil {
				t.Errorf("%s:%d %s", name, 1+strings.Count(string(text[:at[0]]), "\n"), why)
			}
		}
	}
}
