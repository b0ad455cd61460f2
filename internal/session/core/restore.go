package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/clew-run/clew"
)

// FoldVersion is the version of the fold: of State and of what Apply makes of
// records. It is raised by one whenever either changes, which a test demands, and
// stands in every stored fold.
//
// A stored fold of a lower version is not used: the session is folded anew from
// its records, once, and sealed again. One of a higher version was made by a newer
// program: the session is read-only here, and its seal is left alone. The trees
// before there were versions wrote none, which is version 0.
const FoldVersion = 20

var foldMark = []byte(`{"fold":`)

// FoldOf gives the version of a stored fold.
func FoldOf(state []byte) int {
	rest, ok := bytes.CutPrefix(state, foldMark)
	if !ok {
		return 0
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return 0
	}
	v, err := strconv.Atoi(string(rest[:end]))
	if err != nil {
		return 0
	}
	return v
}

// Stamp is what every version of a fold says of itself, by these names.
type Stamp struct {
	ID        clew.SessionID `json:"id"`
	Seq       uint64         `json:"seq"`
	Owner     clew.UserID    `json:"owner"`
	Workspace string         `json:"workspace"`
	CreatedMS int64          `json:"created_ms"`
}

// Check makes sure that the loaded fold is the session's own.
func (l *Loaded) Check(id clew.SessionID) (Stamp, error) {
	s := Stamp{ID: id}
	if l.State != nil {
		if err := json.Unmarshal(l.State, &s); err != nil {
			return s, clew.WrapError(clew.SessionDamaged, err, "the snapshot of session %s is not readable", id)
		}
	}
	if s.ID != id || s.Seq != l.StateSeq {
		return s, clew.WrapError(clew.SessionDamaged,
			fmt.Errorf("snapshot is of %s at %d, want %s at %d", s.ID, s.Seq, id, l.StateSeq),
			"the snapshot of session %s is not its own", id)
	}
	return s, nil
}

// Restore makes the state of a session from its snapshot and the records after
// it. past gives the fold up to an earlier record. A snapshot of another version
// is refused.
func Restore(id clew.SessionID, loaded Loaded, past func(seq uint64) ([]byte, error)) (*State, error) {
	f := Folder{State: &State{ID: id}, Past: past}
	if err := f.Restore(loaded); err != nil {
		return nil, err
	}
	return f.State, nil
}

// Restore begins with what the journal has loaded.
func (f *Folder) Restore(loaded Loaded) error {
	id := f.State.ID
	if _, err := loaded.Check(id); err != nil {
		return err
	}
	if loaded.State != nil {
		s, err := DecodeState(id, loaded.State)
		if err != nil {
			return clew.WrapError(clew.SessionDamaged, err, "the snapshot of session %s is not readable", id)
		}
		f.State = s
	}
	for _, r := range loaded.Tail {
		if err := f.Add(r); err != nil {
			return Unreadable(id, r, err)
		}
	}
	return nil
}

// Unreadable tells a record that is too new from one that is damaged.
func Unreadable(id clew.SessionID, r clew.Record, err error) error {
	switch {
	case errors.Is(err, clew.ErrUnknownEvent):
		return tooNewRecord(id, r, err)
	case clew.CodeOf(err) == clew.StorageFailed || errors.Is(err, context.DeadlineExceeded):
		return err // the past that the record goes back to could not be read now
	}
	return clew.WrapError(clew.SessionDamaged, err, "record %d of session %s is not readable", r.Seq, id)
}

func tooNewRecord(id clew.SessionID, r clew.Record, err error) error {
	return clew.WrapError(clew.SessionTooNew, err,
		"record %d of session %s is a %s, which a newer server wrote; this server shows the session but does not change it", r.Seq, id, r.Type)
}

// TooNewFold is the error of a session that a newer program folded.
func TooNewFold(id clew.SessionID, v int) error {
	return clew.Errorf(clew.SessionTooNew,
		"a newer server sealed session %s (version %d of the fold, this server has %d); this server shows the session but does not change it",
		id, v, FoldVersion)
}

// Loaded is a session as the journal holds it: a folded state and the records
// after it, verified.
type Loaded struct {
	Head  clew.Head
	Epoch string
	// State is the fold of the records up to StateSeq, nil if there is none.
	State    []byte
	StateSeq uint64
	// Base is the last record that the session did not write itself: a fork's
	// first ones are its parent's. 0 for most.
	Base uint64
	// Tail holds the records after StateSeq up to Head.
	Tail []clew.Record
}
