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
	"github.com/clew-run/clew/internal/session"
)

// Index implements session.Index: each owner's sessions in pages of up to 64,
// in order of creation. A page is one row, so a million sessions are sixteen
// thousand rows and cost the engine next to no memory. It is a view: the
// journals are the truth, and the doctor compares the two.
type Index struct {
	table *Table

	mu   sync.Mutex
	last map[string]cachedPage // by the owner's key: the page that new sessions go to
	// where remembers the page of sessions that were put lately.
	where map[clew.SessionID]int
}

type cachedPage struct {
	number   int
	revision uint64
	page     page
}

type page struct {
	Sessions []session.Summary `json:"sessions"`
}

const indexTable = "INDEX"

const (
	pageSize     = 64
	placesKept   = 1 << 16
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
	return &Index{table: t, last: map[string]cachedPage{}, where: map[clew.SessionID]int{}}, nil
}

func ownerKey(owner clew.UserID) string {
	h := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(h[:12])
}

func pageKey(owner string, n int) string { return owner + "." + strconv.Itoa(n) }
func headKey(owner string) string        { return owner + ".pages" }

// Put implements session.Index.
func (x *Index) Put(ctx context.Context, user clew.UserID, summaries ...session.Summary) error {
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
func (x *Index) pageFor(ctx context.Context, owner string, s session.Summary) (cachedPage, error) {
	last, err := x.lastPage(ctx, owner)
	if err != nil {
		return last, err
	}
	if n, ok := x.where[s.ID]; ok && n != last.number {
		p, err := x.read(ctx, owner, n)
		if err != nil || p.page.find(s.ID) >= 0 {
			return p, err
		}
		delete(x.where, s.ID)
	}
	if s.LastSeq > 1 || last.page.find(s.ID) >= 0 { // an update: it stands somewhere, most likely late
		for n, p := last.number, last; ; {
			if p.page.find(s.ID) >= 0 {
				return p, nil
			}
			if n == 0 || p.page.before(s) {
				break
			}
			n--
			if p, err = x.read(ctx, owner, n); err != nil {
				return last, err
			}
		}
	}
	if len(last.page.Sessions) >= pageSize {
		return cachedPage{number: last.number + 1}, nil
	}
	return last, nil
}

func (p page) find(id clew.SessionID) int {
	return slices.IndexFunc(p.Sessions, func(s session.Summary) bool { return s.ID == id })
}

// before reports whether the page is so old that s, made later, cannot be on an
// earlier one. Nodes add to pages at the same time, hence the minute.
func (p page) before(s session.Summary) bool {
	const skew = 60_000
	return len(p.Sessions) > 0 && p.Sessions[0].CreatedMS+skew < s.CreatedMS
}

// write puts the first summary, and as many of the following as belong on the
// same page, in one row.
func (x *Index) write(ctx context.Context, owner string, p cachedPage, summaries []session.Summary) (n int, err error) {
	fresh := p.revision == 0
	p.page.Sessions = slices.Clone(p.page.Sessions)
	for n = range summaries {
		if !p.page.put(summaries[n], n == 0) {
			n--
			break
		}
	}
	n++
	value, err := json.Marshal(p.page)
	if err != nil {
		return 0, err
	}
	if p.revision, err = x.table.update(ctx, pageKey(owner, p.number), value, p.revision); err != nil {
		return 0, err
	}
	x.remember(p.number, summaries[:n])
	if c, ok := x.last[owner]; !ok || c.number <= p.number {
		if len(x.last) >= cachedOwners {
			clear(x.last)
		}
		x.last[owner] = p
	}
	if fresh {
		return n, x.table.Put(ctx, headKey(owner), []byte(strconv.Itoa(p.number)))
	}
	return n, nil
}

func (x *Index) remember(number int, summaries []session.Summary) {
	if len(x.where) > placesKept {
		clear(x.where)
	}
	for _, s := range summaries {
		x.where[s.ID] = number
	}
}

// put replaces an entry, or adds it if it is new and there is room, or must.
func (p *page) put(s session.Summary, must bool) bool {
	if i := p.find(s.ID); i >= 0 {
		if p.Sessions[i].LastSeq <= s.LastSeq { // else a later update came first
			p.Sessions[i] = s
		}
		return true
	}
	if !must && (s.LastSeq > 1 || len(p.Sessions) >= pageSize) {
		return false
	}
	p.Sessions = append(p.Sessions, s)
	return true
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
	if c, ok := x.last[owner]; ok {
		return c, nil
	}
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
		x.mu.Lock()
		delete(x.last, owner) // another node may have added a page
		last, err := x.lastPage(ctx, owner)
		x.mu.Unlock()
		return last.number, pageSize, err
	}
	a, b, ok := strings.Cut(cursor, ".")
	n, errN := strconv.Atoi(a)
	i, errI := strconv.Atoi(b)
	if !ok || errN != nil || errI != nil || n < 0 || i < 0 {
		return 0, 0, clew.Errorf(clew.InvalidMessage, "cursor is not one that a listing returned")
	}
	return n, i, nil
}
