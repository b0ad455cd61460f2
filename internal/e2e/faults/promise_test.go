package faults

import (
	"fmt"
	"sync"
)

// A promise is one of those that hold whatever breaks.
type promise int

// The promises, in the order in which the table has them.
const (
	nothingLost    promise = iota + 1 // no acknowledged event is lost
	resumeWhole                       // a resumed client sees no gap, nothing twice, nothing out of order
	oneMeaning                        // an epoch and a number never mean two things
	oneState                          // the state is the fold of the journal, on every node
	chainWhole                        // the chain of hashes is whole, or the session is refused
	oneOwner                          // at most one owner; a stale one can append nothing
	oneDecision                       // each question has exactly one end
	startsOnRecord                    // nothing starts without being on record, and approved where that is needed
	noSecondStart                     // a step that cannot be repeated is not started again
	doubtShown                        // every step in doubt is shown
	rewindExact                       // files go back exactly
	repeatSame                        // a repeated command has the same answer and one effect
	noSecret                          // a secret appears nowhere
	noOrphan                          // no process, descriptor or goroutine is left behind
	liveAgain                         // in service again within 5 s, see live
	slowBounded                       // a slow reader costs bounded memory and slows down nobody else
	promises       = int(slowBounded)
)

var promiseNames = [promises + 1]string{
	nothingLost: "nothing acknowledged is lost", resumeWhole: "no gap, nothing twice, in order", oneMeaning: "an (epoch, seq) means one thing",
	oneState: "state = fold of the journal, on every node", chainWhole: "hash chain whole, or refused", oneOwner: "at most one owner",
	oneDecision: "one decision for each question", startsOnRecord: "no start without a record and an approval", noSecondStart: "no second start",
	doubtShown: "every step in doubt is shown", rewindExact: "files go back exactly", repeatSame: "a repeated command has one effect",
	noSecret: "a secret appears nowhere", noOrphan: "nothing is left behind", liveAgain: "in service within 5 s, or 4 s after the engine takes a plain client's writes", slowBounded: "a slow reader costs little",
}

// A verdict counts what was held against each promise, and keeps what broke one.
type verdict struct {
	mu      sync.Mutex
	checked [promises + 1]int
	broken  [promises + 1][]string
}

// kept says that so many things were looked at and are as promised.
func (v *verdict) kept(p promise, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.checked[p] += n
}

// broke says that a promise was broken.
func (v *verdict) broke(p promise, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.checked[p]++
	if len(v.broken[p]) < 5 {
		v.broken[p] = append(v.broken[p], fmt.Sprintf(format, args...))
	}
}

// holds checks one thing.
func (v *verdict) holds(p promise, ok bool, format string, args ...any) {
	if ok {
		v.kept(p, 1)
		return
	}
	v.broke(p, format, args...)
}

// problems lists what broke a promise.
func (v *verdict) problems() (list []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for p, lines := range v.broken {
		for _, line := range lines {
			list = append(list, fmt.Sprintf("promise %d (%s): %s", p, promiseNames[p], line))
		}
	}
	return list
}
