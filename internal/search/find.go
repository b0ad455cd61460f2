package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Kind is what was found.
type Kind string

// The kinds.
const (
	KindMessage Kind = "message"
	KindCommand Kind = "command" // and its output
	KindFile    Kind = "file"
	KindTitle   Kind = "title"
)

// Values lists the kinds.
func (Kind) Values() []string {
	return []string{string(KindMessage), string(KindCommand), string(KindFile), string(KindTitle)}
}

var kindOf = map[slot]Kind{slotTitle: KindTitle, slotMessage: KindMessage, slotCommand: KindCommand, slotOutput: KindCommand, slotFile: KindFile}

// A Query says what is looked for.
type Query struct {
	Text    string
	Kind    Kind           // "" is any
	Who     clew.UserID    // only what this person said; "" is anybody
	SinceMS int64          // only what is not older, Unix ms
	Session clew.SessionID // only there, in order of time; "" is anywhere
	Newest  bool           // sessions in order of time, in place of the best first
	Limit   int            // sessions, or hits in Session
	Cursor  string         // "" or Next of the page before
}

// perSession is how many hits are shown of each of several sessions, weighed is how
// many of them these are chosen from.
const (
	perSession = 3
	weighed    = 12
)

// What one query may cost. Where it ends early, the newest sessions were looked at, and
// the result says that there is more.
const (
	matchesMax  = 5_000  // that are counted
	examinedMax = 50_000 // that are looked at for them
	besideMax   = 1_000
	skipMax     = 64 // rows of sessions that are not readable, before they are jumped over
	timeMax     = 5 * time.Second
)

