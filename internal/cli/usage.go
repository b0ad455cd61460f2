package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

var usageBy = []string{"day", "session", "model", "person"}

func usageCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var q client.UsageQuery
	var everyone bool
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show tokens and cost by day, session or model",
		Long: "Show how many tokens your sessions used and what they cost, by day, session, model\n" +
			"or person; --by day,model shows each model on each day. Subtasks count for their\n" +
			"session, and what was rewound was paid all the same. Days are in UTC. Sessions that\n" +
			"were erased are not counted.",
		Example: "clew usage\nclew usage --by model --since 7d\nclew usage --by session --since 2026-11-01 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, by := range q.By {
				if !slices.Contains(usageBy, by) {
					return env.Usagef("--by takes day, session, model or person, not %q", by)
				}
			}
			var err error
			if q.Since, err = sinceDay(q.Since, time.Now()); err != nil {
				return err
			}
			if everyone {
				q.Owner = "*"
			}
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			u, err := c.API().TokenUsage(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.Print(u, func(w io.Writer) error { return printUsage(w, u, r) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringSliceVar(&q.By, "by", []string{"day"}, "day, session, model or person, or several with commas")
	cmd.Flags().StringVar(&q.Since, "since", "", "only from this day on: 2026-11-01, or 7d for the last seven days")
	cmd.Flags().BoolVar(&everyone, "everyone", false, "the sessions of all people; for administrators")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(usageBy, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("since", cobra.FixedCompletions([]string{"1d", "7d", "30d"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// sinceDay reads a day, or a number of days that ends today.
func sinceDay(text string, now time.Time) (string, error) {
	if text == "" {
		return "", nil
	}
	if number, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= 36500 {
			return now.UTC().AddDate(0, 0, 1-n).Format(time.DateOnly), nil
		}
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", env.Usagef("--since takes a day such as 2026-11-01, or a number of days such as 7d, not %q", text)
	}
	return text, nil
}

// printUsage writes a table that ends with the total.
func printUsage(w io.Writer, u client.TokenUsage, r env.Remote) error {
	p := &env.Page{W: w}
	if len(u.Rows) == 0 {
		if u.Since != "" {
			p.Line("No model was asked since %s: %s shows all.", u.Since, r.Line("usage"))
		} else {
			p.Line("No model was asked yet.")
		}
		return p.Err
	}
	width, person := env.Columns(w)
	var head []string
	for _, by := range u.By {
		head = append(head, strings.ToUpper(by))
	}
	t := usageTable{names: len(head), person: person}
	t.rows = append(t.rows, append(head, "CALLS", "IN", "OUT", "CACHED", "COST"))
	for _, row := range u.Rows {
		t.add(usageNames(u.By, row, person), row.TokenCount)
	}
	total := make([]string, len(head))
	total[0] = "total"
	t.add(total, u.Total)
	for _, line := range t.lines(width) {
		p.Line("%s", line)
	}
	if u.LeftOut > 0 {
		p.Line("%s more in the total", term.Goes(u.LeftOut, "row", "is", "are"))
	}
	if b := u.Budgets; b.MonthUSD > 0 {
		p.Line("%s left of this month's %s", term.Dollars(max(0, b.MonthUSD-b.MonthSpentUSD)), term.Dollars(b.MonthUSD))
	}
	return p.Err
}

// usageNames are the words that a row begins with.
func usageNames(by []string, row client.TokenUsageRow, person bool) []string {
	var names []string
	for _, b := range by {
		switch b {
		case "day":
			names = append(names, env.FirstOf(row.Day, "earlier"))
		case "session":
			id := string(row.SessionID)
			if person {
				id = env.Shorten(row.SessionID)
			}
			names = append(names, strings.TrimSpace(id+" "+env.Plain(row.Title)))
		case "model":
			names = append(names, env.FirstOf(env.Plain(row.Model), "unknown"))
		default:
			names = append(names, env.FirstOf(env.Plain(string(row.Owner)), "unknown"))
		}
	}
	return names
}

// usageTable lines words up on the left and numbers on the right.
type usageTable struct {
	names  int
	person bool // reads it: long numbers are short
	rows   [][]string
}

func (t *usageTable) add(names []string, n client.TokenCount) {
	row := slices.Concat(names, []string{strconv.Itoa(n.Calls)})
	for _, tokens := range []int64{n.TokensIn, n.TokensOut, n.CacheReads + n.CacheWrites} {
		text := strconv.FormatInt(tokens, 10)
		if t.person {
			text = term.Short(tokens)
		}
		row = append(row, text)
	}
	t.rows = append(t.rows, append(row, term.Dollars(n.CostUSD)))
}

// lines are the rows, no wider than width unless that is 0: names are cut, and what
// matters least is left out.
func (t *usageTable) lines(width int) []string {
	widths, over := t.widths(width)
	for i := t.names - 1; i >= 0 && over > 0; i-- {
		less := min(over, max(0, widths[i]-len(time.DateOnly)))
		widths[i] -= less
		over -= less
	}
	if over > 0 && len(t.rows[0]) > t.names+3 {
		return t.without(len(t.rows[0])-2, t.names).lines(width) // CACHED and CALLS
	}
	lines := make([]string, len(t.rows))
	for n, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if i < t.names {
				cells[i] = term.Fill(term.Cut(cell, widths[i]), widths[i])
			} else {
				cells[i] = fmt.Sprintf("%*s", widths[i], cell)
			}
		}
		lines[n] = strings.Join(cells, "  ")
	}
	return lines
}

// widths are those of the columns, and by how much they are too wide together.
func (t *usageTable) widths(width int) (widths []int, over int) {
	widths = make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	if width == 0 {
		return widths, 0
	}
	over = 2*(len(widths)-1) - width
	for _, n := range widths {
		over += n
	}
	return widths, over
}

// without leaves columns out, the last one first.
func (t *usageTable) without(columns ...int) *usageTable {
	narrow := usageTable{names: t.names, person: t.person}
	for _, row := range t.rows {
		row = slices.Clone(row)
		for _, i := range columns {
			row = slices.Delete(row, i, i+1)
		}
		narrow.rows = append(narrow.rows, row)
	}
	return &narrow
}
