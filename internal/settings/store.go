package settings

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
)

// A Store keeps the server layer. All nodes of a cluster share one.
type Store interface {
	// Load gives all values.
	Load(ctx context.Context) (map[string]json.RawMessage, error)
	// Save makes all changes or none; a nil value deletes the key.
	Save(ctx context.Context, changes map[string]json.RawMessage) error
	// Watch calls heard for each change that is made after Watch returned, on
	// any node and this one too, in the order of the changes and one call at a
	// time, until ctx ends. After a break in which changes may have been missed
	// it is called with all values that there are, and whole true.
	Watch(ctx context.Context, heard Heard) error
}

// Heard takes changes, where a nil value is a deletion; or, if whole is true,
// all values, in place of those before. The map is the receiver's.
type Heard func(changed map[string]json.RawMessage, whole bool)

// Memory is a Store for tests and for servers that forget. Several Settings on
// one Memory are like the nodes of a cluster. It is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	values   map[string]json.RawMessage
	watchers map[int]Heard
	next     int
	failure  error
	loads    int

	// hearing keeps notices in the order of the changes. It is taken before mu
	// and held while watchers are called, so that they may call Load.
	hearing sync.Mutex
}

// NewMemory gives an empty one.
func NewMemory() *Memory {
	return &Memory{values: map[string]json.RawMessage{}, watchers: map[int]Heard{}}
}

// Fail makes every later Load and Save fail with err, until Fail(nil).
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure = err
}

// Loads says how often the values were loaded.
func (m *Memory) Loads() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loads
}

// Load is part of Store.
func (m *Memory) Load(ctx context.Context) (map[string]json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads++
	return maps.Clone(m.values), errors.Join(ctx.Err(), m.failure)
}

// Save is part of Store.
func (m *Memory) Save(ctx context.Context, changes map[string]json.RawMessage) error {
	m.hearing.Lock()
	defer m.hearing.Unlock()
	watchers, err := m.save(ctx, changes)
	if err != nil {
		return err
	}
	for _, heard := range watchers {
		heard(maps.Clone(changes), false)
	}
	return nil
}

func (m *Memory) save(ctx context.Context, changes map[string]json.RawMessage) ([]Heard, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(ctx.Err(), m.failure); err != nil {
		return nil, err
	}
	merge(m.values, changes)
	return slices.Collect(maps.Values(m.watchers)), nil
}

// Watch is part of Store.
func (m *Memory) Watch(ctx context.Context, heard Heard) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.next
	m.next++
	m.watchers[id] = heard
	context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watchers, id)
	})
	return nil
}

// merge makes changes in place.
func merge(values, changes map[string]json.RawMessage) {
	for k, v := range changes {
		if v == nil {
			delete(values, k)
		} else {
			values[k] = v
		}
	}
}
