package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// Index implements session.Index: each person's sessions in pages of up to 64,
// in the order in which they came into the list. A page is one row, so a million
// sessions are sixteen thousand rows and cost the engine next to no memory. It is
// a view: the journals are the truth, and the doctor compares the two.
//
// A session is in a list once. It is added to the last page alone, and only if
// that is as it was when it was read; the pages before are full and never lose a
// session. So whoever has looked through them knows.
type Index struct {
	table *Table
	now   func() int64 // Unix ms
	// How much is on a page, and how many pages are put in order of activity.
	pageSize, recentPages int

	skew int64 // how far apart the clocks of those who write may be, ms

	mu   sync.Mutex
	last map[string]tail // by the person's key
	// where remembers the page of sessions that were put lately, and of all that
	// were put since a tail in last was read.
	where places
}

// tail is the page of a list that new sessions go to. As long as it is at hand
// nobody else has added to the list.
type tail struct {
	cachedPage
	from  int   // its number when it was read: where knows all that came on later pages
	since int64 // when that was
	// turned is its number when where last began a new half.
	turned int
}

const (
	// clusterSkew is how far the clocks of nodes may be apart, ms.
	clusterSkew = 60_000
	// ownSkew is how far a single node's clock may be set back, ms.
	ownSkew = 2_000
)

// entry is a session in somebody's list: in another's it is on another page.
type entry struct {
	owner string // key
	id    clew.SessionID
}

type cachedPage struct {
	number   int
	revision uint64
	page     page
}

type page struct {
	Sessions []core.Summary `json:"sessions"`
	// OpenedMS is when the first one was added; 0 on pages of older versions.
	OpenedMS int64 `json:"opened_ms,omitempty"`
}

const indexTable = "INDEX"

const (
	pageSize     = 64
	cachedOwners = 1024
	// searchPages bounds what one List call with a filter reads.
	searchPages = 4096
)

// OpenIndex opens the lists of sessions.
func (j *Journal) OpenIndex(ctx context.Context) (*Index, error) {
	t, err := j.Table(ctx, indexTable)
	if err != nil {
		return nil, err
	}
	x := &Index{
		table: t, now: func() int64 { return j.cfg.Clock.Now().UnixMilli() }, pageSize: pageSize, recentPages: recentPages,
		skew: ownSkew, last: map[string]tail{}, where: places{kept: placesKept},
	}
	if !j.cfg.Embedded() {
		x.skew = clusterSkew
	}
	return x, nil
}

func ownerKey(owner clew.UserID) string {
	h := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(h[:12])
}

func pageKey(owner string, n int) string { return owner + "." + strconv.Itoa(n) }
func headKey(owner string) string        { return owner + ".pages" }

// Put implements session.Index.
func (x *Index) Put(ctx context.Context, user clew.UserID, summaries ...core.Summary) error {
	owner := ownerKey(user)
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(summaries) > 0 {
		p, err := x.pageFor(ctx, owner, summaries[0])
		if err != nil {
			return err
		}
		n, err := x.write(ctx, owner, p, summaries)
		if errors.Is(err, errRowChanged) {
			delete(x.last, owner)
			continue
		}
		if err != nil {
			return err
		}
		summaries = summaries[n:]
	}
	return nil
}

// pageFor finds the page that holds the session or that it is to be added to.
func (x *Index) pageFor(ctx context.Context, owner string, s core.Summary) (cachedPage, error) {
	last, ok := x.last[owner]
	if !ok {
		p, err := x.lastPage(ctx, owner)
		if err != nil {
			return p, err
		}
		if len(x.last) >= cachedOwners {
			clear(x.last)
		}
		last = tail{cachedPage: p, from: p.number, since: x.now(), turned: p.number}
		x.last[owner] = last
	}
	if n, ok := x.where.of(entry{owner, s.ID}); ok && n != last.number {
		if p, err := x.read(ctx, owner, n); err != nil || p.page.find(s.ID) >= 0 {
			return p, err
		}
		x.where.forget(entry{owner, s.ID}) // the table is not the one that it was
	}
	if last.page.find(s.ID) >= 0 {
		return last.cachedPage, nil
	}
	if p, err := x.search(ctx, owner, last, s); err != nil || p.revision != 0 {
		return p, err
	}
	if len(last.page.Sessions) >= x.pageSize {
		return x.fresh(last.number + 1), nil
	}
	if last.revision == 0 {
		return x.fresh(last.number), nil
	}
	return last.cachedPage, nil
}

// search goes through the pages before the last one, the newest first, for a
// session that where does not know. The revision of what it gives is 0 if none of
// them has it.
func (x *Index) search(ctx context.Context, owner string, last tail, s core.Summary) (cachedPage, error) {
	now := x.now()
	alone := last.since+x.skew < s.CreatedMS && s.CreatedMS <= now // made since nobody else adds to the list
	if alone || x.before(last.page, s, now) {
		return cachedPage{}, nil
	}
	for n := min(last.from, last.number-1); n >= 0; n-- {
		p, err := x.read(ctx, owner, n)
		if err != nil || p.page.find(s.ID) >= 0 {
			return p, err
		}
		if x.before(p.page, s, now) {
			break
		}
	}
	return cachedPage{}, nil
}

