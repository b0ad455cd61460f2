package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/rewind"
)

// Config is what a host works with.
type Config struct {
	Journal Journal
	Storage Storage // nil if it always takes records
	Index   Index
	Inbox   Inbox // nil if there is none
	// Erasures knows the deleted sessions; nil if there can be none.
	Erasures Erasures
	// Retired, if it is given, is told of a session that was deleted, after its
	// agents have left.
	Retired func(id clew.SessionID)
	Peers   Peers   // nil if this node is alone
	Cluster Cluster // nil if this node is alone
	Agent   Agent
	// Notebooks does the work of notebooks; nil has none, and they cannot be opened.
	Notebooks Notebooks
	// Slots says how many agents may be at work; nil has no limit.
	Slots Slots
	// Services takes the commands that are about the server; nil has none.
	Services Services
	// Place says where a caller's new session may work, given the directory that
	// was asked for, "" for none. nil takes every directory.
	Place func(by clew.Principal, dir string) (string, error)
	// ForkBlobs counts the blobs that a fork has from its parent; nil counts none.
	ForkBlobs func(ctx context.Context, from clew.SessionID, to blob.For) error
	// Room is nil if something new may be begun, else why not; nil always has
	// room.
	Room  func() error
	Blobs Blobs
	// References says which blobs a session has; nil looks in the journal.
	References References
	Files      rewind.Files // nil if nobody looks after workspaces
	Log        *slog.Logger
	// Encode makes the frame of an envelope, once for all connections.
	Encode func(envelope []byte) []byte
	// Appended, if it is given, is told of records that a session of this node has
	// got, with the first one's seq. It must not wait.
	Appended func(id clew.SessionID, first uint64)
	// Rules keeps what owners of sessions want remembered beyond them; nil keeps nothing.
	Rules Rules
	// Types, if it is given, is told what types of commands and events there are.
	Types Types
	// Clock tells the time; nil is the machine's.
	Clock clock.Clock
	// MaxRecord is the size of the largest record that the journal takes.
	MaxRecord int
	// IdleAfter is how long a session without watchers and work stays in
	// memory.
	IdleAfter time.Duration
}

// A Host owns sessions on this node and reaches those of other nodes. Safe for
// concurrent use.
type Host struct {
	cfg Config

	mu       sync.Mutex
	sessions map[clew.SessionID]*slot
	remotes  map[clew.SessionID]*remote
	leases   map[int]Lease
	claiming map[int]*sync.Mutex
	closed   bool
	waiting  map[clew.SessionID]string // for the node that has their files

	indexMu   sync.Mutex
	toIndex   indexWriter
	indexKick chan struct{}
	wakes     *wakes
	mail      *inboxWriter    // nil without an inbox
	ctx       context.Context // ends with the host
	stop      context.CancelFunc
	work      sync.WaitGroup // background goroutines
	loops     sync.WaitGroup // sessions
}

// errStopping refuses callers of this node; other nodes look for another.
var errStopping = clew.Errorf(clew.Unavailable, "the server is stopping")

// slot is a session that is loaded or being loaded.
type slot struct {
	ready chan struct{} // closed when s or err is set
	s     *Session
	err   error
}

// A Receipt says what a command came to.
type Receipt struct {
	ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty"`
	Records         []clew.MessageID     `json:"records"`
	// Repeat is true if the command had been taken before; the receipt is that
	// of the first time.
	Repeat bool `json:"-"`
	// SessionID is the session that the command made, "" for most.
	SessionID clew.SessionID `json:"session_id,omitempty"`
	// Answer goes to the one who asked and is on no record; nil for most.
	Answer *Answer `json:"answer,omitempty"`
}

// An Answer is an event for one client.
type Answer struct {
	Type clew.EventType `json:"type"`
	Data any            `json:"data"`
}

// NewSession is what a session is created with.
type NewSession struct {
	ID        clew.SessionID // "" = make one
	Title     string
	Workspace string
	// Environment is PATH and the variables of toolchains of the owner's terminal.
	Environment map[string]string
}

// now is the time of day in Unix ms: for records and what people agreed on.
func (h *Host) now() int64 { return h.cfg.Clock.Now().UnixMilli() }

// elapsed counts ms, whatever the time of day does: for what lasts so long.
func (h *Host) elapsed() int64 { return h.cfg.Clock.Elapsed().Milliseconds() }

