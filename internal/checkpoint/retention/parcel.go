package retention

import (
	"context"
	"io"
	"slices"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew/internal/checkpoint"
)

// Pack writes the checkpoints of a session's workspace that have these hashes. It
// gives those that are not here: dropped, or on the machine where the workspace
// is, or of others.
func (k *Keeper) Pack(ctx context.Context, w rewind.Workspace, hashes []string, to io.Writer) (missing []string, err error) {
	p, err := k.place(ctx, w, k.o.Settings(w.Settings))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		k.o.Log.Warn("a session is exported without its checkpoints", "session", w.Session, "err", err)
		return hashes, nil
	}
	may, err := k.usable(ctx, p, w.Session, hashes)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool { return may[hash] })
	mine := slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool { return !may[hash] })
	missing, err = p.Pack(ctx, mine, to)
	return append(missing, others...), explain(err)
}

// A Parcel holds checkpoints from elsewhere that were looked through.
type Parcel struct {
	keeper *Keeper
	parcel *checkpoint.Parcel
}

// Unpack looks through what Pack wrote, which may be of strangers. Nothing is
// kept yet.
func (k *Keeper) Unpack(ctx context.Context, from io.Reader) (*Parcel, error) {
	p, err := k.store.Receive(ctx, k.o.Temp, from, checkpoint.ParcelLimits{})
	if err != nil {
		return nil, explain(err)
	}
	return &Parcel{k, p}, nil
}

// Keep makes the checkpoints those of a session.
func (p *Parcel) Keep(ctx context.Context, w rewind.Workspace) error {
	place, err := p.keeper.place(ctx, w, p.keeper.o.Settings(w.Settings))
	if err != nil {
		return err
	}
	return explain(place.Accept(ctx, p.parcel, nameOf(w.Session)))
}

// Close removes what was not kept.
func (p *Parcel) Close() { p.parcel.Close() }
