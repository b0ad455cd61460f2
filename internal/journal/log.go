package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// log is one session's journal in the hands of its owner.
type log struct {
	j       *Journal
	lease   session.Lease
	id      clew.SessionID
	p       int
	subject string
	fence   string
	seal    *archive.Seal // newest one, nil if none
	mark    uint64        // stream sequence of the newest batch
}

// Open implements session.Journal.
func (j *Journal) Open(ctx context.Context, lease session.Lease, id clew.SessionID) (session.Log, core.Loaded, error) {
	seen := j.witness.of(id)
	seal, tail, head, mark, err := j.load(ctx, id)
	if err != nil {
		return nil, core.Loaded{}, err
	}
	if unwell := j.health.writable(); unwell != nil { // what the engine remembers need not be on the disk
		if lease != (session.Lease{}) { // and whoever writes has to know where the journal ends
			return nil, core.Loaded{}, unwell
		}
		tail, head = seen.acknowledged(seal, tail)
	}
	l := &log{j: j, lease: lease, id: id, seal: seal, mark: mark}
	l.p, l.subject = j.sessionSubject(id)
	_, l.fence = j.fenceSubject(lease.Shard)
	loaded := core.Loaded{Epoch: j.epoch, Head: head, Tail: tail}
	if seal != nil {
		loaded.State, loaded.StateSeq = seal.State, seal.Head.Seq
		loaded.Base = seal.Base.Head.Seq
	}
	return l, loaded, nil
}

// load reads and verifies a session: the newest seal and the records after it.
func (j *Journal) load(ctx context.Context, id clew.SessionID) (seal *archive.Seal, tail []clew.Record, head clew.Head, mark uint64, err error) {
	const tries = 5
	for try := 1; ; try++ {
		// The witness speaks first: what is acknowledged while we read need not
		// be in what we read.
		seen := j.witness.of(id)
		seal, err = j.latestSeal(ctx, id)
		if err != nil {
			return nil, nil, clew.Head{}, 0, err
		}
		if seal != nil {
			head, mark = seal.Head, seal.Mark
		}
		if try > 1 { // in case an engine that lost its end counts from an earlier number again
			mark = 0
		}
		tail, head, mark, err = j.readTail(ctx, id, head, mark)
		if err == nil && !planted.Bug("lost end served") {
			err = seen.check(id, head, tail)
		}
		// A seal written and a stream cut between the two reads looks like a
		// gap; looking again tells it from damage.
		if err == nil || try == tries || clew.CodeOf(err) != clew.SessionDamaged {
			return seal, tail, head, mark, err
		}
		head, mark = clew.Head{}, 0
	}
}

func (j *Journal) latestSeal(ctx context.Context, id clew.SessionID) (*archive.Seal, error) {
	seal, err := j.archive.Latest(ctx, id)
	return seal, archiveError(id, err)
}

// archiveError tells damage from an archive that does not answer.
func archiveError(id clew.SessionID, err error) error {
	var damaged *archive.DamagedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &damaged):
		return session.DamagedError(id, err)
	case errors.Is(err, archive.ErrTooNew):
		return clew.WrapError(clew.SessionTooNew, err, "a newer server sealed session %s in a form that this server cannot read", id)
	}
	return clew.WrapError(clew.StorageFailed, err, "the archive did not answer")
}

