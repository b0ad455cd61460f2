package erase_test

import (
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// On a cluster's engine, whose messages are smaller, sessions are erased by the node
// that sweeps their partition, and the others leave it to that one.
func TestEraseInACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three nats-server processes")
	}
	c := journaltest.StartCluster(t)
	shared := "file://" + t.TempDir()
	node := func() *world {
		return newWorldOn(t, journal.Config{Dir: t.TempDir(), Engine: c.URL(), Partitions: 2, Archive: shared})
	}
	one, two := node(), node()
	for _, id := range []clew.SessionID{"sess_1", "sess_2", "sess_3", "sess_4"} {
		one.create("ada", id)
		_, err := two.Delete(t.Context(), id, "ada", true) // by way of the node that has it
		must(t, err)
	}
	one.create("ada", "sess_stays")
	for _, w := range []*world{one, two} {
		must(t, w.Round(t.Context(), time.Now()))
	}
	for _, id := range []clew.SessionID{"sess_1", "sess_2", "sess_3", "sess_4"} {
		d, err := two.Deleted(t.Context(), id, by("ada"))
		if err != nil || d == nil || d.DoneMS == 0 || d.Owner != "ada" {
			t.Errorf("%s: %+v, %v", id, d, err)
		}
	}
	if code := two.there("ada", "sess_stays"); code != "" {
		t.Errorf("another one is gone: %s", code)
	}
	list, _, err := two.host.List(t.Context(), session.ListQuery{Owner: "ada", Limit: 10})
	if err != nil || len(list) != 1 {
		t.Errorf("listed are %v, %v", list, err)
	}
}
