package session

import (
	"context"
	"errors"
	"iter"

	"github.com/clew-run/clew"
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

// Loaded is a session as the journal holds it: a folded state and the records
// after it, verified.
type Loaded struct {
	Head  clew.Head
	Epoch string
	// State is the fold of the records up to StateSeq, nil if there is none.
	State    []byte
	StateSeq uint64
	// Tail holds the records after StateSeq up to Head.
	Tail []clew.Record
}

// ErrLeaseLost says that another node took the shard over; nothing was stored.
var ErrLeaseLost = errors.New("lease was taken over")

// ErrRefused says that the engine answered and would not take the records: its
// disk is full, for instance. To try again at once is of no use.
var ErrRefused = errors.New("the engine refused the records")

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
	// what is stored cannot be all that was acknowledged.
	Open(ctx context.Context, lease Lease, id clew.SessionID) (Log, Loaded, error)

	// Read yields the records from seq `from` up to and including `to`, in
	// order, verified and without gaps; it stops at the first error.
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]

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

	// Seal stores state, the fold of all records up to head, together with the
	// records themselves in the archive; Flush makes it count. recent holds the last records up to
	// head if the caller has them at hand; it only saves reading them again.
	Seal(ctx context.Context, head clew.Head, state []byte, recent []clew.Record) error
}

// Index is the list of sessions of each owner.
type Index interface {
	// Put adds sessions to their owner's list or replaces their entries.
	Put(ctx context.Context, owner clew.UserID, s ...Summary) error
	// List gives an owner's sessions, newest first. cursor is "" or what the
	// former call returned; next is "" at the end. q filters by title or id.
	List(ctx context.Context, owner clew.UserID, q, cursor string, limit int) (list []Summary, next string, err error)
}

// Summary is a session's line in its owner's list.
type Summary struct {
	ID        clew.SessionID `json:"session_id"`
	Title     string         `json:"title"`
	Status    string         `json:"status"`
	Workspace string         `json:"workspace,omitempty"`
	CreatedMS int64          `json:"created_ms"`
	UpdatedMS int64          `json:"updated_ms"`
	LastSeq   uint64         `json:"last_seq"`
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

// OwnedError says which live node holds a shard.
type OwnedError struct{ Node string }

func (e *OwnedError) Error() string { return "shard is owned by node " + e.Node }
