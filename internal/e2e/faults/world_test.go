package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/poll"
)

// secret is in the settings of the server and may appear nowhere else.
const secret = "sk-canary-5f1d0c7be2"

// script is the model. What it does follows from the history alone.
const script = `
- when: {last_user: {regexp: '^do (\S+)'}, tool_result: execute_command}
  times: 0
  reply: [{text: It is done.}]
- when: {last_user: {regexp: '^do (\S+)'}}
  times: 0
  reply:
  - tool: {name: execute_command, input: {command: 'echo {{match 1}} >> ledger; env >environment'}}
- when: {last_user: {regexp: '^write (\S+)'}, tool_result: write_file}
  times: 0
  reply: [{text: It is written.}]
- when: {last_user: {regexp: '^write (\S+)'}}
  times: 0
  reply:
  - tool: {name: write_file, input: {path: 'notes/{{match 1}}.txt', content: 'this is {{match 1}}'}}
- when: {last_user: {regexp: '(?s)^run (.*)'}, tool_result: execute_command}
  times: 0
  reply: [{text: It came to an end.}]
- when: {last_user: {regexp: '(?s)^run (.*)'}}
  times: 0
  reply:
  - tool: {name: execute_command, input: {command: '{{match 1}}'}}
- when: {last_user: {regexp: '^note (\S+)'}, tool_result: mcp__peer__note}
  times: 0
  reply: [{text: It is noted.}]
- when: {last_user: {regexp: '^note (\S+)'}}
  times: 0
  reply:
  - tool: {name: mcp__peer__note, input: {key: '{{match 1}}'}}
- name: talk
  times: 0
  reply: [{text: "A word, another word, and that is all."}]
`

// A world is a server with people who use it, of which one thing is about to
// break.
type world struct {
	verdict
	t      testing.TB
	kind   kind
	seed   uint64
	random *rand.Rand // of the fault; it belongs to the test's goroutine
	dir    string
	data   string

	nodes    []*node
	cluster  *cluster // nil if there is one node with its own engine
	network  *network // nil if all are on loopback
	model    *llmtest.Server
	modelNet *proxy // between the server and its model
	peer     *peer  // a tool server, nil if the kind has none

	ways    ways
	people  sync.WaitGroup
	leave   context.CancelFunc
	rest    atomic.Bool // no new work is begun
	writers []*writer
	watches []*watcher
	workers []*worker
	mirrors []*mirror
	walker  *walker
	slow    *slowReader

	image     *imageDisk  // the disk that can lose its power, nil if it is none
	lockable  *switchDisk // the disk that can be made read-only, nil if it is none
	unflushed int         // bytes that were lost with it

	events   int // how often something broke
	acks     atomic.Int64
	gap      gap
	meanings meanings
	brokenAt time.Time                 // when it was broken first
	damaged  map[clew.SessionID]string // sessions whose records were spoilt on purpose, and how
}

func newWorld(t testing.TB, k kind, seed uint64) *world {
	t.Helper()
	if k.missing != nil && k.missing() != "" {
		t.Skip("not run: " + k.missing())
	}
	w := &world{t: t, kind: k, seed: seed, random: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), damaged: map[clew.SessionID]string{}}
	w.data = filepath.Join(w.dir, "data")
	if k.disk != "" {
		w.data = proc.SmallDisk(t, k.disk)
	}
	if k.fuse {
		w.lockable = newSwitchDisk(t)
		w.data = filepath.Join(w.lockable.dir, "data")
	}
	if k.image > 0 {
		w.image = newImageDisk(t, k.image)
		w.data = filepath.Join(w.image.dir, "data")
	}
	parsed, err := llmtest.Parse([]byte(script))
	proc.Must(t, err)
	w.model, err = llmtest.Start(parsed, llmtest.Options{Fast: true})
	proc.Must(t, err)
	t.Cleanup(func() { _ = w.model.Close() })
	host := "127.0.0.1"
	if k.shape == together || k.shape == namespaces {
		w.cluster = &cluster{}
	}
	if k.shape == apart || k.shape == namespaces {
		w.network = newNetwork(t)
		host = w.network.gateway()
	}
	w.modelNet = startProxyAt(t, host, strings.TrimPrefix(w.model.URL(), "http://"))
	if k.peer {
		w.peer = newPeer(t)
	}
	env := w.environment()
	maps.Copy(env, k.env)
	if k.python {
		withPython(w, env)
	}
	if k.bug != "" {
		env["CLEW_PLANTED"], k.tags = k.bug, "crashpoints"
	}
	program := proc.Program(t, k.tags)
	if w.cluster != nil {
		w.gather(program, env)
		return w
	}
	p := proc.New(t, program, w.data, env)
	if w.network != nil {
		p.Settle(w.network.address(0), w.network.inside(0)...)
	}
	w.nodes = []*node{newNode(t, p)}
	return w
}

