package server

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/journal"
)

// Each node has an owner token in its own data directory. All nodes of a cluster
// take each other's: they keep the hashes in a table. A node says often enough that
// it is still there; the token of one that is gone for good ends by itself.
const (
	ownerKeep  = 30 * 24 * time.Hour
	ownerRenew = 24 * time.Hour
)

// ownerStore has the names of nodes by the hashes of their owner tokens.
type ownerStore struct{ table *journal.Table }

// Has reports whether a node has an owner token with this hash.
func (o ownerStore) Has(ctx context.Context, hash string) (bool, error) {
	_, _, err := o.table.Get(ctx, hash)
	if errors.Is(err, journal.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}

// put says which token a node has, in place of the one that it had before.
func (o ownerStore) put(ctx context.Context, node, hash string) error {
	rows, err := o.table.List(ctx)
	if err != nil {
		return err
	}
	for old, of := range rows {
		if string(of) == node && old != hash {
			if err := o.table.Drop(ctx, old); err != nil {
				return err
			}
		}
	}
	return o.table.Put(ctx, hash, []byte(node))
}

// openOwners opens the table and keeps this node's token in it.
func (s *Server) openOwners(ctx, bg context.Context, token string) (ownerStore, error) {
	table, err := s.journal.FadingTable(ctx, "OWNERS", ownerKeep)
	if err != nil {
		return ownerStore{}, err
	}
	o := ownerStore{table}
	put := func(ctx context.Context) {
		if err := o.put(ctx, s.journal.Node(), auth.TokenHash(token)); err != nil && bg.Err() == nil {
			s.log.Warn("other nodes do not know the owner token of this one yet", "err", err)
		}
	}
	put(ctx) // a store that takes no records now does not keep the node from starting
	s.work.Go(func() {
		t := time.NewTicker(ownerRenew)
		defer t.Stop()
		for {
			select {
			case <-bg.Done():
				return
			case <-t.C:
				put(bg)
			}
		}
	})
	return o, nil
}
