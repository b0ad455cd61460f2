package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/feed"
)

var (
	ann = clew.Principal{User: "ann", Role: clew.RoleOwner}
	bob = clew.Principal{User: "bob", Role: clew.RoleOwner}
)

func logger() *slog.Logger {
	if os.Getenv("CLEW_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

// start makes a host on the journal of one node; it is closed with the test.
func start(t testing.TB, j session.Journal, cfg session.Config) *session.Host {
	t.Helper()
	cfg.Journal, cfg.Log = j, logger()
	if x, ok := j.(session.Index); ok {
		cfg.Index = x
	} else {
		cfg.Index = new(journaltest.Memory).Node("index")
	}
	h := session.NewHost(cfg)
	t.Cleanup(func() { stop(h) })
	return h
}

func stop(h *session.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	h.Close(ctx)
}

func create(t testing.TB, h *session.Host, id clew.SessionID) clew.SessionID {
	t.Helper()
	id, err := h.Create(t.Context(), ann, session.NewSession{ID: id, Title: "first"})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return id
}

func rename(id string) clew.Command {
	return clew.Command{
		Type: clew.CommandRenameSession, By: ann, ClientMessageID: clew.ClientMessageID(id),
		Data: &clew.RenameSessionData{Title: "title " + id},
	}
}

func say(id, text string) clew.Command {
	return clew.Command{
		Type: clew.CommandUserMessage, By: ann, ClientMessageID: clew.ClientMessageID(id),
		Data: &clew.UserMessageData{Text: text},
	}
}

func do(t testing.TB, h *session.Host, id clew.SessionID, cmd clew.Command) session.Receipt {
	t.Helper()
	r, err := h.Do(t.Context(), id, cmd)
	if err != nil {
		t.Fatalf("%s: %v", cmd.Type, err)
	}
	return r
}

func watch(t testing.TB, h *session.Host, id clew.SessionID) *session.Watch {
	t.Helper()
	w, err := h.Watch(t.Context(), id)
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

func stateOf(t testing.TB, h *session.Host, id clew.SessionID) clew.SessionState {
	t.Helper()
	w, err := h.Watch(t.Context(), id)
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	defer w.Close()
	st, err := w.State(t.Context())
	if err != nil {
		t.Fatalf("state: %v", err)
	}
	return st
}

// journaled reads a session's records and checks that they are one chain.
func journaled(t testing.TB, j session.Journal, id clew.SessionID) []clew.Record {
	t.Helper()
	var records []clew.Record
	var head clew.Head
	for r, err := range j.Read(t.Context(), id, 1, 1<<40) {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if err := r.Follows(head); err != nil {
			t.Fatalf("the journal is no chain: %v", err)
		}
		head = r.After()
		records = append(records, r)
	}
	return records
}

// checkFold holds what a host says of a session against its records.
func checkFold(t testing.TB, j session.Journal, h *session.Host, id clew.SessionID) {
	t.Helper()
	st := stateOf(t, h, id)
	records := journaled(t, j, id)
	folded := fresh(t, j, id, records[len(records)-1].Seq)
	got, _ := json.Marshal(st.Messages)
	want, _ := json.Marshal(folded.Messages.Tail()[max(0, len(folded.Messages.Tail())-200):])
	if len(st.Messages) > 0 && string(got) != string(want) || st.Title != folded.Title || st.LastMessageID != clew.MessageIDOf(folded.Seq) {
		t.Errorf("the state is not the fold of the journal:\n%s at %s\n%s at %d", got, st.LastMessageID, want, folded.Seq)
	}
}

// checkOnce checks that each acknowledged command stands in the journal where
// its receipt says, and no command stands there twice.
func checkOnce(t testing.TB, records []clew.Record, receipts map[clew.ClientMessageID]session.Receipt) {
	t.Helper()
	type run struct{ first, last uint64 }
	runs := map[string]run{}
	for _, r := range records {
		if r.Cause == "" {
			continue
		}
		key := string(r.By) + "/" + string(r.Cause)
		if at, ok := runs[key]; ok && at.last != r.Seq-1 {
			t.Errorf("%s was recorded at %d and again at %d", key, at.first, r.Seq)
		} else if ok {
			runs[key] = run{at.first, r.Seq}
		} else {
			runs[key] = run{r.Seq, r.Seq}
		}
	}
	for id, receipt := range receipts {
		at := runs["ann/"+string(id)]
		if len(receipt.Records) == 0 || receipt.Records[0] != clew.MessageIDOf(at.first) ||
			receipt.Records[len(receipt.Records)-1] != clew.MessageIDOf(at.last) {
			t.Errorf("%s has receipt %v and stands at %d to %d", id, receipt.Records, at.first, at.last)
		}
	}
}

// faults is a journal that fails when told to.
type faults struct {
	session.Journal

	mu sync.Mutex
	// before runs ahead of an append; its error is the append's and nothing is
	// stored. after runs once it is stored; its error is all the caller hears.
	before, after func(records []clew.Record) error
	dropSeals     bool
	failSeals     bool
	sealTries     int
	dead          bool // refuses everything
}

var errDead = errors.New("the engine is away")

func (f *faults) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *faults) kill() { f.set(func() { f.dead = true }) }

func (f *faults) alive() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return errDead
	}
	return nil
}

