package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/clew-run/clew"
)

// A Draft is what somebody is about to say in a session.
type Draft struct {
	Text      string   `json:"text"`
	Images    []string `json:"images,omitempty"`
	UpdatedMS int64    `json:"updated_ms"`
	// Revision is another one after each change, on whichever device; 0 if there
	// is no draft.
	Revision uint64 `json:"-"`
}

// draftRow is a row's value. It names its own, as its key is a hash.
type draftRow struct {
	User    clew.UserID    `json:"user"`
	Session clew.SessionID `json:"session"`
	Draft
}

// Drafts keeps one draft for each person and session, the same for all nodes.
//
// They have a table of their own and are in no session's journal: a draft is no
// fact of the session. It changes with every few keystrokes, nobody but its
// author may see it, and what was not said must be possible to forget, while a
// journal keeps everything for ever and shows it to all who may watch. Safe for
// concurrent use.
type Drafts struct {
	j     *Journal
	table *Table
}

// draftKeep is how long a draft stays that nobody changes.
const draftKeep = 30 * 24 * time.Hour

// ErrDraftChanged says that the draft is not the one that the caller has seen.
var ErrDraftChanged = errors.New("the draft was changed on another device")

// OpenDrafts opens the table of drafts.
func (j *Journal) OpenDrafts(ctx context.Context) (*Drafts, error) {
	table, err := j.FadingTable(ctx, "DRAFTS", draftKeep)
	if err != nil {
		return nil, err
	}
	return &Drafts{j, table}, nil
}

func draftKey(user clew.UserID, id clew.SessionID) string { return ownerKey(user) + "." + string(id) }

// Get gives a person's draft. Without one it gives an empty one.
func (d *Drafts) Get(ctx context.Context, user clew.UserID, id clew.SessionID) (Draft, error) {
	b, revision, err := d.table.Get(ctx, draftKey(user, id))
	if errors.Is(err, ErrNoRow) {
		return Draft{}, nil
	}
	if err != nil {
		return Draft{}, err
	}
	var row draftRow
	if err := json.Unmarshal(b, &row); err != nil {
		return Draft{}, fmt.Errorf("draft row: %w", err)
	}
	if row.User != user || row.Session != id {
		return Draft{}, errors.New("draft row: it is somebody else's")
	}
	row.Revision = revision
	return row.Draft, nil
}

// Put replaces the draft of this revision, 0 if there is none, and gives the
// new one's. It fails with ErrDraftChanged if another device was faster.
func (d *Drafts) Put(ctx context.Context, user clew.UserID, id clew.SessionID, draft Draft, revision uint64) (uint64, error) {
	b, err := json.Marshal(draftRow{user, id, draft})
	if err != nil {
		return 0, err
	}
	if len(b) > d.j.MaxRecord() { // of an engine that takes less than ours
		return 0, clew.Errorf(clew.MessageTooLarge, "the draft is too large for this server's store")
	}
	key := draftKey(user, id)
	var now uint64
	if revision == 0 {
		now, err = d.table.create(ctx, key, b)
	} else {
		now, err = d.table.update(ctx, key, b, revision)
	}
	return now, draftError(err)
}

// Delete removes the draft of this revision. One that is gone already is no
// error.
func (d *Drafts) Delete(ctx context.Context, user clew.UserID, id clew.SessionID, revision uint64) error {
	err := d.table.remove(ctx, draftKey(user, id), revision)
	if !errors.Is(err, errRowChanged) {
		return err
	}
	if now, err := d.Get(ctx, user, id); err != nil || now.Revision == 0 {
		return err
	}
	return ErrDraftChanged
}

func draftError(err error) error {
	if errors.Is(err, errRowChanged) {
		return ErrDraftChanged
	}
	return err
}