func (x *Index) fresh(number int) cachedPage {
	return cachedPage{number: number, page: page{OpenedMS: x.now()}}
}

func (p page) find(id clew.SessionID) int {
	return slices.IndexFunc(p.Sessions, func(s core.Summary) bool { return s.ID == id })
}

// before reports whether a page is so old that s, made later, cannot be on an
// earlier one. Nodes add to pages at the same time, hence the skew. A session from
// elsewhere may say that it was made in the future; that says nothing.
func (x *Index) before(p page, s core.Summary, now int64) bool {
	return p.OpenedMS > 0 && p.OpenedMS+x.skew < s.CreatedMS && s.CreatedMS <= now
}

// write puts the first summary, and as many of the following as belong on the
// same page, in one row.
func (x *Index) write(ctx context.Context, owner string, p cachedPage, summaries []core.Summary) (n int, err error) {
	last, opens := x.last[owner], p.revision == 0
	p.page.Sessions = slices.Clone(p.page.Sessions)
	if p.page.OpenedMS == 0 { // of an older version; later than it was only makes search go on longer
		p.page.OpenedMS = x.now()
	}
	for _, s := range summaries {
		add := n == 0
		if !add && p.page.find(s.ID) < 0 && len(p.page.Sessions) < x.pageSize {
			if add, err = x.isNew(ctx, owner, last, s); err != nil {
				return 0, err
			}
		}
		if !p.page.put(s, add) {
			break
		}
		n++
	}
	value, err := json.Marshal(p.page)
	if err != nil {
		return 0, err
	}
	if p.revision, err = x.table.update(ctx, pageKey(owner, p.number), value, p.revision); err != nil {
		return 0, err
	}
	x.remember(owner, p.number, summaries[:n])
	if t, ok := x.last[owner]; ok && t.number <= p.number {
		t.cachedPage = p
		x.last[owner] = t
	}
	if opens {
		return n, x.table.Put(ctx, headKey(owner), []byte(strconv.Itoa(p.number)))
	}
	return n, nil
}

// isNew reports whether a session is not in the list, but perhaps on the last page.
func (x *Index) isNew(ctx context.Context, owner string, last tail, s core.Summary) (bool, error) {
	if _, ok := x.where.of(entry{owner, s.ID}); ok || last.page.find(s.ID) >= 0 {
		return false, nil
	}
	p, err := x.search(ctx, owner, last, s)
	return p.revision == 0, err
}

// remember notes where sessions are. What was put long ago is forgotten, half of
// it at a time: who has the tail of a list then counts as having read it when the
// forgotten half ended, so that a new session need not be looked for.
func (x *Index) remember(owner string, number int, summaries []core.Summary) {
	if now := x.now(); x.where.full(now, x.skew) {
		ended := x.where.turn(now)
		for key, t := range x.last {
			if t.since < ended {
				t.since, t.from = ended, t.turned
			}
			t.turned = t.number
			x.last[key] = t
		}
	}
	for _, s := range summaries {
		x.where.put(entry{owner, s.ID}, number)
	}
}

// put replaces an entry, or adds it if it may.
func (p *page) put(s core.Summary, add bool) bool {
	if i := p.find(s.ID); i >= 0 {
		if p.Sessions[i].LastSeq <= s.LastSeq { // else a later update came first
			p.Sessions[i] = s
		}
		return true
	}
	if add {
		p.Sessions = append(p.Sessions, s)
	}
	return add
}

func (x *Index) read(ctx context.Context, owner string, n int) (cachedPage, error) {
	value, rev, err := x.table.Get(ctx, pageKey(owner, n))
	if errors.Is(err, ErrNoRow) {
		return cachedPage{number: n}, nil
	}
	if err != nil {
		return cachedPage{}, err
	}
	c := cachedPage{number: n, revision: rev}
	if err := json.Unmarshal(value, &c.page); err != nil {
		return c, fmt.Errorf("index page %d of %s: %w", n, owner, err)
	}
	return c, nil
}

// lastPage finds the newest page. The head row may lag behind by a page when a
// node died between the two writes.
func (x *Index) lastPage(ctx context.Context, owner string) (cachedPage, error) {
	n := 0
	value, _, err := x.table.Get(ctx, headKey(owner))
	if err == nil {
		n, err = strconv.Atoi(string(value))
	}
	if err != nil && !errors.Is(err, ErrNoRow) {
		return cachedPage{}, err
	}
	p, err := x.read(ctx, owner, n)
	for err == nil && p.revision != 0 {
		next, nextErr := x.read(ctx, owner, p.number+1)
		if nextErr != nil || next.revision == 0 {
			return p, nextErr
		}
		p = next
	}
	return p, err
}

// position gives the page and the place in it where a listing goes on.
func (x *Index) position(ctx context.Context, owner string, cursor string) (n, i int, err error) {
	if cursor == "" {
		last, err := x.lastPage(ctx, owner) // not the one at hand: another node may have added a page
		return last.number, x.pageSize, err
	}
	a, b, ok := strings.Cut(cursor, ".")
	n, errN := strconv.Atoi(a)
	i, errI := strconv.Atoi(b)
	if !ok || errN != nil || errI != nil || n < 0 || i < 0 {
		return 0, 0, clew.Errorf(clew.InvalidMessage, "cursor is not one that a listing returned")
	}
	return n, i, nil
}
