// Package journaltest holds the suite that every journal must pass, and the
// journal in memory.
package journaltest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Memory is a journal in memory, with the promises of the real one but for
// durability. Several nodes may share one: see Node. The zero value is ready.
type Memory struct {
	mu     sync.Mutex
	terms  map[int]uint64
	owners map[int]string
	down   map[string]bool
	logs   map[clew.SessionID]*memoryLog
	lists  map[clew.UserID][]core.Summary
	wakes  map[clew.SessionID]int64
}

type memoryLog struct {
	records []clew.Record
	state   []byte
	sealed  uint64
	base    uint64     // the last record that is another session's
	kept    []keptFold // oldest first
}

type keptFold struct {
	seq   uint64
	state []byte
}

// keepEvery is how many records lie between two kept folds, at least.
const keepEvery = 1000

// Node is the journal as one node sees it.
func (m *Memory) Node(name string) *MemoryNode { return &MemoryNode{m: m, name: name} }

// Down marks a node as dead: its shards may be taken over.
func (m *Memory) Down(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down == nil {
		m.down = map[string]bool{}
	}
	m.down[name] = true
}

// Sealed gives the fold that is sealed of a session.
func (m *Memory) Sealed(id clew.SessionID) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.logs[id].state)
}

// Replace puts other folds in place of those that are stored of a session, as
// another program would have made them.
func (m *Memory) Replace(id clew.SessionID, fold func(state []byte) []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[id]
	l.state = fold(slices.Clone(l.state))
	for i := range l.kept {
		l.kept[i].state = fold(slices.Clone(l.kept[i].state))
	}
}

// MemoryNode implements session.Journal and session.Index.
type MemoryNode struct {
	m    *Memory
	name string
}

// Claim implements session.Journal.
func (n *MemoryNode) Claim(_ context.Context, shard int) (session.Lease, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if n.m.terms == nil {
		n.m.terms, n.m.owners = map[int]uint64{}, map[int]string{}
	}
	if owner := n.m.owners[shard]; owner != "" && owner != n.name && !n.m.down[owner] {
		return session.Lease{}, &session.OwnedError{Node: owner}
	}
	n.m.terms[shard]++
	n.m.owners[shard] = n.name
	return session.Lease{Shard: shard, Term: n.m.terms[shard]}, nil
}

// Holds implements session.Journal.
func (n *MemoryNode) Holds(_ context.Context, lease session.Lease) (bool, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	return n.m.terms[lease.Shard] == lease.Term, nil
}

// Open implements session.Journal.
func (n *MemoryNode) Open(_ context.Context, lease session.Lease, id clew.SessionID) (session.Log, core.Loaded, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if n.m.logs == nil {
		n.m.logs = map[clew.SessionID]*memoryLog{}
	}
	l := n.m.logs[id]
	if l == nil {
		l = &memoryLog{}
		n.m.logs[id] = l
	}
	loaded := core.Loaded{Epoch: "e1", State: l.state, StateSeq: l.sealed, Base: l.base, Tail: slices.Clone(l.records[l.sealed:])}
	if len(l.records) > 0 {
		loaded.Head = l.records[len(l.records)-1].After()
	}
	return &memoryHandle{n.m, lease, l}, loaded, nil
}

type memoryHandle struct {
	m     *Memory
	lease session.Lease
	l     *memoryLog
}

func (h *memoryHandle) Append(_ context.Context, records []clew.Record) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.m.terms[h.lease.Shard] != h.lease.Term {
		return session.ErrLeaseLost
	}
	var head clew.Head
	for _, r := range records {
		if n := r.Seq - 1; n < uint64(len(h.l.records)) { // a repeat must be the same
			if !bytes.Equal(h.l.records[n].Line(), r.Line()) {
				return fmt.Errorf("record %d is another already", r.Seq)
			}
			continue
		}
		if n := len(h.l.records); n > 0 {
			head = h.l.records[n-1].After()
		}
		if err := r.Follows(head); err != nil {
			return err
		}
		h.l.records = append(h.l.records, r)
	}
	return nil
}

// Own has nothing to do: a fork has its own copy here.
func (h *memoryHandle) Own(context.Context) error { return nil }

func (h *memoryHandle) MarkBusy(context.Context) error { return nil }

func (h *memoryHandle) Keep(_ context.Context, head clew.Head, state []byte) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	at, found := slices.BinarySearchFunc(h.l.kept, head.Seq, func(k keptFold, seq uint64) int { return cmp.Compare(k.seq, seq) })
	if found {
		h.l.kept[at].state = slices.Clone(state)
		return nil
	}
	h.l.kept = slices.Insert(h.l.kept, at, keptFold{head.Seq, slices.Clone(state)})
	return nil
}

func (h *memoryHandle) Seal(_ context.Context, head clew.Head, state []byte, _ []clew.Record) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if head.Seq >= h.l.sealed {
		if head.Seq/keepEvery > h.l.sealed/keepEvery {
			h.l.kept = append(h.l.kept, keptFold{head.Seq, slices.Clone(state)})
		}
		h.l.state, h.l.sealed = slices.Clone(state), head.Seq
	}
	return nil
}

