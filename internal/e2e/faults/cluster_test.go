package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

// A shape is what a world stands on.
type shape int

const (
	alone      shape = iota // one node with its own engine
	apart                   // the same on a machine of its own, a network namespace
	together                // two nodes on three servers of the engine
	namespaces              // the same on three machines, each a network namespace
)

// clusterNodes is how many of the three machines have a node. The third one only
// has a server of the engine.
const clusterNodes = 2

// records is the engine's stream of all sessions: there is one, so that a plain
// client of the engine can be measured beside.
const records = "CLEW_J_0"

// A cluster is what several nodes stand on.
type cluster struct {
	*journaltest.Cluster
	archive string
	plain   []*plainWriter
}

// gather starts the servers of the engine and makes the nodes.
func (w *world) gather(program string, env map[string]string) {
	w.t.Helper()
	places := make([]journaltest.Place, 3)
	for i := range places {
		places[i] = w.machine(i)
	}
	w.cluster.archive = filepath.Join(w.data, "archive")
	engines := filepath.Join(w.data, "engine")
	for _, dir := range []string{w.cluster.archive, engines} {
		proc.Must(w.t, os.MkdirAll(dir, 0o700))
	}
	w.cluster.Cluster = journaltest.StartClusterAt(w.t, engines, places)
	maps.Copy(env, map[string]string{
		"CLEW_ENGINE": w.cluster.URL(), "CLEW_JOURNAL_ARCHIVE": "file://" + w.cluster.archive, "CLEW_JOURNAL_PARTITIONS": "1",
	})
	for i, at := range places[:clusterNodes] {
		p := proc.New(w.t, program, filepath.Join(w.data, fmt.Sprintf("node%d", i)), env)
		p.Settle(at.Host, at.By...)
		w.nodes = append(w.nodes, newNode(w.t, p))
	}
}

// machine is where the servers of a machine are.
func (w *world) machine(i int) journaltest.Place {
	if n := w.network; n != nil {
		return journaltest.Place{Host: n.address(i), By: n.inside(i)}
	}
	return journaltest.Place{Host: "127.0.0.1"}
}

// A plainWriter writes to the same stream as the nodes, as any client of the engine
// would: what it has to wait for is the engine's own time.
type plainWriter struct {
	conn   *nats.Conn
	served pulse
}

// newPlainWriters are one that goes to any server of the engine or, where machines
// are cut off, one for each server: the engine is back when it is back everywhere.
func newPlainWriters(w *world) (list []*plainWriter) {
	urls := []string{w.cluster.URL()}
	if w.network != nil {
		urls = []string{w.cluster.URLOf(0), w.cluster.URLOf(1), w.cluster.URLOf(2)}
	}
	for _, url := range urls {
		conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0), nats.IgnoreDiscoveredServers())
		proc.Must(w.t, err)
		w.t.Cleanup(conn.Close)
		list = append(list, &plainWriter{conn: conn})
	}
	return list
}

func (p *plainWriter) live(ctx context.Context) {
	for pause(ctx, 40*time.Millisecond) {
		if p.publish() == nil {
			p.served.beat()
		}
	}
}

func (p *plainWriter) publish() error {
	m, err := p.conn.Request("clew.j.0.plain", []byte("x"), 250*time.Millisecond)
	if err != nil {
		return err
	}
	var ack jetstream.PubAck
	if err := json.Unmarshal(m.Data, &ack); err != nil {
		return err
	}
	if ack.Sequence == 0 {
		return errors.New("not stored")
	}
	return nil
}

// ways count how often people went from one node to another with a session.
type ways struct {
	mu    sync.Mutex
	count map[clew.SessionID]int
}

func (x *ways) of(id clew.SessionID) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.count[id]
}

func (x *ways) next(id clew.SessionID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.count == nil {
		x.count = map[clew.SessionID]int{}
	}
	x.count[id]++
}

// leader is the server of the engine that leads the records' stream.
func (w *world) leader() (n int) {
	w.t.Helper()
	proc.Eventually(w.t, "the records have a leader", 30*time.Second, func() bool {
		var err error
		n, err = w.cluster.LeaderOf(records)
		return err == nil
	})
	return n
}

// wholeAgain waits until each server of the engine has all records.
func (w *world) wholeAgain() {
	w.t.Helper()
	proc.Eventually(w.t, "all servers of the engine have all records", 60*time.Second, func() bool { return w.cluster.Whole(records) })
}

// store is the journal that the nodes wrote.
func (w *world) store() journal.Config {
	if w.cluster == nil {
		return journal.Config{Dir: w.data}
	}
	return journal.Config{Dir: filepath.Join(w.dir, "reader"), Engine: w.cluster.URL(), Archive: "file://" + w.cluster.archive}
}

// fences reads the engine's stream as it lies there. Each claim of a shard ends the
// right of whoever had it: a record behind it is of its term, or a stale owner wrote.
func (w *world) fences() {
	conn, err := nats.Connect(w.cluster.URL())
	proc.Must(w.t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	proc.Must(w.t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stream, err := js.Stream(ctx, records)
	proc.Must(w.t, err)
	claims := map[string]uint64{} // by shard
	for at := stream.CachedInfo().State.FirstSeq; ; at++ {
		m, err := stream.GetMsg(ctx, at, jetstream.WithGetMsgSubject("clew.j.0.>"))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return
		}
		proc.Must(w.t, err)
		at = m.Sequence
		what := strings.Split(m.Subject, ".")[3:] // after clew.j.0
		switch {
		case what[0] == "f":
			claims[what[1]] = at
		case what[0] == "s" && len(m.Data) > 0:
			line, _, _ := strings.Cut(string(m.Data), "\n")
			r, err := clew.ParseRecord([]byte(line))
			claim := claims[what[1]]
			w.holds(oneOwner, err == nil && (claim == 0 || r.Term == claim), "%s: record %d of term %d was taken after shard %s was claimed in term %d: %v", what[2], r.Seq, r.Term, what[1], claim, err)
		}
	}
}

// calm reports whether nothing was broken yet when a record was made.
func (w *world) calm(r clew.Record) bool { return r.TS < w.brokenAt.UnixMilli() }

// missed reports whether a node took another one for gone before anything was
// broken: then it may take what that one had. A busy machine can do that.
func (w *world) missed() bool {
	for _, n := range w.nodes {
		if strings.Contains(n.Out.String()[:n.saidCalm], "node is gone") {
			return true
		}
	}
	return false
}

// refuses has people ask nodes that have no majority, for so long. Whatever these
// owned may be somebody else's by now: they must not say yes to anything.
func (w *world) refuses(d time.Duration, nodes ...*node) {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	var asked sync.WaitGroup
	for _, n := range nodes {
		for _, p := range w.writers {
			name := fmt.Sprintf("refused-%d-%s", w.events, n.URL())
			asked.Go(func() {
				for ctx.Err() == nil {
					_, err := w.api(n).Command(ctx, p.id, clew.ClientMessageID(name), clew.CommandRenameSession, clew.RenameSessionData{Title: name})
					w.holds(oneOwner, err != nil, "%s: a command was acknowledged by a node that is cut off", p.id)
					pause(ctx, 50*time.Millisecond)
				}
			})
		}
	}
	asked.Wait()
}

var discard = slog.New(slog.DiscardHandler)