// A Result is a page of what was found.
type Result struct {
	Progress
	More     bool       `json:"more,omitempty" doc:"There are more matches than were counted, in older sessions"`
	Total    int        `json:"total" doc:"Matches of the wanted kind: messages, commands, outputs, lists of files and titles that match"`
	Sessions int        `json:"sessions" doc:"How many sessions these are in"`
	Counts   KindCounts `json:"counts" doc:"Matches of each kind, whichever is wanted"`
	Groups   []FoundIn  `json:"groups" nullable:"false" doc:"A page of the sessions"`
	Next     string     `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
	TookMS   int64      `json:"took_ms"`
}

// KindCounts has a number for each kind.
type KindCounts struct {
	Message int `json:"message"`
	Command int `json:"command"`
	File    int `json:"file"`
	Title   int `json:"title"`
}

func (c *KindCounts) add(k Kind, n int) {
	switch k {
	case KindMessage:
		c.Message += n
	case KindCommand:
		c.Command += n
	case KindFile:
		c.File += n
	case KindTitle:
		c.Title += n
	}
}

func (c *KindCounts) sum(d KindCounts) {
	c.Message += d.Message
	c.Command += d.Command
	c.File += d.File
	c.Title += d.Title
}

func (c KindCounts) of(k Kind) int {
	switch k {
	case KindMessage:
		return c.Message
	case KindCommand:
		return c.Command
	case KindFile:
		return c.File
	case KindTitle:
		return c.Title
	}
	return c.Message + c.Command + c.File + c.Title
}

// A FoundIn is a session in which something was found.
type FoundIn struct {
	SessionID clew.SessionID     `json:"session_id"`
	Title     string             `json:"title"`
	Workspace string             `json:"workspace,omitempty"`
	Status    string             `json:"status"`
	Outcome   clew.OutcomeStatus `json:"outcome,omitempty"`
	Questions int                `json:"questions,omitempty" doc:"How many are open"`
	Owner     clew.UserID        `json:"owner,omitempty"`
	UpdatedMS int64              `json:"updated_ms"`
	LastSeq   uint64             `json:"last_seq" doc:"Its newest record; seq of a hit is a place between 1 and this"`
	Matches   int                `json:"matches" doc:"Of the wanted kind"`
	Hits      []Hit              `json:"hits" nullable:"false" doc:"In order of time: the best few, or with session a page of all"`
}

// A Hit is something that was found.
type Hit struct {
	// MessageID is where to open the session; a title has none.
	MessageID clew.MessageID `json:"message_id,omitempty" doc:"The message to open the session at; absent for a title"`
	Seq       uint64         `json:"seq,omitempty" doc:"The message's place in the session"`
	Kind      Kind           `json:"kind"`
	Output    bool           `json:"output,omitempty" doc:"It is the output of the command"`
	By        clew.UserID    `json:"by,omitempty" doc:"Who said it; absent if an agent did"`
	AtMS      int64          `json:"at_ms"`
	Excerpt   []Fragment     `json:"excerpt" nullable:"false" doc:"One line of text, in pieces"`

	score int
}

// Scope says where to look.
type Scope struct {
	// Lines are the sessions that may be looked into, as they stand in lists.
	Lines []core.Summary
	// Allows has the last word on a session in which something was found.
	Allows func(ctx context.Context, line core.Summary) (bool, error)
}

// Find looks for words. What is not in the scope counts nowhere.
func (x *Index) Find(ctx context.Context, q Query, scope Scope) (Result, error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, timeMax)
	defer cancel()
	r, err := x.find(limited, q, scope)
	if x.repair(err) {
		r, err = Result{}, nil
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = clew.WrapError(clew.Unavailable, err, "the search took too long; try longer words")
	}
	if r.Groups == nil {
		r.Groups = []FoundIn{}
	}
	r.Progress, r.TookMS = x.Progress(), time.Since(began).Milliseconds()
	return r, err
}

// finding is a query at work.
type finding struct {
	db    *sql.DB
	q     Query
	terms []term
	match string     // for FTS5
	in    []*matched // the sessions to look in, the newest number first
}

func (x *Index) find(ctx context.Context, q Query, scope Scope) (Result, error) {
	f := finding{q: q, terms: parseQuery(q.Text)}
	skip := 0
	if q.Cursor != "" {
		var err error
		if skip, err = strconv.Atoi(q.Cursor); err != nil || skip < 0 {
			return Result{}, clew.Errorf(clew.InvalidMessage, "cursor is not one that a search returned")
		}
	}
	if len(f.terms) == 0 {
		return Result{}, nil
	}
	f.match = expression(f.terms)
	x.files.RLock()
	defer x.files.RUnlock()
	f.db = x.read
	if err := f.number(ctx, &x.numbers, scope.Lines); err != nil {
		return Result{}, err
	}
	var r Result
	var err error
	if r.More, err = f.count(ctx); err != nil {
		return Result{}, err
	}
	var all []*matched
	for _, m := range f.in {
		if m.counts == (KindCounts{}) {
			continue
		}
		if ok, err := scope.Allows(ctx, m.line); err != nil {
			return Result{}, err
		} else if !ok {
			continue
		}
		r.Counts.sum(m.counts)
		if m.counts.of(q.Kind) > 0 {
			all = append(all, m)
		}
	}
	r.Total, r.Sessions = r.Counts.of(q.Kind), len(all)
	if q.Session != "" {
		return r, f.inSession(ctx, all, skip, &r)
	}
	f.sort(all)
	page := all[min(skip, len(all)):min(skip+q.Limit, len(all))]
	if skip+len(page) < len(all) {
		r.Next = strconv.Itoa(skip + len(page))
	}
	for _, m := range page {
		g := m.group(q.Kind)
		if g.Hits, err = f.best(ctx, m); err != nil {
			return Result{}, err
		}
		r.Groups = append(r.Groups, g)
	}
	return r, nil
}

func (f *finding) inSession(ctx context.Context, all []*matched, skip int, r *Result) error {
	for _, m := range all {
		g := m.group(f.q.Kind)
		slices.Sort(m.rows)
		page := m.rows[min(skip, len(m.rows)):min(skip+f.q.Limit, len(m.rows))]
		if skip+len(page) < len(m.rows) {
			r.Next = strconv.Itoa(skip + len(page))
		}
		var err error
		if g.Hits, err = f.hits(ctx, page); err != nil {
			return err
		}
		r.Groups = append(r.Groups, g)
	}
	return nil
}

// matched is a session that is looked into, and what was found.
type matched struct {
	no     int64
	counts KindCounts
	rows   []int64 // those of the wanted kind, the newest first
	beside bool    // the words stand side by side somewhere
	line   core.Summary
}

func (m *matched) group(k Kind) FoundIn {
	s := m.line
	return FoundIn{
		SessionID: s.ID, Title: s.Title, Workspace: s.Workspace, Status: s.Status, Outcome: s.Outcome, Questions: s.Questions, Owner: s.Owner,
		UpdatedMS: s.UpdatedMS, LastSeq: s.LastSeq, Matches: m.counts.of(k),
	}
}

// where gives the conditions of the query, without the kind.
func (f *finding) where() (join, and string, args []any) {
	if f.q.SinceMS > 0 || f.q.Who != "" {
		join = " JOIN texts t ON t.id = w.rowid"
	}
	if f.q.SinceMS > 0 {
		and += " AND t.at >= ?"
		args = append(args, f.q.SinceMS)
	}
	if f.q.Who != "" {
		and += " AND t.who = ?"
		args = append(args, string(f.q.Who))
	}
	return join, and, args
}

// number finds the numbers of sessions. Most are known from earlier queries.
func (f *finding) number(ctx context.Context, known *numbers, lines []core.Summary) error {
	byID := map[string]core.Summary{}
	var ask []string
	for _, s := range lines {
		if f.q.Session != "" && s.ID != f.q.Session {
			continue
		}
		if no, ok := known.of(s.ID); ok {
			f.in = append(f.in, &matched{no: no, line: s})
		} else if _, twice := byID[string(s.ID)]; !twice {
			byID[string(s.ID)] = s
			ask = append(ask, string(s.ID))
		}
	}
	if err := f.ask(ctx, ask, func(no int64, id string) {
		known.put(clew.SessionID(id), no)
		f.in = append(f.in, &matched{no: no, line: byID[id]})
	}); err != nil {
		return err
	}
	slices.SortFunc(f.in, func(a, b *matched) int { return cmp.Compare(b.no, a.no) })
	f.in = slices.CompactFunc(f.in, func(a, b *matched) bool { return a.no == b.no })
	return nil
}

func (f *finding) ask(ctx context.Context, ids []string, each func(no int64, id string)) error {
	list, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	rows, err := f.db.QueryContext(ctx, "SELECT no, id FROM sessions WHERE id IN (SELECT value FROM json_each(?))", string(list))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var no int64
		var id string
		if err := rows.Scan(&no, &id); err != nil {
			return err
		}
		each(no, id)
	}
	return rows.Err()
}

// numbers remembers the numbers of sessions, which never change as long as the index is
// not made anew. It is safe for concurrent use.
type numbers struct {
	mu sync.Mutex
	m  map[clew.SessionID]int64
}

// numbersMax bounds how many are remembered.
const numbersMax = 100_000

func (n *numbers) of(id clew.SessionID) (int64, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	no, ok := n.m[id]
	return no, ok
}

func (n *numbers) put(id clew.SessionID, no int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m == nil || len(n.m) >= numbersMax {
		n.m = map[clew.SessionID]int64{}
	}
	n.m[id] = no
}

func (n *numbers) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.m = nil
}

// count counts what matches in each session.
func (f *finding) count(ctx context.Context) (more bool, err error) {
	more, err = f.each(ctx, f.match, matchesMax, func(m *matched, row int64) {
		_, _, s := placeOf(row)
		m.counts.add(kindOf[s], 1)
		if f.q.Kind == "" || f.q.Kind == kindOf[s] {
			m.rows = append(m.rows, row)
		}
	})
	together := sideBySide(f.terms)
	if err != nil || len(f.terms) < 2 || len(together.words) == 0 || f.q.Session != "" {
		return more, err
	}
	_, err = f.each(ctx, expression([]term{together}), besideMax, func(m *matched, _ int64) { m.beside = true })
	return more, err
}

// each goes through the matches of the sessions, the newest first, and jumps over
// sessions in which it is not to look. It reports whether it ended before the end.
func (f *finding) each(ctx context.Context, match string, limit int, fn func(m *matched, row int64)) (more bool, err error) {
	examined := 0
	for at := 0; at < len(f.in); {
		next, err := f.run(ctx, match, at, func(m *matched, row int64) (goOn bool) {
			if m != nil {
				limit--
				fn(m, row)
			}
			examined++
			return limit > 0 && examined < examinedMax
		})
		if err != nil {
			return false, err
		}
		if limit <= 0 || examined >= examinedMax {
			return true, nil
		}
		at = next
	}
	return false, nil
}

// run goes through matches from the at-th session on, until fn ends it or too many rows
// were not to be looked at. It gives the session to go on with.
func (f *finding) run(ctx context.Context, match string, at int, fn func(m *matched, row int64) bool) (next int, err error) {
	join, and, more := f.where()
	args := append([]any{match, rowOf(f.in[len(f.in)-1].no, 0, 0), rowOf(f.in[at].no+1, 0, 0) - 1}, more...)
	rows, err := f.db.QueryContext(ctx, "SELECT w.rowid FROM words w"+join+" WHERE words MATCH ? AND w.rowid BETWEEN ? AND ?"+and+" ORDER BY w.rowid DESC", args...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	skipped := 0
	for rows.Next() {
		var row int64
		if err := rows.Scan(&row); err != nil {
			return 0, err
		}
		no, _, _ := placeOf(row)
		for at < len(f.in) && f.in[at].no > no {
			at++
		}
		if at == len(f.in) {
			return at, nil
		}
		m := f.in[at]
		if m.no == no {
			skipped = 0
		} else {
			m = nil
			skipped++
		}
		if !fn(m, row) || skipped > skipMax {
			return at, nil
		}
	}
	return len(f.in), rows.Err()
}

// sort puts the best sessions first: those whose title matches, those that have the
// words side by side, those with many matches, the latest.
func (f *finding) sort(all []*matched) {
	score := func(m *matched) float64 {
		s := math.Log2(1 + float64(m.counts.of(f.q.Kind)))
		if m.counts.Title > 0 {
			s += 3
		}
		if m.beside {
			s += 2
		}
		return s
	}
	slices.SortFunc(all, func(a, b *matched) int {
		late := cmp.Or(cmp.Compare(b.line.UpdatedMS, a.line.UpdatedMS), cmp.Compare(a.line.ID, b.line.ID))
		if f.q.Newest {
			return late
		}
		return cmp.Or(cmp.Compare(score(b), score(a)), late)
	})
}

// best gives the hits of a session that fit best.
func (f *finding) best(ctx context.Context, m *matched) ([]Hit, error) {
	hits, err := f.hits(ctx, m.rows[:min(len(m.rows), weighed)])
	if err != nil {
		return nil, err
	}
	if len(hits) > perSession && f.q.Kind != KindTitle { // the group's title is to be seen anyway
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Kind == KindTitle })
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	hits = hits[:min(len(hits), perSession)]
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Seq, b.Seq) })
	return hits, nil
}

// hits gives what is in rows.
func (f *finding) hits(ctx context.Context, rows []int64) ([]Hit, error) {
	hits := make([]Hit, 0, len(rows))
	for _, id := range rows {
		var who, text string
		var h Hit
		err := f.db.QueryRowContext(ctx, "SELECT at, who, text FROM texts WHERE id = ?", id).Scan(&h.AtMS, &who, &text)
		if errors.Is(err, sql.ErrNoRows) { // it was replaced or rewound just now
			continue
		}
		if err != nil {
			return nil, err
		}
		_, seq, s := placeOf(id)
		h.Kind, h.Output, h.By = kindOf[s], s == slotOutput, clew.UserID(who)
		if s != slotTitle {
			h.Seq, h.MessageID = seq, clew.MessageIDOf(seq)
		}
		h.Excerpt, h.score = excerpt(text, f.terms)
		hits = append(hits, h)
	}
	return hits, nil
}