// environment writes the server's settings and names them.
func (w *world) environment() map[string]string {
	settings := map[string]any{
		"model_profile": "test", "auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true,
		"command_sandbox": "none", "model_crash_retry": "auto", "command_timeout_sec": 3,
		"model_profiles": map[string]any{"test": map[string]any{
			"provider": "anthropic", "model": "test-1", "base_url": "http://" + w.modelNet.address(), "key_name": "test_key",
		}},
	}
	if w.peer != nil {
		settings["mcp_servers"] = map[string]any{"peer": w.peer.settings()}
	}
	b, err := json.Marshal(settings)
	proc.Must(w.t, err)
	path := filepath.Join(w.dir, "settings.json")
	proc.Must(w.t, os.WriteFile(path, b, 0o600))
	return map[string]string{"CLEW_SETTINGS": path, "CLEW_SECRET_TEST_KEY": secret, "CLEW_DISK_RESERVE": "0", "CLEW_FAULT_CLOCK": w.clockFile()}
}

func (w *world) workspace(name string) string { return filepath.Join(w.dir, "work", name) }

// api talks to a node through its network.
func (w *world) api(n *node) *client.API {
	token, err := n.Token()
	proc.Must(w.t, err)
	return client.NewAPI(n.URL(), token).WithHTTPClient(n.http)
}

// begin starts the server and lets people in.
func (w *world) begin() {
	w.t.Helper()
	for _, n := range w.nodes {
		proc.Must(w.t, n.Start())
	}
	ctx, leave := context.WithCancel(context.Background())
	w.leave = leave
	w.t.Cleanup(func() { leave(); w.people.Wait() })
	for i := range 3 {
		w.writers = append(w.writers, newWriter(w, i))
	}
	for i := range 2 {
		w.workers = append(w.workers, newWorker(w, i))
	}
	w.walker = newWalker(w)
	for _, id := range w.sessions() {
		w.watches = append(w.watches, newWatcher(w, id))
		w.mirrors = append(w.mirrors, &mirror{w: w, id: id})
	}
	w.slow = newSlowReader(w)
	if w.cluster != nil {
		w.cluster.plain = newPlainWriters(w)
	}
	w.gap.start()
	for _, p := range w.all() {
		w.people.Go(func() { p.live(ctx) })
	}
}

// A person uses the server until the context ends.
type person interface{ live(ctx context.Context) }

func (w *world) all() (list []person) {
	for _, p := range w.writers {
		list = append(list, p)
	}
	for _, p := range w.watches {
		list = append(list, p)
	}
	for _, p := range w.mirrors {
		list = append(list, p)
	}
	for _, p := range w.workers {
		list = append(list, p)
	}
	if w.cluster != nil {
		for _, p := range w.cluster.plain {
			list = append(list, p)
		}
	}
	return append(list, w.walker, w.slow, &approver{w, 0}, &approver{w, 1})
}

// sessions lists those that people use.
func (w *world) sessions() (ids []clew.SessionID) {
	for _, p := range w.writers {
		ids = append(ids, p.id)
	}
	for _, p := range w.workers {
		ids = append(ids, p.id)
	}
	return append(ids, w.walker.id)
}

func (w *world) create(name string) clew.SessionID {
	w.t.Helper()
	dir := w.workspace(name)
	proc.Must(w.t, os.MkdirAll(dir, 0o700))
	id, err := w.api(w.nodes[int(name[len(name)-1])%len(w.nodes)]).CreateSession(w.t.Context(), client.NewSession{
		SessionID: clew.SessionID("sess_" + name), Title: name, Workspace: dir,
	})
	proc.Must(w.t, err)
	return id
}

