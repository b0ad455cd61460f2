package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// disk is a store that takes records or not.
type disk struct {
	mu      sync.Mutex
	err     error
	changed chan struct{}
}

var errFull = clew.WrapError(clew.StorageFailed, session.ErrReadOnly, "the server's disk is full")

func newDisk() *disk { return &disk{changed: make(chan struct{})} }

func (d *disk) Writable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *disk) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

func (d *disk) set(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	close(d.changed)
	d.changed = make(chan struct{})
}

// unclaimable is a journal that cannot be written to while its disk is full.
type unclaimable struct {
	session.Journal
	disk *disk
}

func (u unclaimable) Claim(ctx context.Context, shard int) (session.Lease, error) {
	if err := u.disk.Writable(); err != nil {
		return session.Lease{}, err
	}
	return u.Journal.Claim(ctx, shard)
}

// While no records are taken, sessions are shown, those in memory and those that
// must be loaded, and commands are refused at once; afterwards both go on.
func TestReadOnlyStore(t *testing.T) {
	m := new(journaltest.Memory)
	d := newDisk()
	j := unclaimable{m.Node("a"), d}
	first := start(t, j, session.Config{})
	cold := create(t, first, "")
	do(t, first, cold, rename("cold"))
	stop(first)
	h := start(t, j, session.Config{Storage: d})
	warm := create(t, h, "")

	d.set(errFull)
	for name, id := range map[string]clew.SessionID{"in memory": warm, "to be loaded": cold} {
		if st := stateOf(t, h, id); st.Title == "" {
			t.Errorf("%s: not shown", name)
		}
		for _, cmd := range []clew.Command{rename("one"), say("two", "hello"), {Type: clew.CommandCheckpointSave, By: ann, Data: &clew.CheckpointSaveData{}}} {
			if _, err := h.Do(t.Context(), id, cmd); !errors.Is(err, session.ErrReadOnly) || clew.CodeOf(err) != clew.StorageFailed {
				t.Errorf("%s: %s gave %v", name, cmd.Type, err)
			}
		}
	}
	if _, err := h.Create(t.Context(), ann, session.NewSession{}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("create gave %v", err)
	}
	watching := watch(t, h, cold)

	d.set(nil)
	for _, id := range []clew.SessionID{warm, cold} {
		do(t, h, id, rename("one"))
		checkFold(t, j, h, id)
	}
	if _, err := watching.State(t.Context()); err != nil && clew.CodeOf(err) != clew.Unavailable {
		t.Logf("who watched attaches again: %v", err)
	}
}

// An agent at work waits while no records are taken, and its turn ends as if
// nothing had been.
func TestAgentWaitsForStore(t *testing.T) {
	d := newDisk()
	j := new(journaltest.Memory).Node("a")
	reached, goOn := make(chan struct{}), make(chan struct{})
	agent := agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		if err := desk.Begin(); err != nil {
			return err
		}
		close(reached)
		<-goOn
		if err := desk.Write("done"); err != nil {
			return err
		}
		return desk.End()
	})
	h := start(t, j, session.Config{Storage: d, Agent: agent})
	id := create(t, h, "")
	do(t, h, id, say("m", "go"))
	<-reached
	d.set(errFull)
	close(goOn)
	if st := stateOf(t, h, id); st.Status == clew.StatusIdle {
		t.Fatal("the turn ended on a store that takes nothing")
	}
	d.set(nil)
	limit := time.After(20 * time.Second)
	for stateOf(t, h, id).Status != clew.StatusIdle {
		select {
		case <-limit:
			t.Fatalf("the turn did not end: %v", types(journaled(t, j, id)))
		case <-time.After(time.Millisecond):
		}
	}
	_, updated := replies(t, journaled(t, j, id))
	if len(updated) == 0 || updated[len(updated)-1].Text != "done" {
		t.Errorf("the reply is %v", updated)
	}
}
