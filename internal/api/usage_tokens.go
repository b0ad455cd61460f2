package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// What usage can be grouped by.
const (
	byDay     = "day"
	bySession = "session"
	byModel   = "model"
	byPerson  = "person"
)

const (
	usageRowsMax = 10_000
	usagePage    = 4096 // sessions that are read at a time
)

type tokenUsageInput struct {
	By    string `query:"by" maxLength:"100" default:"day" doc:"day, session, model, person, or several of them with commas"`
	Since string `query:"since" maxLength:"10" doc:"The first day, such as 2026-11-01, in UTC"`
	Until string `query:"until" maxLength:"10" doc:"The last day, in UTC"`
	Owner string `query:"owner" doc:"Whose sessions, * for everybody's; only administrators may ask for others' than their own"`
}

// TokenCount is what models were sent and wrote, and what that cost.
type TokenCount struct {
	Calls       int     `json:"calls" doc:"Answers of models"`
	TokensIn    int64   `json:"tokens_in"`
	TokensOut   int64   `json:"tokens_out"`
	CacheWrites int64   `json:"cache_writes"`
	CacheReads  int64   `json:"cache_reads"`
	CostUSD     float64 `json:"cost_usd"`
}

// A TokenUsageRow has those of the fields day, session_id, title, model and owner that
// the rows are grouped by.
type TokenUsageRow struct {
	Day       string         `json:"day,omitempty" doc:"In UTC; absent for the first days of a session with very many"`
	SessionID clew.SessionID `json:"session_id,omitempty"`
	Title     string         `json:"title,omitempty" doc:"Of the session"`
	Model     string         `json:"model,omitempty" doc:"Absent where that is not known"`
	Owner     clew.UserID    `json:"owner,omitempty"`
	TokenCount
}

// TokenUsage is what sessions used.
type TokenUsage struct {
	By       []string        `json:"by" nullable:"false"`
	Since    string          `json:"since,omitempty"`
	Until    string          `json:"until,omitempty"`
	Rows     []TokenUsageRow `json:"rows" nullable:"false" doc:"In order of days, the most expensive first"`
	LeftOut  int             `json:"left_out,omitempty" doc:"Rows beyond those that are listed; the total has them"`
	Sessions int             `json:"sessions" doc:"That used something"`
	Total    TokenCount      `json:"total"`
	Budgets  UsageBudgets    `json:"budgets"`
}

// UsageBudgets is what may be spent before a person is asked; 0 is no limit.
type UsageBudgets struct {
	TaskUSD       float64 `json:"task_usd" doc:"By a task with all its subtasks"`
	MonthUSD      float64 `json:"month_usd" doc:"By a person's sessions in a calendar month"`
	MonthSpentUSD float64 `json:"month_spent_usd" doc:"By the caller's sessions in this month, of UTC"`
}

type tokenUsageOutput struct{ Body TokenUsage }

func (a *API) getTokenUsage(ctx context.Context, in *tokenUsageInput) (*tokenUsageOutput, error) {
	sum := usageSum{since: in.Since, until: in.Until, rows: map[TokenUsageRow]*core.Spent{}}
	for _, day := range []string{in.Since, in.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return nil, clew.Errorf(clew.InvalidMessage, "%q is not a day such as 2026-11-01", day)
		}
	}
	for _, by := range strings.Split(in.By, ",") {
		if !slices.Contains([]string{byDay, bySession, byModel, byPerson}, by) {
			return nil, clew.Errorf(clew.InvalidMessage, "by is none of day, session, model, person")
		}
		sum.by = append(sum.by, by)
	}
	q, err := ownersQuery(callerOf(ctx), in.Owner)
	if err != nil {
		return nil, err
	}
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	q.All, q.Limit = true, usagePage
	for {
		list, next, err := a.o.Sessions.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if q.Everyone || s.Owner == q.Owner { // what is shared with them, others pay for
				sum.add(s)
			}
		}
		if q.Cursor = next; next == "" {
			out := sum.result()
			if a.o.Budgets != nil {
				out.Budgets = a.o.Budgets(callerOf(ctx).User)
			}
			return &tokenUsageOutput{out}, nil
		}
	}
}

// usageSum adds sessions up. The keys of rows have no numbers.
type usageSum struct {
	by           []string
	since, until string
	rows         map[TokenUsageRow]*core.Spent
	total        core.Spent
	sessions     int
}

func (u *usageSum) add(s core.Summary) {
	used := false
	for _, p := range s.Paid() {
		// What is summed up without a day was spent after the session began.
		if day := cmp.Or(p.Day, core.DayOf(s.CreatedMS)); u.since != "" && day < u.since || u.until != "" && day > u.until {
			continue
		}
		key := u.key(s, p)
		if u.rows[key] == nil {
			u.rows[key] = &core.Spent{}
		}
		u.rows[key].Add(p)
		u.total.Add(p)
		used = true
	}
	if used {
		u.sessions++
	}
}

func (u *usageSum) key(s core.Summary, p core.Spent) (k TokenUsageRow) {
	for _, by := range u.by {
		switch by {
		case byDay:
			k.Day = p.Day
		case bySession:
			k.SessionID, k.Title = s.ID, s.Title
		case byModel:
			k.Model = p.Model
		case byPerson:
			k.Owner = s.Owner
		}
	}
	return k
}

func countOf(p core.Spent) TokenCount {
	return TokenCount{Calls: p.Calls, TokensIn: p.TokensIn, TokensOut: p.TokensOut, CacheReads: p.CacheReads, CacheWrites: p.CacheWrites, CostUSD: p.CostUSD}
}

func (u *usageSum) result() TokenUsage {
	out := TokenUsage{By: u.by, Since: u.since, Until: u.until, Rows: []TokenUsageRow{}, Sessions: u.sessions, Total: countOf(u.total)}
	for row, n := range u.rows {
		row.TokenCount = countOf(*n)
		out.Rows = append(out.Rows, row)
	}
	slices.SortFunc(out.Rows, func(a, b TokenUsageRow) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(b.CostUSD, a.CostUSD), cmp.Compare(b.TokensIn+b.TokensOut, a.TokensIn+a.TokensOut),
			cmp.Compare(a.Model, b.Model), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.SessionID, b.SessionID))
	})
	if n := len(out.Rows) - usageRowsMax; n > 0 {
		out.LeftOut = n
		if slices.Contains(u.by, byDay) { // the newest days matter most
			out.Rows = out.Rows[n:]
		} else {
			out.Rows = out.Rows[:usageRowsMax]
		}
	}
	return out
}

// ownersQuery asks for the sessions of the caller, of somebody else or of everybody (*).
func ownersQuery(p clew.Principal, owner string) (session.ListQuery, error) {
	q := session.ListQuery{Owner: cmp.Or(clew.UserID(owner), p.User)}
	if owner == "*" {
		q.Owner, q.Everyone = "", true
	}
	if q.Owner != p.User && p.Role != clew.RoleAdmin {
		return q, clew.Errorf(clew.Forbidden, "only administrators may list the sessions of others")
	}
	if !q.Everyone && !clew.ValidID(string(q.Owner)) {
		return q, clew.Errorf(clew.InvalidMessage, "owner is not a user id")
	}
	return q, nil
}
