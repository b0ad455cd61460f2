package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/clew-run/clew/internal/journal"
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
func (s settingsStore) Watch(ctx context.Context, heard func(map[string]json.RawMessage)) error {
	var last map[string]json.RawMessage
	return s.table.Follow(ctx, func(_ string, b []byte, live bool) {
		next := map[string]json.RawMessage{}
		if err := json.Unmarshal(b, &next); err != nil {
			s.log.Error("stored settings are not readable", "err", err)
			return
		}
		if changed := difference(last, next); len(changed) > 0 && live {
			heard(changed)
		}
		last = next
	}, func(err error) { s.log.Error("settings of other nodes are not heard", "err", err) })
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
