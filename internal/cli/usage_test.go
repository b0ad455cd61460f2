package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

func TestSinceDay(t *testing.T) {
	now := time.Date(2026, 11, 3, 1, 0, 0, 0, time.FixedZone("east", 9*3600)) // the 2nd in UTC
	for text, want := range map[string]string{"": "", "1d": "2026-11-02", "7d": "2026-10-27", "2026-01-31": "2026-01-31"} {
		if got, err := sinceDay(text, now); err != nil || got != want {
			t.Errorf("%q is %q, want %q: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"0d", "-1d", "d", "yesterday", "2026-1-1", "1.5d"} {
		if _, err := sinceDay(text, now); env.ExitCode(err) != env.ExitUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestUsageTable(t *testing.T) {
	u := client.TokenUsage{
		By: []string{"day", "model"}, Total: client.TokenCount{Calls: 14, TokensIn: 1_234_567, TokensOut: 20, CacheReads: 5, CacheWrites: 6, CostUSD: 1.5},
		Rows: []client.TokenUsageRow{
			{Model: "big", TokenCount: client.TokenCount{Calls: 2, TokensIn: 7}},
			{Day: "2026-11-02", TokenCount: client.TokenCount{Calls: 12, TokensIn: 1_234_560, TokensOut: 20, CacheReads: 5, CacheWrites: 6, CostUSD: 1.5}},
		},
		Budgets: client.UsageBudgets{MonthUSD: 20, MonthSpentUSD: 1.5},
	}
	var out strings.Builder
	if err := printUsage(&out, u, env.Remote{}); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"DAY         MODEL    CALLS       IN  OUT  CACHED   COST\n" +
		"earlier     big          2        7    0       0  $0.00\n" +
		"2026-11-02  unknown     12  1234560   20      11  $1.50\n" +
		"total                   14  1234567   20      11  $1.50\n" +
		"$18.50 left of this month's $20.00\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	wide := usageTable{names: 1, person: true, rows: [][]string{{"SESSION", "CALLS", "IN", "OUT", "CACHED", "COST"}}}
	wide.add([]string{"sess_12345678 a title that goes on and on"}, u.Total)
	for _, line := range wide.lines(40) {
		if term.Width(line) > 40 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}
