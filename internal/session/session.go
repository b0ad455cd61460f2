package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
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
	indexed          uint64                // seq of the summary last put in the index
	removedFromIndex map[clew.UserID]bool  // those in Revoked who were told
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

// request is one thing asked of a session's goroutine: a command, or a look.
type request struct {
	ctx  context.Context
	cmd  clew.Command
	look func(*Session) // runs in the goroutine instead of a command
	done chan outcome   // buffered
}

type outcome struct {
	receipt Receipt
	err     error
	refused bool          // the session itself said no, and nothing is on record
	result  decide.Result // of an agent's intent
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

// do carries out a command: it hands it to the session, or, if there is more to
// it than that, sees to the rest as well.
func (s *Session) do(ctx context.Context, cmd clew.Command) (Receipt, error) {
	if err := s.writable(); err != nil && !looksOnly(cmd.Data) {
		return Receipt{}, err
	}
	if isHistoryCommand(cmd.Data) {
		return s.runHistoryCommand(ctx, cmd)
	}
	return s.submit(ctx, cmd)
}

// writable is nil if commands can change the session here. One that was loaded
// while no records were taken is about to leave once they are again.
func (s *Session) writable() error {
	err := s.host.cfg.Storage.Writable()
	switch {
	case s.readOnly == nil:
		return err
	case err == nil && errors.Is(s.readOnly, ErrReadOnly):
		return errGone
	}
	return s.readOnly
}

// submit hands the session a command and waits for its outcome.
func (s *Session) submit(ctx context.Context, cmd clew.Command) (Receipt, error) {
	req := request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)}
	out, err := s.ask(ctx, req)
	if err != nil {
		return Receipt{}, err
	}
	return out.receipt, out.err
}

// post hands the session a command without waiting for its outcome, which the
// channel gets. It comes before everything that is asked of the session later.
// False if the session has no room for it now.
func (s *Session) post(ctx context.Context, cmd clew.Command) (<-chan outcome, bool) {
	req := request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)}
	select {
	case s.inbox <- req:
		return req.done, true
	default:
		return nil, false
	}
}

// read runs fn in the session's goroutine. Once look has returned, fn does not
// run: a caller that gave up waiting has its variables to itself.
func (s *Session) read(ctx context.Context, fn func(*Session)) error {
	var mu sync.Mutex
	over := false
	_, err := s.ask(ctx, request{ctx: ctx, done: make(chan outcome, 1), look: func(s *Session) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			fn(s)
		}
	}})
	mu.Lock()
	defer mu.Unlock()
	over = true
	return err
}

func (s *Session) ask(ctx context.Context, req request) (outcome, error) {
	select {
	case s.inbox <- req:
	case <-s.done:
		return outcome{}, errGone
	case <-ctx.Done():
		return outcome{}, timedOut(ctx)
	}
	select {
	case out := <-req.done:
		return out, nil
	case <-s.done:
		select { // it may have been answered on the way out
		case out := <-req.done:
			return out, nil
		default:
			return outcome{}, errGone
		}
	case <-ctx.Done():
		return outcome{}, timedOut(ctx)
	}
}

// insist is for what has to be recorded: while no records are taken, it waits.
func (s *Session) insist(ctx context.Context, cmd clew.Command) (outcome, error) {
	for {
		changed := s.host.cfg.Storage.Changed()
		out, err := s.ask(ctx, request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)})
		if err == nil {
			err = out.err
		}
		if !errors.Is(err, ErrReadOnly) || !out.refused {
			return out, err
		}
		select {
		case <-changed:
		case <-s.done:
			return outcome{}, errGone
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		}
	}
}

func timedOut(ctx context.Context) error {
	return clew.WrapError(clew.Unavailable, ctx.Err(), "the session did not answer in time; the command may still take effect")
}

