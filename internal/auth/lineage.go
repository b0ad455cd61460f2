package auth

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	// maxBrowsers is how many sign-ins of one user a sweep leaves in force.
	maxBrowsers = 100
)

// sweep forgets browsers' keys whose end is long past, and ends those that are
// too many.
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
	return errors.Join(err, k.endSurplus(ctx, list))
}

// endSurplus ends the oldest sign-ins of whoever has too many. Those that may do
// less go first: a key that was given away for watching cannot be used to sign
// its owner's browsers out.
func (k *Keys) endSurplus(ctx context.Context, list []KeyRecord) (err error) {
	live := map[clew.UserID][]KeyRecord{}
	for _, rec := range list {
		if !rec.Browser {
			continue
		}
		if _, err := k.inForce(ctx, rec); err == nil {
			live[rec.User] = append(live[rec.User], rec)
		}
	}
	for _, of := range live {
		slices.SortFunc(of, func(a, b KeyRecord) int {
			return cmp.Or(cmp.Compare(slices.Index(roles, a.Role), slices.Index(roles, b.Role)), cmp.Compare(a.CreatedMS, b.CreatedMS), cmp.Compare(a.ID, b.ID))
		})
		for _, rec := range of[:max(0, len(of)-maxBrowsers)] {
			_, failed := k.Revoke(ctx, rec.ID)
			err = errors.Join(err, failed)
		}
	}
	return err
}