// readTail reads the records that follow head from the stream. Batches may
// stand there twice, when an acknowledgement was lost and the append repeated;
// they must then be the same.
func (j *Journal) readTail(ctx context.Context, id clew.SessionID, head clew.Head, mark uint64) ([]clew.Record, clew.Head, uint64, error) {
	p, subject := j.sessionSubject(id)
	last, err := j.lastOn(ctx, p, subject)
	if err != nil || last == nil {
		return nil, head, mark, err
	}
	if last.Seq <= mark {
		seq, err := lastSeq(last.Data)
		if err != nil || seq <= head.Seq { // a damaged batch that is sealed harms nobody
			return nil, head, mark, nil
		}
		mark = 0 // the engine counts anew: its numbers say nothing about the seal
	}
	t := tailReader{id: id, start: head.Seq, head: head}
	for mark < last.Seq {
		before := mark
		for m, err := range j.messages(ctx, p, subject, mark+1, last.Seq) {
			if err != nil {
				return nil, head, mark, err
			}
			if err := t.batch(m.Data); err != nil {
				return nil, head, mark, err
			}
			mark = m.Sequence
		}
		if mark == before && j.health.writable() != nil {
			break // the engine still names a record that its disk did not take
		}
		if mark == before {
			if err := j.awaitReplica(ctx, p, subject, last.Seq); err != nil {
				return nil, head, mark, err
			}
		}
	}
	return t.tail, t.head, mark, nil
}

// awaitReplica waits a moment for a replica that lags behind the leader. If the
// leader itself no longer has the message, the stream was cut meanwhile and the
// session must be loaded anew.
func (j *Journal) awaitReplica(ctx context.Context, p int, subject string, seq uint64) error {
	last, err := j.lastOn(ctx, p, subject)
	if err != nil {
		return err
	}
	if last == nil || last.Seq < seq {
		return session.DamagedError(sessionOf(subject), errors.New("the stream ends before what it held a moment ago"))
	}
	return engineError(pause(ctx, 5*time.Millisecond))
}

// tailReader checks batches as they come out of the stream.
type tailReader struct {
	id    clew.SessionID
	start uint64 // seq before the tail
	head  clew.Head
	tail  []clew.Record
}

// batch takes one message: records, or none if it is a mark.
func (t *tailReader) batch(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		r, err := clew.ParseRecord(line)
		if err != nil {
			return session.DamagedError(t.id, err)
		}
		if r.Seq <= t.head.Seq {
			if err := t.repeated(r); err != nil {
				return err
			}
			continue
		}
		if err := r.Follows(t.head); err != nil && !planted.Bug("hash not compared") {
			return session.DamagedError(t.id, err)
		}
		t.head = r.After()
		t.tail = append(t.tail, r)
	}
	return nil
}

func (t *tailReader) repeated(r clew.Record) error {
	same := true
	switch {
	case r.Seq == t.head.Seq:
		same = r.Hash() == t.head.Hash
	case r.Seq > t.start:
		same = bytes.Equal(r.Line(), t.tail[r.Seq-t.start-1].Line())
	}
	if !same {
		return session.DamagedError(t.id, fmt.Errorf("two different records with seq %d", r.Seq))
	}
	return nil
}

// Append implements session.Log.
func (l *log) Append(ctx context.Context, records []clew.Record) error {
	data := joinLines(records)
	last := records[len(records)-1]
	err := l.publish(ctx, data)
	for attempt := 0; attempt < busyTries && isCode(err, codeFenceBusy); attempt++ {
		if err := pause(ctx, retryDelay(attempt)); err != nil {
			return engineError(err)
		}
		err = l.publish(ctx, data)
	}
	if isCode(err, codeWrongFence) {
		return session.ErrLeaseLost
	}
	if errors.Is(err, nats.ErrNoResponders) && !planted.Bug("nobody is asked again at once") {
		// The stream has no leader, so nobody took it. Whether an earlier try
		// landed nobody can say either: the batch may then stand there twice.
		return engineError(err)
	}
	if err != nil {
		// The answer is lost, not necessarily the append.
		if done, checkErr := l.landed(ctx, last); checkErr != nil || !done {
			if refused(err) {
				err = errors.Join(session.ErrRefused, err)
			}
			return engineError(err)
		}
	}
	l.j.witness.saw(l.id, last.After())
	return nil
}

// refused reports whether the engine itself said no, and not that it is away for
// the moment.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, nats.ErrMaxPayload) || errors.As(err, &api) && api.Code != http.StatusServiceUnavailable
}