// NewHost makes a host. Close ends it.
func NewHost(cfg Config) *Host {
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.IdleAfter == 0 {
		cfg.IdleAfter = 5 * time.Minute
	}
	if cfg.MaxRecord == 0 {
		cfg.MaxRecord = 4 << 20
	}
	if cfg.Storage == nil {
		cfg.Storage = alwaysWritable{}
	}
	if cfg.Room == nil {
		cfg.Room = func() error { return nil }
	}
	if cfg.Slots == nil {
		cfg.Slots = unlimited{}
	}
	if cfg.Erasures == nil {
		cfg.Erasures = noneDeleted{}
	}
	if cfg.Types == nil {
		cfg.Types = noTypes{}
	}
	if cfg.References == nil && cfg.Journal != nil {
		cfg.References = blob.NewFinder(cfg.Journal)
	}
	if cfg.Encode == nil {
		cfg.Encode = func(b []byte) []byte { return b }
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &Host{
		cfg: cfg, ctx: ctx, stop: stop, indexKick: make(chan struct{}, 1), wakes: newWakes(),
		sessions: map[clew.SessionID]*slot{}, remotes: map[clew.SessionID]*remote{},
		leases: map[int]Lease{}, claiming: map[int]*sync.Mutex{}, waiting: map[clew.SessionID]string{},
	}
	h.startMail(ctx)
	h.work.Go(func() { h.runIndexWriter(ctx) })
	h.work.Go(func() { h.keepWakes(ctx) })
	h.work.Go(func() { h.unloadIdle(ctx) })
	if cfg.Peers != nil && cfg.Cluster != nil {
		h.work.Go(func() { h.keepReturning(ctx) })
	}
	if cfg.Peers != nil {
		h.work.Go(func() {
			if err := cfg.Peers.Serve(ctx, h.serveCall); err != nil {
				cfg.Log.Error("serving other nodes", "err", err)
			}
		})
	}
	return h
}

// Close stops all sessions and seals them. What is not sealed in time is safe
// in the journal all the same.
func (h *Host) Close(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	slots := slices.Collect(maps.Values(h.sessions))
	remotes := h.remotes
	h.remotes = map[clew.SessionID]*remote{}
	h.mu.Unlock()
	for _, r := range remotes {
		r.close()
	}
	for _, sl := range slots {
		select {
		case <-sl.ready:
		case <-ctx.Done():
			continue
		}
		if sl.s != nil {
			// Another node goes on from the stream; it must not wait for seals.
			sl.s.lost.Store(h.cfg.Peers != nil)
			sl.s.end()
		}
	}
	done := make(chan struct{})
	go func() { h.loops.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	h.stop()
	h.work.Wait()
}

// Create makes a session that belongs to by.
func (h *Host) Create(ctx context.Context, by clew.Principal, n NewSession) (clew.SessionID, error) {
	if n.ID == "" {
		n.ID = clew.NewSessionID()
	}
	if !n.ID.Valid() {
		return "", clew.Errorf(clew.InvalidMessage, "session_id is not valid")
	}
	if by.Role == clew.RoleViewer || by.Role == clew.RoleApprover {
		return "", clew.Errorf(clew.Forbidden, "these credentials may watch or answer, not make sessions")
	}
	if h.cfg.Place != nil {
		var err error
		if n.Workspace, err = h.cfg.Place(by, n.Workspace); err != nil {
			return "", err
		}
	}
	cmd := clew.Command{By: by, Data: &decide.CreateCommand{Owner: by.User, Title: n.Title, Workspace: n.Workspace, Node: h.filesHere(n.Workspace != ""), Environment: n.Environment}}
	if _, err := h.Do(ctx, n.ID, cmd); err != nil {
		return "", err
	}
	now := h.now()
	h.indexNow(ctx, by.User, core.Summary{
		ID: n.ID, Title: n.Title, Workspace: n.Workspace, Status: string(clew.StatusIdle), CreatedMS: now, UpdatedMS: now, LastUsedMS: now, LastSeq: 1,
		Owner: by.User,
	})
	return n.ID, nil
}

// Do carries out a command, on this node or on the one that owns the session,
// and returns once its records are durable. While no node can take it, Do waits
// as long as ctx allows.
func (h *Host) Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (Receipt, error) {
	typ := cmd.Type // Services may make another command of it
	receipt, err := h.carryOut(ctx, id, cmd)
	if err == nil {
		h.tookEffect(typ, receipt)
	}
	return receipt, err
}

func (h *Host) carryOut(ctx context.Context, id clew.SessionID, cmd clew.Command) (Receipt, error) {
	var receipt Receipt
	if h.cfg.Services != nil {
		answer, taken, err := h.cfg.Services.Handle(ctx, id, &cmd)
		if taken && err == nil {
			h.cfg.Types.Command(cmd.Type)
		}
		if err != nil || taken {
			return Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{}, Answer: answer}, err
		}
	}
	if decide.BeginsWork(cmd.Data) {
		if err := h.cfg.Room(); err != nil {
			return receipt, err
		}
	}
	if err := h.storeImages(ctx, id, cmd.By.User, cmd.Data); err != nil {
		return receipt, err
	}
	if err := h.prepareNotebook(ctx, id, cmd.By.User, cmd.Data); err != nil {
		return receipt, err
	}
	_, creating := cmd.Data.(*decide.CreateCommand)
	if h.cfg.Peers != nil && cmd.ClientMessageID == "" {
		// It may be sent to another node more than once.
		cmd.ClientMessageID = clew.NewClientMessageID()
	}
	err := h.at(ctx, id, creating, func(s *Session) (err error) {
		receipt, err = s.do(ctx, cmd)
		return err
	}, func(node string) (err error) {
		receipt, err = h.callDo(ctx, node, id, cmd)
		return err
	})
	return receipt, err
}

// at runs fn with the session in memory here, or there with the name of the
// node that owns it, and again if the session moves meanwhile.
func (h *Host) at(ctx context.Context, id clew.SessionID, creating bool, here func(*Session) error, there func(node string) error) error {
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 250*time.Millisecond) {
		s, release, err := h.acquire(ctx, id, creating)
		var owned *OwnedError
		switch {
		case err == nil:
			err = here(s)
			release()
		case errors.As(err, &owned):
			err = there(owned.Node)
		case clew.CodeOf(err) == clew.StorageFailed: // nothing was begun yet: the engine may be back in time
			err = errors.Join(errNotHere, err)
		}
		if err == nil || !isTransient(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return clew.WrapError(clew.Unavailable, err, "no node can serve the session right now")
		}
	}
}

