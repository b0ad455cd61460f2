package retention

import (
	"context"
	"errors"
	"os"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// CountOf says how many checkpoints a session has.
func (k *Keeper) CountOf(ctx context.Context, id clew.SessionID) (n int, err error) {
	places, err := k.store.Places()
	for _, p := range places {
		list, listErr := p.List(ctx, nameOf(id))
		if listErr != nil {
			return n, listErr
		}
		n += len(list)
	}
	return n, err
}

// Erase removes a session's checkpoints for good, and the directory that was made
// for it. What the records of one of the heirs, its forks, speak of stays for them.
func (k *Keeper) Erase(ctx context.Context, id clew.SessionID, heirs []clew.SessionID) error {
	needed := map[string]bool{}
	for _, heir := range heirs {
		refs, err := k.read(ctx, heir)
		if err != nil {
			return err
		}
		if refs != nil {
			for hash := range refs.hashes {
				needed[hash] = true
			}
		}
	}
	places, err := k.store.Places()
	if err != nil {
		return err
	}
	for _, p := range places {
		list, err := p.List(ctx, nameOf(id))
		if err == nil && len(list) > 0 {
			_, err = p.Erase(ctx, func(c checkpoint.Checkpoint) bool { return c.Session != nameOf(id) || needed[c.Hash] })
		}
		if err != nil {
			return err
		}
	}
	if k.o.Home == nil {
		return nil
	}
	home := k.o.Home(id)
	if _, err := os.Lstat(home); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.RemoveAll(home)
}
