package session

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
)

// append writes the records at the head. While the engine is away it tries
// again with the same records; when the lease is lost it claims the shard anew
// and goes on if nobody else appended meanwhile.
func (s *Session) append(drafts []draft) ([]clew.Record, error) {
	for {
		head := s.head
		records := make([]clew.Record, len(drafts))
		for i, d := range drafts {
			records[i] = head.Write(s.id, s.lease.Term, d.now, d.Draft)
			head = records[i].After()
		}
		err := s.appendRecords(records)
		if err == nil {
			s.head = head
			return records, nil
		}
		if !errors.Is(err, ErrLeaseLost) {
			// The outcome is open: the next owner must void what is under way.
			s.host.invalidateLease(s.lease)
			return nil, err
		}
		landed, err := s.reclaim(head)
		if err != nil {
			return nil, err
		}
		if landed {
			s.head = head
			return records, nil
		}
	}
}

const (
	appendPause    = 20 * time.Millisecond // between two tries, doubled each time
	appendPauseMax = 250 * time.Millisecond
	reclaimLimit   = 5 * time.Second
)

func (s *Session) appendRecords(records []clew.Record) error {
	for pause := appendPause; ; pause = min(2*pause, appendPauseMax) {
		passAppend("append.before", records)
		err := s.log.Append(s.host.ctx, records) // bounds itself
		passAppend("append.after", records)
		if err == nil || errors.Is(err, ErrLeaseLost) || errors.Is(err, ErrRefused) || errors.Is(err, ErrReadOnly) {
			return err
		}
		if pause == appendPause { // once for each outage
			s.host.cfg.Log.Warn("append is repeated until it succeeds", "session", s.id, "err", err)
		}
		select {
		case <-s.quit:
			return err
		case <-time.After(pause):
		}
	}
}

// passAppend names a place beside an append by the kind of its batch, so that
// tests meet each kind.
func passAppend(place string, records []clew.Record) {
	if !crash.On {
		return
	}
	for i, r := range records {
		sep := "+"
		if i == 0 {
			sep = "/"
		}
		place += sep + string(r.Type)
	}
	crash.At(place)
}

// passRecorded names the places behind records that say where work goes: nobody has
// begun with it.
func passRecorded(waiting []pending) {
	if !crash.On {
		return
	}
	for _, p := range waiting {
		if _, ok := p.req.cmd.Data.(*clew.AppProtocolResponseData); ok && len(p.events) > 0 {
			crash.At("app.answered")
		}
		for _, e := range p.events {
			switch d := e.Data.(type) {
			case *clew.MonitorRemovedData:
				crash.At("monitor.removed")
			case *clew.WindowAgentStatusData:
				crash.At("window." + string(d.Status))
			case *clew.AppProtocolRequestData:
				crash.At("app.requested")
			case *clew.MessageQueuedData:
				if d.Callback != "" {
					crash.At("wake.queued")
				} else {
					crash.At("route.recorded")
				}
			case *clew.MessageAcceptedData:
				if d.ClientMessageID != "" {
					crash.At("route.recorded")
				}
			case *clew.TaskCreatedData:
				if d.Wake {
					crash.At("delegate.spawned")
				}
			case *clew.MessageCreatedData:
				if d.Message.Say == clew.SaySubtaskResult {
					crash.At("delegate.returned")
				}
			}
		}
	}
}

// reclaim renews the lease after it was lost. It is ours again if no other live
// node has it and the journal still ends where we know it to, or at next: then
// an earlier try had landed, and only its acknowledgement was lost.
func (s *Session) reclaim(next clew.Head) (landed bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), reclaimLimit)
	defer cancel()
	lease, err := s.host.renew(ctx, s.lease)
	if err != nil {
		return false, err
	}
	log, loaded, err := s.host.cfg.Journal.Open(ctx, lease, s.id)
	if err != nil {
		return false, err
	}
	if loaded.Head != s.head && loaded.Head != next {
		return false, errGone // another node was at work in between: load anew
	}
	s.lease, s.log = lease, log
	return loaded.Head == next, nil
}

// snapshot seals the session now and then, so that opening it later starts from
// there.
func (s *Session) snapshot() {
	s.keepFolds()
	if s.head.Seq-max(s.sealed, s.sealTried) >= sealEvery {
		s.seal()
	}
	s.updateIndex() // after a load, what came after the seal
}

func (s *Session) seal() {
	if s.head.Seq == 0 || s.head.Seq == s.sealed || s.host.cfg.Storage.Writable() != nil {
		return
	}
	if c := s.host.cfg.Cluster; c != nil && c.HoldSeals() { // an older node may have to go on from here
		s.sealTried, s.recent = s.head.Seq, nil
		return
	}
	state, err := s.state.Encode()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), sealTimeout)
		err = s.log.Seal(ctx, s.head, state, s.recent)
		cancel()
	}
	s.sealTried = s.head.Seq
	if err != nil { // the records are safe where they are
		s.host.cfg.Log.Warn("seal", "session", s.id, "err", err)
		s.recent = nil // the next seal reads them
		return
	}
	s.sealed = s.head.Seq
	s.recent = nil
}

// sealForSweep is seal for the sweeper, which then takes the records out of the
// engine: a session at work leaves a mark there, to be found after a crash.
func (s *Session) sealForSweep() error {
	if s.readOnly != nil {
		return s.readOnly
	}
	s.seal()
	if !s.state.Busy() && !s.host.wakes.has(s.id) {
		return nil
	}
	err := s.log.MarkBusy(s.host.ctx)
	if errors.Is(err, ErrLeaseLost) { // the sweeper itself may have taken the fence away
		if _, err = s.reclaim(s.head); err == nil {
			err = s.log.MarkBusy(s.host.ctx)
		}
	}
	return err
}

// sealNow has the session sealed for the sweeper.
func (s *Session) sealNow(ctx context.Context) error {
	var failed error
	err := s.read(ctx, func(s *Session) { failed = s.sealForSweep() })
	return errors.Join(err, failed)
}

const sealTimeout = 30 * time.Second
