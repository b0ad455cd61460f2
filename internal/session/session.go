package session

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// A Session is a session in memory, at its owner. One goroutine (run) has the
// state and the log to itself; all others talk to it through inbox. Streamed
// text does not pass the goroutine, so that it never waits for the disk.
type Session struct {
	id   clew.SessionID
	host *Host
	feed *feed.Feed

	inbox chan request
	quit  chan struct{} // closed by end: stop now
	done  chan struct{} // closed by run when it has ended
	left  chan struct{} // closed by the host when its agents have left, too, and it is forgotten

	// holds counts watchers and commands under way; the host unloads at 0.
	holds atomic.Int64
	// exists and busy mirror the state for those outside the goroutine.
	exists, busy atomic.Bool
	// agents counts those at work. The session is loaded anew only after they
	// have left.
	agents sync.WaitGroup
	// trips counts those who take files back for the session.
	rewinds sync.WaitGroup
	// lost is set when another node took the shard over.
	lost    atomic.Bool
	endOnce sync.Once
	// readOnly says why the session can only be looked at here, nil for most: it
	// is too new for this program, or the store took no records when it was
	// loaded. It is set before anyone has the session.
	readOnly error
	// filesHere says that this node has the files as the agents left them.
	filesHere atomic.Bool
	// yielded says that a newer node may take it.
	yielded bool
	// lastUse is when something last happened, in ms that elapsed.
	lastUse atomic.Int64

	// Owned by run.
	state  *core.State
	log    Log
	lease  Lease
	head   clew.Head
	epoch  string
	recent []clew.Record // those after the last seal, as far as at hand
	sealed uint64        // seq up to which a seal is written
	anew   bool          // the state was folded from the records: no seal has it yet
	// sealTried is the head at the last try. After a failure the next one waits
	// for as many records as after a success.
	sealTried        uint64
	turns            map[clew.TaskID]*turn // the agents at work
	slots            ownSlots              // for the next ones
	notebooks        map[string]*notebookWork
	indexed          uint64               // seq of the summary last put in the index
	removedFromIndex map[clew.UserID]bool // those in Revoked who were told
	alarm            timer
	// inboxDue says that people's inboxes may have to change, inboxRows that the
	// session has rows there.
	inboxDue, inboxRows bool
	// folds are the states that the session was lately taken away from: most
	// likely it goes back there.
	folds []savedState
	// wentBack asks for them to be kept.
	wentBack bool
	// waitsFor is the node that has the files, while they are missing here.
	// filesBack says that the question about them is being withdrawn.
	waitsFor  string
	filesBack bool
	// awaited holds the questions that running tools wait for.
	awaited map[clew.RequestID]chan<- clew.HitlResolvedData
	// passwords are those that running cells asked for, until their runs end. They are
	// nowhere else.
	passwords map[clew.RequestID]string
	// attended are the notebooks that somebody worked for since the session was loaded or
	// last taken back.
	attended map[string]bool

	// nodes says who watches by way of which node, told what they were told.
	nodes            map[string]nodePresence
	announcedViewers clew.List[clew.Viewer]

	// tracker finds what changed for those who watch the state, nil while nobody
	// does. stateWatchers counts them, stateLeft is when the last one left (ms that
	// elapsed; 0 if nobody has).
	tracker       *view.Tracker
	stateWatchers atomic.Int64
	stateLeft     atomic.Int64

	// open is the text of growing messages. Guarded by openMu.
	openMu sync.Mutex
	open   map[clew.MessageID]*clew.OpenMessage
}

// errGone says that the session left this node's memory; ask the host again.
var errGone = errors.New("session is no longer here")

const (
	// inboxSize is what may wait without its sender waiting too. It is small:
	// every live session has one, and senders that wait are gathered as well.
	inboxSize = 16
	batchMax  = 256       // commands in one append
	batchSize = 512 << 10 // and bytes
	// recordOverhead is more than a record has beside its data.
	recordOverhead = 1 << 10
	sealEvery      = 1000 // records between two snapshots
)

// run is the session's goroutine. It reports whether it ended by a fault.
func (s *Session) run() (failed bool) {
	defer close(s.done)
	defer s.feed.Close()
	defer s.stopTurns()
	defer s.stopNotebooks()
	defer s.slots.giveBack(true)
	defer s.disarm()
	if s.readOnly != nil {
		s.show()
		return false
	}
	if s.anew {
		s.seal()
	}
	if err := s.settle(); err != nil { // what fell due meanwhile
		s.host.cfg.Log.Warn("session leaves this node", "session", s.id, "err", err)
		return true
	}
	s.startTurns()
	s.startNotebooks()
	s.resumeRewind()
	var batch []request
	for {
		s.arm()
		select {
		case req := <-s.inbox:
			batch = s.gather(append(batch[:0], req))
			if err := s.process(batch); err != nil {
				s.host.cfg.Log.Warn("session leaves this node", "session", s.id, "err", err)
				return true
			}
		case <-s.slots.kick:
			s.startTurns()
		case <-s.alarm.c:
			s.disarm()
			if err := s.settle(); err != nil {
				s.host.cfg.Log.Warn("session leaves this node", "session", s.id, "err", err)
				return true
			}
			continue
		case <-s.quit:
			s.stopTurns()
			s.stopNotebooks()
			if !s.lost.Load() {
				s.seal()
			}
			return false
		}
		s.lastUse.Store(s.host.elapsed())
	}
}

// show is run for a session that can only be looked at: nothing of it is
// written, sealed or carried on. When the store takes records again, the session
// ends and is loaded anew by whoever wants it.
func (s *Session) show() {
	var changed <-chan struct{}
	if errors.Is(s.readOnly, ErrReadOnly) {
		changed = s.host.cfg.Storage.Changed()
		if s.host.cfg.Storage.Writable() == nil {
			return
		}
	}
	for {
		select {
		case <-changed:
			changed = s.host.cfg.Storage.Changed()
			if s.host.cfg.Storage.Writable() == nil {
				return
			}
		case req := <-s.inbox:
			if req.look == nil {
				req.done <- outcome{err: s.writable(), refused: true}
				continue
			}
			req.look(s)
			req.done <- outcome{}
			s.lastUse.Store(s.host.elapsed())
		case <-s.quit:
			return
		}
	}
}

// end asks the goroutine to stop. The host loads the session anew only after it
// has, so that no two of them ever append.
func (s *Session) end() { s.endOnce.Do(func() { close(s.quit) }) }

// sessionState runs in the session's goroutine.
func (s *Session) sessionState() clew.SessionState {
	e := s.state.Project()
	e.Messages, e.Viewers = s.state.Messages.Tail(), s.viewers(s.host.elapsed())
	out := e.SessionState(clew.MessageIDOf(s.state.Seq))
	out.Epoch, out.OpenMessages = s.epoch, s.openMessages()
	if out.Returning != nil { // the state's own is not given away
		returning := *out.Returning
		out.Returning = &returning
	}
	return out
}
