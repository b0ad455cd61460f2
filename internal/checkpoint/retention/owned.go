package retention

import (
	"context"
	"slices"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// Sessions of different people may work in one directory, and its checkpoints lie
// side by side. A session gets at its own, and if it is a fork at those of the
// sessions before it that the records speak of which they share.

// check refuses checkpoints that a session has nothing to do with. "" is none.
func (k *Keeper) check(ctx context.Context, p *checkpoint.Place, w rewind.Workspace, hashes ...string) error {
	hashes = slices.DeleteFunc(hashes, func(hash string) bool { return hash == "" })
	may, err := k.usable(ctx, p, w.Session, hashes)
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		if !may[hash] {
			return clew.Errorf(clew.InvalidMessage, "this session has no checkpoint %q", hash)
		}
	}
	return nil
}

// usable says which checkpoints a session may use. The records are only read for
// those that are there under the name of another session.
func (k *Keeper) usable(ctx context.Context, p *checkpoint.Place, id clew.SessionID, hashes []string) (map[string]bool, error) {
	list, err := p.List(ctx, "")
	if err != nil {
		return nil, explain(err)
	}
	asked, may := map[string]bool{}, map[string]bool{}
	for _, hash := range hashes {
		asked[hash] = true
	}
	for _, c := range list {
		if asked[c.Hash] && c.Session == nameOf(id) {
			may[c.Hash] = true
		}
	}
	others := slices.DeleteFunc(list, func(c checkpoint.Checkpoint) bool { return !asked[c.Hash] || may[c.Hash] })
	if len(others) == 0 {
		return may, nil
	}
	refs, err := k.readInTurn(ctx, id)
	if err != nil || refs == nil {
		return may, err
	}
	for _, c := range others {
		may[c.Hash] = may[c.Hash] || refs.own(c)
	}
	return may, nil
}

// readInTurn reads records for somebody who waits for an answer. Few may do so
// at a time: a session can be long.
func (k *Keeper) readInTurn(ctx context.Context, id clew.SessionID) (*references, error) {
	select {
	case k.readers <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.readers }()
	return k.read(ctx, id)
}

// first gives the oldest checkpoint that was made for a session.
func (k *Keeper) first(ctx context.Context, p *checkpoint.Place, w rewind.Workspace) (string, error) {
	list, err := p.List(ctx, nameOf(w.Session))
	if err != nil {
		return "", explain(err)
	}
	if len(list) == 0 {
		return "", clew.Errorf(clew.SessionInvalidState, "this session has no checkpoint yet")
	}
	return list[0].Hash, nil
}

// past gives the checkpoints that a fork can be taken back to: those that its
// records speak of. Where there are no records to be read, it is all of the
// session that it came from.
func (k *Keeper) past(ctx context.Context, p *checkpoint.Place, from, fork clew.SessionID) ([]string, error) {
	list, err := p.List(ctx, "")
	if err != nil {
		return nil, err
	}
	refs, err := k.read(ctx, fork)
	if err != nil {
		return nil, err
	}
	var hashes []string
	for _, c := range list {
		if c.Session == nameOf(from) && (refs == nil || refs.had[c.Hash]) || refs != nil && refs.own(c) {
			hashes = append(hashes, c.Hash)
		}
	}
	slices.Sort(hashes)
	return slices.Compact(hashes), nil
}
