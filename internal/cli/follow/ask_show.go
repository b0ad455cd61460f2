package follow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
)

// bodyShown is how many lines of what is asked are shown before it is folded.
const bodyShown = 40

// Question shows what is asked, exactly: what would run, where, with what
// protection, and what a yes could be remembered as. A long command, change or
// input is folded, and more says how to see the rest; with "" nothing is, and the
// environment is shown, too. It reports whether all was shown.
func (s *Screen) Question(q clew.Question, now time.Time, more string) (all bool) {
	s.Item(Waiting, "◇", ask.Title(q))
	parts := ask.Parts(q)
	long := slices.IndexFunc(parts, func(p ask.Part) bool { return p.Kind >= ask.Place && p.Kind != ask.Step })
	if long < 0 {
		long = len(parts)
	}
	all = s.body(parts[:long], more)
	for _, p := range parts[long:] {
		switch p.Kind {
		case ask.Place:
			s.exactFact(p.Name, p.Text)
		case ask.Variable:
			if more == "" {
				s.exactFact(p.Name, p.Text)
			}
		case ask.Option:
			s.numbered(p.Name, p.Text)
		default:
			s.Fact(p.Name, p.Text)
		}
	}
	if o := ask.Offer(q); o != nil && o.Pattern != "" {
		s.Fact("always", fmt.Sprintf("would allow %s, but not %s", o.Pattern, o.NearMiss))
		if o.RunsWorkspace {
			s.Fact("", ask.RunsWorkspace)
		}
	} else if o != nil {
		s.Fact("always", "would allow "+ask.Calls(q, ""))
	}
	if text := ask.Deadline(q, now); text != "" {
		s.Fact("time", text)
	}
	return all
}

// body shows what a yes would be about: the command, the change, all that a tool
// is called with, the plan. If more is not "" it is folded where it is long; body
// reports whether it was not.
func (s *Screen) body(parts []ask.Part, more string) (all bool) {
	var b strings.Builder
	body := &Screen{w: &b, width: s.width, colour: s.colour}
	step := 0
	for _, p := range parts {
		if p.Kind != ask.Step {
			body.part(p)
			continue
		}
		if step++; p.Name != "" {
			p.Text += " (" + p.Name + ")"
		}
		body.numbered(strconv.Itoa(step), p.Text)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	lines = lines[:len(lines)-1] // each line ends
	s.end()
	if more == "" || len(lines) <= bodyShown {
		s.Write(strings.Join(lines, ""))
		return true
	}
	s.Write(strings.Join(lines[:bodyShown], ""))
	s.Block(Waiting, "      ", fmt.Sprintf("… there is more, %s: %s", term.Count(len(lines)-bodyShown, "line"), more))
	return false
}

func (s *Screen) numbered(number, text string) { s.hang("    "+number+". ", 7, PlainInk, text) }

// part shows a part of the body.
func (s *Screen) part(p ask.Part) {
	const in = "      "
	switch p.Kind {
	case ask.Prose:
		s.Block(PlainInk, in, p.Text)
	case ask.Summary, ask.Command:
		s.exact(strong, in, in, term.Exact(p.Text))
	case ask.Change:
		s.diff(term.Exact(p.Text), in)
	case ask.Lines:
		s.exact(PlainInk, in, in, p.Name+":")
		s.exact(PlainInk, in+"│ ", in+"│ ", term.Exact(p.Text))
	case ask.Field:
		name := p.Name
		if name != "" {
			name += ": "
		}
		s.exact(PlainInk, in, in, name+term.Exact(p.Text))
	}
}

// Fact writes a name and what it stands for.
func (s *Screen) Fact(name, text string) {
	s.hang("    "+s.paint(Faint, fmt.Sprintf("%-10s", name)), 14, PlainInk, text)
}

func (s *Screen) exactFact(name, text string) {
	s.exact(PlainInk, "    "+s.paint(Faint, fmt.Sprintf("%-10s", name)), strings.Repeat(" ", 14), term.ExactLine(text))
}
