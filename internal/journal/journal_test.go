package journal_test

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

func quiet() *slog.Logger {
	if os.Getenv("CLEW_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

func openDir(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), journal.Config{Dir: dir}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Covers: C-06, C-09, C-79
func TestMemory(t *testing.T) {
	var m journaltest.Memory
	journaltest.Suite(t, func(_ *testing.T, name string) session.Journal { return m.Node(name) })
}

// Covers: C-06, C-09, C-79
func TestEmbedded(t *testing.T) {
	j := openDir(t, t.TempDir())
	t.Cleanup(func() { j.Close(context.Background()) })
	journaltest.Suite(t, func(*testing.T, string) session.Journal { return j })
}

// Covers: C-06, C-09, C-79
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three nats-server processes")
	}
	c := journaltest.StartCluster(t)
	j, err := journal.Open(t.Context(), journal.Config{
		Dir: t.TempDir(), Engine: c.URL(), Partitions: 4, Archive: "file://" + t.TempDir(),
	}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	journaltest.Suite(t, func(*testing.T, string) session.Journal { return j })
}