func (f *faults) Claim(ctx context.Context, shard int) (session.Lease, error) {
	if err := f.alive(); err != nil {
		return session.Lease{}, err
	}
	return f.Journal.Claim(ctx, shard)
}

func (f *faults) Open(ctx context.Context, l session.Lease, id clew.SessionID) (session.Log, core.Loaded, error) {
	if err := f.alive(); err != nil {
		return nil, core.Loaded{}, err
	}
	log, loaded, err := f.Journal.Open(ctx, l, id)
	return &faultyLog{log, f}, loaded, err
}

type faultyLog struct {
	session.Log
	f *faults
}

func (l *faultyLog) Append(ctx context.Context, records []clew.Record) error {
	l.f.mu.Lock()
	before, after := l.f.before, l.f.after
	l.f.mu.Unlock()
	if before != nil {
		if err := before(records); err != nil {
			return err
		}
	}
	if err := l.f.alive(); err != nil {
		return err
	}
	if err := l.Log.Append(ctx, records); err != nil {
		return err
	}
	if after != nil {
		return after(records)
	}
	return nil
}

func (l *faultyLog) Seal(ctx context.Context, head clew.Head, state []byte, recent []clew.Record) error {
	l.f.mu.Lock()
	l.f.sealTries++
	drop, fail := l.f.dropSeals || l.f.dead, l.f.failSeals
	l.f.mu.Unlock()
	if fail {
		return errDead
	}
	if drop {
		return nil
	}
	return l.Log.Seal(ctx, head, state, recent)
}

// times gives err the first n times.
func times(n int, err error) func([]clew.Record) error {
	var mu sync.Mutex
	return func([]clew.Record) error {
		mu.Lock()
		defer mu.Unlock()
		if n--; n >= 0 {
			return err
		}
		return nil
	}
}

// burst sends n commands at once and gives the receipts of those acknowledged.
func burst(ctx context.Context, h *session.Host, id clew.SessionID, n int) map[clew.ClientMessageID]session.Receipt {
	var mu sync.Mutex
	var wg sync.WaitGroup
	receipts := map[clew.ClientMessageID]session.Receipt{}
	for i := range n {
		wg.Go(func() {
			cmd := rename(fmt.Sprint("c", i))
			if r, err := h.Do(ctx, id, cmd); err == nil {
				mu.Lock()
				receipts[cmd.ClientMessageID] = r
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return receipts
}

// drain gives what the feed holds from a position on.
func drain(t testing.TB, from *feed.Feed, pos uint64) []*feed.Item {
	t.Helper()
	var list []*feed.Item
	for {
		buf := make([]*feed.Item, 64)
		n, _, _, err := from.Next(pos, buf)
		if err != nil && !errors.Is(err, feed.ErrClosed) {
			t.Fatalf("feed: %v", err)
		}
		if n == 0 {
			return list
		}
		list = append(list, buf[:n]...)
		pos += uint64(n)
	}
}

func decodeDelta(t testing.TB, envelope []byte) clew.AgentResponseData {
	t.Helper()
	var env struct {
		Type      clew.EventType         `json:"type"`
		MessageID string                 `json:"message_id"`
		Data      clew.AgentResponseData `json:"data"`
	}
	if err := json.Unmarshal(envelope, &env); err != nil || env.Type != clew.EventAgentResponse || env.MessageID != "" {
		t.Fatalf("not streamed text: %s, %v", envelope, err)
	}
	return env.Data
}
