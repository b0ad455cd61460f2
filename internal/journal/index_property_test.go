package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// lists plays people who make, share, take back, change and put away sessions, by
// way of several nodes, and knows what their lists must be.
type lists struct {
	t      *testing.T
	r      *rand.Rand
	j      *Journal
	table  string
	now    int64
	size   int // of a page
	recent int // pages in order of activity
	nodes  []*Index

	users    []clew.UserID
	sessions []*listed
	// order has the sessions of each list as they came in, rows their lines.
	order map[clew.UserID][]clew.SessionID
	rows  map[clew.UserID]map[clew.SessionID]core.Summary
	tally map[string]int
}

// listed is a session, and whom it is shared with.
type listed struct {
	core.Summary
	access map[clew.UserID]bool
}

func newLists(t *testing.T, j *Journal, seed uint64) *lists {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same numbers each time
	l := &lists{
		t: t, r: r, j: j, table: fmt.Sprint("INDEX_", seed), now: 1_700_000_000_000, size: 2 + r.IntN(4), recent: []int{1, 3, 1000}[seed%3],
		users: []clew.UserID{"ann", "bob", "cy", "dee"}, nodes: make([]*Index, 2),
		order: map[clew.UserID][]clew.SessionID{}, rows: map[clew.UserID]map[clew.SessionID]core.Summary{}, tally: map[string]int{},
	}
	for i := range l.nodes {
		l.reopen(i)
	}
	return l
}

// reopen has a node forget all that it knew.
func (l *lists) reopen(i int) {
	table, err := l.j.Table(l.t.Context(), l.table)
	if err != nil {
		l.t.Fatal(err)
	}
	l.nodes[i] = &Index{
		table: table, now: func() int64 { return l.now }, pageSize: l.size, recentPages: l.recent,
		skew: clusterSkew, last: map[string]tail{}, where: places{kept: 3},
	}
	l.tally["reopened"]++
}

func (l *lists) put(user clew.UserID, batch ...core.Summary) {
	if err := l.nodes[l.r.IntN(len(l.nodes))].Put(l.t.Context(), user, batch...); err != nil {
		l.t.Fatal(err)
	}
	if l.rows[user] == nil {
		l.rows[user] = map[clew.SessionID]core.Summary{}
	}
	for _, s := range batch {
		old, ok := l.rows[user][s.ID]
		if !ok {
			l.order[user] = append(l.order[user], s.ID)
		}
		if !ok || old.LastSeq <= s.LastSeq {
			l.rows[user][s.ID] = s
		}
	}
}

// create makes some sessions at once. Some of them come from elsewhere, and say
// of themselves when they were made.
func (l *lists) create() {
	user := l.users[l.r.IntN(len(l.users))]
	var batch []core.Summary
	for range 1 + l.r.IntN(3) {
		made, seq := l.now, uint64(1)
		switch l.r.IntN(8) {
		case 0:
			made, seq = l.now-l.r.Int64N(1e9), 100
		case 1:
			made, seq = l.now+1e12+l.r.Int64N(1e7), 100
		}
		s := &listed{Summary: core.Summary{
			ID: clew.SessionID(fmt.Sprintf("sess_%04d", len(l.sessions))), CreatedMS: made, UpdatedMS: l.now, LastSeq: seq, Owner: user, Title: "new",
		}, access: map[clew.UserID]bool{}}
		l.sessions = append(l.sessions, s)
		batch = append(batch, s.Summary)
		l.now++
	}
	l.put(user, batch...)
}

// change has something happen in a session, and tells all who have it in a list.
func (l *lists) change() {
	s := l.sessions[l.r.IntN(len(l.sessions))]
	before := s.Summary
	s.LastSeq, s.UpdatedMS = s.LastSeq+1+l.r.Uint64N(4), l.now
	var lost clew.UserID
	switch user := l.users[l.r.IntN(len(l.users))]; l.r.IntN(7) {
	case 0:
		s.Archived = !s.Archived
		l.tally["archived"]++
	case 1, 2:
		if user != s.Owner {
			s.access[user] = true
			l.tally["shared"]++
		}
	case 3, 4, 5:
		if s.access[user] {
			delete(s.access, user)
			lost = user
			l.tally["taken back"]++
		}
	default:
		s.Title = fmt.Sprint("title ", s.LastSeq)
	}
	for _, user := range append(slices.Sorted(maps.Keys(s.access)), s.Owner) {
		l.put(user, s.Summary)
		if l.r.IntN(6) == 0 && l.rows[user][s.ID].LastSeq > 0 {
			l.put(user, before) // it comes late
		}
	}
	if lost != "" {
		gone := s.Summary
		gone.Gone = true
		l.put(lost, gone)
	}
}

