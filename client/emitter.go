package client

import (
	"slices"
	"sync"
)

// An Emitter tells listeners of values of one kind. Safe for concurrent use; its
// zero value has no listeners.
type Emitter[T any] struct {
	mu        sync.Mutex
	listeners []*listener[T]
}

type listener[T any] struct {
	fn      func(T)
	removed bool // under the emitter's lock
}

// On adds a listener and returns a function that removes it. Once that has
// returned, no call of the listener begins. To call it twice is harmless.
func (e *Emitter[T]) On(fn func(T)) (off func()) {
	l := &listener[T]{fn: fn}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listeners = append(slices.Clip(e.listeners), l)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		l.removed = true
		e.listeners = slices.DeleteFunc(slices.Clone(e.listeners), func(x *listener[T]) bool { return x == l })
	}
}

// Emit calls the listeners in the order in which they were added, and returns
// when the last one has. One that is removed meanwhile is not called any more.
func (e *Emitter[T]) Emit(v T) {
	e.mu.Lock()
	list := e.listeners
	e.mu.Unlock()
	for _, l := range list {
		e.mu.Lock()
		removed := l.removed
		e.mu.Unlock()
		if !removed {
			l.fn(v)
		}
	}
}
