package kernel

import "sync"

const (
	// inFlight is how much of a channel waits to be read from Messages. A larger
	// message waits alone.
	inFlight = 8 << 20
	// overhead is what a message costs beside its frames.
	overhead = 1 << 10
)

// A queue holds messages between the readers of the sockets and who reads
// Messages. Each channel has room of its own, so that a flood of output does not hold
// up replies. One goroutine puts for each channel, one pumps.
type queue struct {
	out  chan Message
	wake chan struct{} // holds a token when there may be something to pump

	mu       sync.Mutex
	waiting  []waiting
	channels map[Channel]*room
	finished bool
}

type waiting struct {
	Message
	size int
}

type room struct {
	used int
	free chan struct{} // holds a token when something was taken out
}

func newQueue() *queue {
	q := &queue{out: make(chan Message), wake: make(chan struct{}, 1), channels: make(map[Channel]*room)}
	for _, c := range []Channel{Shell, IOPub, Stdin, Control} {
		q.channels[c] = &room{free: make(chan struct{}, 1)}
	}
	return q
}

// put waits for room and says whether the message is in.
func (q *queue) put(m Message, stop <-chan struct{}) bool {
	w := waiting{m, m.size()}
	r := q.channels[m.Channel]
	for !q.tryPut(w, r) {
		select {
		case <-r.free:
		case <-stop:
			return false
		}
	}
	return true
}

func (q *queue) tryPut(w waiting, r *room) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.used > 0 && r.used+w.size > inFlight {
		return false
	}
	r.used += w.size
	q.waiting = append(q.waiting, w)
	signal(q.wake)
	return true
}

// finish says that nothing more is put.
func (q *queue) finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.finished = true
	signal(q.wake)
}

// pump hands over what was put, and closes out after the last.
func (q *queue) pump(stop <-chan struct{}) {
	defer close(q.out)
	for {
		w, ok, finished := q.first()
		switch {
		case ok:
			select {
			case q.out <- w.Message:
				q.release(w)
			case <-stop:
				return
			}
		case finished:
			return
		default:
			select {
			case <-q.wake:
			case <-stop:
				return
			}
		}
	}
}

func (q *queue) first() (w waiting, ok, finished bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.waiting = nil
		return waiting{}, false, q.finished
	}
	w = q.waiting[0]
	q.waiting[0] = waiting{}
	q.waiting = q.waiting[1:]
	return w, true, false
}

func (q *queue) release(w waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.channels[w.Channel]
	r.used -= w.size
	signal(r.free)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (m Message) size() int {
	n := overhead + len(m.Content) + len(m.Metadata)
	for _, b := range m.Buffers {
		n += len(b)
	}
	return n
}
