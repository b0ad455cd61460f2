package session

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// Shards is how many shards sessions are spread over. Ownership is held by
// shard, because a renewal per session could not be paid for.
const Shards = 4096

// ShardOf gives the shard of a session (FNV-1a, so that it never changes).
func ShardOf(id clew.SessionID) int {
	h := uint32(2166136261)
	for i := range len(id) {
		h = (h ^ uint32(id[i])) * 16777619
	}
	return int(h % Shards)
}

// A Lease is a node's right to append to the sessions of one shard. Every
// append carries it, and the engine itself refuses a lease that was taken over.
type Lease struct {
	Shard int
	// Term rises with every claim of the shard. It is the fence: the engine
	// compares it on each append.
	Term uint64
}

// A InitialHistory is what a session begins with.
type InitialHistory struct {
	// Parent has the records up to and including Head. "" if Records has them.
	Parent clew.SessionID
	Head   clew.Head
	// State is the fold up to Head.
	State []byte
	// Records yields those of a session from elsewhere, 1 up to Head, in order.
	Records iter.Seq2[clew.Record, error]
	// Kept yields folds on the way, for Past, in order of seq; nil has none.
	Kept iter.Seq2[uint64, []byte]
}

// ErrTaken says that there is such a session.
var ErrTaken = errors.New("there is such a session")

// ErrLeaseLost says that another node took the shard over; nothing was stored.
var ErrLeaseLost = errors.New("lease was taken over")

// ErrRefused says that the engine answered and would not take the records: its
// disk is full, for instance. To try again at once is of no use.
var ErrRefused = errors.New("the engine refused the records")

// ErrReadOnly says that the store takes no records for now. Whoever may look can
// go on looking.
var ErrReadOnly = errors.New("the store takes no records")

// Storage says whether the journal takes records.
type Storage interface {
	// Writable is nil if it does; else it wraps ErrReadOnly and has a sentence for
	// people.
	Writable() error
	// Changed is closed when that changes.
	Changed() <-chan struct{}
}

// alwaysWritable is a store that never fails.
type alwaysWritable struct{}

func (alwaysWritable) Writable() error          { return nil }
func (alwaysWritable) Changed() <-chan struct{} { return nil }

// Journal is the durable record of all sessions. Implementations are safe for
// concurrent use.
type Journal interface {
	// Claim takes the lease of a shard, or takes it anew with a higher term. It
	// fails with *OwnedError while another live node holds it.
	Claim(ctx context.Context, shard int) (Lease, error)

	// Holds reports whether nobody else has claimed the shard since.
	Holds(ctx context.Context, lease Lease) (bool, error)

	// Open loads a session for its owner. A session that does not exist is
	// loaded as an empty one, with Head.Seq 0. Code SESSION_DAMAGED means that
	// what is stored cannot be all that was acknowledged. Without a lease it is
	// loaded to be looked at, and its Log takes nothing. While no records are
	// taken it ends with what was acknowledged.
	Open(ctx context.Context, lease Lease, id clew.SessionID) (Log, core.Loaded, error)

	// Read yields the records from seq `from` up to and including `to`, in
	// order, verified and without gaps; it stops at the first error.
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]

	// Past gives a kept fold of the session's records: the newest one of this
	// program's FoldVersion at or before seq, nil if there is none. It saves folding from the start, and is
	// never far from seq in a long session.
	Past(ctx context.Context, id clew.SessionID, seq uint64) (state []byte, at uint64, err error)

	// Found makes a session that begins with records it did not write: those of
	// another session up to a point, which stay where they are, or those given.
	// It is durable on return. A session that has records is refused with
	// ErrTaken.
	Found(ctx context.Context, id clew.SessionID, f InitialHistory) error

	// Flush makes the seals written so far durable; only then does Open start
	// from them. One flush serves any number of seals.
	Flush(ctx context.Context) error

	// Wake asks for a wake-up of the session at a time (Unix ms), replacing an
	// earlier one; 0 takes it back.
	Wake(ctx context.Context, id clew.SessionID, atMS int64) error
}

