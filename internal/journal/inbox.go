package journal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Inbox implements session.Inbox: one row for each person and open question,
// under the key user.session.request, so that a person's questions over all
// sessions are one read of a prefix. Every write names the revision it replaces,
// so a node that lost a session cannot overwrite what its new owner wrote. Safe
// for concurrent use.
type Inbox struct {
	j     *Journal
	table *Table
	marks *Table // who was told of what; see notice.go
	watch rowWatch
	// reads bounds how many ask at once: the time that the engine has for an
	// answer is not spent waiting for others.
	reads chan struct{}

	mu sync.Mutex
	// written holds the rows of the sessions that this node owns, as it wrote
	// them.
	written map[clew.SessionID]cells
}

// cells is a session's rows by key. It belongs to the one call of Sync that is
// under way for the session.
type cells map[string]cell

type cell struct {
	revision uint64
	live     bool // false for the mark that a deleted row leaves
	sum      [sha256.Size]byte
}

// inboxRow is a row's value.
type inboxRow struct {
	User clew.UserID `json:"user"`
	core.InboxItem
}

const (
	inboxTable = "INBOX"
	marksTable = "NOTIFIED"
	syncTries  = 5
	inboxReads = 16
)

// OpenInbox opens the table of open questions.
func (j *Journal) OpenInbox(ctx context.Context) (*Inbox, error) {
	x := &Inbox{
		j: j, written: map[clew.SessionID]cells{}, watch: rowWatch{people: map[string]map[*followedRows]bool{}},
		reads: make(chan struct{}, inboxReads),
	}
	var err error
	if x.table, err = j.FadingTable(ctx, inboxTable, 0); err != nil {
		return nil, err
	}
	if x.marks, err = j.FadingTable(ctx, marksTable, 0); err != nil {
		return nil, err
	}
	return x, nil
}

func inboxKey(user clew.UserID, id clew.SessionID, request clew.RequestID) string {
	return ownerKey(user) + "." + string(id) + "." + string(request)
}

// Sync implements session.Inbox.
func (x *Inbox) Sync(ctx context.Context, id clew.SessionID, rows map[clew.UserID][]core.InboxItem) error {
	want, err := encodeRows(id, rows)
	if err != nil {
		return err
	}
	for range syncTries {
		have, mine, err := x.cellsOf(ctx, id)
		if err != nil || !mine {
			return err
		}
		fresh, err := x.write(ctx, have, want)
		if err == nil {
			return x.withdraw(ctx, id, fresh)
		}
		x.Forget(id) // what is stored is not what this node knows, or not known
		if !errors.Is(err, errRowChanged) {
			return err
		}
	}
	return fmt.Errorf("inbox rows of %s: %w", id, errRowChanged)
}

func encodeRows(id clew.SessionID, rows map[clew.UserID][]core.InboxItem) (map[string][]byte, error) {
	out := map[string][]byte{}
	for user, items := range rows {
		for _, item := range items {
			b, err := json.Marshal(inboxRow{User: user, InboxItem: item})
			if err != nil {
				return nil, err
			}
			out[inboxKey(user, id, item.Question.RequestID())] = b
		}
	}
	return out, nil
}

// Forget implements session.Inbox.
func (x *Inbox) Forget(id clew.SessionID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.written, id)
}

// cellsOf gives the session's rows as this node wrote them, or else as they are
// stored. Those are read before it is asked who owns the session: whatever a new
// owner writes after the reading changes a revision, and whatever it wrote
// before means that the session is not ours.
func (x *Inbox) cellsOf(ctx context.Context, id clew.SessionID) (have cells, mine bool, err error) {
	x.mu.Lock()
	have, known := x.written[id]
	x.mu.Unlock()
	if known {
		return have, true, nil
	}
	have = cells{}
	err = x.rows(ctx, "*."+string(id)+".*", func(r tableRow) {
		have[r.key] = cell{revision: r.revision, live: r.live, sum: sha256.Sum256(r.value)}
	})
	if err != nil {
		return nil, false, err
	}
	if mine, err = x.owns(ctx, id); err != nil || !mine {
		return nil, false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written[id] = have
	return have, true, nil
}

// owns reports whether this node owns the session. A single node always does.
func (x *Inbox) owns(ctx context.Context, id clew.SessionID) (bool, error) {
	if x.j.nodes == nil {
		return true, nil
	}
	owner, err := x.j.OwnerOf(ctx, session.ShardOf(id))
	return owner == x.j.Node(), err
}

// write makes the rows what they shall be and gives the keys that it wrote.
func (x *Inbox) write(ctx context.Context, have cells, want map[string][]byte) (fresh cells, err error) {
	fresh = cells{}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		c, value := have[key], want[key]
		sum := sha256.Sum256(value)
		if c.live && c.sum == sum {
			continue
		}
		if c.revision, err = x.table.update(ctx, key, value, c.revision); err != nil {
			return nil, err
		}
		c.live, c.sum = true, sum
		have[key], fresh[key] = c, c
	}
	for key, c := range have {
		if _, ok := want[key]; ok {
			continue
		}
		if c.live {
			if err := x.table.remove(ctx, key, c.revision); err != nil {
				return nil, err
			}
		}
		delete(have, key) // its mark's revision is read if the key is ever used again
	}
	return fresh, nil
}

// withdraw takes rows back that were written after the session had moved: its
// new owner may never have known of them.
func (x *Inbox) withdraw(ctx context.Context, id clew.SessionID, fresh cells) error {
	if len(fresh) == 0 {
		return nil
	}
	if mine, err := x.owns(ctx, id); err != nil || mine {
		return err
	}
	x.Forget(id)
	for key, c := range fresh {
		if err := x.table.remove(ctx, key, c.revision); err != nil && !errors.Is(err, errRowChanged) {
			return err
		}
	}
	return nil
}

// List gives a person's rows in no order.
func (x *Inbox) List(ctx context.Context, user clew.UserID) ([]core.InboxItem, error) {
	return x.list(ctx, user, ownerKey(user)+".*.*")
}

// Find gives the row of one question, if it is in the person's inbox.
func (x *Inbox) Find(ctx context.Context, user clew.UserID, id clew.RequestID) (core.InboxItem, bool, error) {
	if !clew.ValidID(string(id)) {
		return core.InboxItem{}, false, nil
	}
	list, err := x.list(ctx, user, ownerKey(user)+".*."+string(id))
	switch {
	case err != nil || len(list) == 0:
		return core.InboxItem{}, false, err
	case len(list) > 1: // records from elsewhere may have any names in them
		return core.InboxItem{}, false, clew.Errorf(clew.SessionInvalidState, "more than one session asks %s: answer it in the session", id)
	}
	return list[0], true, nil
}

// Has reports whether a row is there.
func (x *Inbox) Has(ctx context.Context, user clew.UserID, id clew.SessionID, request clew.RequestID) (bool, error) {
	return x.HasRow(ctx, inboxKey(user, id, request))
}

func (x *Inbox) list(ctx context.Context, user clew.UserID, pattern string) ([]core.InboxItem, error) {
	list := []core.InboxItem{}
	var bad error
	err := x.rows(ctx, pattern, func(r tableRow) {
		if !r.live {
			return
		}
		row, err := decodeRow(r.value)
		if err != nil {
			bad = err
		} else if row.User == user {
			list = append(list, row.InboxItem)
		}
	})
	return list, errors.Join(err, bad)
}

func decodeRow(b []byte) (inboxRow, error) {
	var row inboxRow
	if err := json.Unmarshal(b, &row); err != nil {
		return row, fmt.Errorf("inbox row: %w", err)
	}
	return row, nil
}
