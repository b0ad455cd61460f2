package session

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

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
	s.startNotebooks()
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
	s.startNotebooks()
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
	rest, asked, password := decide.WithoutPassword(s.state, cmd.Data)
	cmd.Data = s.withTexts(rest)
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
	s.keepPassword(asked, password)
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
	case *decide.NotebookCommand:
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
