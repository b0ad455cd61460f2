package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/clew-run/clew"
)

// A UsageQuery says which usage of models is wanted. All of it is optional.
type UsageQuery struct {
	By           []string // day, session, model, person; day if there is none
	Since, Until string   // days such as 2026-11-01, in UTC
	Owner        string   // whose, * for everybody's; only administrators may ask for others
}

// TokenUsage is what sessions asked models for, and what that cost. Rewinds take
// nothing of it back.
type TokenUsage struct {
	By       []string        `json:"by"`
	Since    string          `json:"since,omitempty"`
	Until    string          `json:"until,omitempty"`
	Rows     []TokenUsageRow `json:"rows"`
	LeftOut  int             `json:"left_out,omitempty"` // rows that are not listed; the total has them
	Sessions int             `json:"sessions"`
	Total    TokenCount      `json:"total"`
	Budgets  UsageBudgets    `json:"budgets"`
}

// UsageBudgets is what may be spent before a person is asked; 0 is no limit.
type UsageBudgets struct {
	TaskUSD       float64 `json:"task_usd"`        // by a task with all its subtasks
	MonthUSD      float64 `json:"month_usd"`       // by a person's sessions in a calendar month
	MonthSpentUSD float64 `json:"month_spent_usd"` // by the caller's, in this month of UTC
}

// A TokenUsageRow has those of its first fields that rows are grouped by.
type TokenUsageRow struct {
	Day       string         `json:"day,omitempty"`
	SessionID clew.SessionID `json:"session_id,omitempty"`
	Title     string         `json:"title,omitempty"`
	Model     string         `json:"model,omitempty"`
	Owner     clew.UserID    `json:"owner,omitempty"`
	TokenCount
}

// TokenCount is what models were sent and wrote.
type TokenCount struct {
	Calls       int     `json:"calls"`
	TokensIn    int64   `json:"tokens_in"`
	TokensOut   int64   `json:"tokens_out"`
	CacheWrites int64   `json:"cache_writes"`
	CacheReads  int64   `json:"cache_reads"`
	CostUSD     float64 `json:"cost_usd"`
}

// TokenUsage reads what the caller's sessions used, or those of somebody else.
func (a *API) TokenUsage(ctx context.Context, q UsageQuery) (u TokenUsage, err error) {
	v := url.Values{}
	setIf(v, "by", strings.Join(q.By, ","))
	setIf(v, "since", q.Since)
	setIf(v, "until", q.Until)
	setIf(v, "owner", q.Owner)
	err = a.call(ctx, http.MethodGet, "/usage/tokens", v, nil, &u)
	return u, err
}
