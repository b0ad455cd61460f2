package follow

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// tool tells a call when it ends. While it runs, the status line has it.
func (s *story) tool(d *clew.ToolProgressData) {
	key := callKey(d.TaskID, d.ToolCallID)
	if d.Status == clew.ToolRunning {
		if d.Effect != nil {
			s.calls[key] = *d
		}
		s.SetStatus("… " + callTitle(*d))
		return
	}
	began, ran := s.calls[key]
	delete(s.calls, key)
	if !ran && d.Status == clew.ToolComplete {
		return // the agent's own: a todo, a question, the end
	}
	if !ran {
		began = *d
	}
	s.para("tool")
	mark, i := "✓", Good
	if d.Status == clew.ToolError {
		mark, i = "✕", Bad
	}
	line := callTitle(began)
	if about := callOutcome(d, began); about != "" {
		line += " · " + about
	}
	s.Item(i, mark, oneLine(line))
	if d.InDoubt {
		s.Block(Waiting, "    ", "Nobody knows whether this took effect.")
	}
	if s.verbose {
		s.unfold(d, began)
	}
}

// callKey names a call: models use the same ids over and over.
func callKey(task clew.TaskID, call string) string { return string(task) + " " + call }

// unfold shows what a call changed and what it gave.
func (s *story) unfold(d *clew.ToolProgressData, began clew.ToolProgressData) {
	if began.AllowedBy != nil {
		s.Block(Faint, "    ", fmt.Sprintf("allowed by %s (%s)", began.AllowedBy.Rule, began.AllowedBy.Scope))
	}
	if began.Effect != nil && began.Effect.Diff != "" {
		s.diff(began.Effect.Diff, "    ")
		return
	}
	if text, ok := d.Output.(string); ok && strings.TrimSpace(text) != "" {
		s.Block(Faint, "    ", text)
	}
}

// callTitle is what a call does, in a line.
func callTitle(d clew.ToolProgressData) string {
	switch {
	case d.Effect != nil && d.Effect.Command != "":
		if d.AllowedBy != nil { // what runs then is what was read, each word in quotes
			return "$ " + bareWords(d.Effect.Command)
		}
		return "$ " + d.Effect.Command
	case d.Title != "":
		return d.Title
	case d.Effect != nil && d.Effect.Summary != "":
		return d.Effect.Summary
	}
	return env.FirstOf(d.Tool, "a tool")
}

var plainlyQuoted = regexp.MustCompile(`^'([A-Za-z0-9_./:@%+,=-]+)'$`)

// bareWords takes the quotes off the words of a command that do not need them.
func bareWords(command string) string {
	var words []string
	begin, quoted := 0, false
	end := func(at int) {
		words = append(words, plainlyQuoted.ReplaceAllString(command[begin:at], "$1"))
		begin = at + 1
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted:
			i++
		case c == ' ' && !quoted:
			end(i)
		}
	}
	end(len(command))
	return strings.Join(words, " ")
}

var exitText = regexp.MustCompile(`exit code (\d+)`)

// callOutcome is the little that people want to know of a call that is over.
func callOutcome(d *clew.ToolProgressData, began clew.ToolProgressData) string {
	var parts []string
	output, _ := d.Output.(string)
	if d.Status == clew.ToolError {
		if all := exitText.FindAllString(output, -1); len(all) > 0 {
			parts = append(parts, all[len(all)-1])
		} else if text := env.FirstOf(d.Error, output); text != "" {
			parts = append(parts, env.Cut(oneLine(text), 80))
		}
	}
	if began.Effect != nil && began.Effect.Diff != "" {
		parts = append(parts, diffCount(began.Effect.Diff))
	} else if n := strings.Count(strings.TrimRight(output, "\n"), "\n"); n > 0 {
		parts = append(parts, fmt.Sprintf("%d lines", n+1))
	}
	if t := took(d.DurationMS); t != "" {
		parts = append(parts, t)
	}
	return strings.Join(parts, " · ")
}

func diffCount(diff string) string {
	added, removed := 0, 0
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++ "):
			added++
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- "):
			removed++
		}
	}
	return fmt.Sprintf("+%d -%d", added, removed)
}

// diff shows how a file changes.
func (s *Screen) diff(diff, indent string) {
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	if len(lines) > 0 && strings.HasPrefix(lines[0], "index ") {
		lines = lines[1:] // hashes are for programs
	}
	for _, line := range lines {
		i := PlainInk
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"):
			i = Faint
		case strings.HasPrefix(line, "+"):
			i = Good
		case strings.HasPrefix(line, "-"):
			i = Bad
		}
		s.exact(i, indent, indent, line)
	}
}
