package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Whoever adds an event knows its id and time, also after some were dropped.
func TestTxKnowsWhatComes(t *testing.T) {
	s := &State{ID: "s", Seq: 4, TS: 1000}
	tx := NewTx(s, 7)
	if tx.FirstTS() != 1001 || tx.Now() != 7 {
		t.Fatalf("it begins at %d, decided at %d", tx.FirstTS(), tx.Now())
	}
	first := tx.Add(&clew.SessionRenamedData{Title: "a"})
	said := tx.Say(clew.Message{Text: "b"})
	if first != clew.MessageIDOf(5) || said != clew.MessageIDOf(6) || tx.FirstID() != first || tx.NextID() != clew.MessageIDOf(7) {
		t.Errorf("ids %s, %s, next %s", first, said, tx.NextID())
	}
	if e := tx.Since(1)[0]; e.Type != clew.EventMessageCreated || e.Data.(*clew.MessageCreatedData).Message.MessageID != said ||
		e.Data.(*clew.MessageCreatedData).Message.TS != 1002 {
		t.Errorf("said %+v", e)
	}
	tx.Truncate(1)
	if again := tx.Say(clew.Message{Text: "c"}); again != said || tx.Len() != 2 {
		t.Errorf("after a cut %s, %d events", again, tx.Len())
	}
}

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
	for _, dir := range []string{".", "../agent"} {
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
