package auth

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
)

// maxLineage is how many sign-ins may rest on each other: a browser that signed
// in may let another one in, and so on.
const maxLineage = 5

// inForce says whether a key holds now, and with it the one that it came from,
// and how many there are behind it.
func (k *Keys) inForce(ctx context.Context, rec KeyRecord) (behind int, err error) {
	for ; ; behind++ {
		switch {
		case rec.RevokedMS != 0:
			return behind, refused(errors.New("the key is revoked"))
		case rec.ExpiresMS != 0 && k.now().UnixMilli() >= rec.ExpiresMS:
			return behind, expired(errors.New("the key has expired"))
		case rec.Parent == "":
			return behind, nil
		case behind == maxLineage:
			return behind, refused(errors.New("the key comes from too many others"))
		}
		rec, err = k.store.Get(ctx, rec.Parent)
		if errors.Is(err, ErrNoKey) {
			return behind, refused(errors.New("the key that it came from is gone"))
		}
		if err != nil {
			return behind, clew.WrapError(clew.Unavailable, err, "the key cannot be checked right now")
		}
	}
}

// Browsers' keys are forgotten some time after their end: people sign in every
// day. Meanwhile every node has heard of the end. Other keys are kept; they are
// made by hand.
const (
	keptAfterEnd = 24 * time.Hour
	sweepEvery   = time.Hour
)

// sweep forgets browsers' keys whose end is long past.
func (k *Keys) sweep(ctx context.Context) error {
	list, err := k.store.List(ctx)
	if err != nil {
		return err
	}
	before := k.now().Add(-keptAfterEnd).UnixMilli()
	for _, rec := range list {
		revoked := rec.RevokedMS != 0 && rec.RevokedMS < before
		if rec.Browser && (revoked || rec.ExpiresMS != 0 && rec.ExpiresMS < before) {
			err = errors.Join(err, k.store.Drop(ctx, rec.ID))
		}
	}
	return err
}
