package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// flaky is an engine whose watches end when the test says so, and that refuses
// some of the next ones.
type flaky struct {
	row    string // what the engine has now
	refuse int
	begun  []time.Time
	tell   func(key string, value []byte, live bool)
	end    func(error)
}

func (f *flaky) follow(_ context.Context, row func(string, []byte, bool), ended func(error)) error {
	f.begun = append(f.begun, time.Now())
	if f.refuse > 0 {
		f.refuse--
		return errors.New("no engine")
	}
	row(settingsRow, []byte(f.row), false)
	f.tell, f.end = row, ended
	return nil
}

func (f *flaky) change(row string) {
	f.row = row
	f.tell(settingsRow, []byte(row), true)
}

// A watch that the engine ends begins anew, later each time it fails, and then
// tells everything: nothing that changed meanwhile is missed.
func TestWatchOutlivesTheEngines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{row: `{"mode":"ask"}`}
		var told []string
		heard := func(m map[string]json.RawMessage, whole bool) {
			b, _ := json.Marshal(m)
			told = append(told, fmt.Sprintf("%s %v", b, whole))
		}
		w := &settingsWatch{follow: f.follow, heard: heard, log: slog.New(slog.DiscardHandler)}
		if err := w.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.change(`{"mode":"code","x":1}`)
		f.row, f.refuse = `{"mode":"debug"}`, 10
		start := time.Now()
		f.end(errors.New("gone"))
		f.change(`{"mode":"debug","y":2}`)
		f.end(errors.New("gone")) // and nothing changes meanwhile
		f.change(`{"y":2}`)
		want := []string{
			`{"mode":"code","x":1} false`, `{"mode":"debug"} true`, `{"y":2} false`,
			`{"mode":"debug","y":2} true`, `{"mode":null} false`,
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		var pauses []time.Duration
		for _, at := range f.begun[1:12] {
			pauses = append(pauses, at.Sub(start))
			start = at
		}
		if pauses[0] != firstPause || pauses[1] != 2*firstPause || pauses[10] != longestPause || !slices.IsSorted(pauses) {
			t.Errorf("pauses %v", pauses)
		}
	})
}

func TestWatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &flaky{row: `{}`}
		w := &settingsWatch{follow: f.follow, log: slog.New(slog.DiscardHandler)}
		if err := w.begin(ctx); err != nil {
			t.Fatal(err)
		}
		f.refuse = 1 << 20
		over := make(chan struct{})
		go func() { defer close(over); f.end(errors.New("gone")) }()
		synctest.Wait()
		cancel()
		<-over
		if len(f.begun) != 1 {
			t.Errorf("begun %d times", len(f.begun))
		}
	})
}
