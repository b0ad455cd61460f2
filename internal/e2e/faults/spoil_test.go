package faults

import "github.com/clew-run/clew"

// spoil says that a session's records were spoilt on purpose, and how.
func (w *world) spoil(id clew.SessionID, how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.damaged[id] = how
}

// spoilt says how a session was, "" if it was not.
func (w *world) spoilt(id clew.SessionID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.damaged[id]
}

// mend says that a session is whole after all.
func (w *world) mend(id clew.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.damaged, id)
}

func (w *world) spoiltCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.damaged)
}
