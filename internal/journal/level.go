package journal

import (
	"context"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// A version is what a node can read: record types up to a level, folds up to a
// version. It stands in headers, which older programs ignore: on beats, and on the
// fence of a shard that its owner would rather see with a newer node.
type version struct{ level, fold int }

var ownVersion = version{clew.Level, core.FoldVersion}

// firstVersion is that of nodes that do not name theirs.
var firstVersion = version{level: 1}

const (
	versionHeader = "Clew-Version"
	yieldsHeader  = "Clew-Yields"
	offersHeader  = "Clew-Offers"
)

func (v version) String() string { return strconv.Itoa(v.level) + " " + strconv.Itoa(v.fold) }

func parseVersion(text string) version {
	level, fold, _ := strings.Cut(text, " ")
	v := firstVersion
	if n, err := strconv.Atoi(level); err == nil {
		v.level = n
	}
	if n, err := strconv.Atoi(fold); err == nil {
		v.fold = n
	}
	return v
}

// above reports whether v reads all that other does, and more.
func (v version) above(other version) bool {
	return v != other && v.level >= other.level && v.fold >= other.fold
}

// lowest is what all live nodes can read. Until this node has listened long enough
// to know them, it is what the first nodes could.
func (n *nodes) lowest() version {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.beats < beatsPerTTL {
		return firstVersion
	}
	low := n.own
	for _, other := range n.seen {
		low.level, low.fold = min(low.level, other.version.level), min(low.fold, other.version.fold)
	}
	return low
}

// Level implements session.Cluster.
func (j *Journal) Level() int { return j.nodes.lowest().level }

// HoldSeals implements session.Cluster.
func (j *Journal) HoldSeals() bool { return j.nodes.lowest().fold < j.nodes.own.fold }

// Newer implements session.Cluster.
func (j *Journal) Newer() string {
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	for name, other := range j.nodes.seen {
		if other.version.above(j.nodes.own) {
			return name
		}
	}
	return ""
}

// Yield implements session.Cluster: the shard is claimed once more, with a word
// for those who are newer.
func (j *Journal) Yield(ctx context.Context, lease session.Lease) (session.Lease, error) {
	return j.reclaim(ctx, lease, yieldsHeader, j.nodes.own.String())
}

// Offer implements session.Cluster: the shard is claimed once more, with the name
// of the node that may have it.
func (j *Journal) Offer(ctx context.Context, lease session.Lease, node string) (session.Lease, error) {
	return j.reclaim(ctx, lease, offersHeader, node)
}

// reclaim claims a shard of this node once more, with a word for others.
func (j *Journal) reclaim(ctx context.Context, lease session.Lease, header, value string) (session.Lease, error) {
	_, subject := j.fenceSubject(lease.Shard)
	m := newMsg(subject, []byte(j.cfg.Node))
	m.Header.Set(header, value)
	j.lockShard(lease.Shard)
	term, err := j.publishExpecting(ctx, m, subject, lease.Term)
	j.unlockShard(lease.Shard)
	if isCode(err, codeWrongFence) {
		return lease, session.ErrLeaseLost
	}
	if err != nil {
		return lease, engineError(err)
	}
	return session.Lease{Shard: lease.Shard, Term: term}, nil
}

// yields reports whether a fence's owner would rather see this node there.
func (j *Journal) yields(h nats.Header) bool {
	if h.Get(offersHeader) == j.cfg.Node {
		return true
	}
	text := h.Get(yieldsHeader)
	return text != "" && j.nodes != nil && j.nodes.own.above(parseVersion(text))
}

// Cluster gives what is known of the other nodes, nil if there can be none.
func (j *Journal) Cluster() session.Cluster {
	if j.nodes == nil {
		return nil
	}
	return j
}