// want is a person's list: the newest pages by activity, the others as they came.
func (l *lists) want(user clew.UserID, archived bool) []core.Summary {
	order := l.order[user]
	low := max(0, (len(order)-1)/l.size-l.recent+1) * l.size
	var recent, older []core.Summary
	for i, id := range order {
		switch s := l.rows[user][id]; {
		case s.Gone || s.Archived != archived:
		case i >= low:
			recent = append(recent, s)
		default:
			older = append(older, s)
		}
	}
	slices.SortFunc(recent, compareRecent)
	slices.Reverse(older)
	return append(recent, older...)
}

func (l *lists) read(q session.ListQuery) []core.Summary {
	var all []core.Summary
	x := l.nodes[l.r.IntN(len(l.nodes))]
	for {
		page, next, err := x.List(l.t.Context(), q)
		if err != nil || len(page) > q.Limit {
			l.t.Fatalf("a page of %d with limit %d, %v", len(page), q.Limit, err)
		}
		all = append(all, page...)
		if q.Cursor = next; next == "" {
			return all
		}
	}
}

func (l *lists) check() {
	l.t.Helper()
	for _, user := range l.users {
		for _, archived := range []bool{false, true} {
			q := session.ListQuery{Owner: user, Archived: archived, Limit: 1 + l.r.IntN(9)}
			got, want := l.read(q), l.want(user, archived)
			if !slices.EqualFunc(got, want, func(a, b core.Summary) bool { return reflect.DeepEqual(a, b) }) {
				l.t.Fatalf("%s, archived %v, %d a time, pages of %d, %d of them recent:\n%s\nwant\n%s",
					user, archived, q.Limit, l.size, l.recent, lines(got), lines(want))
			}
		}
	}
	owned := map[clew.SessionID]int{}
	for _, s := range l.read(session.ListQuery{Everyone: true, Limit: 1 + l.r.IntN(9)}) {
		owned[s.ID]++
	}
	for _, s := range l.sessions {
		if n := owned[s.ID]; s.Archived != (n == 0) || n > 1 {
			l.t.Fatalf("%s is in everyone's list %d times, archived %v", s.ID, n, s.Archived)
		}
	}
	l.tally["looked"]++
}

func lines(list []core.Summary) (text string) {
	for _, s := range list {
		text += fmt.Sprintf("%s of %s at %d, updated %d, %s\n", s.ID, s.Owner, s.LastSeq, s.UpdatedMS, s.Title)
	}
	return text
}

// Whatever people do with their sessions, and through whichever node: each of them
// is once in each list that it belongs to, with its newest line, in its place.
//
// Covers: STO-27
func TestListsOfSeveral(t *testing.T) {
	j := openScratch(t)
	tally := map[string]int{}
	rounds := nightly.Size(4, 12)
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := newLists(t, j, uint64(seed))
			l.create()
			for step := range 150 {
				switch n := l.r.IntN(20); {
				case n < 6:
					l.create()
				case n < 18:
					l.change()
				default:
					l.reopen(l.r.IntN(len(l.nodes)))
				}
				l.now += []int64{1, 1000, 90_000}[l.r.IntN(3)]
				if step%10 == 9 {
					l.check()
				}
			}
			for what, n := range l.tally {
				tally[what] += n
			}
		})
	}
	t.Log(tally)
	for _, what := range []string{"shared", "taken back", "archived", "reopened", "looked"} {
		if tally[what] < rounds {
			t.Errorf("%s: only %d", what, tally[what])
		}
	}
}

