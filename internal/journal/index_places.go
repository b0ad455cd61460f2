package journal

// places remembers the pages of sessions, in two halves: when the newer one is
// full, the older one is forgotten.
type places struct {
	newer, older map[entry]int
	began        int64 // when newer began, Unix ms: older ended then
	kept         int   // how many are in a half at least
}

const placesKept = 1 << 16

func (w *places) of(e entry) (page int, ok bool) {
	if page, ok = w.newer[e]; !ok {
		page, ok = w.older[e]
	}
	return page, ok
}

func (w *places) put(e entry, page int) {
	if w.newer == nil {
		w.newer = map[entry]int{}
	}
	w.newer[e] = page
}

func (w *places) forget(e entry) {
	delete(w.newer, e)
	delete(w.older, e)
}

// full reports whether a new half should begin. One that has become full within
// the skew of clocks is kept for longer: sessions as new as that would have to be
// looked for.
func (w *places) full(now, skew int64) bool {
	return len(w.newer) >= w.kept && now-w.began > skew || len(w.newer) >= 8*w.kept
}

// turn begins a new half and gives the time when the forgotten one ended.
func (w *places) turn(now int64) (ended int64) {
	ended = w.began
	w.older, w.newer, w.began = w.newer, nil, now
	return ended
}
