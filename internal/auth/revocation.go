package auth

import "sync"

// revocations remembers revoked keys and tells who asked. Keys are made by
// hand, so the set stays small.
type revocations struct {
	mu   sync.Mutex
	ids  map[string]bool
	subs map[int]func(string)
	next int
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

// add records the key before it tells anyone, so that has is never behind.
func (r *revocations) add(id string) {
	r.mu.Lock()
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	r.ids[id] = true
	fns := make([]func(string), 0, len(r.subs))
	for _, fn := range r.subs {
		fns = append(fns, fn)
	}
	r.mu.Unlock()
	for _, fn := range fns {
		fn(id)
	}
}

func (r *revocations) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[id]
}