// run is the session's goroutine. It reports whether it ended by a fault.
func (s *Session) run() (failed bool) {
	defer close(s.done)
	defer s.feed.Close()
	defer s.stopTurns()
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

// gather takes what else is waiting, so that it goes in one append.
func (s *Session) gather(batch []request) []request {
	for len(batch) < batchMax {
		select {
		case req := <-s.inbox:
			batch = append(batch, req)
		default:
			return batch
		}
	}
	return batch
}

// pending is a command that was decided and waits for the append, also if it was
// refused: the reason may be one that is not durable yet.
type pending struct {
	req request
	outcome
	events []clew.Event
}

// process decides a batch of requests, appends what comes of them and answers.
// An error means that the session cannot go on here.
func (s *Session) process(batch []request) error {
	if err := s.host.cfg.Storage.Writable(); err != nil {
		s.refuse(batch, err)
		return nil
	}
	var drafts []draft
	var waiting []pending
	var looks []request
	size := 0
	for _, req := range batch {
		if req.look != nil {
			looks = append(looks, req)
			continue
		}
		p, made, err := s.decideFitting(req)
		if err != nil {
			waiting = append(waiting, pending{req: req, outcome: outcome{err: err, refused: true}})
			continue
		}
		if n := sizeOf(made); size+n > batchSize && len(drafts) > 0 {
			if err := s.commit(drafts, waiting); err != nil {
				req.done <- outcome{err: err}
				return err
			}
			drafts, waiting, size = nil, nil, n
		} else {
			size += n
		}
		waiting = append(waiting, p)
		drafts = append(drafts, made...)
	}
	if err := s.commit(drafts, waiting); err != nil {
		return err
	}
	for _, req := range looks {
		req.look(s)
		req.done <- outcome{}
	}
	s.startTurns()
	s.noteInbox()
	s.snapshot()
	return nil
}

// refuse answers commands while no records are taken. Who only looks is served.
func (s *Session) refuse(batch []request, err error) {
	for _, req := range batch {
		if req.look == nil {
			req.done <- outcome{err: err, refused: true}
			continue
		}
		req.look(s)
		req.done <- outcome{}
	}
	s.startTurns()
}

func sizeOf(drafts []draft) (n int) {
	for _, d := range drafts {
		n += len(d.Data) + recordOverhead
	}
	return n
}

// draft is a record to be, with what it needs to be written again under another
// term.
type draft struct {
	clew.Draft
	now int64
}

// decide runs one command against the state and applies its events, which are
// not yet durable and not yet seen by anyone.
func (s *Session) decide(req request) (pending, []draft, error) {
	cmd := req.cmd
	if cmd.ClientMessageID != "" && !decide.EndsRewind(cmd.Data) {
		if t, ok := s.state.ProcessedAs(cmd.By.User, cmd.ClientMessageID); ok && !planted.Bug("repeated command carried out") {
			return pending{req: req, outcome: outcome{receipt: repeatOf(t)}}, nil, nil
		}
	}
	now := s.host.now()
	cmd.Data = s.withTexts(cmd.Data)
	with := cmd
	data, release := s.withSlot(cmd.Data)
	with.Data = data
	tx, err := s.decideSafely(with, now)
	if release != nil {
		if err == nil && tx.UsedSlot {
			s.slots.take(release) // the new agent's turn gets it
		} else {
			release()
		}
	}
	if err != nil {
		return pending{}, nil, err
	}
	events := tx.Events()
	if err := s.host.knownEverywhere(events); err != nil {
		return pending{}, nil, err
	}
	p := pending{req: req, outcome: outcome{result: tx.Result, receipt: Receipt{ClientMessageID: cmd.ClientMessageID, Records: make([]clew.MessageID, 0, len(events))}}}
	made := make([]draft, len(events))
	for i, ev := range events {
		data, err := clew.MarshalData(ev.Data)
		if err != nil {
			return pending{}, nil, clew.WrapError(clew.Internal, err, "an event could not be written")
		}
		if len(data)+recordOverhead > s.host.cfg.MaxRecord {
			return pending{}, nil, clew.Errorf(clew.MessageTooLarge, "a record of %d bytes is more than the engine takes", len(data))
		}
		made[i] = draft{Draft: clew.Draft{By: cmd.By.User, Cause: cmd.ClientMessageID, Type: ev.Type, Data: data}, now: now}
	}
	if n := sizeOf(made); len(made) > 1 && n > s.host.cfg.MaxRecord { // they go in one message
		return pending{}, nil, clew.Errorf(clew.MessageTooLarge, "%d bytes at once are more than the engine takes", n)
	}
	there, err := decide.ArrivalOf(s.id, cmd.Data, events)
	if err != nil {
		return pending{}, nil, err
	}
	if err := s.keepRules(core.KeptRules(s.state, now, events)); err != nil {
		return pending{}, nil, err
	}
	s.dropRules(core.NotKept(s.state, events))
	for _, ev := range events {
		// Apply needs only what a record says of itself; the chain is added
		// when it is written.
		r := clew.Record{Seq: s.state.Seq + 1, TS: max(now, s.state.TS+1), By: cmd.By.User, Cause: cmd.ClientMessageID, Type: ev.Type}
		if there != nil && core.RewindOf(ev.Data) != nil {
			s.state.Pending = there
			s.rememberState()
		}
		core.Apply(s.state, r, ev.Data)
		p.receipt.Records = append(p.receipt.Records, r.MessageID())
	}
	if d, ok := cmd.Data.(*decide.TurnReport); ok && d.Answer != nil {
		s.await(tx.Result.Question, d.Answer)
	}
	p.events = events
	return p, made, nil
}

// withTexts gives a command that stops work the text that was streamed so far.
func (s *Session) withTexts(data any) any {
	switch d := data.(type) {
	case *clew.InterruptData, *clew.InterruptAgentData, *clew.ControlCancelData, *clew.ClearTaskData, *clew.ResetData, *clew.ControlSkipData, *clew.RemoveMonitorData, *clew.UserInteractionData:
		return &decide.StopCommand{Command: data, Streamed: s.streamed()}
	case *decide.RewindCommand:
		with := *d
		with.Streamed = s.streamed()
		return &with
	case *decide.TurnReport:
		if in, ok := d.Intent.(decide.StreamedIntent); ok {
			with := *d
			with.Intent = in.With(s.streamed())
			return &with
		}
	}
	return data
}

// decideSafely keeps a fault in one command from ending all sessions. Decide
// changes nothing, so there is nothing to undo.
func (s *Session) decideSafely(cmd clew.Command, now int64) (tx *decide.Tx, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = clew.WrapError(clew.Internal, fmt.Errorf("panic: %v", p), "the command failed inside the server")
			s.host.cfg.Log.Error("command panicked", "session", s.id, "type", cmd.Type, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return decide.Decide(s.state, cmd, now)
}

func repeatOf(t core.ProcessedCommand) Receipt {
	r := Receipt{ClientMessageID: t.ID, Repeat: true}
	for i := range t.Count {
		r.Records = append(r.Records, clew.MessageIDOf(t.First+uint64(i)))
	}
	return r
}

// commit makes records of the drafts, appends them and answers those who wait.
// Nobody sees a record before it is durable.
func (s *Session) commit(drafts []draft, waiting []pending) error {
	if planted.Bug("acknowledged before the append") {
		for _, p := range waiting {
			p.req.done <- p.outcome
		}
		waiting = nil
		time.Sleep(50 * time.Millisecond)
	}
	if len(drafts) > 0 {
		records, err := s.append(drafts)
		if err != nil {
			for _, p := range waiting {
				p.req.done <- outcome{err: err}
			}
			return err
		}
		s.recent = append(s.recent, records...)
		s.locateFolds(records)
		s.touchInbox(records)
		s.exists.Store(true)
		s.busy.Store(s.state.Busy() || s.state.MissingFiles() != nil)
		s.closeOpen()
		s.updateIndex()
		s.feedBatch(records)
		s.host.publish(s.id, records)
		passRecorded(waiting)
	}
	for _, p := range waiting {
		s.deliverAnswers(p.events)
		p.req.done <- p.outcome
	}
	return nil
}

// keepRules has the server keep what the owner wants remembered beyond the session,
// before the answer is on record: a crash between the two leaves the rule with the
// question open, and whoever answers it then keeps the same rule again or, by
// dropRules, takes it back. The other way round, a crash would lose the rule.
func (s *Session) keepRules(rules []core.KeptRule) error {
	for _, r := range rules {
		if s.host.cfg.Rules == nil {
			return nil
		}
		if err := s.host.cfg.Rules.Keep(s.host.ctx, r); err != nil {
			return err
		}
		crash.At("rule.kept")
	}
	return nil
}

// dropRules takes back what an answer that did not reach the record had kept: what
// counts is the answer that does.
func (s *Session) dropRules(answered []clew.RequestID) {
	for _, id := range answered {
		if s.host.cfg.Rules == nil {
			return
		}
		if err := s.host.cfg.Rules.Drop(s.host.ctx, s.state.Owner, id); err != nil {
			s.host.cfg.Log.Error("rule not taken back", "session", s.id, "request", id, "err", err)
		}
	}
}

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
