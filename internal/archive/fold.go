package archive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/clew-run/clew"
)

// A kept fold is the state of a session at one of its records, so that a return
// to the past need not fold from the start. It is a cache: the records tell the
// same, nothing refers to it, and one that is missing or damaged is passed over.
type fold struct {
	head  clew.Head
	state []byte
}

// A fold's object is a magic, the SHA-256 of all that follows, the head, the
// length of the state, the session's name and the packed state.
const (
	foldMagic = "CLEWFLD1"
	foldBody  = len(foldMagic) + sha256.Size
	foldFixed = foldBody + 8 + 8 + 32 + 4 + 2
)

// PutState keeps the fold of the session's records up to head. It may be gone
// after a crash; it is found after the next Sync.
func (a *Archive) PutState(ctx context.Context, id clew.SessionID, head clew.Head, state []byte) error {
	if !id.Valid() || len(state) > maxRaw {
		return fmt.Errorf("archive: the fold of %q at %d cannot be kept", id, head.Seq)
	}
	key := foldKey(id, head.Seq)
	if err := a.store.put(ctx, key, encodeFold(id, fold{head, state})); err != nil {
		return fmt.Errorf("archive: write %s: %w", key, err)
	}
	return nil
}

// StateBefore gives the newest sound fold of the session at or before seq and
// the head it was made at; state is nil if there is none. The caller compares
// the head with the records: a fold of another history may lie there.
func (a *Archive) StateBefore(ctx context.Context, id clew.SessionID, seq uint64) (state []byte, at clew.Head, err error) {
	keys, err := a.folds(ctx, id)
	if err != nil {
		return nil, clew.Head{}, err
	}
	top := foldKey(id, seq)
	for _, key := range slices.Backward(keys) {
		if key > top {
			continue
		}
		f, err := a.readFold(ctx, id, key)
		if err == nil {
			return f.state, f.head, nil
		}
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			return nil, clew.Head{}, err
		}
	}
	return nil, clew.Head{}, nil
}

// CheckStates reads all kept folds of a session, hands the sound ones to each,
// and gives what is wrong with the others. err says that the store did not answer.
func (a *Archive) CheckStates(ctx context.Context, id clew.SessionID, each func(at clew.Head, state []byte)) (damage []*DamagedError, err error) {
	keys, err := a.folds(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		f, err := a.readFold(ctx, id, key)
		var damaged *DamagedError
		switch {
		case err == nil:
			each(f.head, f.state)
		case errors.As(err, &damaged):
			damage = append(damage, damaged)
		default:
			return damage, err
		}
	}
	return damage, nil
}

// folds lists a session's kept folds, oldest first.
func (a *Archive) folds(ctx context.Context, id clew.SessionID) ([]string, error) {
	if !id.Valid() {
		return nil, fmt.Errorf("archive: %q is not a session id", id)
	}
	prefix := foldPrefix(id)
	keys, err := a.store.list(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("archive: list %s: %w", prefix, err)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !isHex(key[len(prefix):], 16) }), nil
}

func (a *Archive) readFold(ctx context.Context, id clew.SessionID, key string) (fold, error) {
	data, err := a.store.read(ctx, key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fold{}, fmt.Errorf("archive: read %s: %w", key, err)
	}
	if err != nil {
		return fold{}, &DamagedError{Session: id, Object: key, Reason: "it is missing"}
	}
	f, err := parseFold(id, data)
	if err == nil && foldKey(id, f.head.Seq) != key {
		err = errFold
	}
	if err != nil {
		return fold{}, &DamagedError{Session: id, Object: key, Reason: err.Error()}
	}
	return f, nil
}

func encodeFold(id clew.SessionID, f fold) []byte {
	le := binary.LittleEndian
	b := make([]byte, foldBody, foldFixed+len(id)+len(f.state)/2)
	copy(b, foldMagic)
	b = le.AppendUint64(b, f.head.Seq)
	b = le.AppendUint64(b, uint64(f.head.TS))
	b = append(b, f.head.Hash[:]...)
	b = le.AppendUint32(b, uint32(len(f.state)))
	b = le.AppendUint16(b, uint16(len(id)))
	b = append(b, id...)
	b = compress(b, f.state)
	sum := sha256.Sum256(b[foldBody:])
	copy(b[len(foldMagic):], sum[:])
	return b
}

var errFold = errors.New("it is not the fold that was kept")

func parseFold(id clew.SessionID, b []byte) (fold, error) {
	if len(b) < foldFixed || string(b[:len(foldMagic)]) != foldMagic ||
		sha256.Sum256(b[foldBody:]) != [sha256.Size]byte(b[len(foldMagic):foldBody]) {
		return fold{}, errFold
	}
	le := binary.LittleEndian
	b = b[foldBody:]
	f := fold{head: clew.Head{Seq: le.Uint64(b), TS: int64(le.Uint64(b[8:]))}}
	copy(f.head.Hash[:], b[16:])
	raw, n := int(le.Uint32(b[48:])), int(le.Uint16(b[52:]))
	b = b[foldFixed-foldBody:]
	if raw > maxRaw || n > len(b) || clew.SessionID(b[:n]) != id {
		return fold{}, errFold
	}
	var err error
	f.state, err = decompress(make([]byte, 0, raw), b[n:], raw)
	return f, err
}
