package core

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// What a state has room for: rows in all, and those that are summed up without a day.
const spentMax, earlierMax = 64, 8

// Spent is what a session paid for: one model on one day. It counts what the session
// itself asked models for. A rewind takes nothing of it back, and what the records
// before a fork or an import used was paid for elsewhere.
type Spent struct {
	// Day is in UTC, such as 2026-11-17; "" is before all days that are kept.
	Day   string `json:"day,omitempty"`
	Model string `json:"model,omitempty"` // "" if records do not say
	Calls int    `json:"calls,omitempty"`

	TokensIn    int64   `json:"tokens_in,omitempty"`
	TokensOut   int64   `json:"tokens_out,omitempty"`
	CacheWrites int64   `json:"cache_writes,omitempty"`
	CacheReads  int64   `json:"cache_reads,omitempty"`
	CostUSD     float64 `json:"cost_usd,omitempty"`
}

// DayOf is the day of a record's time.
func DayOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// MonthOf is the month of a record's time, such as 2026-11.
func MonthOf(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01") }

// Add puts another row's numbers on top.
func (p *Spent) Add(q Spent) {
	p.Calls += q.Calls
	p.TokensIn += q.TokensIn
	p.TokensOut += q.TokensOut
	p.CacheWrites += q.CacheWrites
	p.CacheReads += q.CacheReads
	p.CostUSD = math.Round((p.CostUSD+q.CostUSD)*1e9) / 1e9 // sums of floats drift
}

// spend counts a model call. It makes a new list: lists of sessions hold the old one.
func (s *State) spend(model string, u clew.Usage) {
	row := Spent{
		Day: DayOf(s.TS), Model: model, Calls: 1, TokensIn: u.TokensIn, TokensOut: u.TokensOut,
		CacheWrites: u.CacheWrites, CacheReads: u.CacheReads, CostUSD: u.CostUSD,
	}
	s.Spent = withinSpentMax(addSpent(slices.Clone(s.Spent), row))
}

func addSpent(rows []Spent, row Spent) []Spent {
	at := slices.IndexFunc(rows, func(p Spent) bool { return p.Day == row.Day && p.Model == row.Model })
	if at < 0 {
		return append(rows, row)
	}
	rows[at].Add(row)
	return rows
}

// withinSpentMax sums the oldest days up when there are too many: by model, and without
// it for models beyond the first few.
func withinSpentMax(rows []Spent) []Spent {
	for len(rows) > spentMax {
		oldest := slices.IndexFunc(rows, func(p Spent) bool { return p.Day != "" }) // in order of time
		row := rows[oldest]
		rows = slices.Delete(rows, oldest, oldest+1)
		earlier := 0
		for _, p := range rows {
			if p.Day == "" {
				earlier++
			}
		}
		row.Day = ""
		if earlier >= earlierMax && !slices.ContainsFunc(rows, func(p Spent) bool { return p.Day == "" && p.Model == row.Model }) {
			row.Model = ""
		}
		rows = addSpent(rows, row)
	}
	return rows
}

// noSpent is the list of a session that paid for nothing. It is not nil: lines of older
// versions in lists of sessions have none at all.
var noSpent = []Spent{}

func (s *State) spent() []Spent {
	if s.Spent == nil {
		return noSpent
	}
	return s.Spent
}

// Paid gives what the session of a line in a list paid for. A line that an older version
// wrote has only the sum: it counts on the day of the last record, for no model by name.
func (s Summary) Paid() []Spent {
	if s.Spent != nil || s.TokensIn+s.TokensOut == 0 && s.CostUSD == 0 {
		return s.Spent
	}
	return []Spent{{Day: DayOf(s.UpdatedMS), TokensIn: s.TokensIn, TokensOut: s.TokensOut, CostUSD: s.CostUSD}}
}

// CostIn is what the session of a line in a list cost in a month.
func (s Summary) CostIn(month string) (usd float64) {
	for _, p := range s.Paid() {
		if strings.HasPrefix(cmp.Or(p.Day, DayOf(s.CreatedMS)), month) {
			usd += p.CostUSD
		}
	}
	return usd
}
