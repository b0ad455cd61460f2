package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// List implements session.Index.
func (x *Index) List(ctx context.Context, q session.ListQuery) ([]core.Summary, string, error) {
	if q.Everyone {
		return x.listEveryone(ctx, q)
	}
	l := listing{x: x, q: q, owner: ownerKey(q.Owner), pages: searchPages}
	next, err := l.recent(ctx, q.Cursor)
	for i := range l.list {
		if l.list[i].Owner == "" { // rows of older versions do not have it
			l.list[i].Owner = q.Owner
		}
	}
	return l.list, next, err
}

// listEveryone goes through the owners in the order of their keys. The cursor
// names the owner before the place in the owner's list.
func (x *Index) listEveryone(ctx context.Context, q session.ListQuery) ([]core.Summary, string, error) {
	owners, err := x.owners(ctx)
	if err != nil {
		return nil, "", err
	}
	at, cursor, ok := strings.Cut(q.Cursor, ":")
	if q.Cursor != "" && !ok {
		return nil, "", clew.Errorf(clew.InvalidMessage, "cursor is not one that a listing returned")
	}
	l := listing{x: x, q: q, pages: searchPages}
	first, _ := slices.BinarySearch(owners, at)
	for _, owner := range owners[first:] {
		if owner != at {
			cursor = ""
		}
		if l.full() {
			return l.list, owner + ":", nil
		}
		l.owner = owner
		next, err := l.read(ctx, cursor)
		if err != nil {
			return nil, "", err
		}
		if next != "" {
			return l.list, owner + ":" + next, nil
		}
	}
	return l.list, "", nil
}

// owners lists the keys of all owners, in order. It reads one small row of each.
func (x *Index) owners(ctx context.Context) ([]string, error) {
	keys, err := x.table.keys(ctx, "*.pages")
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		keys[i] = strings.TrimSuffix(key, ".pages")
	}
	slices.Sort(keys)
	return keys, nil
}

// listing is a page of a list in the making.
type listing struct {
	x     *Index
	q     session.ListQuery
	owner string // key
	list  []core.Summary
	pages int // that may still be read
	// seen are those that were looked at, wanted or not: a list that an older
	// version wrote may have a session twice.
	seen map[clew.SessionID]bool
}

// again reports whether a session was looked at before.
func (l *listing) again(id clew.SessionID) bool {
	if l.seen[id] {
		return true
	}
	if l.seen == nil {
		l.seen = map[clew.SessionID]bool{}
	}
	l.seen[id] = true
	return false
}

// shared reports whether a session stands in the list of somebody who does not own
// it: in everybody's it stands once.
func (l *listing) shared(s core.Summary) bool {
	return s.Owner != "" && ownerKey(s.Owner) != l.owner
}

func (l *listing) full() bool { return len(l.list) >= l.q.Limit || l.pages <= 0 }

// read adds an owner's sessions, newest first, and gives the cursor to go on
// with, "" at the end of the owner's list.
func (l *listing) read(ctx context.Context, cursor string) (next string, err error) {
	if l.list == nil {
		l.list = []core.Summary{}
	}
	n, i, err := l.x.position(ctx, l.owner, cursor)
	if err != nil {
		return "", err
	}
	for first := true; n >= 0; n-- {
		p, err := l.x.read(ctx, l.owner, n)
		if err != nil {
			return "", err
		}
		if first && n > 0 && p.revision == 0 && cursor != "" { // a made-up cursor: go on from the last page
			return l.read(ctx, "")
		}
		first = false
		for i = min(i, len(p.page.Sessions)-1); i >= 0; i-- {
			if len(l.list) == l.q.Limit {
				return fmt.Sprintf("%d.%d", n, i), nil
			}
			s := p.page.Sessions[i]
			if l.q.Everyone && l.shared(s) || l.again(s.ID) || !l.q.Matches(s) {
				continue
			}
			l.list = append(l.list, s)
		}
		i = l.x.pageSize
		if l.pages--; l.pages <= 0 && n > 0 {
			return fmt.Sprintf("%d.%d", n-1, l.x.pageSize), nil
		}
	}
	return "", nil
}
