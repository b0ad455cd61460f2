package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A fleet is the nodes of a test, each a process that may die at any time.
type fleet struct {
	t      testing.TB
	engine *engine
	ledger string
	nodes  []*process
	every  time.Duration // between two kills, on average
	turn   atomic.Int64  // whose turn it is to get a command first

	kills, restarts int // owned by harass
}

func startFleet(t testing.TB, nodes int) *fleet {
	t.Helper()
	f := &fleet{t: t, engine: startEngine(t, time.Minute), ledger: filepath.Join(t.TempDir(), "ledger")}
	f.every = time.Duration(amount(t, "CLEW_KILL_EVERY_MS", 4000)) * time.Millisecond
	for range nodes {
		p := newProcess(t, roleNode, f.engine.url, f.engine.cfg.Archive, f.ledger)
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		f.nodes = append(f.nodes, p)
	}
	return f
}

// command gives a command to whichever node takes it. It is sent under one name
// until a node has said what became of it.
func (f *fleet) command(ctx context.Context, id clew.SessionID, typ clew.CommandType, data any) error {
	name := clew.NewClientMessageID()
	for at := int(f.turn.Add(1)); ; at++ {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		_, err := f.nodes[at%len(f.nodes)].api.Command(try, id, name, typ, data)
		cancel()
		if err == nil || !away(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// away reports whether another try, perhaps at another node, may help.
func away(err error) bool {
	switch clew.CodeOf(err) {
	case clew.Unavailable, clew.StorageFailed, clew.ConnectionFailed, clew.ConnectionTimeout:
		return true
	}
	return false
}

func (f *fleet) create(ctx context.Context, id clew.SessionID) error {
	for at := int(f.turn.Add(1)); ; at++ {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		_, err := f.nodes[at%len(f.nodes)].api.CreateSession(try, client.NewSession{SessionID: id})
		cancel()
		switch {
		case err == nil, clew.CodeOf(err) == clew.SessionInvalidState: // an earlier try made it
			return nil
		case !away(err) || ctx.Err() != nil:
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}

// harass kills nodes and starts them again, one at a time, until the context
// ends. Three times out of four it is kill -9, else a planned stop.
func (f *fleet) harass(ctx context.Context, random *rand.Rand) {
	wait := func(atLeast, upTo time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(atLeast + time.Duration(random.Int64N(int64(upTo-atLeast)))):
			return true
		}
	}
	for wait(f.every/2, f.every*3/2) {
		n := f.nodes[random.IntN(len(f.nodes))]
		if random.IntN(4) > 0 {
			f.kills++
			n.end(syscall.SIGKILL)
		} else {
			f.restarts++
			n.end(syscall.SIGTERM)
		}
		wait(0, time.Second)
		if err := n.start(); err != nil {
			f.t.Error(err)
			return
		}
	}
}

// under runs fn while the nodes are harassed.
func (f *fleet) under(random *rand.Rand, fn func()) {
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { f.harass(ctx, random) })
	fn()
	stop()
	wg.Wait()
}

// stop ends all nodes as planned.
func (f *fleet) stop() {
	for _, n := range f.nodes {
		n.end(syscall.SIGTERM)
	}
}