// busyTries is how often an append waits for another check of its fence.
const busyTries = 12

func (l *log) publish(ctx context.Context, data []byte) error {
	l.j.lockShard(l.lease.Shard)
	defer l.j.unlockShard(l.lease.Shard)
	seq, err := l.j.publishExpecting(ctx, newMsg(l.subject, data), l.fence, l.lease.Term)
	if err == nil {
		l.mark = seq
	}
	return err
}

// landed looks whether the batch that ends with this record is stored.
func (l *log) landed(ctx context.Context, last clew.Record) (bool, error) {
	if err := l.j.health.writable(); err != nil { // what the engine remembers need not be on the disk
		return false, err
	}
	m, err := l.j.lastOn(ctx, l.p, l.subject)
	if err != nil || m == nil {
		return false, err
	}
	if !bytes.HasSuffix(m.Data, last.Line()) {
		return false, nil
	}
	l.mark = m.Seq
	return true, nil
}

func joinLines(records []clew.Record) []byte {
	if len(records) == 1 {
		return records[0].Line()
	}
	n := len(records) - 1
	for _, r := range records {
		n += len(r.Line())
	}
	data := make([]byte, 0, n)
	for i, r := range records {
		if i > 0 {
			data = append(data, '\n')
		}
		data = append(data, r.Line()...)
	}
	return data
}

// MarkBusy implements session.Log: a message without records.
func (l *log) MarkBusy(ctx context.Context) error {
	err := l.publish(ctx, nil)
	if isCode(err, codeWrongFence) {
		return session.ErrLeaseLost
	}
	return engineError(err)
}

// Keep implements session.Log.
func (l *log) Keep(ctx context.Context, head clew.Head, state []byte) error {
	if err := l.j.archive.PutState(ctx, l.id, head, state); err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the archive did not take the fold")
	}
	l.j.unflushed.Store(true)
	return nil
}

// Seal implements session.Log.
func (l *log) Seal(ctx context.Context, head clew.Head, state []byte, recent []clew.Record) error {
	var from uint64 = 1
	if l.seal != nil {
		from = l.seal.Head.Seq + 1
	}
	records, err := l.unsealed(ctx, from, head.Seq, recent)
	if err != nil {
		return err
	}
	seal, err := l.j.archive.Put(ctx, l.seal, archive.Sealing{
		Session: l.id, Epoch: l.j.epoch, Head: head, Mark: l.mark, State: state, Records: records,
	})
	if err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the archive did not take the seal")
	}
	if head.Seq/keepEvery > (from-1)/keepEvery {
		if err := l.j.archive.PutState(ctx, l.id, head, state); err != nil { // it only saves time
			l.j.log.Warn("a fold was not kept", "session", l.id, "err", err)
		}
	}
	if l.seal != nil {
		l.j.pruneMu.Lock()
		l.j.replaced = append(l.j.replaced, seal)
		l.j.pruneMu.Unlock()
	}
	l.seal = seal
	l.j.unflushed.Store(true)
	return nil
}

// keepEvery is how many records lie between two kept folds, or a little more:
// sessions are sealed about as often.
const keepEvery = 1000

// unsealed gathers the records from..to, from memory if they are there.
func (l *log) unsealed(ctx context.Context, from, to uint64, recent []clew.Record) ([]clew.Record, error) {
	if len(recent) > 0 && recent[0].Seq <= from && recent[len(recent)-1].Seq >= to {
		return recent[from-recent[0].Seq : to-recent[0].Seq+1], nil
	}
	var records []clew.Record
	if from > to {
		return nil, nil
	}
	for r, err := range l.j.Read(ctx, l.id, from, to) {
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

func retryDelay(attempt int) time.Duration {
	return min(time.Millisecond<<min(attempt, 10), 250*time.Millisecond)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
