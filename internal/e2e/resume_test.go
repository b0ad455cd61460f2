package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/poll"
)

const (
	chaosSessions = 20
	chaosFollow   = 3  // of each session with the client package
	chaosStrict   = 1  // of each session with a bare socket
	chaosWriters  = 17 // of each session, one of them on a socket; many, so that batches form
	chaosRecords  = 2000
)

// chaos is one run: who takes part, and what went wrong.
type chaos struct {
	t        *testing.T
	srv      *proc
	token    string
	sessions []clew.SessionID
	views    []*view

	problems   faults
	deliveries atomic.Int64
	reconnects atomic.Int64
	ghosts     atomic.Int64 // clients displaced by their own late handshake
	repeats    atomic.Int64

	acksMu sync.Mutex
	acks   []ack
}

// Clients connect, drop, stall and come back, records are written all the time,
// and the server is killed again and again. In the end every client has seen
// exactly the journal, and every command that was acknowledged took effect once.
//
// CLEW_CHAOS_KILLS sets how often, CLEW_SEED repeats the choices of a run.
//
// Covers: WS-009, WS-094, WS-097, WS-121, WS-122, WS-123, STO-07, G-16, G-17
func TestResumeUnderKills(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	kills := numberFrom(t, nightly.Size(15, 1000), "CLEW_CHAOS_KILLS", "CLEW_E2E_KILLS")
	seed := nightly.Seed(t)

	// Sealing and sweeping happen all the time too, so that readers cross the
	// seam between stream and archive; slow readers are soon too slow.
	srv := startServer(t, options{env: map[string]string{
		"JOURNAL_SEAL_AFTER": "4s", "IDLE_AFTER": "2s", "LIMITS_WRITE_TIMEOUT": "1s", "LIMITS_QUEUE": "64",
	}})
	c := &chaos{t: t, srv: srv, token: srv.ownerToken()}
	c.makeSessions()
	began := time.Now()
	readers, stopReaders := c.startReaders(seed)
	writers, stopWriters := c.startWriters(seed)
	up := c.kills(kills, rand.New(rand.NewPCG(seed, 0)))
	took := time.Since(began)
	stopWriters()
	writers.Wait()
	c.awaitIdle()
	heads := c.verifyJournal()
	c.awaitReaders(heads)
	stopReaders()
	readers.Wait()
	c.verifyDoctor(heads)
	c.report(kills, took, up, heads)
}

func numberFrom(t *testing.T, otherwise int, names ...string) int {
	t.Helper()
	for _, name := range names {
		if v := os.Getenv(name); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return n
		}
	}
	return otherwise
}

func (c *chaos) makeSessions() {
	c.t.Helper()
	api := client.NewAPI(c.srv.URL(), c.token)
	for range chaosSessions {
		id, err := api.CreateSession(c.t.Context(), client.NewSession{})
		if err != nil {
			c.t.Fatal(err)
		}
		c.sessions = append(c.sessions, id)
	}
}