// command sends a command under one name until it is known what became of it. It
// stays with a node that answers.
func (w *world) command(ctx context.Context, id clew.SessionID, name string, typ clew.CommandType, data any) (client.Receipt, error) {
	for ; ; w.ways.next(id) {
		once, cancel := context.WithTimeout(ctx, 3*time.Second)
		r, err := w.api(w.way(id)).Command(once, id, clew.ClientMessageID(name), typ, data)
		cancel()
		if err == nil {
			w.acks.Add(1)
			w.gap.served()
			return r, nil
		}
		if !away(err) {
			return r, err
		}
		if !pause(ctx, 20*time.Millisecond) {
			return r, ctx.Err()
		}
	}
}

// way is the node that people go to with a session: at first not always the one that
// owns it.
func (w *world) way(id clew.SessionID) *node {
	return w.nodes[(int(id[len(id)-1])/2+w.ways.of(id))%len(w.nodes)]
}

// away reports whether trying again may help.
func away(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	switch clew.CodeOf(err) {
	case clew.Unavailable, clew.StorageFailed, clew.ConnectionFailed, clew.ConnectionTimeout, clew.RateLimited, clew.QueueFull:
		return true
	}
	return false
}

// pause waits, and reports whether there is a reason to go on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// load waits until so many more commands were acknowledged: the fault shall meet
// a server at work.
func (w *world) load(n int64) {
	w.t.Helper()
	want := w.acks.Load() + n
	if !poll.Within(30*time.Second, func() bool { return w.acks.Load() >= want }) {
		w.broke(liveAgain, "nobody was served for 30 s")
		w.t.Fatalf("%d commands were acknowledged in 30 s, %d were due\n%s", n-(want-w.acks.Load()), n, strings.Join(w.problems(), "\n"))
	}
}

// hold lets a fault last, about so long.
func (w *world) hold(d time.Duration) { time.Sleep(d/2 + time.Duration(w.random.Int64N(int64(d)))) }

// play breaks what is to be broken and checks what is left.
func (w *world) play() {
	w.t.Helper()
	w.begin()
	w.load(40)
	w.brokenAt = time.Now()
	for _, n := range w.nodes {
		n.saidCalm = len(n.Out.String())
	}
	w.kind.fault(w)
	w.gap.healed()
	w.live()
	w.load(40)
	w.settle()
	w.audit()
}

// In service again means within 5 s or, where the engine itself was away, so long
// after it takes writes of a plain client: an append whose answer was lost in the
// election waits for 2 s, and so may the look whether it landed.
const (
	liveWithin   = 5 * time.Second
	besideEngine = 4 * time.Second
)

// live waits until every writer was served after the fault.
func (w *world) live() {
	began, limit, bare := time.Now(), liveWithin, ""
	if w.cluster != nil {
		var engine time.Duration
		for _, p := range w.cluster.plain {
			engine = max(engine, p.served.since(began, 30*time.Second))
		}
		limit = max(liveWithin, engine+besideEngine)
		bare = fmt.Sprintf(", a plain client of the engine after %s", engine.Round(time.Millisecond))
	}
	for _, p := range w.writers {
		if w.spoilt(p.id) != "" {
			continue
		}
		took := p.served.since(began, 30*time.Second)
		w.holds(liveAgain, took < limit, "%s was served again only after %s%s", p.id, took.Round(time.Millisecond), bare)
	}
}

// settle waits until nobody has anything left to do.
func (w *world) settle() {
	w.t.Helper()
	w.rest.Store(true)
	limit := time.Now().Add(45 * time.Second)
	for _, id := range w.sessions() {
		turn := 0
		var s client.Session
		var err error
		rests := poll.Within(time.Until(limit), func() bool {
			if w.spoilt(id) != "" {
				return true
			}
			s, err = w.look(w.t.Context(), id, turn)
			turn++
			return err == nil && (s.Status == clew.StatusIdle || s.Status == clew.StatusCompleted) && w.resting(id)
		})
		if !rests {
			w.broke(liveAgain, "%s never came to rest: %s, %v", id, s.Status, err)
		}
	}
}

// resting reports whether a session's people are done.
func (w *world) resting(id clew.SessionID) bool {
	for _, p := range w.writers {
		if p.id == id {
			return p.resting.Load()
		}
	}
	for _, p := range w.workers {
		if p.id == id {
			return p.resting.Load()
		}
	}
	return w.walker.resting.Load()
}
