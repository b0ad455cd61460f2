package session

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
)

// A remote is the feed of a session that another node owns: notices from the
// owner, and the journal for what a lost notice left out.
type remote struct {
	host  *Host
	id    clew.SessionID
	feed  *feed.Feed
	epoch string

	refs    int // guarded by host.mu
	unwatch func()
	ctx     context.Context
	stop    context.CancelFunc

	mu   sync.Mutex    // one notice at a time
	next uint64        // seq of the next record
	beat time.Duration // when something was last heard

	changes remoteChanges
}

// Notices are records, one line each, or one transient envelope.
const (
	noticeRecords   = 'R'
	noticeTransient = 'T'
)

// publish tells this node, and the nodes that watch the session, what was
// recorded.
func (h *Host) publish(id clew.SessionID, records []clew.Record) {
	if h.cfg.Appended != nil {
		h.cfg.Appended(id, records[0].Seq)
	}
	for _, r := range records {
		h.cfg.Types.Event(r.Type)
	}
	if h.cfg.Peers == nil {
		return
	}
	notice := []byte{noticeRecords}
	for i, r := range records {
		if i > 0 {
			notice = append(notice, '\n')
		}
		notice = append(notice, r.Line()...)
	}
	h.cfg.Peers.Publish(id, notice)
}

func (h *Host) publishTransient(id clew.SessionID, typ clew.EventType, env []byte) {
	h.cfg.Types.Event(typ)
	if h.cfg.Peers == nil {
		return
	}
	notice := append([]byte{noticeTransient}, typ...)
	notice = append(notice, '\t')
	h.cfg.Peers.Publish(id, append(notice, env...))
}

// remote gives the feed of a session on another node, with one more reader.
func (h *Host) remote(ctx context.Context, id clew.SessionID, node string) (*remote, error) {
	h.mu.Lock()
	if r, ok := h.remotes[id]; ok {
		r.refs++
		h.mu.Unlock()
		return r, nil
	}
	h.mu.Unlock()
	r, err := h.follow(ctx, id, node)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		r.stop()
		r.unwatch()
		return nil, errStopping
	}
	if other, ok := h.remotes[id]; ok { // two came at once
		r.stop()
		r.unwatch()
		r = other
	} else {
		h.remotes[id] = r
		h.work.Go(func() {
			defer r.feed.Close()
			defer r.unwatch()
			r.poll()
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.remotes[id] == r { // the session has moved: new watchers look where to
				delete(h.remotes, id)
			}
		})
	}
	r.refs++
	return r, nil
}

func (h *Host) follow(ctx context.Context, id clew.SessionID, node string) (*remote, error) {
	bg, stop := context.WithCancel(context.Background())
	r := &remote{host: h, id: id, ctx: bg, stop: stop}
	// Listen first, then ask where the journal is: what comes in between is
	// held back by the lock.
	r.mu.Lock()
	defer r.mu.Unlock()
	unwatch, err := h.cfg.Peers.Watch(id, r.notice)
	if err != nil {
		stop()
		return nil, clew.WrapError(clew.Unavailable, err, "the session's node cannot be followed")
	}
	st, err := h.callState(ctx, node, id)
	if err != nil {
		unwatch()
		stop()
		return nil, err
	}
	seq, err := st.LastMessageID.Seq()
	if err != nil {
		unwatch()
		stop()
		return nil, err
	}
	r.next, r.epoch, r.beat, r.unwatch = seq+1, st.Epoch, r.host.cfg.Clock.Elapsed(), unwatch
	r.feed = feed.New(seq, h.cfg.Encode)
	return r, nil
}

func (h *Host) releaseRemote(r *remote) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.refs--
	if r.refs == 0 {
		if h.remotes[r.id] == r {
			delete(h.remotes, r.id)
		}
		r.close()
	}
}

// dropRemote ends the feed of a session that this node has come to own.
func (h *Host) dropRemote(id clew.SessionID) {
	h.mu.Lock()
	r := h.remotes[id]
	delete(h.remotes, id)
	h.mu.Unlock()
	if r != nil {
		r.close()
	}
}

func (r *remote) close() { r.stop() }

// notice takes in what the owner sent.
func (r *remote) notice(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(b) == 0 || r.feed == nil {
		return
	}
	r.beat = r.host.cfg.Clock.Elapsed()
	kind, body := b[0], bytes.Clone(b[1:])
	switch kind {
	case noticeRecords:
		r.records(body)
	case noticeTransient:
		typ, env, ok := bytes.Cut(body, []byte{'\t'})
		if ok {
			r.transient(clew.EventType(typ), env)
		}
	}
}

func (r *remote) records(body []byte) {
	for line := range bytes.SplitSeq(body, []byte{'\n'}) {
		rec, err := clew.ParseRecord(line)
		if err != nil {
			r.host.cfg.Log.Warn("notice", "session", r.id, "err", err)
			return
		}
		if rec.Seq > r.next {
			r.fill(rec.Seq - 1)
		}
		if rec.Seq == r.next {
			r.feed.Append([]clew.Record{rec})
			r.next++
		}
	}
	r.pull()
}

// fill reads what a lost notice left out.
func (r *remote) fill(to uint64) {
	ctx, cancel := context.WithTimeout(r.ctx, loadTimeout)
	defer cancel()
	for rec, err := range r.host.cfg.Journal.Read(ctx, r.id, r.next, to) {
		if err != nil {
			r.host.cfg.Log.Warn("fill a gap", "session", r.id, "err", err)
			return
		}
		r.feed.Append([]clew.Record{rec})
		r.next = rec.Seq + 1
	}
}

// pollEvery is how long a silent owner is believed to have nothing to say.
const pollEvery = time.Second

// poll asks after the journal's end when the owner has been silent, because its
// last notice may have been lost with it.
func (r *remote) poll() {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-r.ctx.Done():
			return
		}
		r.mu.Lock()
		quiet := r.host.cfg.Clock.Elapsed()-r.beat >= pollEvery
		r.mu.Unlock()
		if quiet && !r.catchUp() {
			return
		}
	}
}

// catchUp reads up to the owner's head; false means that the session is no
// longer remote.
func (r *remote) catchUp() bool {
	ctx, cancel := context.WithTimeout(r.ctx, loadTimeout)
	defer cancel()
	local := false
	var head uint64
	err := r.host.at(ctx, r.id, false, func(*Session) error { local = true; return nil }, func(node string) (err error) {
		head, err = r.host.callHead(ctx, node, r.id)
		return err
	})
	if local {
		return false
	}
	if err != nil {
		return !errors.Is(err, context.Canceled)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	behind := head >= r.next
	if behind {
		r.fill(head)
	}
	if behind || r.changes.stale {
		r.pull()
	}
	return true
}
