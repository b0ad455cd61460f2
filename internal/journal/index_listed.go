package journal

import (
	"context"
	"errors"
	"sort"
	"strconv"

	"github.com/clew-run/clew"
)

const (
	// listedLag is how long after its making a session may come into the list, ms.
	listedLag = 10_000
	// listedPages bounds how many pages are read for one session.
	listedPages = 32
)

// Listed implements session.Index. Pages are found by the time when they were
// begun; a session that is not where it would be, such as one from elsewhere, is
// as if it were not in the list.
func (x *Index) Listed(ctx context.Context, user clew.UserID, id clew.SessionID, createdMS int64) (uint64, error) {
	owner := ownerKey(user)
	x.mu.Lock()
	n, known := x.where.of(entry{owner, id})
	x.mu.Unlock()
	if known {
		p, err := x.read(ctx, owner, n)
		return p.page.lastSeq(id), err
	}
	n, err := x.pageAt(ctx, owner, createdMS+x.skew+listedLag)
	for range listedPages {
		if err != nil || n < 0 {
			break
		}
		var p cachedPage
		if p, err = x.read(ctx, owner, n); err != nil {
			break
		}
		if seq := p.page.lastSeq(id); seq > 0 {
			return seq, nil
		}
		if p.page.OpenedMS > 0 && p.page.OpenedMS+x.skew < createdMS {
			break
		}
		n--
	}
	return 0, err
}

func (p page) lastSeq(id clew.SessionID) uint64 {
	if i := p.find(id); i >= 0 {
		return p.Sessions[i].LastSeq
	}
	return 0
}

// pageAt gives the last page that was begun by then.
func (x *Index) pageAt(ctx context.Context, owner string, byMS int64) (int, error) {
	value, _, err := x.table.Get(ctx, headKey(owner))
	if errors.Is(err, ErrNoRow) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	newest, err := strconv.Atoi(string(value))
	if err != nil {
		return 0, err
	}
	// The head row may lag behind by a page.
	later := sort.Search(newest+2, func(n int) bool {
		if err != nil || n == 0 {
			return false
		}
		var p cachedPage
		p, err = x.read(ctx, owner, n)
		return p.revision == 0 || p.page.OpenedMS > byMS
	})
	return later - 1, err
}
