package shell

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	keepForeground = 1 << 20   // bytes of a result
	keepBackground = 256 << 10 // bytes between two reads
)

// A keeper holds the beginning and the end of a text, in bounded memory.
type keeper struct {
	limit   int
	head    []byte
	tail    []byte // a ring once it is full; next is its oldest byte
	next    int
	dropped int64
}

// Write never fails; what does not fit pushes out the oldest of the tail.
func (k *keeper) Write(p []byte) {
	half := k.limit / 2
	if room := half - len(k.head); room > 0 {
		n := min(room, len(p))
		k.head = append(k.head, p[:n]...)
		p = p[n:]
	}
	if over := len(p) - half; over > 0 { // only its end can stay
		k.dropped += int64(over)
		p = p[over:]
	}
	if room := half - len(k.tail); room > 0 {
		n := min(room, len(p))
		k.tail = append(k.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(k.tail[k.next:], p)
		k.next = (k.next + n) % len(k.tail)
		k.dropped += int64(n)
		p = p[n:]
	}
}

func (k *keeper) String() string {
	var b strings.Builder
	b.Write(k.head)
	if k.dropped > 0 {
		fmt.Fprintf(&b, "\n[… %d bytes left out …]\n", k.dropped)
	}
	b.Write(k.tail[k.next:])
	b.Write(k.tail[:k.next])
	// A cut may have gone through a character.
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func (k *keeper) Reset() { *k = keeper{limit: k.limit} }

// output is what a command wrote, cleaned: bounded for the result, and live
// for whoever watches. Safe for concurrent use.
type output struct {
	mu     sync.Mutex
	clean  cleaner
	fold   folder
	keep   keeper
	buf    []byte
	live   *stream // nil if nobody watches
	first  chan struct{}
	opened bool // first is closed
}

func newOutput(limit int, live *stream) *output {
	o := &output{keep: keeper{limit: limit}, live: live, first: make(chan struct{})}
	o.fold.emit = o.keep.Write
	return o
}

// Write takes raw bytes. It never waits for anybody.
func (o *output) Write(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.take(o.clean.Append(o.buf[:0], p))
}

// End takes in what was held back.
func (o *output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.take(o.clean.Flush(o.buf[:0]))
}

func (o *output) take(text []byte) {
	o.buf = text
	if len(text) == 0 {
		return
	}
	o.fold.Write(text)
	if o.live != nil {
		o.live.Add(text)
	}
	if !o.opened {
		o.opened = true
		close(o.first)
	}
}

// Take gives what came since the last Take.
func (o *output) Take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fold.Flush()
	text := o.keep.String()
	o.keep.Reset()
	return text
}

// How much is shown live. A flood is shown in pieces: first generously, then
// enough to see that it goes on.
const (
	livePending = 64 << 10
	liveGentle  = 1 << 20 // after so many bytes
	livePause   = 40 * time.Millisecond
	liveSlow    = time.Second
	livePiece   = 8 << 10 // what is shown of a flood per liveSlow
)

// A stream hands output to a watcher at the watcher's pace. Add never waits:
// what the watcher is too slow for is left out, and a note says how much.
type stream struct {
	mu      sync.Mutex
	pending []byte
	skipped int64
	sent    int64
	wake    chan struct{} // capacity 1
}

func newStream() *stream { return &stream{wake: make(chan struct{}, 1)} }

// Add queues text.
func (s *stream) Add(p []byte) {
	s.mu.Lock()
	room := livePending
	if s.sent > liveGentle {
		room = livePiece
	}
	n := max(0, min(len(p), room-len(s.pending)))
	s.pending = append(s.pending, p[:n]...)
	s.skipped += int64(len(p) - n)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run writes until done is closed, then what is left.
func (s *stream) Run(w io.Writer, done <-chan struct{}) {
	for {
		select {
		case <-s.wake:
		case <-done:
			s.send(w)
			return
		}
		pause := time.NewTimer(s.send(w))
		select {
		case <-pause.C:
		case <-done:
			pause.Stop()
		}
	}
}

// send writes what is pending and says how long to rest. A watcher that fails
// stops nothing: the result is kept elsewhere.
func (s *stream) send(w io.Writer) time.Duration {
	s.mu.Lock()
	p, skipped := s.pending, s.skipped
	s.pending, s.skipped = nil, 0
	s.sent += int64(len(p))
	gentle := s.sent <= liveGentle
	s.mu.Unlock()
	if skipped > 0 {
		p = fmt.Appendf(p, "\n[… %d bytes not shown …]\n", skipped)
	}
	if len(p) > 0 {
		_, _ = w.Write([]byte(strings.ToValidUTF8(string(p), "\uFFFD")))
	}
	if gentle {
		return livePause
	}
	return liveSlow
}