// isTransient reports whether an error may go away by itself: the session moves, or
// its owner or the engine is away for a moment.
func isTransient(err error) bool {
	if errors.Is(err, errGone) || errors.Is(err, ErrLeaseLost) || errors.Is(err, errNotHere) {
		return true
	}
	var owned *OwnedError
	return errors.As(err, &owned)
}

// acquire gives the session in memory, loading it if need be, and keeps it
// there until release is called. It fails with *OwnedError if another live node
// owns it.
func (h *Host) acquire(ctx context.Context, id clew.SessionID, creating bool) (*Session, func(), error) {
	sl, err := h.slot(id)
	if err != nil {
		return nil, nil, err
	}
	select {
	case <-sl.ready:
	case <-ctx.Done():
		return nil, nil, timedOut(ctx)
	}
	if sl.err != nil {
		return nil, nil, sl.err
	}
	s := sl.s
	select {
	case <-s.quit: // it is leaving: once it has left it can be loaded anew
		select {
		case <-s.done:
			return nil, nil, errGone
		case <-ctx.Done():
			return nil, nil, timedOut(ctx)
		}
	default:
	}
	if !creating && !s.exists.Load() {
		h.drop(sl)
		return nil, nil, clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	if s.yielded {
		if node := h.cfg.Cluster.Newer(); node != "" { // it may take the shard
			return nil, nil, &OwnedError{Node: node}
		}
	}
	s.holds.Add(1)
	return s, func() { s.lastUse.Store(h.elapsed()); s.holds.Add(-1) }, nil
}

// slot finds the session's slot or starts loading it.
func (h *Host) slot(id clew.SessionID) (*slot, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping
	}
	if sl, ok := h.sessions[id]; ok {
		return sl, nil
	}
	sl := &slot{ready: make(chan struct{})}
	h.sessions[id] = sl
	h.loops.Add(1)
	go func() {
		defer h.loops.Done()
		h.load(id, sl)
	}()
	return sl, nil
}

// loadTimeout bounds a load; those who wait for it have their own limits.
const loadTimeout = 15 * time.Second

// load fills the slot and then runs the session until it ends.
func (h *Host) load(id clew.SessionID, sl *slot) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	s, err := h.open(ctx, id)
	cancel()
	sl.s, sl.err = s, err
	if err != nil {
		h.remove(id, sl)
		close(sl.ready)
		return
	}
	h.dropRemote(id)
	close(sl.ready)
	failed := s.run()
	s.agents.Wait()
	s.rewinds.Wait()
	h.remove(id, sl)
	h.leaveInbox(id)
	close(s.left)
	if failed && (s.busy.Load() || h.wakes.has(id)) && !s.lost.Load() {
		h.runInBackground(func() { h.reopen(id) })
	}
}

// runInBackground runs fn in the background unless the host is stopping.
func (h *Host) runInBackground(fn func()) (runs bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.work.Go(fn)
	}
	return !h.closed
}

func (h *Host) remove(id clew.SessionID, sl *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[id] == sl {
		delete(h.sessions, id)
		delete(h.waiting, id)
	}
}

// drop ends a session that turned out not to exist, unless somebody is using it
// to create it.
func (h *Host) drop(sl *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if sl.s.holds.Load() == 0 && !sl.s.exists.Load() {
		sl.s.end()
	}
}

