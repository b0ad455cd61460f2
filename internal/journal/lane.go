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

// lanes keep the rows of different people apart. Safe for concurrent use.
type lanes struct {
	mu    sync.Mutex
	users map[string]*lane
}

// lane is what is under way for one person, and what waits.
type lane struct {
	busy    int
	waiting []inLane
}

// inLane is a message that nobody else gets until done is called.
type inLane struct {
	m    jetstream.Msg
	done func()
}

// enter reports whether a message's work may begin. If not, it waits in its lane
// until next gives it, or was given back.
func (l *lanes) enter(user string, m jetstream.Msg) (first inLane, begins bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == nil {
		l.users = map[string]*lane{}
	}
	of := l.users[user]
	if of == nil {
		of = &lane{}
		l.users[user] = of
	}
	if of.busy >= placesPerUser && len(of.waiting) >= waitingPerUser {
		_ = m.NakWithDelay(laneFull)
		return inLane{}, false
	}
	in := inLane{m, atWork(m)}
	if of.busy >= placesPerUser {
		of.waiting = append(of.waiting, in)
		return inLane{}, false
	}
	of.busy++
	return in, true
}

// next gives the message whose turn it is after another one's, false if none waits.
func (l *lanes) next(user string) (inLane, bool) {
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
	return inLane{}, false
}

// laneOf names the person whose row a change is of: the first part of its key.
func laneOf(subject, bucket string) string {
	user, _, _ := strings.Cut(strings.TrimPrefix(subject, "$KV."+bucket+"."), ".")
	return user
}
