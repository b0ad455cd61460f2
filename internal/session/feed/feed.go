package feed

import (
	"errors"
	"sync"

	"github.com/clew-run/clew"
)

// A Feed is the recent past of a session in memory: a ring of items that all
// connections read, each at its own position. It holds no list of readers and
// no queue per reader, so a slow reader costs nothing but its own position.
//
// Positions count items, records and streamed text alike, from 1. Safe for
// concurrent use; items are immutable.
type Feed struct {
	encode func(envelope []byte) []byte

	mu    sync.RWMutex
	ring  []*Item // ring[pos%len] holds the item at pos
	next  uint64  // position of the next item
	first uint64  // oldest position still held
	bytes int     // size of the held envelopes
	extra uint64  // items held that are no envelopes: changes
	seq   uint64  // seq of the newest record seen, whether held or not
	low   uint64  // seq of the oldest record held, 0 if none
	wake  chan struct{}
	done  bool
}

const (
	maxItems = 1200    // what a ring holds at most
	maxBytes = 2 << 20 // and in bytes
)

// ErrBehind says that a reader's position is no longer held.
var ErrBehind = errors.New("position is no longer in the feed")

// ErrClosed says that the feed will bring nothing more: its session was
// moved or unloaded. The reader attaches again.
var ErrClosed = errors.New("feed is closed")

// New makes a feed whose newest record is seq.
func New(seq uint64, encode func([]byte) []byte) *Feed {
	return &Feed{encode: encode, next: 1, first: 1, seq: seq, wake: make(chan struct{})}
}

// Append adds records, which must follow the newest one, and wakes the readers.
func (f *Feed) Append(records []clew.Record) { f.AppendWith(records, nil) }

// AppendWith adds records and behind them what they changed, nil if nobody
// watches that.
func (f *Feed) AppendWith(records []clew.Record, change *Item) {
	items := make([]*Item, 0, len(records)+1)
	for _, r := range records {
		items = append(items, NewItem(r.Seq, r.Type, r.Envelope(), f.encode))
	}
	if change != nil {
		items = append(items, change)
	}
	if len(items) > 0 {
		f.push(items)
	}
}

// StreamText is Stream for a piece of a growing message.
func (f *Feed) StreamText(typ clew.EventType, envelope []byte, text *clew.TextData, monitor clew.MonitorID) {
	it := NewItem(0, typ, envelope, f.encode)
	it.Text, it.Monitor = text, monitor
	f.push([]*Item{it})
}

// Stream adds a transient envelope and wakes the readers.
func (f *Feed) Stream(typ clew.EventType, envelope []byte) {
	f.push([]*Item{NewItem(0, typ, envelope, f.encode)})
}

func (f *Feed) push(items []*Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return
	}
	for _, it := range items {
		for f.next-f.first-f.extra >= maxItems || f.bytes+len(it.Envelope) > maxBytes && f.next > f.first {
			f.drop()
		}
		f.grow()
		f.ring[f.next%uint64(len(f.ring))] = it
		f.next++
		f.bytes += len(it.Envelope)
		if it.Change != nil {
			f.extra++
		}
		if it.Seq > 0 {
			f.seq = it.Seq
			if f.low == 0 {
				f.low = it.Seq
			}
		}
	}
	close(f.wake)
	f.wake = make(chan struct{})
}

// drop lets the oldest item go.
func (f *Feed) drop() {
	slot := f.first % uint64(len(f.ring))
	it := f.ring[slot]
	f.ring[slot] = nil
	f.first++
	f.bytes -= len(it.Envelope)
	if it.Change != nil {
		f.extra--
	}
	if it.Seq > 0 { // the records in the ring are contiguous
		f.low = it.Seq + 1
		if it.Seq == f.seq {
			f.low = 0
		}
	}
}

// grow doubles the ring when it is full, so that a quiet session's is small.
func (f *Feed) grow() {
	held := f.next - f.first
	if held < uint64(len(f.ring)) {
		return
	}
	ring := make([]*Item, max(16, 2*len(f.ring)))
	for pos := f.first; pos < f.next; pos++ {
		ring[pos%uint64(len(ring))] = f.ring[pos%uint64(len(f.ring))]
	}
	f.ring = ring
}

// End gives the position after the newest item and the newest record's seq,
// taken together: what a reader at that position will see starts right after
// that record.
func (f *Feed) End() (pos, seq uint64) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.next, f.seq
}

// Seek gives the position of the record after seq, if the feed still holds it
// or seq is the newest record.
func (f *Feed) Seek(seq uint64) (pos uint64, ok bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if seq == f.seq {
		return f.next, true
	}
	if f.low == 0 || seq+1 < f.low || seq > f.seq {
		return 0, false
	}
	// Records lie in order with transient items between them; search back.
	for pos := f.next - 1; pos >= f.first; pos-- {
		if f.ring[pos%uint64(len(f.ring))].Seq == seq+1 {
			return pos, true
		}
	}
	return 0, false
}

// Next copies items from position pos on into buf and returns how many, and
// how many more are waiting behind them. With none it returns a channel that
// is closed when there are some.
func (f *Feed) Next(pos uint64, buf []*Item) (n, behind int, wait <-chan struct{}, err error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if pos < f.first {
		return 0, 0, nil, ErrBehind
	}
	for pos < f.next && n < len(buf) {
		buf[n] = f.ring[pos%uint64(len(f.ring))]
		n++
		pos++
	}
	if n > 0 {
		return n, int(f.next - pos), nil, nil
	}
	if f.done {
		return 0, 0, nil, ErrClosed
	}
	return 0, 0, f.wake, nil
}

// Close wakes the readers for the last time.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done {
		f.done = true
		close(f.wake)
	}
}