// checkListed asks the second witness: a journal that ends before what its owner's
// list has seen lost its end. A list that cannot be read says nothing.
func (h *Host) checkListed(ctx context.Context, id clew.SessionID, state *core.State, head uint64) error {
	if !state.Exists() || h.cfg.Index == nil {
		return nil
	}
	listed, err := h.cfg.Index.Listed(ctx, state.Owner, id, state.CreatedMS)
	switch {
	case err != nil:
		h.cfg.Log.Warn("the owner's list was not asked about a session", "session", id, "err", err)
	case head < listed && !planted.Bug("lost end served"):
		return DamagedError(id, fmt.Errorf("its owner's list knows record %d, but the store ends at %d", listed, head))
	}
	return nil
}

// DamagedError says that what is stored of a session cannot be all that was
// acknowledged.
func DamagedError(id clew.SessionID, err error) error {
	return clew.WrapError(clew.SessionDamaged, err,
		"session %s is damaged and was not opened; nothing was changed; run `clew doctor` for details", id)
}

// open claims the shard and reads the session. While no records are taken it
// cannot be claimed, only shown.
func (h *Host) open(ctx context.Context, id clew.SessionID) (*Session, error) {
	if err := h.undeleted(ctx, id); err != nil {
		return nil, err
	}
	noStore := h.cfg.Storage.Writable()
	var lease Lease
	if noStore == nil {
		var err error
		if lease, err = h.lease(ctx, ShardOf(id), 0); err != nil {
			return nil, err
		}
	}
	log, loaded, err := h.cfg.Journal.Open(ctx, lease, id)
	if err != nil {
		return nil, err
	}
	r, err := h.restore(ctx, id, log, loaded)
	if err != nil {
		return nil, err
	}
	if err := h.checkListed(ctx, id, r.state, loaded.Head.Seq); err != nil {
		return nil, err
	}
	yielded := false
	if r.tooNew != nil && noStore == nil {
		lease, yielded = h.yield(ctx, lease)
	}
	state := r.state
	s := &Session{
		id: id, host: h, feed: feed.New(loaded.Head.Seq, h.cfg.Encode),
		inbox: make(chan request, inboxSize), quit: make(chan struct{}), done: make(chan struct{}), left: make(chan struct{}),
		state: state, log: log, lease: lease, head: loaded.Head, epoch: loaded.Epoch,
		recent: loaded.Tail, sealed: loaded.StateSeq, indexed: loaded.StateSeq, yielded: yielded,
		readOnly: cmp.Or(r.tooNew, noStore), slots: ownSlots{kick: make(chan struct{}, 1)},
	}
	if r.anew && s.readOnly == nil {
		s.anew, s.sealed, s.indexed = true, 0, 0
	}
	state.Rules, _ = h.cfg.Agent.(core.Rules)
	s.alarm.woken = wakeAfterLoad(state, loaded)
	s.exists.Store(state.Exists())
	s.busy.Store(s.readOnly == nil && state.Busy())
	s.lastUse.Store(h.elapsed())
	s.feed.Append(loaded.Tail)
	if s.readOnly == nil {
		s.openInbox(loaded)
	} else {
		h.cfg.Log.Warn("session is read-only here", "session", id, "err", s.readOnly)
	}
	return s, nil
}

// Access gives the caller's role in the session. A session that the caller has
// no right to gives SESSION_NOT_FOUND, just as one that does not exist.
func (h *Host) Access(ctx context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	if !id.Valid() {
		return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no such session")
	}
	var role clew.Role
	err := h.at(ctx, id, false, func(s *Session) error {
		return s.read(ctx, func(s *Session) { role = s.state.RoleOf(p) })
	}, func(node string) (err error) {
		role, err = h.callAccess(ctx, node, id, p)
		return err
	})
	if err == nil && role == clew.RoleNone {
		err = clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	return role, h.whyGone(ctx, id, p, err)
}

// List gives sessions as the index does.
func (h *Host) List(ctx context.Context, q ListQuery) ([]core.Summary, string, error) {
	if !q.Everyone && q.Cursor == "" {
		wait, cancel := context.WithTimeout(ctx, viewWait)
		h.listWritten(wait, q.Owner) // who just did something sees it
		cancel()
	}
	return h.cfg.Index.List(ctx, q)
}

// Seal seals a session up to its head, on the node that owns it. The seal counts
// after the journal's next Flush.
func (h *Host) Seal(ctx context.Context, id clew.SessionID) error {
	return h.at(ctx, id, false, func(s *Session) error {
		return s.sealNow(ctx)
	}, func(node string) error {
		return h.callSeal(ctx, node, id)
	})
}

// Wake loads a session, so that its work goes on, and has what is due in it done
// before it returns.
func (h *Host) Wake(ctx context.Context, id clew.SessionID) error {
	return h.at(ctx, id, false, func(s *Session) error { return s.wake(ctx) }, func(node string) error {
		return h.callWake(ctx, node, id)
	})
}
