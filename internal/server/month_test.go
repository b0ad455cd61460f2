package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// What a month cost is what a person's own sessions paid in it, on whatever page of the
// list they are. It is counted again after a while, and in a new month from nothing.
func TestMonths(t *testing.T) {
	at := time.Date(2026, 11, 30, 23, 59, 30, 0, time.UTC)
	clk := clocktest.New(at)
	spent := func(rows ...core.Spent) core.Summary { return core.Summary{Owner: "ann", Spent: rows} }
	pages := [][]core.Summary{
		{spent(core.Spent{Day: "2026-11-01", CostUSD: 1}, core.Spent{Day: "2026-10-31", CostUSD: 50}), {Owner: "bob", Spent: []core.Spent{{Day: "2026-11-02", CostUSD: 70}}}},
		{spent(core.Spent{Day: "2026-11-30", CostUSD: 2}, core.Spent{Day: "2026-12-01", CostUSD: 9})},
	}
	var broken error
	m := &months{clock: clk, list: func(_ context.Context, q session.ListQuery) ([]core.Summary, string, error) {
		if q.Cursor == "" {
			return pages[0], "next", broken
		}
		return pages[1], "", broken
	}}
	is := func(want float64) {
		t.Helper()
		if got := m.cost("ann"); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	is(3)
	pages[1][0].Spent[0].CostUSD = 5
	is(3) // counted a moment ago
	if got := m.since("ann", 0); got != 6 {
		t.Errorf("who looks at it sees %v, not what it is", got)
	}
	pages[1][0].Spent[0].CostUSD = 6
	is(6)
	clk.Advance(monthAge)
	is(7)
	broken = errors.New("the list cannot be read")
	clk.Advance(monthAge)
	is(7)
	broken = nil
	clk.Advance(10 * time.Second)
	is(9)
}