// A Log is one session's journal in the hands of its owner, which makes one
// call at a time.
type Log interface {
	// Append stores records durably, all or none, within a time limit of its
	// own. It returns nil only after the engine has them on disk. ErrLeaseLost
	// means that this call stored nothing; an earlier one whose outcome was left
	// open may have. Any other error leaves the outcome open: the caller appends
	// exactly these records again, or claims the shard anew, which voids an
	// append that is still under way, and opens the session again.
	Append(ctx context.Context, records []clew.Record) error

	// MarkBusy leaves a sign in the engine that the session is at work, so that
	// it is found after a crash even when all its records are sealed.
	MarkBusy(ctx context.Context) error

	// Keep keeps a fold of the records up to head for Past, in addition to those
	// that are kept anyway.
	Keep(ctx context.Context, head clew.Head, state []byte) error

	// Own makes the records that the session has from another one its own. It is
	// durable on return.
	Own(ctx context.Context) error

	// Seal stores state, the fold of all records up to head, together with the
	// records themselves in the archive; Flush makes it count. recent holds the last records up to
	// head if the caller has them at hand; it only saves reading them again.
	Seal(ctx context.Context, head clew.Head, state []byte, recent []clew.Record) error
}

// Index is the list of sessions of each person: their own, and those that are
// shared with them.
type Index interface {
	// Put adds sessions to a person's list or replaces their entries.
	Put(ctx context.Context, owner clew.UserID, s ...core.Summary) error
	// List gives sessions, the latest activity first; those of everyone owner by
	// owner, newest first. next is the cursor of the next page, "" at the end.
	List(ctx context.Context, q ListQuery) (list []core.Summary, next string, err error)
	// Listed gives the last record of a session as its owner's list has it, 0 if
	// that is not known. The list may lag behind and is never ahead.
	Listed(ctx context.Context, owner clew.UserID, id clew.SessionID, createdMS int64) (uint64, error)
}

// ListQuery says which sessions are wanted.
type ListQuery struct {
	Owner     clew.UserID
	Everyone  bool     // in place of Owner
	Q         string   // part of a title or id
	Workspace string   // working in exactly this directory; "" is anywhere
	Status    []string // one of these; none is any
	Archived  bool     // those that were put away in place of the others
	Deleted   bool     // those that are to be erased in place of the others
	All       bool     // all of these
	Cursor    string   // "" or what the former call returned
	Limit     int
}

// Matches reports whether a session is one of those, whoever owns it.
func (q ListQuery) Matches(s core.Summary) bool {
	deleted := s.EraseMS > 0
	if s.Gone || !q.All && (deleted != q.Deleted || !deleted && s.Archived != q.Archived) {
		return false
	}
	if q.Workspace != "" && s.Workspace != q.Workspace {
		return false
	}
	if len(q.Status) > 0 && !slices.Contains(q.Status, s.Status) {
		return false
	}
	part := strings.ToLower(q.Q)
	return part == "" || strings.Contains(strings.ToLower(s.Title), part) || strings.Contains(strings.ToLower(string(s.ID)), part)
}

// Peers reaches the other nodes on the same engine. A single node has none.
type Peers interface {
	// Self is this node's name.
	Self() string
	// Call sends a request to the node and waits for the answer.
	Call(ctx context.Context, node string, request []byte) ([]byte, error)
	// Serve answers the calls of other nodes until ctx ends.
	Serve(ctx context.Context, answer func(ctx context.Context, request []byte) []byte) error
	// Publish sends what happened in a session to the nodes that watch it. It
	// may be lost.
	Publish(id clew.SessionID, notice []byte)
	// Alive reports whether the node is up, as far as the engine knows.
	Alive(node string) bool
	// Watch calls fn with each notice of the session until stop is called.
	Watch(id clew.SessionID, fn func(notice []byte)) (stop func(), err error)
}

// Cluster says what the nodes on the same engine can read, so that none writes
// what another could not carry on. A single node has none.
type Cluster interface {
	// Level is the level of record types that all live nodes know.
	Level() int
	// HoldSeals reports whether a live node could not read this program's folds.
	HoldSeals() bool
	// Newer names a live node that reads more than this program, "" if there is
	// none.
	Newer() string
	// Yield keeps the shard, and lets a newer node take it although this one is
	// alive. The lease it gives replaces the other.
	Yield(ctx context.Context, lease Lease) (Lease, error)
	// Offer keeps the shard, and lets a node take it although this one is alive.
	// The lease it gives replaces the other.
	Offer(ctx context.Context, lease Lease, node string) (Lease, error)
}

// OwnedError says which live node holds a shard.
type OwnedError struct{ Node string }

func (e *OwnedError) Error() string { return "shard is owned by node " + e.Node }
