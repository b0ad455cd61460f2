package auth

import (
	"slices"
	"sync"
)

// revocations remembers which keys are revoked, by themselves or with the key
// that they came from, and tells who asked.
type revocations struct {
	mu       sync.Mutex
	ids      map[string]bool
	children map[string]map[string]bool // by the key with which they were made
	subs     map[int]func(string)
	next     int
}

func (r *revocations) subscribe(fn func(string)) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subs == nil {
		r.subs = make(map[int]func(string))
	}
	id := r.next
	r.next++
	r.subs[id] = fn
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subs, id)
	}
}

// hear takes a key in as it is stored now. A key may be heard before or after
// the one it came from. What is revoked is recorded before anyone is told, so
// that has is never behind.
func (r *revocations) hear(k KeyRecord) {
	r.mu.Lock()
	if r.ids == nil {
		r.ids, r.children = make(map[string]bool), make(map[string]map[string]bool)
	}
	if k.Parent != "" {
		if r.children[k.Parent] == nil {
			r.children[k.Parent] = make(map[string]bool)
		}
		r.children[k.Parent][k.ID] = true
	}
	var ended []string
	if k.RevokedMS != 0 || r.ids[k.Parent] {
		ended = r.end(k.ID, nil)
	}
	fns := make([]func(string), 0, len(r.subs))
	for _, fn := range r.subs {
		fns = append(fns, fn)
	}
	r.mu.Unlock()
	for _, id := range ended {
		for _, fn := range fns {
			fn(id)
		}
	}
}

// end marks a key and all that came from it. Whatever a store says, no key is
// visited twice.
func (r *revocations) end(id string, ended []string) []string {
	if slices.Contains(ended, id) {
		return ended
	}
	r.ids[id] = true
	ended = append(ended, id)
	for child := range r.children[id] {
		ended = r.end(child, ended)
	}
	return ended
}

func (r *revocations) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[id]
}