// Read implements session.Journal.
func (n *MemoryNode) Read(_ context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		n.m.mu.Lock()
		var records []clew.Record
		if l := n.m.logs[id]; l != nil {
			records = l.records
		}
		n.m.mu.Unlock()
		for seq := max(from, 1); seq <= min(to, uint64(len(records))); seq++ {
			if !yield(records[seq-1], nil) {
				return
			}
		}
	}
}

// Past implements session.Journal.
func (n *MemoryNode) Past(_ context.Context, id clew.SessionID, seq uint64) ([]byte, uint64, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	l := n.m.logs[id]
	if l == nil {
		return nil, 0, nil
	}
	for _, k := range slices.Backward(l.kept) {
		if k.seq <= seq && core.FoldOf(k.state) == core.FoldVersion {
			return slices.Clone(k.state), k.seq, nil
		}
	}
	return nil, 0, nil
}

// Found implements session.Journal.
func (n *MemoryNode) Found(_ context.Context, id clew.SessionID, f session.InitialHistory) error {
	if f.Head.Seq == 0 || (f.Parent == "") == (f.Records == nil) || f.Parent == id {
		return errors.New("a session begins with another session's records or with its own, and with one at least")
	}
	l := &memoryLog{state: slices.Clone(f.State), sealed: f.Head.Seq}
	if f.Records != nil {
		if err := l.take(f); err != nil {
			return err
		}
	}
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if f.Records == nil {
		if err := l.begin(n.m.logs[f.Parent], f.Head); err != nil {
			return err
		}
	}
	if have := n.m.logs[id]; have != nil && len(have.records) > 0 {
		return session.ErrTaken
	}
	if f.Head.Seq >= keepEvery {
		l.kept = append(l.kept, keptFold{f.Head.Seq, l.state})
	}
	if n.m.logs == nil {
		n.m.logs = map[clew.SessionID]*memoryLog{}
	}
	n.m.logs[id] = l
	return nil
}

// take reads the records of a session from elsewhere.
func (l *memoryLog) take(f session.InitialHistory) error {
	var head clew.Head
	for r, err := range f.Records {
		if err != nil {
			return err
		}
		if err := r.Follows(head); err != nil {
			return err
		}
		l.records = append(l.records, r)
		head = r.After()
	}
	if head != f.Head {
		return fmt.Errorf("the records end at %d instead of %d", head.Seq, f.Head.Seq)
	}
	if f.Kept == nil {
		return nil
	}
	for seq, state := range f.Kept {
		l.kept = append(l.kept, keptFold{seq, slices.Clone(state)})
	}
	return nil
}

// begin takes the parent's records up to head.
func (l *memoryLog) begin(parent *memoryLog, head clew.Head) error {
	if parent == nil || head.Seq == 0 || uint64(len(parent.records)) < head.Seq || parent.records[head.Seq-1].After() != head {
		return fmt.Errorf("the parent has no such record %d", head.Seq)
	}
	l.records, l.base = slices.Clone(parent.records[:head.Seq]), head.Seq
	for _, k := range parent.kept {
		if k.seq <= head.Seq {
			l.kept = append(l.kept, k)
		}
	}
	return nil
}

// Flush implements session.Journal.
func (n *MemoryNode) Flush(context.Context) error { return nil }

// Wake implements session.Journal.
func (n *MemoryNode) Wake(_ context.Context, id clew.SessionID, atMS int64) error {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if n.m.wakes == nil {
		n.m.wakes = map[clew.SessionID]int64{}
	}
	n.m.wakes[id] = atMS
	return nil
}

// Put implements session.Index.
func (n *MemoryNode) Put(_ context.Context, owner clew.UserID, summaries ...core.Summary) error {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if n.m.lists == nil {
		n.m.lists = map[clew.UserID][]core.Summary{}
	}
	for _, s := range summaries {
		list := n.m.lists[owner]
		if i := slices.IndexFunc(list, func(o core.Summary) bool { return o.ID == s.ID }); i >= 0 {
			list[i] = s
			continue
		}
		n.m.lists[owner] = append(list, s)
	}
	return nil
}

// Listed implements session.Index.
func (n *MemoryNode) Listed(_ context.Context, owner clew.UserID, id clew.SessionID, _ int64) (uint64, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	for _, s := range n.m.lists[owner] {
		if s.ID == id {
			return s.LastSeq, nil
		}
	}
	return 0, nil
}

// List implements session.Index; everything is on one page.
func (n *MemoryNode) List(_ context.Context, q session.ListQuery) ([]core.Summary, string, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	owners := []clew.UserID{q.Owner}
	if q.Everyone {
		owners = slices.Sorted(maps.Keys(n.m.lists))
	}
	var list []core.Summary
	for _, owner := range owners {
		for _, s := range slices.Backward(n.m.lists[owner]) {
			if q.Matches(s) && (!q.Everyone || s.Owner == "" || s.Owner == owner) {
				list = append(list, s)
			}
		}
	}
	if !q.Everyone {
		slices.SortStableFunc(list, func(a, b core.Summary) int { return cmp.Compare(b.UpdatedMS, a.UpdatedMS) })
	}
	return list[:min(q.Limit, len(list))], "", nil
}
