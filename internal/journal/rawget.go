package journal

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session"
)

// storedMsg is a message as the stream holds it.
type storedMsg struct {
	Subject string `json:"subject"`
	Seq     uint64 `json:"seq"`
	Data    []byte `json:"data"`
	Hdrs    []byte `json:"hdrs"`
}

func (m *storedMsg) header() nats.Header {
	h, err := nats.DecodeHeadersMsg(m.Hdrs)
	if err != nil { // it has none
		return nil
	}
	return h
}

const codeNoMessage = 10037

// getMsg asks the stream's leader for one message; nil if there is none.
func (j *Journal) getMsg(ctx context.Context, p int, query string) (*storedMsg, error) {
	answer, err := j.read(ctx, "$JS.API.STREAM.MSG.GET."+j.streamName(p), []byte(query))
	if err != nil {
		return nil, engineError(err)
	}
	var resp struct {
		Message *storedMsg          `json:"message"`
		Error   *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &resp); err != nil {
		return nil, engineError(err)
	}
	if resp.Error != nil {
		if resp.Error.ErrorCode == codeNoMessage {
			return nil, nil
		}
		return nil, engineError(resp.Error)
	}
	return resp.Message, nil
}

// readTry is how long one try of a read waits. A stream without a leader answers
// nothing, not even later: a new leader has to be asked anew.
const readTry = 400 * time.Millisecond

// read makes a request that changes nothing, and makes it again while nobody
// answers.
func (j *Journal) read(ctx context.Context, subject string, query []byte) (answer *nats.Msg, err error) {
	err = j.askAgain(ctx, func(ctx context.Context) (err error) {
		answer, err = j.engine.conn.RequestWithContext(ctx, subject, query)
		return err
	})
	return answer, err
}

// askAgain has fn ask the engine something that changes nothing, and ask again while
// nobody answers: a question that was on its way to a server that died is lost.
func (j *Journal) askAgain(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, j.requestTimeout())
	defer cancel()
	for try := j.firstTry(); ; {
		one, cancel := context.WithTimeout(ctx, try)
		err := j.health.read(one, fn)
		cancel()
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
			try *= 2
		case errors.Is(err, nats.ErrNoResponders): // no leader for a moment
			if pause(ctx, 50*time.Millisecond) != nil {
				return err
			}
		default:
			return err
		}
	}
}

// firstTry is how long the first try waits. The engine in this process has one
// leader, which answers.
func (j *Journal) firstTry() time.Duration {
	if j.cfg.Embedded() || planted.Bug("nobody is asked again at once") {
		return embeddedTimeout
	}
	return readTry
}

const readBatch = 1024

// messages is stored for a partition.
func (j *Journal) messages(ctx context.Context, p int, subject string, from, last uint64) iter.Seq2[*jetstream.RawStreamMsg, error] {
	return j.stored(ctx, j.streamName(p), subject, from, last)
}

// stored yields a stream's messages on a subject with sequence from..last. With
// last 0 it goes on to the end as the answering replica sees it.
func (j *Journal) stored(ctx context.Context, stream, subject string, from, last uint64) iter.Seq2[*jetstream.RawStreamMsg, error] {
	return func(yield func(*jetstream.RawStreamMsg, error) bool) {
		for last == 0 || from <= last {
			n, more := 0, true
			err := j.health.read(ctx, func(ctx context.Context) error {
				return j.batch(ctx, stream, subject, from, func(m *jetstream.RawStreamMsg) bool {
					if more = last == 0 || m.Sequence <= last; more {
						n++
						from = m.Sequence + 1
						more = yield(m, nil)
					}
					return more
				})
			})
			switch {
			case !more:
				return
			case err != nil:
				yield(nil, engineError(err))
				return
			case n == 0 || last == 0 && n < readBatch:
				return
			}
		}
	}
}

// batch gives fn the next messages of a stream on a subject, until it wants no more.
func (j *Journal) batch(ctx context.Context, stream, subject string, from uint64, fn func(*jetstream.RawStreamMsg) bool) error {
	batch, err := jetstreamext.GetBatch(ctx, j.js, stream, readBatch,
		jetstreamext.GetBatchSeq(max(from, 1)), jetstreamext.GetBatchSubject(subject))
	if err != nil {
		return err
	}
	for m, err := range batch {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			return nil
		}
		if err != nil || !fn(m) {
			return err
		}
	}
	return nil
}

// engineError gives the engine's failures one code.
func engineError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, session.ErrReadOnly) {
		return err
	}
	return clew.WrapError(clew.StorageFailed, err, "the engine did not answer")
}
