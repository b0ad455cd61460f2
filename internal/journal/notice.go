package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Notice is something that a person should hear of: a question that is new in
// their inbox, or one whose deadline is near.
type Notice struct {
	// ID is the same whenever this notice is given.
	ID       string
	Reminder bool
	User     clew.UserID
	Item     core.InboxItem
	Attempt  int // 1 for the first
}

// mark is what a person was told of a question. It is kept beside the row and
// not in the queue, because a row that changes replaces what was queued of it.
type mark struct {
	RemindedMS int64 `json:"reminded_ms"`
}

// Notices calls send for each notice until ctx ends. Each is given to one node.
// If send fails the notice is given again after the time it returns, perhaps to
// another node; if that is 0 it is given up. Only a crash between the sending
// and the note of it can make a notice that was sent come again.
func (x *Inbox) Notices(ctx context.Context, send func(context.Context, Notice) (again time.Duration, err error)) error {
	return x.queue(ctx, "notify", func(m jetstream.Msg) { x.notice(ctx, m, send) })
}

func (x *Inbox) notice(ctx context.Context, m jetstream.Msg, send func(context.Context, Notice) (time.Duration, error)) {
	key := strings.TrimPrefix(m.Subject(), "$KV."+x.table.kv.Bucket()+".")
	n, due, err := x.dueNotice(ctx, key, m)
	if err != nil {
		x.j.log.Warn("notice", "err", err)
		_ = m.NakWithDelay(time.Second)
		return
	}
	if !due {
		_ = m.Ack()
		return
	}
	again, err := send(ctx, n)
	switch {
	case err == nil:
		x.told(ctx, key, n)
		_ = m.Ack()
	case ctx.Err() != nil: // this node stops; another goes on
		_ = m.NakWithDelay(time.Second)
	case again > 0:
		x.j.log.Warn("a notice was not taken and is sent again", "id", n.ID, "session", n.Item.SessionID, "attempt", n.Attempt, "in", again, "err", err)
		_ = m.NakWithDelay(again)
	default:
		x.j.log.Error("a notice is given up", "id", n.ID, "session", n.Item.SessionID, "attempt", n.Attempt, "err", err)
		_ = m.Term()
	}
}

// dueNotice says what a change of a row means to its person, if anything.
func (x *Inbox) dueNotice(ctx context.Context, key string, m jetstream.Msg) (n Notice, due bool, err error) {
	if len(m.Data()) == 0 { // the row is gone, and with it what was told of it
		if err := x.marks.purge(ctx, key, jetstream.PurgeTTL(markerTTL)); err != nil {
			return n, false, engineError(err)
		}
		return n, false, nil
	}
	row, err := decodeRow(m.Data())
	if err != nil { // it will not become readable
		x.j.log.Error("notice", "err", err)
		return n, false, nil
	}
	var told mark
	value, _, err := x.marks.Get(ctx, key)
	first := errors.Is(err, ErrNoRow)
	if err == nil {
		err = json.Unmarshal(value, &told)
	}
	if err != nil && !first {
		return n, false, err
	}
	// Who hears of a question only now needs no reminder as well.
	n = Notice{User: row.User, Item: row.InboxItem, Reminder: !first, Attempt: 1}
	n.ID = noticeID(key, n)
	if meta, err := m.Metadata(); err == nil {
		n.Attempt = int(meta.NumDelivered)
	}
	return n, first || row.RemindedMS > told.RemindedMS, nil
}

func noticeID(key string, n Notice) string {
	if n.Reminder {
		key += fmt.Sprintf("/reminder/%d", n.Item.RemindedMS)
	}
	h := sha256.Sum256([]byte(key))
	return "ntc_" + hex.EncodeToString(h[:12])
}

// told notes that the person has heard. It does not end with ctx: the notice is
// out.
func (x *Inbox) told(ctx context.Context, key string, n Notice) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*requestTimeout)
	defer cancel()
	b, err := json.Marshal(mark{RemindedMS: n.Item.RemindedMS})
	if err == nil {
		err = x.marks.Put(ctx, key, b)
	}
	if err != nil {
		x.j.log.Warn("a notice may be sent twice", "id", n.ID, "err", err)
	}
}
