package journal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// nodes knows which nodes are up. Each node says so a few times within the TTL;
// a node is down when it was silent for as many beats of our own as fit in one.
// Counting our own beats as they come back, rather than reading a clock, means
// that nobody is declared dead while we ourselves cannot hear.
type nodes struct {
	j       *Journal
	subject string
	sub     *nats.Subscription
	stop    context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	own    version
	beats  uint64               // our own, heard back
	seen   map[string]heardNode // the others
	onGone []func(node string)
	// onTaken hears of shards that another node claimed, onSilence of a time
	// in which this node heard nothing, and so may have missed that.
	onTaken   []func(shard int)
	onSilence []func()
	onSettled []func()      // once, when it is known which nodes are up
	heardAt   time.Duration // when our own beat last came back
	// calls holds what ends the calls under way to a node when it goes.
	calls map[string]map[*context.CancelFunc]bool
}

// A heardNode is another node, as it was last heard.
type heardNode struct {
	at      uint64 // our own beat
	version version
}

const (
	beatsPerTTL = 5
	goodbye     = "-"
)

func joinNodes(ctx, bg context.Context, j *Journal) (*nodes, error) {
	bg, stop := context.WithCancel(bg)
	n := &nodes{j: j, subject: j.subject("beat"), own: j.cfg.version, seen: map[string]heardNode{}, calls: map[string]map[*context.CancelFunc]bool{}, stop: stop, done: make(chan struct{})}
	sub, err := j.engine.conn.Subscribe(n.subject, n.heard)
	if err != nil {
		stop()
		return nil, err
	}
	n.sub = sub
	if _, err := j.engine.conn.Subscribe(j.subject("claimed"), n.claimed); err != nil {
		stop()
		return nil, err
	}
	heard := func() (struct{}, error) { return struct{}{}, j.engine.conn.FlushTimeout(requestTimeout) }
	if _, err := patiently(ctx, j.waiter, heard); err != nil { // the engine knows of both from here on
		stop()
		return nil, err
	}
	go n.beat(bg)
	return n, nil
}

