package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// recentPages is how many of an owner's newest pages are put in order of last
// activity. Sessions on older ones come after them, in order of creation.
const recentPages = 64

// A place is where a list in order of activity goes on: behind the session that was
// listed last. low is the first of the pages that are in that order. It stays the
// same while somebody turns pages, so that nothing is listed twice.
type place struct {
	low int
	ms  int64
	id  clew.SessionID
}

func (p place) String() string { return fmt.Sprintf("r%d.%d.%s", p.low, p.ms, p.id) }

func parsePlace(cursor string) (p place, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(cursor, "r"), ".", 3)
	if len(parts) != 3 {
		return p, false
	}
	low, errLow := strconv.Atoi(parts[0])
	ms, errMS := strconv.ParseInt(parts[1], 10, 64)
	return place{low, ms, clew.SessionID(parts[2])}, errLow == nil && errMS == nil && low >= 0
}

// recent adds an owner's sessions, those with the latest activity first, and gives
// the cursor to go on with. What moves to the front while somebody turns pages is
// seen when the list is read anew.
func (l *listing) recent(ctx context.Context, cursor string) (next string, err error) {
	if cursor != "" && !strings.HasPrefix(cursor, "r") { // among the old ones
		return l.read(ctx, cursor)
	}
	last, _, err := l.x.position(ctx, l.owner, "")
	if err != nil {
		return "", err
	}
	from := place{low: max(0, last-l.x.recentPages+1), ms: -1}
	if cursor != "" {
		var ok bool
		if from, ok = parsePlace(cursor); !ok {
			return "", clew.Errorf(clew.InvalidMessage, "cursor is not one that a listing returned")
		}
	}
	from.low = max(from.low, last-2*l.x.recentPages) // a made-up cursor reads no more than this
	all, err := l.newest(ctx, from.low, last)
	if err != nil {
		return "", err
	}
	l.list = []core.Summary{}
	for _, s := range all {
		if from.ms >= 0 && compareRecent(s, core.Summary{UpdatedMS: from.ms, ID: from.id}) <= 0 {
			continue
		}
		if n := len(l.list); n == l.q.Limit {
			return place{from.low, l.list[n-1].UpdatedMS, l.list[n-1].ID}.String(), nil
		}
		l.list = append(l.list, s)
	}
	if from.low == 0 {
		return "", nil
	}
	older := fmt.Sprintf("%d.%d", from.low-1, l.x.pageSize)
	if len(l.list) == l.q.Limit {
		return older, nil
	}
	return l.read(ctx, older)
}

// newest gives the sessions of the pages from low to high that are wanted, the
// latest activity first. Of a session that stands there twice its newest line
// counts, also if that is not wanted.
func (l *listing) newest(ctx context.Context, low, high int) ([]core.Summary, error) {
	var all []core.Summary
	at := map[clew.SessionID]int{}
	for n := high; n >= low; n-- {
		p, err := l.x.read(ctx, l.owner, n)
		if err != nil {
			return nil, err
		}
		for _, s := range p.page.Sessions {
			i, twice := at[s.ID]
			switch {
			case !twice:
				at[s.ID] = len(all)
				all = append(all, s)
			case all[i].LastSeq < s.LastSeq:
				all[i] = s
			}
		}
	}
	all = slices.DeleteFunc(all, func(s core.Summary) bool { return l.again(s.ID) || !l.q.Matches(s) })
	slices.SortFunc(all, compareRecent)
	return all, nil
}

// compareRecent orders by last activity, the latest first; ids decide where that
// is the same.
func compareRecent(a, b core.Summary) int {
	return cmp.Or(cmp.Compare(b.UpdatedMS, a.UpdatedMS), cmp.Compare(b.ID, a.ID))
}
