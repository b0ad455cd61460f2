// Package authtest has fakes of what package auth needs.
package authtest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/clew-run/clew/internal/auth"
)

// MemoryKeys is an auth.KeyStore in memory. The zero value is empty and ready.
type MemoryKeys struct {
	mu      sync.Mutex
	keys    map[string]auth.KeyRecord
	changes []auth.KeyRecord // every Put, in order
	wake    chan struct{}    // closed at the next Put or Break
	broken  error
	fail    error
}

var _ auth.KeyStore = (*MemoryKeys)(nil)

// Fail makes every call but Watch return err until it is called with nil.
func (m *MemoryKeys) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// Break ends the watches that are under way with err.
func (m *MemoryKeys) Break(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
	m.notify()
}

// Get reads a key.
func (m *MemoryKeys) Get(_ context.Context, id string) (auth.KeyRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return auth.KeyRecord{}, m.fail
	}
	k, ok := m.keys[id]
	if !ok {
		return auth.KeyRecord{}, auth.ErrNoKey
	}
	return k, nil
}

// Put adds or replaces a key.
func (m *MemoryKeys) Put(_ context.Context, k auth.KeyRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	if m.keys == nil {
		m.keys = make(map[string]auth.KeyRecord)
	}
	m.keys[k.ID] = k
	m.changes = append(m.changes, k)
	m.notify()
	return nil
}

// Drop forgets a key.
func (m *MemoryKeys) Drop(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	delete(m.keys, id)
	return nil
}

// List gives all keys.
func (m *MemoryKeys) List(context.Context) ([]auth.KeyRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	return slices.Collect(maps.Values(m.keys)), nil
}

// Watch calls fn with what is stored and with every change after it.
func (m *MemoryKeys) Watch(ctx context.Context, fn func(auth.KeyRecord)) error {
	for seen := 0; ; {
		m.mu.Lock()
		fresh := slices.Clone(m.changes[seen:])
		seen += len(fresh)
		broken := m.broken
		m.broken = nil
		if m.wake == nil {
			m.wake = make(chan struct{})
		}
		wake := m.wake
		m.mu.Unlock()
		for _, k := range fresh {
			fn(k)
		}
		if broken != nil {
			return broken
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

func (m *MemoryKeys) notify() {
	if m.wake != nil {
		close(m.wake)
		m.wake = nil
	}
}
