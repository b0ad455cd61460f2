package server

import (
	"context"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// monthAge is how old a count of what a month cost may be. Sessions on other nodes
// spend meanwhile, so that a month's budget can be passed by what they use in this time.
const monthAge = 10 * time.Second

// months counts what people's sessions cost this month, from the lines of the session
// list: each has what its session paid for by day.
type months struct {
	clock clock.Clock
	list  func(context.Context, session.ListQuery) ([]core.Summary, string, error)

	mu    sync.Mutex
	known map[clew.UserID]monthCount
}

type monthCount struct {
	month string
	at    time.Time
	usd   float64
}

// cost is what the sessions of a person cost this month. If they cannot be counted the
// last count holds: a budget must not stop work because a list cannot be read.
func (m *months) cost(owner clew.UserID) float64 { return m.since(owner, monthAge) }

// since is the cost by a count that is younger than age.
func (m *months) since(owner clew.UserID, age time.Duration) float64 {
	now := m.clock.Now()
	month := core.MonthOf(now.UnixMilli())
	m.mu.Lock()
	defer m.mu.Unlock() // one counts, the others wait for its count
	c := m.known[owner]
	if c.month == month && now.Sub(c.at).Abs() < age {
		return c.usd
	}
	ctx, cancel := context.WithTimeout(context.Background(), monthAge)
	defer cancel()
	if usd, err := m.count(ctx, owner, month); err == nil || c.month != month {
		c = monthCount{month: month, usd: usd}
	}
	c.at = now
	if m.known == nil {
		m.known = map[clew.UserID]monthCount{}
	}
	m.known[owner] = c
	return c.usd
}

func (m *months) count(ctx context.Context, owner clew.UserID, month string) (usd float64, err error) {
	q := session.ListQuery{Owner: owner, All: true, Limit: 4096}
	for {
		list, next, err := m.list(ctx, q)
		if err != nil {
			return usd, err
		}
		for _, s := range list {
			if s.Owner == owner { // what is shared with them, others pay for
				usd += s.CostIn(month)
			}
		}
		if q.Cursor = next; next == "" {
			return usd, nil
		}
	}
}

// budgets says what a person may spend, and what they spent this month.
func (s *Server) budgets(user clew.UserID) api.UsageBudgets {
	v, _ := s.shop.settings.For(nil)
	return api.UsageBudgets{TaskUSD: v.BudgetUSD, MonthUSD: v.BudgetMonthUSD, MonthSpentUSD: s.months.since(user, 0)}
}
