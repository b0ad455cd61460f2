package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// An Archive is a store of sealed sessions and blobs. It is safe for
// concurrent use. Puts of one session come from its owner, one at a time.
type Archive struct {
	store store
	now   func() int64 // Unix ms
}

// Open opens the store at a URL: "file:///abs/dir", made if it is missing, or
// "s3://bucket?region=…&endpoint=…&use_path_style=true". Credentials for S3
// come from the environment, never from the URL.
func Open(ctx context.Context, url string) (*Archive, error) {
	a := &Archive{now: func() int64 { return time.Now().UnixMilli() }}
	scheme, _, _ := strings.Cut(url, "://")
	var err error
	switch scheme {
	case "file":
		a.store, err = openDirectory(url, agree)
	case "s3":
		a.store, err = openBucket(ctx, url)
	default:
		return nil, fmt.Errorf("archive: %q is neither a file:// nor an s3:// URL", scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("archive: open: %w", err)
	}
	return a, nil
}

// Close lets go of the store. What no Sync has covered is given up.
func (a *Archive) Close() error { return a.store.close() }

// A DamagedError says that an object is not what was written, or is gone.
type DamagedError struct {
	Session clew.SessionID // "" for a blob
	Object  string
	Reason  string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("archive: %s is damaged: %s", e.Object, e.Reason)
}

// ErrTooNew says that an object is of a form that this program does not know: a
// newer one wrote it. It is whole, as far as its checksum tells.
var ErrTooNew = errors.New("archive: written by a newer program")

// ErrConflict says that a seal of the same session and seq is in the store
// with another history. It can only come from two histories of one session.
var ErrConflict = errors.New("archive: the store holds another history of the session")

// ErrNotFound says that there is no such blob.
var ErrNotFound = errors.New("archive: not found")

// Latest gives the newest seal of a session, verified, or nil if there is
// none. It fails with *DamagedError if the newest one is not intact.
func (a *Archive) Latest(ctx context.Context, id clew.SessionID) (*Seal, error) {
	return a.LatestOr(ctx, id, nil)
}

// LatestOr is Latest for somebody who has one already: if that is still the
// newest, it is given back and not read again.
func (a *Archive) LatestOr(ctx context.Context, id clew.SessionID, have *Seal) (*Seal, error) {
	if !id.Valid() {
		return nil, fmt.Errorf("archive: %q is not a session id", id)
	}
	// A seal can be pruned between list and read when two newer ones came in
	// meanwhile; then the list has them now.
	for range 8 {
		keys, err := a.seals(ctx, id)
		if err != nil || len(keys) == 0 {
			return nil, err
		}
		key := keys[len(keys)-1]
		if have != nil && have.key == key {
			return have, nil
		}
		data, err := a.store.read(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("archive: read %s: %w", key, err)
		}
		return parseSeal(id, key, data)
	}
	return nil, fmt.Errorf("archive: the seals of %s change faster than they can be read", id)
}

// seals lists a session's seals, oldest first.
func (a *Archive) seals(ctx context.Context, id clew.SessionID) ([]string, error) {
	prefix := sealPrefix(id)
	keys, err := a.store.list(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("archive: list %s: %w", prefix, err)
	}
	n := 0
	for _, k := range keys {
		if validSealName(k[len(prefix):]) {
			keys[n] = k
			n++
		}
	}
	return keys[:n], nil
}

// Sync makes every seal put before it durable and lets Latest find it. One
// flush serves all of them. After an error nothing is known about the seals
// put since the last Sync, and the archive takes no more until it is reopened.
func (a *Archive) Sync(ctx context.Context) error {
	if err := a.store.sync(ctx); err != nil {
		return fmt.Errorf("archive: sync: %w", err)
	}
	return nil
}

// Prune deletes the seals before s, except the one right before it, so that a
// reader that has just listed them still finds one.
func (a *Archive) Prune(ctx context.Context, s *Seal) error {
	keys, err := a.seals(ctx, s.Session)
	if err != nil {
		return err
	}
	older := 0
	for older < len(keys) && keys[older] < s.key {
		older++
	}
	for i := range older - 1 {
		if err := a.store.remove(ctx, keys[i]); err != nil {
			return fmt.Errorf("archive: prune %s: %w", keys[i], err)
		}
	}
	return nil
}

// Sessions yields every session that has an object in the store, in no useful
// order. One that Latest knows nothing of has segments without a seal: a crash
// before its first seal was complete, or a seal that is gone.
func (a *Archive) Sessions(ctx context.Context) iter.Seq2[clew.SessionID, error] {
	return func(yield func(clew.SessionID, error) bool) {
		var leaf string
		seen := map[clew.SessionID]bool{} // of one leaf
		err := a.store.walk(ctx, func(key string) bool {
			id, ok := sessionOfKey(key)
			if !ok {
				return true
			}
			if dir := key[:leafLen]; dir != leaf {
				leaf = dir
				clear(seen)
			}
			if seen[id] {
				return true
			}
			seen[id] = true
			return yield(id, nil)
		})
		if err != nil {
			yield("", fmt.Errorf("archive: walk: %w", err))
		}
	}
}

// agree decides what to do with two seals of the same name: the same history
// sealed twice is fine, and the one that is there stays.
func agree(key string, have, want []byte) error {
	id, _ := sessionOfKey(key)
	h, err := parseSeal(id, key, have)
	if err != nil {
		return err
	}
	w, err := parseSeal(id, key, want)
	if err != nil {
		return err
	}
	return sameHistory(h, w.Epoch, w.Head)
}

func sameHistory(s *Seal, epoch string, head clew.Head) error {
	if s.Epoch != epoch || s.Head != head {
		return fmt.Errorf("%w: %s", ErrConflict, s.key)
	}
	return nil
}