// kills ends the server n times, mostly at work, now and then while it starts.
// It gives the time in which there was one.
func (c *chaos) kills(n int, rng *rand.Rand) (up time.Duration) {
	c.t.Helper()
	for i := range n {
		if c.problems.any() {
			c.t.Fatalf("after %d kills: %s", i, c.problems.text())
		}
		life := time.Duration(rng.Int64N(int64(1900*time.Millisecond))) + 50*time.Millisecond
		time.Sleep(life)
		up += life
		c.srv.kill()
		if rng.IntN(8) == 0 {
			if _, err := c.srv.Spawn(); err != nil {
				c.t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
			c.srv.kill()
		}
		if err := c.srv.Start(); err != nil {
			c.t.Fatalf("after %d kills: %v", i+1, err)
		}
	}
	return up
}

func (c *chaos) startReaders(seed uint64) (*sync.WaitGroup, context.CancelFunc) {
	ctx, stop := context.WithCancel(c.t.Context())
	var wg sync.WaitGroup
	for s, id := range c.sessions {
		for k := range chaosFollow {
			v := &view{session: s, name: fmt.Sprintf("session %d client %d", s, k), whole: k > 0}
			c.views = append(c.views, v)
			f := &follower{chaos: c, view: v, id: id, rng: rand.New(rand.NewPCG(seed, uint64(1000+s*10+k)))}
			wg.Go(func() { f.live(ctx) })
		}
		for k := range chaosStrict {
			v := &view{session: s, name: fmt.Sprintf("session %d bare client %d", s, k), whole: true, raw: true}
			c.views = append(c.views, v)
			b := &bare{chaos: c, view: v, id: id, rng: rand.New(rand.NewPCG(seed, uint64(2000+s*10+k)))}
			wg.Go(func() { b.live(ctx) })
		}
	}
	return &wg, stop
}

// awaitIdle waits until the echo has answered all that was said.
func (c *chaos) awaitIdle() {
	c.t.Helper()
	api := client.NewAPI(c.srv.URL(), c.token)
	for _, id := range c.sessions {
		eventually(c.t, "session "+string(id)+" to be idle", func() bool {
			s, err := api.GetSession(c.t.Context(), id)
			return err == nil && s.Status == clew.StatusIdle
		})
	}
}

// verifyJournal reads each journal as a client that has seen nothing does, and
// holds every acknowledged command against it.
func (c *chaos) verifyJournal() []journal {
	c.t.Helper()
	heads := make([]journal, len(c.sessions))
	for s, id := range c.sessions {
		j, err := readJournal(c.t.Context(), c.srv.URL(), c.token, id)
		if err != nil {
			c.t.Fatalf("session %d: %v", s, err)
		}
		if err := j.followed(c.t.Context(), c.srv.URL(), c.token, id); err != nil {
			c.t.Fatalf("session %d: %v", s, err)
		}
		heads[s] = j
	}
	for _, a := range c.acks {
		j := heads[a.session]
		switch {
		case a.seq == 0 || a.seq > uint64(len(j.causes)):
			c.problems.addf("session %d: acknowledged record %d is not in a journal of %d", a.session, a.seq, len(j.causes))
		case j.causes[a.seq-1] != a.id:
			c.problems.addf("session %d: record %d is of %q, acknowledged for %q", a.session, a.seq, j.causes[a.seq-1], a.id)
		}
	}
	for s, j := range heads {
		times := map[clew.ClientMessageID]int{}
		for _, id := range j.causes {
			if id != "" {
				times[id]++
			}
		}
		for id, n := range times {
			if n > 1 {
				c.problems.addf("session %d: command %q took effect %d times", s, id, n)
			}
		}
	}
	return heads
}

// awaitReaders waits until each client has what the journal has.
func (c *chaos) awaitReaders(heads []journal) {
	c.t.Helper()
	began := time.Now()
	for _, v := range c.views {
		head := uint64(len(heads[v.session].frames))
		poll.Within(2*time.Minute, func() bool { return v.last() >= head || c.problems.any() })
		if v.last() < head {
			c.problems.addf("%s is at %d of %d; %v", v.name, v.last(), head, v.doing.Load())
			c.srv.dump()
		}
		if err := v.compare(heads[v.session]); err != nil {
			c.problems.addf("%s: %v", v.name, err)
		}
	}
	c.t.Logf("the last client had caught up after %s", time.Since(began).Round(time.Millisecond))
	if c.problems.any() {
		c.t.Fatal(c.problems.text())
	}
}

// verifyDoctor has the store examined from outside.
func (c *chaos) verifyDoctor(heads []journal) {
	c.t.Helper()
	if err := c.srv.Stop(); err != nil {
		c.t.Fatalf("stop: %v", err)
	}
	out, errs, code := c.srv.clew("doctor", "--json", "--data", c.srv.Dir)
	var report struct {
		Sessions int   `json:"sessions"`
		Records  int   `json:"records"`
		Findings []any `json:"findings"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		c.t.Fatalf("doctor: %v in %q, %s", err, out, errs)
	}
	want := 0
	for _, j := range heads {
		want += len(j.frames)
	}
	if code != 0 || len(report.Findings) > 0 || report.Sessions != len(heads) || report.Records != want {
		c.t.Fatalf("doctor found %s (exit code %d), want %d sessions and %d records", out, code, len(heads), want)
	}
}

func (c *chaos) report(kills int, took, up time.Duration, heads []journal) {
	records := 0
	for _, j := range heads {
		records += len(j.frames)
	}
	c.t.Logf("%d kills, %d records, %d commands acknowledged, %d said twice, %d clients, %d deliveries, %d connections, %s; the server was up for %s of it, %.0f records/s",
		kills, records, len(c.acks), c.repeats.Load(), len(c.views), c.deliveries.Load(), c.reconnects.Load(),
		took.Round(time.Millisecond), up.Round(time.Millisecond), float64(records)/up.Seconds())
}
