package follow

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// bodyShown is how many lines of what is asked are shown before it is folded.
const bodyShown = 40

// body shows what a yes would be about: the command, the change, all that a tool
// is called with, the plan. If more is not "" it is folded where it is long; body
// reports whether it was not.
func (s *Screen) body(q clew.Question, more string) (all bool) {
	var b strings.Builder
	body := &Screen{w: &b, width: s.width, colour: s.colour}
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		body.act(d)
	case *clew.HitlPlanReviewData:
		body.todos(d.Plan.Todos, d.Plan.EstimatedCostUSD)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	lines = lines[:len(lines)-1] // each line ends
	s.end()
	if more == "" || len(lines) <= bodyShown {
		s.Write(strings.Join(lines, ""))
		return true
	}
	s.Write(strings.Join(lines[:bodyShown], ""))
	s.Block(Waiting, "      ", fmt.Sprintf("… there is more, %s: %s", env.Count(len(lines)-bodyShown, "line"), more))
	return false
}

// act shows what a tool would do.
func (s *Screen) act(d *clew.HitlApprovalRequestData) {
	e := d.Effect
	if e == nil {
		e = &clew.Effect{}
	}
	if e.Command != "" {
		s.exact(strong, "      ", "      ", term.Exact(e.Command))
	}
	if e.Diff != "" {
		s.diff(term.Exact(e.Diff), "      ")
	}
	fields := client.AskedInput(d)
	if len(fields) == 0 && e.Server != "" {
		s.Block(Faint, "      ", "(without any input)")
	}
	for _, f := range fields {
		name := term.ExactLine(f.Name)
		switch {
		case f.Lines: // the bar tells the text from other fields, whatever it says
			s.exact(PlainInk, "      ", "      ", name+":")
			s.exact(PlainInk, "      │ ", "      │ ", term.Exact(f.Text))
		case name == "":
			s.exact(PlainInk, "      ", "      ", term.Exact(f.Text))
		default:
			s.exact(PlainInk, "      ", "      ", name+": "+term.Exact(f.Text))
		}
	}
}
