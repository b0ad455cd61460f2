package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// An ack is the server's word that a command took effect, and where.
type ack struct {
	session int
	id      clew.ClientMessageID
	seq     uint64
}

// A writer gives commands to one session, each until it is acknowledged, at an
// even pace.
type writer struct {
	chaos   *chaos
	session int
	id      clew.SessionID
	name    string
	every   time.Duration
	rng     *rand.Rand
	n       int
	due     time.Time
	acks    []ack
}

// startWriters sets writers to work that make chaosRecords records a second in
// all. A message to the echo makes about sixteen records, a new title one.
func (c *chaos) startWriters(seed uint64) (*sync.WaitGroup, context.CancelFunc) {
	ctx, stop := context.WithCancel(c.t.Context())
	const perSession = chaosRecords / chaosSessions
	const viaSocket = perSession / 5
	rest := time.Second * (chaosWriters - 1) / (perSession - viaSocket)
	var wg sync.WaitGroup
	for s, id := range c.sessions {
		for k := range chaosWriters {
			w := &writer{
				chaos: c, session: s, id: id, name: fmt.Sprintf("w%d-%d", s, k), every: rest,
				rng: rand.New(rand.NewPCG(seed, uint64(3000+s*100+k))), due: time.Now(),
			}
			work := w.viaREST
			if k == 0 {
				w.every, work = 16*time.Second/viaSocket, w.viaSocket
			}
			wg.Go(func() {
				work(ctx)
				c.acksMu.Lock()
				defer c.acksMu.Unlock()
				c.acks = append(c.acks, w.acks...)
			})
		}
	}
	return &wg, stop
}

// next waits for the writer's turn and names the command. After a time without
// a server it makes up for what it missed, within limits.
func (w *writer) next(ctx context.Context) (clew.ClientMessageID, bool) {
	w.due = w.due.Add(w.every)
	if late := time.Since(w.due); late > time.Second {
		w.due = w.due.Add(late - time.Second)
	}
	if !pause(ctx, time.Until(w.due)) {
		return "", false
	}
	return w.another(), true
}

// another names one more command.
func (w *writer) another() clew.ClientMessageID {
	w.n++
	return clew.ClientMessageID(fmt.Sprintf("%s-%d", w.name, w.n))
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

func (w *writer) viaREST(ctx context.Context) {
	line := &http.Transport{} // one connection, kept
	defer line.CloseIdleConnections()
	api := client.NewAPI(w.chaos.srv.URL(), w.chaos.token).WithHTTPClient(&http.Client{Transport: line, Timeout: insist / 2})
	for {
		id, ok := w.next(ctx)
		if !ok {
			return
		}
		r, ok := w.rename(api, id)
		if !ok {
			return
		}
		if w.rng.IntN(20) != 0 {
			continue
		}
		w.chaos.repeats.Add(1)
		if again, ok := w.rename(api, id); ok && !slices.Equal(again.Records, r.Records) {
			w.chaos.problems.addf("%s: said twice, %q gave %v and then %v", w.name, id, r.Records, again.Records)
		}
	}
}

// insist bounds how long a command may stay without an answer; the server is
// away for a second or two.
const insist = 4 * time.Minute

// rename says the same command until it is acknowledged. It goes on after the
// run's end: what was begun is finished.
func (w *writer) rename(api *client.API, id clew.ClientMessageID) (client.Receipt, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), insist)
	defer cancel()
	for {
		r, err := api.Command(ctx, w.id, id, clew.CommandRenameSession, clew.RenameSessionData{Title: string(id)})
		switch {
		case err == nil && len(r.Records) == 1:
			w.acknowledged(id, r.Records[0])
			return r, true
		case err == nil:
			w.chaos.problems.addf("%s: %q made %v", w.name, id, r.Records)
			return r, false
		case !away(err):
			w.chaos.problems.addf("%s: %q: %v", w.name, id, err)
			return r, false
		}
		if !pause(ctx, 20*time.Millisecond) {
			w.chaos.problems.addf("%s: %q was not acknowledged: %v", w.name, id, err)
			return r, false
		}
	}
}

// away reports whether an error says nothing about the command itself.
func away(err error) bool {
	switch clew.CodeOf(err) {
	case clew.ConnectionFailed, clew.Unavailable, clew.QueueFull:
		return true
	}
	return false
}

func (w *writer) acknowledged(id clew.ClientMessageID, record clew.MessageID) {
	seq, err := record.Seq()
	if err != nil {
		w.chaos.problems.addf("%s: %q: %v", w.name, id, err)
	}
	w.acks = append(w.acks, ack{w.session, id, seq})
}

// viaSocket sends messages to the echo, over a client that finds its way back
// by itself.
func (w *writer) viaSocket(ctx context.Context) {
	var id clew.ClientMessageID
	c, err := client.Dial(ctx, client.Options{
		URL: w.chaos.srv.URL(), Token: w.chaos.token, Session: w.id, Retry: hasty, WaitForServer: true, NoFollow: true,
		NewID: func() clew.ClientMessageID { return id },
	})
	if err != nil {
		if ctx.Err() == nil {
			w.chaos.problems.addf("%s: %v", w.name, err)
		}
		return
	}
	defer c.Close()
	for {
		var ok bool
		if id, ok = w.next(ctx); !ok {
			return
		}
		if !w.say(c, id, "") {
			return
		}
		if w.rng.IntN(2) == 0 { // right behind it, while the echo may be at work
			id = w.another()
			if !w.say(c, id, clew.ArrivalQueue) {
				return
			}
		}
	}
}

func (w *writer) say(c *client.Client, id clew.ClientMessageID, how clew.Arrival) bool {
	ctx, cancel := context.WithTimeout(context.Background(), insist)
	defer cancel()
	for {
		env, err := c.Do(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: "hello " + string(id), Delivery: how})
		if err == nil {
			record, ok := messageOf(env)
			if !ok {
				w.chaos.problems.addf("%s: %q was answered with %s", w.name, id, env.Type)
				return false
			}
			w.acknowledged(id, record)
			return true
		}
		if !away(err) || !pause(ctx, 20*time.Millisecond) {
			w.chaos.problems.addf("%s: %q: %v", w.name, id, err)
			return false
		}
	}
}
