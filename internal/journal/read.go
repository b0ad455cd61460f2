package journal

import (
	"context"
	"iter"

	"github.com/clew-run/clew"
)

// Read implements session.Journal: the archive first, the stream for what is
// not sealed. The tail is known to follow the seal, so readers do not notice
// the seam. It ends early, without an error, where the journal ends.
func (j *Journal) Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		from = max(from, 1)
		seal, err := j.latestSeal(ctx, id)
		var tail []clew.Record
		if err == nil && (seal == nil || seal.Head.Seq < to) {
			seal, tail, _, _, err = j.load(ctx, id)
		}
		if err != nil {
			yield(clew.Record{}, err)
			return
		}
		if seal != nil && from <= seal.Head.Seq {
			for r, err := range j.archive.Read(ctx, seal, from, min(to, seal.Head.Seq)) {
				if err != nil {
					yield(clew.Record{}, damagedError(id, err))
					return
				}
				if !yield(r, nil) {
					return
				}
			}
		}
		for _, r := range tail {
			if r.Seq >= from && r.Seq <= to && !yield(r, nil) {
				return
			}
		}
	}
}
