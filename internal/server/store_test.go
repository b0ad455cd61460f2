package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/settings"
)

// engine opens an embedded engine.
func engine(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), journal.Config{Dir: t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

func storeOn(t *testing.T, j *journal.Journal) settingsStore {
	t.Helper()
	table, err := j.Table(t.Context(), "SETTINGS")
	if err != nil {
		t.Fatal(err)
	}
	return settingsStore{table, slog.New(slog.DiscardHandler)}
}

// node opens the settings as one node does, and tells of its changes.
func node(t *testing.T, j *journal.Journal) (*settings.Settings, <-chan []string) {
	t.Helper()
	s, err := settings.Open(t.Context(), settings.Options{Store: storeOn(t, j)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	heard := make(chan []string, 100)
	s.Subscribe(func(changed []string) { heard <- changed })
	return s, heard
}

// until waits for notices until the settings are as wanted.
func until(t *testing.T, s *settings.Settings, heard <-chan []string, want func(settings.Values) bool) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		if v, _ := s.For(nil); want(v) {
			return
		}
		select {
		case <-heard:
		case <-limit:
			v, _ := s.For(nil)
			t.Fatalf("not heard of: %+v", v)
		}
	}
}

// Two nodes on one engine see each other's changes; keys that change together
// are seen together; a key that is taken back is taken back everywhere.
//
// Covers: SET-06, SET-24, UIC-40
func TestSettingsOfTwoNodes(t *testing.T) {
	j := engine(t)
	a, heardA := node(t, j)
	b, heardB := node(t, j)
	if _, err := a.Update(t.Context(), map[string]any{"mode": "ask", "mistake_limit": 7, "tts_enabled": true}); err != nil {
		t.Fatal(err)
	}
	until(t, b, heardB, func(v settings.Values) bool {
		if (v.Mode == "ask") != (v.MistakeLimit == 7) || (v.Mode == "ask") != v.TtsEnabled {
			t.Errorf("seen in part: %s, %d, %v", v.Mode, v.MistakeLimit, v.TtsEnabled)
		}
		return v.Mode == "ask"
	})
	if _, err := b.Update(t.Context(), map[string]any{"mode": nil, "custom_instructions": "be brief"}); err != nil {
		t.Fatal(err)
	}
	until(t, a, heardA, func(v settings.Values) bool { return v.Mode == "code" && v.Instructions == "be brief" })
	if v, _ := a.For(nil); v.MistakeLimit != 7 {
		t.Error("a change of other keys took this one along")
	}
	c, _ := node(t, j) // a node that starts later
	if v, _ := c.For(nil); v.Instructions != "be brief" || v.MistakeLimit != 7 || v.Mode != "code" {
		t.Errorf("a new node has %+v", v)
	}
	if err := a.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, b, heardB, func(v settings.Values) bool { return v.MistakeLimit == 3 && v.Instructions == "" })
}

// Nodes that write at the same moment lose nothing of each other.
func TestSettingsWrittenAtOnce(t *testing.T) {
	j := engine(t)
	stores := []settingsStore{storeOn(t, j), storeOn(t, j), storeOn(t, j)}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			change := map[string]json.RawMessage{fmt.Sprint("k", i): json.RawMessage(fmt.Sprint(i)), fmt.Sprint("l", i): json.RawMessage(`"x"`)}
			if err := stores[i%3].Save(t.Context(), change); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	values, err := stores[0].Load(t.Context())
	if err != nil || len(values) != 60 {
		t.Errorf("%d values, %v", len(values), err)
	}
}

// What others hear is what changed, in order, and the end is the same for all.
func TestStoreTellsOfChanges(t *testing.T) {
	store := storeOn(t, engine(t))
	if values, err := store.Load(t.Context()); err != nil || len(values) != 0 {
		t.Errorf("a new store has %v, %v", values, err)
	}
	if err := store.Save(t.Context(), map[string]json.RawMessage{"before": json.RawMessage(`1`)}); err != nil {
		t.Fatal(err)
	}
	heard := make(chan map[string]json.RawMessage, 10)
	if err := store.Watch(t.Context(), func(m map[string]json.RawMessage, _ bool) { heard <- m }); err != nil {
		t.Fatal(err)
	}
	for _, change := range []map[string]json.RawMessage{
		{"a": json.RawMessage(`1`), "b": json.RawMessage(`2`)}, {"a": nil, "b": json.RawMessage(`3`)}, {"b": json.RawMessage(`3`)}, {"c": json.RawMessage(`4`)},
	} {
		if err := store.Save(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]json.RawMessage{}
	limit := time.After(time.Minute)
	for seen["c"] == nil {
		select {
		case m := <-heard:
			if _, told := m["before"]; told || len(m) == 0 {
				t.Errorf("told of %v", m)
			}
			for k, v := range m {
				seen[k] = v
			}
		case <-limit:
			t.Fatalf("heard of %v", seen)
		}
	}
	if seen["a"] != nil || string(seen["b"]) != "3" {
		t.Errorf("in the end: %v", seen)
	}
}