func openScratch(t *testing.T) *Journal {
	t.Helper()
	j, err := Open(t.Context(), Config{Dir: t.TempDir(), SyncInterval: time.Minute}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

// A list that an older version wrote may have a session twice. Its newest line
// counts, also where that is one that nobody asks for.
func TestSecondRow(t *testing.T) {
	j := openScratch(t)
	stale, away := core.Summary{ID: "a", LastSeq: 3, UpdatedMS: 3}, core.Summary{ID: "a", LastSeq: 9, UpdatedMS: 9, Archived: true}
	b, c := core.Summary{ID: "b", LastSeq: 1, UpdatedMS: 1}, core.Summary{ID: "c", LastSeq: 1, UpdatedMS: 2}
	for i, tt := range []struct {
		recent int
		pages  [][]core.Summary
	}{
		{1000, [][]core.Summary{{away, b}, {stale, c}}},
		{1000, [][]core.Summary{{stale, b}, {away, c}}},
		{1, [][]core.Summary{{stale, b}, {away, c}}},
	} {
		x, err := j.OpenIndex(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x.pageSize, x.recentPages = 2, tt.recent
		user := clew.UserID(fmt.Sprint("user ", i))
		for n, list := range tt.pages {
			value, err := json.Marshal(page{Sessions: list})
			if err == nil {
				err = errors.Join(x.table.Put(t.Context(), pageKey(ownerKey(user), n), value), x.table.Put(t.Context(), headKey(ownerKey(user)), fmt.Append(nil, n)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for archived, want := range map[bool]string{false: "cb", true: "a"} {
			list, next, err := x.List(t.Context(), session.ListQuery{Owner: user, Archived: archived, Limit: 10})
			got := ""
			for _, s := range list {
				got += string(s.ID)
			}
			if err != nil || next != "" || got != want {
				t.Errorf("%d, archived %v: %s, next %q, %v", i, archived, got, next, err)
			}
		}
	}
}

// A list of an older version does not say when its pages were opened. Once the last
// one was written to, new sessions are added without a look at all the others.
func TestPagesOfAnOlderVersion(t *testing.T) {
	j := openScratch(t)
	now, user := int64(1_700_000_000_000), clew.UserID("ann")
	reopened := func() *Index {
		x, err := j.OpenIndex(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x.pageSize, x.now = 3, func() int64 { return now }
		return x
	}
	x := reopened()
	row := func(key, value string) {
		t.Helper()
		if err := x.table.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	row(pageKey(ownerKey(user), 0), `{"sessions":[{"session_id":"a"},{"session_id":"b"},{"session_id":"c"}]}`)
	row(pageKey(ownerKey(user), 1), `{"sessions":[{"session_id":"d"}]}`)
	row(headKey(ownerKey(user)), "1")
	if err := x.Put(t.Context(), user, core.Summary{ID: "e", CreatedMS: now, LastSeq: 1}); err != nil {
		t.Fatal(err)
	}
	row(pageKey(ownerKey(user), 0), "who reads this fails")
	now += 2 * x.skew
	if err := reopened().Put(t.Context(), user, core.Summary{ID: "f", CreatedMS: now, LastSeq: 1}); err != nil {
		t.Errorf("the page before was read: %v", err)
	}
}

// However many sessions a list has had put into it, one more costs a write or
// two: nobody looks through pages for a session that was just made (P3).
func TestNewSessionsAreNotLookedFor(t *testing.T) {
	j := openScratch(t)
	x, err := j.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, made := int64(1_700_000_000_000), 0
	x.now = func() int64 { return now }
	create := func(n int) {
		t.Helper()
		batch := make([]core.Summary, n)
		for i := range batch {
			made++
			now++ // a thousand a second
			batch[i] = core.Summary{ID: clew.SessionID(fmt.Sprintf("sess_%06d", made)), CreatedMS: now, LastSeq: 1}
		}
		if err := x.Put(t.Context(), "ann", batch...); err != nil {
			t.Fatal(err)
		}
	}
	most := uint64(0)
	for made < 3*placesKept+1000 { // where has begun a new half three times
		create(64)
		if made%placesKept < 64*64 {
			before := j.engine.conn.Stats().OutMsgs
			create(1)
			most = max(most, j.engine.conn.Stats().OutMsgs-before)
		}
	}
	t.Logf("figures requests_for_a_session=%d sessions=%d", most, made)
	if most > 4 {
		t.Errorf("a new session took %d requests to the engine", most)
	}
}
