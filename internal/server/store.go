package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/settings"
)

// settingsStore keeps the server's settings in one row of a table of the
// engine, so that several keys change together and all nodes hear of it.
type settingsStore struct {
	table *journal.Table
	log   *slog.Logger
}

const settingsRow = "values"

func (s settingsStore) Load(ctx context.Context) (map[string]json.RawMessage, error) {
	b, _, err := s.table.Get(ctx, settingsRow)
	if errors.Is(err, journal.ErrNoRow) {
		return map[string]json.RawMessage{}, nil
	}
	if err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	return values, json.Unmarshal(b, &values)
}

func (s settingsStore) Save(ctx context.Context, changes map[string]json.RawMessage) error {
	return s.table.Change(ctx, settingsRow, func(old []byte) ([]byte, error) {
		values := map[string]json.RawMessage{}
		if old != nil {
			if err := json.Unmarshal(old, &values); err != nil {
				return nil, err
			}
		}
		for key, value := range changes {
			if value == nil {
				delete(values, key)
			} else {
				values[key] = value
			}
		}
		return json.Marshal(values)
	})
}

// Watch tells how each new row differs from the one before.
func (s settingsStore) Watch(ctx context.Context, heard settings.Heard) error {
	w := &settingsWatch{follow: s.table.Follow, heard: heard, log: s.log}
	return w.begin(ctx)
}

// The pauses before a watch that the engine ended is begun anew.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 30 * time.Second
)

// A settingsWatch follows the row for as long as its context lives, over the end
// of the engine's own watches. One goroutine at a time has it: each of the
// engine's watches begins after the one before has ended.
type settingsWatch struct {
	follow func(ctx context.Context, row func(key string, value []byte, live bool), ended func(error)) error
	heard  settings.Heard
	log    *slog.Logger
	last   map[string]json.RawMessage
	broken bool // a watch has ended before
}

func (w *settingsWatch) begin(ctx context.Context) error {
	return w.follow(ctx, w.row, func(err error) { w.resume(ctx, err) })
}

// row takes the row as it is when a watch begins, and then live as it changes.
func (w *settingsWatch) row(_ string, b []byte, live bool) {
	next := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &next); err != nil {
		w.log.Error("stored settings are not readable", "err", err)
		return
	}
	changed := difference(w.last, next)
	w.last = next
	switch {
	case live && len(changed) > 0:
		w.heard(changed, false)
	case !live && w.broken:
		// Not the difference alone: a value that came and went during the break
		// may have been loaded in between.
		w.heard(maps.Clone(next), true)
	}
}

// resume begins anew until it works. It runs in the goroutine of the watch that
// ended.
func (w *settingsWatch) resume(ctx context.Context, err error) {
	w.broken = true
	for pause := firstPause; err != nil; pause = min(2*pause, longestPause) {
		w.log.Error("settings of other nodes are not heard; watching anew", "err", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		err = w.begin(ctx)
	}
}

func difference(old, now map[string]json.RawMessage) map[string]json.RawMessage {
	changed := map[string]json.RawMessage{}
	for key, value := range now {
		if !bytes.Equal(old[key], value) {
			changed[key] = value
		}
	}
	for key := range old {
		if _, ok := now[key]; !ok {
			changed[key] = nil
		}
	}
	return changed
}
