package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// indexEvery is how long a change of a session's summary may take to show in
// its owner's list on other nodes. On this one it is there for who looks.
const indexEvery = 2 * time.Second

// viewWait is how long who looks into a list waits for it to follow this node's
// sessions. While the engine is slow, an older list is better than none.
const viewWait = 2 * time.Second

// indexWriter is what waits to be written to the index. Guarded by Host.indexMu.
type indexWriter struct {
	// byOwner has the newest summary of each session until it is written.
	byOwner map[clew.UserID]map[clew.SessionID]core.Summary
	waiting map[clew.UserID][]chan struct{} // closed when that was tried
}

// reindex has the session's summary put into its owner's list within a while:
// the list is a view, and commands do not wait for it.
func (h *Host) reindex(owner clew.UserID, s core.Summary) {
	h.indexMu.Lock()
	defer h.indexMu.Unlock()
	if h.toIndex.byOwner == nil {
		h.toIndex.byOwner = map[clew.UserID]map[clew.SessionID]core.Summary{}
	}
	list := h.toIndex.byOwner[owner]
	if list == nil {
		list = map[clew.SessionID]core.Summary{}
		h.toIndex.byOwner[owner] = list
	}
	if old, ok := list[s.ID]; !ok || old.LastSeq < s.LastSeq {
		list[s.ID] = s
	}
}

// indexNow has the summary written at once, so that a new session is in the list
// when its creator looks.
func (h *Host) indexNow(ctx context.Context, owner clew.UserID, s core.Summary) {
	h.reindex(owner, s)
	h.listWritten(ctx, owner)
}

// listWritten returns when a list has what sessions on this node had for it
// before, or the engine did not take it.
func (h *Host) listWritten(ctx context.Context, owner clew.UserID) {
	h.indexMu.Lock()
	if len(h.toIndex.byOwner[owner]) == 0 {
		h.indexMu.Unlock()
		return
	}
	done := make(chan struct{})
	if h.toIndex.waiting == nil {
		h.toIndex.waiting = map[clew.UserID][]chan struct{}{}
	}
	h.toIndex.waiting[owner] = append(h.toIndex.waiting[owner], done)
	h.indexMu.Unlock()
	select {
	case h.indexKick <- struct{}{}:
	default: // kicked already
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
}

func (h *Host) runIndexWriter(ctx context.Context) {
	t := time.NewTicker(indexEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-h.indexKick:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), indexEvery)
			h.writeIndex(last)
			cancel()
			return
		}
		h.writeIndex(ctx)
	}
}

// writeIndex writes what waits, first where somebody waits for it.
func (h *Host) writeIndex(ctx context.Context) {
	h.indexMu.Lock()
	waiting := h.toIndex.waiting
	h.toIndex.waiting = nil
	owners := slices.SortedFunc(maps.Keys(h.toIndex.byOwner), func(a, b clew.UserID) int {
		return cmp.Compare(len(waiting[b]), len(waiting[a]))
	})
	h.indexMu.Unlock()
	for _, owner := range owners {
		h.writeList(ctx, owner)
		for _, done := range waiting[owner] {
			close(done)
		}
		delete(waiting, owner)
	}
	for _, rest := range waiting { // written before
		for _, done := range rest {
			close(done)
		}
	}
}

// writeList writes what waits for one list. What came newer meanwhile, or was not
// taken, is written the next time.
func (h *Host) writeList(ctx context.Context, owner clew.UserID) {
	h.indexMu.Lock()
	list := slices.SortedFunc(maps.Values(h.toIndex.byOwner[owner]), func(a, b core.Summary) int { return cmp.Compare(a.CreatedMS, b.CreatedMS) })
	h.indexMu.Unlock()
	if err := h.cfg.Index.Put(ctx, owner, list...); err != nil {
		h.cfg.Log.Warn("index is written again later", "owner", owner, "sessions", len(list), "err", err)
		return
	}
	h.indexMu.Lock()
	defer h.indexMu.Unlock()
	due := h.toIndex.byOwner[owner]
	for _, s := range list {
		if due[s.ID].LastSeq == s.LastSeq {
			delete(due, s.ID)
		}
	}
	if len(due) == 0 {
		delete(h.toIndex.byOwner, owner)
	}
}

// updateIndex has the lists follow the session, before anyone hears what was done. A
// state that is ahead of what is durable is not listed yet.
func (s *Session) updateIndex() {
	if s.indexed != s.head.Seq && s.head.Seq > 1 && s.state.Seq == s.head.Seq { // who creates a session puts it into the list
		s.putInIndexes(s.state.Summary())
		s.indexed = s.head.Seq
	}
}

// putInIndexes puts the session's line into the lists of its owner and of those whom it is
// shared with, and takes it out of the lists of those who lost it.
func (s *Session) putInIndexes(line core.Summary) {
	s.host.reindex(s.state.Owner, line)
	shared := slices.Sorted(maps.Keys(s.state.Access))
	for _, user := range shared[:min(len(shared), core.SharedMax)] {
		s.host.reindex(user, line)
		delete(s.removedFromIndex, user)
	}
	line.Gone = true
	for _, user := range s.state.Revoked {
		if s.removedFromIndex[user] {
			continue
		}
		if s.removedFromIndex == nil {
			s.removedFromIndex = map[clew.UserID]bool{}
		}
		s.removedFromIndex[user] = true
		s.host.reindex(user, line)
	}
}
