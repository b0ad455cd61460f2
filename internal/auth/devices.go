package auth

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
)

// from least to most, as clew has them
var roles = []clew.Role{clew.RoleViewer, clew.RoleApprover, clew.RoleOwner, clew.RoleAdmin}

// Devices gives the browsers that are signed in as the caller's user, oldest
// first. Who came with credentials for less sees those that may do no more than
// they themselves: a key that was given away for watching says nothing about
// its owner's devices, and cannot end them.
func (s *SignIns) Devices(ctx context.Context, p clew.Principal) ([]KeyRecord, error) {
	all, err := s.keys.List(ctx)
	if err != nil {
		return nil, err
	}
	most := slices.Index(roles, p.Role)
	list := []KeyRecord{}
	for _, rec := range all {
		if !rec.Browser || rec.User != p.User || slices.Index(roles, rec.Role) > most {
			continue
		}
		_, err := s.keys.inForce(ctx, rec)
		if clew.CodeOf(err) == clew.Unavailable {
			return nil, err
		}
		if err == nil {
			list = append(list, rec)
		}
	}
	return list, nil
}

// EndDevice signs one of the caller's own browsers out; ErrNoKey for every
// other key.
func (s *SignIns) EndDevice(ctx context.Context, p clew.Principal, keyID string) error {
	list, err := s.Devices(ctx, p)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(k KeyRecord) bool { return k.ID == keyID }) {
		return ErrNoKey
	}
	return s.End(ctx, keyID)
}