func (n *nodes) beat(ctx context.Context) {
	defer close(n.done)
	t := time.NewTicker(n.j.cfg.NodeTTL / beatsPerTTL)
	defer t.Stop()
	for {
		m := newMsg(n.subject, []byte(n.j.cfg.Node))
		m.Header.Set(versionHeader, n.own.String())
		_ = n.j.engine.conn.PublishMsg(m) // a beat may be lost
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

func (n *nodes) heard(m *nats.Msg) {
	name := string(m.Data)
	n.mu.Lock()
	var gone []string
	switch left, bye := strings.CutPrefix(name, goodbye); {
	case bye:
		if _, known := n.seen[left]; known || left != n.j.cfg.Node {
			delete(n.seen, left)
			gone = append(gone, left)
		}
	case name == n.j.cfg.Node:
		n.beats++
		now := n.j.cfg.Clock.Elapsed()
		if n.beats > 1 && now-n.heardAt > n.j.cfg.NodeTTL {
			for _, fn := range n.onSilence {
				go fn()
			}
		}
		n.heardAt = now
		if n.beats == beatsPerTTL {
			for _, fn := range n.onSettled {
				go fn()
			}
		}
		for other, last := range n.seen {
			if n.beats-last.at >= beatsPerTTL {
				delete(n.seen, other)
				gone = append(gone, other)
			}
		}
	default:
		n.seen[name] = heardNode{n.beats, parseVersion(m.Header.Get(versionHeader))}
	}
	hooks := n.onGone
	for _, node := range gone {
		for end := range n.calls[node] {
			(*end)()
		}
	}
	n.mu.Unlock()
	for _, node := range gone {
		n.j.log.Warn("node is gone", "node", node)
		for _, fn := range hooks {
			go fn(node)
		}
	}
}

// announce tells the others that this node claimed a shard, so that a former
// owner lets its sessions go at once instead of at its next append.
func (n *nodes) announce(shard int) {
	_ = n.j.engine.conn.Publish(n.j.subject("claimed"), []byte(strconv.Itoa(shard)+" "+n.j.cfg.Node))
}

func (n *nodes) claimed(m *nats.Msg) {
	number, node, _ := strings.Cut(string(m.Data), " ")
	shard, err := strconv.Atoi(number)
	if err != nil || node == n.j.cfg.Node {
		return
	}
	n.mu.Lock()
	hooks := n.onTaken
	n.mu.Unlock()
	for _, fn := range hooks {
		fn(shard)
	}
}

// alive reports whether the node was heard lately. A node that has just come
// itself gives the others time to be heard.
func (n *nodes) alive(node string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, heard := n.seen[node]
	return heard || n.beats < beatsPerTTL
}

func (n *nodes) leave() {
	n.stop()
	<-n.done
	_ = n.sub.Unsubscribe()
	_ = n.j.engine.conn.Publish(n.subject, []byte(goodbye+n.j.cfg.Node))
	_ = n.j.engine.conn.FlushTimeout(requestTimeout)
}

// whileAlive gives a context that ends when the node goes, so that nobody waits
// for an answer that cannot come.
func (n *nodes) whileAlive(ctx context.Context, node string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	end := &cancel
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calls[node] == nil {
		n.calls[node] = map[*context.CancelFunc]bool{}
	}
	n.calls[node][end] = true
	return ctx, func() {
		cancel()
		n.mu.Lock()
		defer n.mu.Unlock()
		if delete(n.calls[node], end); len(n.calls[node]) == 0 {
			delete(n.calls, node)
		}
	}
}

// OnGone calls fn, in a goroutine of its own, for each node that goes down.
func (j *Journal) OnGone(fn func(node string)) {
	if j.nodes == nil {
		return
	}
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	j.nodes.onGone = append(j.nodes.onGone, fn)
}

// OnTaken calls fn for each shard that another node claims.
func (j *Journal) OnTaken(fn func(shard int)) {
	if j.nodes == nil {
		return
	}
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	j.nodes.onTaken = append(j.nodes.onTaken, fn)
}

// OnSilence calls fn, in a goroutine of its own, when this node was deaf for
// longer than others wait for it: it was stopped, or cut off.
func (j *Journal) OnSilence(fn func()) {
	if j.nodes == nil {
		return
	}
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	j.nodes.onSilence = append(j.nodes.onSilence, fn)
}

// OnSettled calls fn once, in a goroutine of its own, when this node has listened
// long enough to know which others are up.
func (j *Journal) OnSettled(fn func()) {
	if j.nodes == nil {
		return
	}
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	j.nodes.onSettled = append(j.nodes.onSettled, fn)
}

// Peers gives the way to the other nodes, nil if there can be none.
func (j *Journal) Peers() session.Peers {
	if j.nodes == nil {
		return nil
	}
	return j
}

// Self implements session.Peers.
func (j *Journal) Self() string { return j.cfg.Node }

// Call implements session.Peers.
func (j *Journal) Call(ctx context.Context, node string, request []byte) ([]byte, error) {
	ctx, cancel := j.nodes.whileAlive(ctx, node)
	defer cancel()
	m, err := j.engine.conn.RequestWithContext(ctx, j.subject("n", node), request)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, clew.WrapError(clew.Unavailable, err, "node %s does not answer", node)
	}
	if err != nil {
		return nil, clew.WrapError(clew.Unavailable, err, "node %s did not answer in time", node)
	}
	return m.Data, nil
}

// Serve implements session.Peers.
func (j *Journal) Serve(ctx context.Context, answer func(context.Context, []byte) []byte) error {
	var calls sync.WaitGroup
	sub, err := j.engine.conn.Subscribe(j.subject("n", j.cfg.Node), func(m *nats.Msg) {
		calls.Go(func() { _ = m.Respond(answer(ctx, m.Data)) }) // the caller's time-out covers a lost answer
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	err = sub.Unsubscribe()
	calls.Wait()
	return err
}

// Publish implements session.Peers.
func (j *Journal) Publish(id clew.SessionID, notice []byte) {
	_ = j.engine.conn.Publish(j.subject("l", string(id)), notice) // a notice may be lost
}

// Watch implements session.Peers.
func (j *Journal) Watch(id clew.SessionID, fn func([]byte)) (func(), error) {
	sub, err := j.engine.conn.Subscribe(j.subject("l", string(id)), func(m *nats.Msg) { fn(m.Data) })
	if err != nil {
		return nil, err
	}
	if err := j.engine.conn.FlushTimeout(requestTimeout); err != nil {
		_ = sub.Unsubscribe()
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Recent lists the sessions that have something in the streams, and so were at
// work lately, unless another live node owns them. Some of them may have work
// under way that nobody carries on.
func (j *Journal) Recent(ctx context.Context) ([]clew.SessionID, error) {
	var recent []clew.SessionID
	for p := range j.partitions {
		owners, err := j.owners(ctx, p)
		if err != nil {
			return nil, err
		}
		ids, err := j.subjectsOf(ctx, p, j.subject("j", strconv.Itoa(p), "s", ">"))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if owner := owners[session.ShardOf(id)]; owner == "" || owner == j.cfg.Node || !j.Alive(owner) { // "" also if it yields
				recent = append(recent, id)
			}
		}
	}
	return recent, nil
}

// owners gives the node that was the last to claim each shard of a partition, ""
// where it yields the shard to this one.
func (j *Journal) owners(ctx context.Context, p int) (map[int]string, error) {
	owners := map[int]string{}
	for m, err := range j.messages(ctx, p, j.subject("j", strconv.Itoa(p), "f", "*"), 1, 0) {
		if err != nil {
			return nil, err
		}
		shard, err := strconv.Atoi(string(sessionOf(m.Subject)))
		if err != nil {
			return nil, fmt.Errorf("fence subject %q: %w", m.Subject, err)
		}
		owners[shard] = string(m.Data)
		if j.yields(m.Header) {
			owners[shard] = ""
		}
	}
	return owners, nil
}
