package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
)

// BlobUse stores blobs and counts what each user has of them, over all nodes: a row
// for each user and session says which blobs the session got for the user. A blob
// counts once, in however many sessions of the user it is. Safe for concurrent use.
//
// What a row lacks, because the node died or its blobs are older than the rows, is
// not counted: the rows bound a user and prove nothing.
type BlobUse struct {
	j     *Journal
	table *Table
	quota func() int64 // of a user, in bytes; 0 is none

	mu    sync.Mutex
	users map[clew.UserID]*blobSizes
}

// blobSizes are a user's blobs by the beginning of their address. The lock of BlobUse
// guards them; what is in sizes is not changed.
type blobSizes struct {
	read  time.Duration
	sizes map[string]int64
}

const (
	shortBlob = 16 // digits of an address: enough to count with
	// How long what is known of a user holds: other nodes count too, and somebody who
	// would be refused may have deleted something.
	blobUseAge   = time.Minute
	blobUseFresh = time.Second
)

// OpenBlobUse opens the table of what users have.
func (j *Journal) OpenBlobUse(ctx context.Context, quota func() int64) (*BlobUse, error) {
	table, err := j.FadingTable(ctx, "BLOB_USE", 0)
	if err != nil {
		return nil, err
	}
	return &BlobUse{j: j, table: table, quota: quota, users: map[clew.UserID]*blobSizes{}}, nil
}

// PutBlob stores bytes once by hash, durably, and returns their address. Beyond the
// user's quota it refuses what the user does not have yet.
func (u *BlobUse) PutBlob(ctx context.Context, by blob.For, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	short := hex.EncodeToString(sum[:])[:shortBlob]
	if err := u.room(ctx, by.User, short, int64(len(data))); err != nil {
		return "", err
	}
	ref, err := u.j.PutBlob(ctx, data)
	if err == nil {
		err = u.note(ctx, by, map[string]int64{short: int64(len(data))})
	}
	return ref, err
}

// Blob reads bytes by address.
func (u *BlobUse) Blob(ctx context.Context, ref string) ([]byte, error) { return u.j.Blob(ctx, ref) }

// ForkBlobs counts what a session has for a fork of it.
func (u *BlobUse) ForkBlobs(ctx context.Context, from clew.SessionID, to blob.For) error {
	keys, err := u.table.keys(ctx, "*."+string(from))
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil
	}
	all := map[string]int64{}
	for _, key := range keys {
		b, _, getErr := u.table.Get(ctx, key)
		if errors.Is(getErr, ErrNoRow) {
			continue
		}
		err = errors.Join(err, getErr, decodeSizes(b, all))
	}
	if err != nil || len(all) == 0 {
		return err
	}
	return u.note(ctx, to, all)
}

// Used is what a user has.
func (u *BlobUse) Used(ctx context.Context, user clew.UserID) (int64, error) {
	sizes, err := u.of(ctx, user, blobUseFresh)
	return total(sizes), err
}

// room is nil if the user may have one more.
func (u *BlobUse) room(ctx context.Context, user clew.UserID, short string, size int64) error {
	quota := u.quota()
	if quota <= 0 || user == "" {
		return nil
	}
	for _, age := range []time.Duration{blobUseAge, blobUseFresh} {
		sizes, err := u.of(ctx, user, age)
		if err != nil {
			return err
		}
		if _, has := sizes[short]; has || total(sizes)+size <= quota {
			return nil
		}
	}
	return clew.Errorf(clew.BudgetExceeded, "your images, long outputs and reports take up the %d MB that they may take (blob_quota_mb). Delete sessions that you do not need, or ask the server's operator for more", quota>>20).Advised()
}

// of gives a user's blobs as they were not longer ago than this.
func (u *BlobUse) of(ctx context.Context, user clew.UserID, age time.Duration) (map[string]int64, error) {
	u.mu.Lock()
	known := u.users[user]
	u.mu.Unlock()
	if known != nil && u.j.cfg.Clock.Elapsed()-known.read < age {
		return known.sizes, nil
	}
	rows, err := u.table.Below(ctx, ownerKey(user))
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, row := range rows {
		if err := decodeSizes(row, sizes); err != nil {
			return nil, err
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.users[user] = &blobSizes{u.j.cfg.Clock.Elapsed(), sizes}
	return sizes, nil
}

// note counts blobs for a session's user.
func (u *BlobUse) note(ctx context.Context, by blob.For, more map[string]int64) error {
	if by.User == "" || by.Session == "" {
		return nil
	}
	err := u.table.Change(ctx, ownerKey(by.User)+"."+string(by.Session), func(old []byte) ([]byte, error) {
		sizes := maps.Clone(more)
		if old != nil {
			if err := decodeSizes(old, sizes); err != nil {
				return nil, err
			}
		}
		return json.Marshal(sizes)
	})
	u.mu.Lock()
	defer u.mu.Unlock()
	if known := u.users[by.User]; known != nil {
		sizes := maps.Clone(known.sizes)
		maps.Copy(sizes, more)
		u.users[by.User] = &blobSizes{known.read, sizes}
	}
	return err
}

func decodeSizes(row []byte, into map[string]int64) error {
	if err := json.Unmarshal(row, &into); err != nil {
		return fmt.Errorf("blob use row: %w", err)
	}
	return nil
}

func total(sizes map[string]int64) (sum int64) {
	for _, size := range sizes {
		sum += size
	}
	return sum
}
