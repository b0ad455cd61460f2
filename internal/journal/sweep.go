package journal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// A Sealer seals a session up to its present head, wherever it lives.
type Sealer func(ctx context.Context, id clew.SessionID) error

// Sweep cuts the front off every stream as far as records are sealed, sealing
// those that are older than SealAfter, until ctx ends. It holds the stream's
// memory in proportion to what was written lately, however many sessions there
// are. One node at a time sweeps a partition.
func (j *Journal) Sweep(ctx context.Context, seal Sealer) {
	t := time.NewTicker(j.cfg.SealAfter / 4)
	defer t.Stop()
	for {
		for p := range j.partitions {
			if j.nodes != nil && j.HoldSeals() {
				break // until no older node is up, nothing is sealed
			}
			if err := j.SweepPartition(ctx, p, j.cfg.Clock.Now().Add(-j.cfg.SealAfter), seal); err != nil && ctx.Err() == nil {
				j.log.Warn("sweep", "partition", p, "err", err)
			}
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// Partitions is how many streams the records are spread over.
func (j *Journal) Partitions() int { return j.partitions }

// SweepPartition seals and removes what was written before a time.
func (j *Journal) SweepPartition(ctx context.Context, p int, before time.Time, seal Sealer) error {
	info, err := j.streams[p].Info(ctx)
	if err != nil {
		return engineError(err)
	}
	if info.State.Msgs == 0 || !info.State.FirstTime.Before(before) {
		return nil // an idle store is left in peace
	}
	if mine, err := j.claimSweep(ctx, p); !mine {
		return errors.Join(err, j.forget(ctx, p))
	}
	s := sweep{j: j, p: p, seal: seal}
	for from, last := info.State.FirstSeq, info.State.LastSeq; from <= last; {
		n, next, err := s.part(ctx, from, last, before)
		if err != nil || n == 0 {
			return err
		}
		if err := s.cut(ctx, next); err != nil {
			return err
		}
		from = next
	}
	return nil
}

// claimSweep makes this node the one that sweeps a partition. Beyond the shards
// stands one more fence a partition for it; a node without others needs none.
func (j *Journal) claimSweep(ctx context.Context, p int) (mine bool, err error) {
	if j.nodes == nil {
		return true, nil
	}
	_, err = j.Claim(ctx, j.sweeper(p))
	var owned *session.OwnedError
	if errors.As(err, &owned) {
		return false, nil
	}
	return err == nil, err
}

// sweeper numbers the fence of a partition's sweeper so that it falls into that
// partition.
func (j *Journal) sweeper(p int) int {
	base := session.Shards + j.partitions - session.Shards%j.partitions
	return base + p
}

// sweep is one pass over one stream.
type sweep struct {
	j    *Journal
	p    int
	seal Sealer
	need map[clew.SessionID]uint64 // up to which seq each must be sealed
	// marked sessions were at work when they were last sealed: they are sealed
	// again, and marked again if they still are.
	marked map[clew.SessionID]bool
	// stuck sessions cannot be sealed. What the stream has of them stays.
	stuck map[clew.SessionID]bool
}

const sweepPart = 4096

// part looks at the next messages and has what they hold sealed; it returns
// where the stream may then be cut.
func (s *sweep) part(ctx context.Context, from, last uint64, before time.Time) (n int, next uint64, err error) {
	s.need, s.marked, s.stuck = map[clew.SessionID]uint64{}, map[clew.SessionID]bool{}, map[clew.SessionID]bool{}
	next = from
	for m, err := range s.j.messages(ctx, s.p, s.j.subject("j", strconv.Itoa(s.p), ">"), from, last) {
		if err != nil {
			return n, next, err
		}
		if !m.Time.Before(before) || n >= sweepPart {
			break
		}
		s.message(m)
		n++
		next = m.Sequence + 1
	}
	return n, next, s.sealAll(ctx)
}

func (s *sweep) message(m *jetstream.RawStreamMsg) {
	if isFence(m.Subject) {
		return
	}
	id := sessionOf(m.Subject)
	if len(m.Data) == 0 {
		s.marked[id] = true
		s.need[id] = max(s.need[id], 0)
		return
	}
	seq, err := lastSeq(m.Data)
	if err != nil {
		s.give(id, err)
		return
	}
	s.need[id] = max(s.need[id], seq)
}

// give gives a session up for this pass.
func (s *sweep) give(id clew.SessionID, err error) {
	if !s.stuck[id] {
		s.j.log.Warn("session cannot be sealed; its records stay in the engine", "session", id, "err", err)
	}
	s.stuck[id] = true
}

// sealAll seals what is not sealed yet and makes sure of it. A session that
// cannot be sealed does not hold up the others.
func (s *sweep) sealAll(ctx context.Context) error {
	var behind []clew.SessionID
	for id, seq := range s.need {
		head, err := s.sealedHead(ctx, id)
		if err == nil && (head < seq || s.marked[id]) {
			behind = append(behind, id)
			if err = s.seal(ctx, id); head >= seq && clew.CodeOf(err) == clew.SessionNotFound {
				err = nil // it was deleted, so nobody is at work in it
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.give(id, err)
		}
	}
	if err := s.j.Flush(ctx); err != nil {
		return err
	}
	for _, id := range behind {
		head, err := s.sealedHead(ctx, id)
		if err == nil && head < s.need[id] {
			err = fmt.Errorf("sealed up to %d, want %d", head, s.need[id])
		}
		if err != nil {
			s.give(id, err)
		}
	}
	return nil
}

func (s *sweep) sealedHead(ctx context.Context, id clew.SessionID) (uint64, error) {
	seal, err := s.j.latestSeal(ctx, id)
	if err != nil || seal == nil {
		return 0, err
	}
	return seal.Head.Seq, nil
}

func isFence(subject string) bool {
	parts := strings.Split(subject, ".")
	return len(parts) >= 2 && parts[len(parts)-2] == "f"
}

func lastSeq(data []byte) (uint64, error) {
	line := data
	if i := strings.LastIndexByte(string(data), '\n'); i >= 0 {
		line = data[i+1:]
	}
	r, err := clew.ParseRecord(line)
	return r.Seq, err
}

// cut drops the stream's front, which is sealed and flushed. A fence that goes
// with it is missed by its owner at the next append, which claims anew. While a
// session is stuck in the front, the others go one by one, which is slower.
func (s *sweep) cut(ctx context.Context, next uint64) error {
	if len(s.stuck) == 0 {
		if err := s.j.streams[s.p].Purge(ctx, jetstream.WithPurgeSequence(next)); err != nil {
			return engineError(err)
		}
	}
	for id, seq := range s.need {
		if s.stuck[id] {
			continue
		}
		if len(s.stuck) > 0 {
			_, subject := s.j.sessionSubject(id)
			if err := s.j.streams[s.p].Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(next)); err != nil {
				return engineError(err)
			}
		}
		s.j.witness.sealed(id, seq)
	}
	return nil
}

// forget lets go of the witnessed heads of a partition that another node sweeps.
func (j *Journal) forget(ctx context.Context, p int) error {
	s := sweep{j: j, p: p}
	for _, id := range j.witness.sessions() {
		if j.partition(session.ShardOf(id)) != p {
			continue
		}
		head, err := s.sealedHead(ctx, id)
		if err != nil {
			return err
		}
		j.witness.sealed(id, head)
	}
	return nil
}

// subjectsOf lists the sessions whose subjects match a filter.
func (j *Journal) subjectsOf(ctx context.Context, p int, filter string) ([]clew.SessionID, error) {
	ctx, cancel := context.WithTimeout(ctx, subjectTimeout)
	defer cancel()
	info, err := j.streams[p].Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, engineError(err)
	}
	ids := make([]clew.SessionID, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		ids = append(ids, sessionOf(subject))
	}
	return ids, nil
}
