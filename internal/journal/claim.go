package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session"
)

// Claim implements session.Journal. It writes the shard's fence, provided that
// nobody else did since it was read. A live owner that met a session too new for
// it yields to a newer node.
func (j *Journal) Claim(ctx context.Context, shard int) (session.Lease, error) {
	p, subject := j.fenceSubject(shard)
	for {
		last, err := j.lastOn(ctx, p, subject)
		if err != nil {
			return session.Lease{}, err
		}
		var expected uint64
		if last != nil {
			expected = last.Seq
			if owner := string(last.Data); owner != j.cfg.Node && j.Alive(owner) && !j.yields(last.header()) && !planted.Bug("claim ignores a live owner") {
				return session.Lease{}, &session.OwnedError{Node: owner}
			}
		}
		j.lockShard(shard)
		term, err := j.publishExpecting(ctx, newMsg(subject, []byte(j.cfg.Node)), subject, expected)
		j.unlockShard(shard)
		if isCode(err, codeWrongFence, codeFenceBusy) { // a race: look again
			if ctx.Err() != nil {
				return session.Lease{}, engineError(ctx.Err())
			}
			continue
		}
		if err != nil {
			return session.Lease{}, engineError(err)
		}
		if j.nodes != nil {
			j.nodes.announce(shard)
		}
		return session.Lease{Shard: shard, Term: term}, nil
	}
}

// Holds implements session.Journal. A fence that the sweeper took away was not
// replaced by anyone.
func (j *Journal) Holds(ctx context.Context, lease session.Lease) (bool, error) {
	p, subject := j.fenceSubject(lease.Shard)
	last, err := j.lastOn(ctx, p, subject)
	return last == nil || last.Seq == lease.Term, err
}

// OwnerOf names the live node that holds the shard, "" if none does.
func (j *Journal) OwnerOf(ctx context.Context, shard int) (string, error) {
	p, subject := j.fenceSubject(shard)
	last, err := j.lastOn(ctx, p, subject)
	if err != nil || last == nil {
		return "", err
	}
	if owner := string(last.Data); j.Alive(owner) {
		return owner, nil
	}
	return "", nil
}

// Alive implements session.Peers.
func (j *Journal) Alive(node string) bool {
	return node == j.cfg.Node || j.nodes != nil && j.nodes.alive(node)
}

// publishExpecting stores a message if the last sequence on the fence subject
// is the expected one, and returns the message's own. It is one request, never
// repeated: an answer that is lost leaves the outcome open.
func (j *Journal) publishExpecting(ctx context.Context, m *nats.Msg, fence string, expected uint64) (seq uint64, err error) {
	if m.Subject == fence || !planted.Bug("fence dropped") {
		m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(expected, 10)}
		m.Header[jetstream.ExpectedLastSubjSeqSubjHeader] = []string{fence}
	}
	ctx, cancel := context.WithTimeout(ctx, j.requestTimeout())
	defer cancel()
	err = j.health.write(ctx, func(ctx context.Context) error {
		answer, err := j.engine.conn.RequestMsgWithContext(ctx, m)
		if err != nil {
			return err
		}
		if seq, err = parseAck(answer.Data); err == nil {
			j.readiness.note()
		}
		return err
	})
	return seq, err
}

// parseAck reads the engine's answer to a publish.
func parseAck(data []byte) (uint64, error) {
	var ack struct {
		Seq   uint64              `json:"seq"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(data, &ack); err != nil {
		return 0, fmt.Errorf("the engine's acknowledgement: %w", err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	if ack.Seq == 0 {
		return 0, errors.New("the engine's acknowledgement has no sequence")
	}
	return ack.Seq, nil
}

// lockShard keeps appends of one shard in line on a replicated stream. A stream
// without replicas checks and stores in one step and needs no line.
func (j *Journal) lockShard(shard int) {
	if j.cfg.Replicas > 1 && shard < session.Shards {
		j.shardMu[shard].Lock()
	}
}

func (j *Journal) unlockShard(shard int) {
	if j.cfg.Replicas > 1 && shard < session.Shards {
		j.shardMu[shard].Unlock()
	}
}
