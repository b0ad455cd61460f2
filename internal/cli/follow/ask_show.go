package follow

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// Question shows what is asked, exactly: what would run, where, with what
// protection, and what a yes could be remembered as. A long command, change or
// input is folded, and more says how to see the rest; with "" nothing is. It
// reports whether all was shown.
func (s *Screen) Question(q clew.Question, now time.Time, more string) (all bool) {
	s.Item(Waiting, "◇", questionTitle(q))
	all = s.body(q, more)
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok {
		s.approval(d, more == "")
	}
	labels, _ := client.Choices(q)
	for i, label := range labels {
		s.hang(fmt.Sprintf("    %d. ", i+1), 7, PlainInk, label)
	}
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok && d.DefaultValue != nil {
		s.Fact("otherwise", fmt.Sprintf("%v is taken", d.DefaultValue))
	}
	if text := timeLeft(q, now); text != "" {
		s.Fact("time", text)
	}
	return all
}

// questionTitle is what is asked, in a line.
func questionTitle(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		e := d.Effect
		switch {
		case e != nil && e.Command != "":
			return "May it run this command?"
		case e != nil && e.Server != "":
			return fmt.Sprintf("May it use %s of the tool server %s?", term.ExactLine(env.FirstOf(d.Tool, "a tool")), term.ExactLine(e.Server))
		case e != nil && e.Summary != "":
			return "May it do this? " + term.ExactLine(e.Summary)
		}
		return env.FirstOf(d.Reason, "May it go on?")
	case *clew.HitlPlanReviewData:
		return env.FirstOf(d.Message, "Is this plan right?")
	case *clew.HitlInputRequestData:
		return d.Question
	case *clew.HitlClarificationData:
		return env.FirstOf(d.Question, d.Ambiguity)
	}
	return "It asks something that this version of clew does not know."
}

// Fact writes a name and what it stands for.
func (s *Screen) Fact(name, text string) {
	s.hang("    "+s.paint(Faint, fmt.Sprintf("%-10s", name)), 14, PlainInk, text)
}

func (s *Screen) exactFact(name, text string) {
	s.exact(PlainInk, "    "+s.paint(Faint, fmt.Sprintf("%-10s", name)), strings.Repeat(" ", 14), term.ExactLine(text))
}

func (s *Screen) approval(d *clew.HitlApprovalRequestData, full bool) {
	e := d.Effect
	if e == nil {
		e = &clew.Effect{}
	}
	if d.Todo != nil {
		s.Fact("step", d.Todo.Task)
	}
	if e.URL != "" {
		s.exactFact("address", e.URL)
	}
	if e.Directory != "" {
		s.exactFact("in", e.Directory)
	}
	if risk := riskOf(e); risk != "" {
		s.Fact("risk", risk)
	}
	if d.Why != "" {
		s.Fact("because", d.Why)
	}
	if o := d.Remember; o != nil && o.Pattern != "" {
		s.Fact("always", fmt.Sprintf("would allow %s, but not %s", o.Pattern, o.NearMiss))
	}
	if full {
		for _, name := range slices.Sorted(maps.Keys(e.Environment)) {
			s.exactFact("env", name+"="+e.Environment[name])
		}
	}
}

// riskOf says what holds a command in.
func riskOf(e *clew.Effect) string {
	if e.Command == "" {
		return ""
	}
	text := "in a sandbox"
	if e.Sandbox == "none" || e.Sandbox == "" {
		text = "no sandbox: it can do whatever the server's user can"
	}
	if e.Network {
		return text + ", with network"
	}
	if e.Sandbox == "none" || e.Sandbox == "" {
		return text
	}
	return text + ", without network"
}

func (s *Screen) todos(todos []clew.Todo, cost *float64) {
	number := map[string]string{}
	for i, t := range todos {
		number[t.ID] = strconv.Itoa(i + 1)
	}
	for i, t := range todos {
		text := strings.TrimSpace(t.Task)
		var after []string
		for _, id := range t.DependsOn {
			after = append(after, env.FirstOf(number[id], id))
		}
		if len(after) > 0 {
			text += " (after " + strings.Join(after, ", ") + ")"
		}
		s.hang(fmt.Sprintf("    %d. ", i+1), 7, PlainInk, text)
	}
	if cost != nil && *cost > 0 {
		s.Fact("cost", "about "+Dollars(*cost))
	}
}

// Dollars is a cost as people read it.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// timeLeft says how long a question waits and what happens then, "" if it waits
// for ever.
func timeLeft(q clew.Question, now time.Time) string {
	at := deadline(q)
	if at.IsZero() {
		return ""
	}
	left := max(0, at.Sub(now)).Round(time.Second)
	if left >= time.Hour {
		return fmt.Sprintf("expires in %d h %02d min, then %s", int(left.Hours()), int(left.Minutes())%60, afterTime(q))
	}
	return fmt.Sprintf("expires in %d:%02d, then %s", int(left.Minutes()), int(left.Seconds())%60, afterTime(q))
}

// afterTime is what the server makes of a question that nobody answers in time.
// It never approves anything.
func afterTime(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			return "skipped"
		}
		return "denied"
	case *clew.HitlInputRequestData:
		if d.DefaultValue != nil {
			return fmt.Sprintf("%v is taken", d.DefaultValue)
		}
		if !d.Required {
			return "left empty"
		}
	}
	return "cancelled"
}

func deadline(q clew.Question) time.Time {
	d := q.Asking()
	if d == nil || d.DeadlineMS == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.DeadlineMS)
}

// Briefly is a duration in its two largest units.
func Briefly(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
