package journal

import (
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// placesPerUser is how many places of a node's queue one person's rows take at
	// most: whoever is told slowly, or never answers, holds up nobody else.
	placesPerUser = 2
	// waitingPerUser is how many more of them wait here. The others are given back
	// for laneFull; that counts as an attempt, which is that person's loss alone.
	waitingPerUser = 50
	laneFull       = 2 * time.Minute
)

// sessionLocks keep the rows of different people apart. Safe for concurrent use.
type sessionLocks struct {
	mu    sync.Mutex
	users map[string]*sessionLock
}

// sessionLock is what is under way for one person, and what waits.
type sessionLock struct {
	busy    int
	waiting []lockedJournal
}

// lockedJournal is a message that nobody else gets until done is called.
type lockedJournal struct {
	m    jetstream.Msg
	done func()
}

// enter reports whether a message's work may begin. If not, it waits in its lane
// until next gives it, or was given back.
func (l *sessionLocks) enter(user string, m jetstream.Msg) (first lockedJournal, begins bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == nil {
		l.users = map[string]*sessionLock{}
	}
	of := l.users[user]
	if of == nil {
		of = &sessionLock{}
		l.users[user] = of
	}
	if of.busy >= placesPerUser && len(of.waiting) >= waitingPerUser {
		_ = m.NakWithDelay(laneFull)
		return lockedJournal{}, false
	}
	in := lockedJournal{m, atWork(m)}
	if of.busy >= placesPerUser {
		of.waiting = append(of.waiting, in)
		return lockedJournal{}, false
	}
	of.busy++
	return in, true
}

// next gives the message whose turn it is after another one's, false if none waits.
func (l *sessionLocks) next(user string) (lockedJournal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.users[user]
	if len(of.waiting) > 0 {
		in := of.waiting[0]
		of.waiting = of.waiting[1:]
		return in, true
	}
	if of.busy--; of.busy == 0 {
		delete(l.users, user)
	}
	return lockedJournal{}, false
}

// laneOf names the person whose row a change is of: the first part of its key.
func laneOf(subject, bucket string) string {
	user, _, _ := strings.Cut(strings.TrimPrefix(subject, "$KV."+bucket+"."), ".")
	return user
}
