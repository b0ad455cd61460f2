package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
)

// A node is a real clew server, with the limits that protect it from strangers
// switched off.
type node struct {
	*server.Server
	host *session.Host
}

// owner is who everything belongs to; with authentication off, callers from
// outside are the same user.
var owner = clew.Principal{User: auth.LocalUser, Role: clew.RoleAdmin}

// startNode starts a server on a directory. Without an agent it has the usual
// one. Settings come from environ alone.
func startNode(dir string, agent session.Agent, sync time.Duration, environ ...string) (*node, error) {
	cfg := server.DefaultConfig()
	cfg.Listen, cfg.Data = "127.0.0.1:0", dir
	cfg.Auth.Mode = "off"
	cfg.Environ = append([]string{"CLEW_SECRETS_BACKEND=file"}, environ...)
	cfg.Providers = map[string]llm.Provider{"instant": instantModel}
	cfg.Limits = server.Limits{Frame: cfg.Limits.Frame, WriteTimeout: cfg.Limits.WriteTimeout}
	cfg.IdleAfter = 24 * time.Hour // the bench says when
	cfg.Journal.SealAfter = 24 * time.Hour
	cfg.Journal.SyncInterval = sync
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := server.StartWith(context.Background(), cfg, log, agent)
	if err != nil {
		return nil, err
	}
	return &node{Server: s, host: s.Host()}, nil
}

func (n *node) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	n.Stop(ctx)
}

func (n *node) addr() string { return strings.TrimPrefix(n.URL(), "http://") }

// sessionName numbers sessions, so that a stored one is found again.
func sessionName(set string, i int) clew.SessionID {
	return clew.SessionID(fmt.Sprintf("sess_%s_%08d", set, i))
}

// rename makes a command of one record, whose envelope has about that many
// bytes. Titles have at most 200 characters, so they are made of two-byte ones.
// They differ, and pack about as well as text does.
func rename(size int) clew.Command {
	n := max(1, (size-envelopeSize)/2)
	at := rand.IntN(len(letters)/2 - n)
	return clew.Command{
		Type: clew.CommandRenameSession, ClientMessageID: clew.NewClientMessageID(), By: owner,
		Data: &clew.RenameSessionData{Title: letters[2*at : 2*(at+n)]},
	}
}

// envelopeSize is what a session_renamed envelope has around its title.
const envelopeSize = 150

// letters is a long text of random two-byte letters.
var letters = func() string {
	var b strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for range 64 << 10 {
		b.WriteRune(rune(0xC0 + random.IntN(64)))
	}
	return b.String()
}()

// many runs fn for 0..count-1 on workers goroutines and returns the first
// error.
func many(count, workers int, fn func(i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for range min(workers, count) {
		wg.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				if err := fn(i); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// fillWorkers is how many commands are under way while a store is filled.
const fillWorkers = 64

// insist repeats fn while the store is only slow: a machine that is busy with
// other things can hold a write up for seconds.
func insist(fn func() error) error {
	for try := 0; ; try++ {
		err := fn()
		code := clew.CodeOf(err)
		if err == nil || try == 5 || code != clew.StorageFailed && code != clew.Unavailable {
			return err
		}
	}
}

// createSessions makes sessions from..to of a set, one record each.
func (n *node) createSessions(set string, from, to int) error {
	return many(to-from, fillWorkers, func(i int) error {
		err := insist(func() error {
			_, err := n.host.Create(context.Background(), owner, session.NewSession{ID: sessionName(set, from+i), Title: "bench"})
			return err
		})
		if clew.CodeOf(err) == clew.SessionInvalidState { // an earlier try made it
			return nil
		}
		return err
	})
}

// fillRecords appends records to one session, as many in an append as pile up.
func (n *node) fillRecords(id clew.SessionID, count, size int) error {
	return many(count, 4*fillWorkers, func(int) error {
		cmd := rename(size)
		return insist(func() error {
			_, err := n.host.Do(context.Background(), id, cmd)
			return err
		})
	})
}

// unload takes all sessions out of memory, which seals them.
func (n *node) unload() {
	for n.host.Loaded() > 0 {
		n.host.Unload(time.Now().Add(time.Hour).UnixMilli())
		if n.host.Loaded() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// seal moves everything to the archive and empties the streams.
func (n *node) seal() error {
	ctx := context.Background()
	n.unload()
	if err := n.Journal().Flush(ctx); err != nil {
		return err
	}
	for p := range n.Journal().Partitions() {
		if err := n.Journal().SweepPartition(ctx, p, time.Now().Add(time.Minute), n.host.Seal); err != nil {
			return err
		}
	}
	n.unload()
	return nil
}

// open times what a client's connect needs of a cold session.
func (n *node) open(id clew.SessionID) (time.Duration, error) {
	start := time.Now()
	w, err := n.host.Watch(context.Background(), id)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	if _, err := w.State(context.Background()); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// readRange times reading records from..to of a cold session.
func (n *node) readRange(id clew.SessionID, from, to uint64) (time.Duration, error) {
	start := time.Now()
	w, err := n.host.Watch(context.Background(), id)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	next := from
	for r, err := range w.Read(context.Background(), from, to) {
		if err != nil {
			return 0, err
		}
		if r.Seq != next {
			return 0, fmt.Errorf("record %d in place of %d", r.Seq, next)
		}
		next++
	}
	if next != to+1 {
		return 0, fmt.Errorf("read up to %d, want %d", next-1, to)
	}
	return time.Since(start), nil
}
