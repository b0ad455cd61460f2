package follow

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// callDetails is what the state does not have of a call.
type callDetails struct {
	Effect *clew.Effect `json:"effect"`
	Output any          `json:"output"`
}

// detailsOf asks for a call. Without an answer the story is a little shorter.
func detailsOf(ctx context.Context, c *env.Rest, id clew.SessionID, m *clew.Message) (d callDetails) {
	ctx, cancel := context.WithTimeout(ctx, detailsWithin)
	defer cancel()
	path := "/sessions/" + url.PathEscape(string(id)) + "/tools/" + url.PathEscape(m.ToolCallID)
	_ = c.API().Call(ctx, http.MethodGet, path, url.Values{"message_id": {string(m.MessageID)}}, nil, &d)
	return d
}

// detailsWithin is how long the story waits for the details of a call.
const detailsWithin = 5 * time.Second

// tool tells a call when it ends. While it runs, the status line has it.
func (s *transcriptPrinter) tool(m *clew.Message) {
	t := m.Tool
	if t != nil && t.Status == clew.ToolRunning {
		s.SetStatus("… " + callTitle(t))
	}
	if t == nil || !t.Status.Ended() || s.told[m.MessageID] {
		return
	}
	s.told[m.MessageID] = true
	if !m.Ask.IsCall() && t.Status == clew.ToolComplete {
		return
	}
	d := s.look(m)
	s.para("tool")
	mark, i := "✓", Good
	if t.Status != clew.ToolComplete {
		mark, i = "✕", Bad
	}
	line := callTitle(t)
	if d.Effect != nil && d.Effect.Command != "" { // the whole of it
		whole := *t
		whole.Command = d.Effect.Command
		line = callTitle(&whole)
	}
	if about := callOutcome(t, d); about != "" {
		line += " · " + about
	}
	s.Item(i, mark, term.FirstLine(line))
	if t.InDoubt {
		s.Block(Waiting, "    ", "This may not have completed.")
	}
	if s.verbose {
		s.unfold(t, d)
	}
}

// unfold shows what a call changed and what it gave.
func (s *transcriptPrinter) unfold(t *clew.MessageTool, d callDetails) {
	if t.AllowedBy != nil {
		s.Block(Faint, "    ", fmt.Sprintf("allowed by %s (%s)", t.AllowedBy.Rule, t.AllowedBy.Scope))
	}
	if d.Effect != nil && d.Effect.Diff != "" {
		s.diff(d.Effect.Diff, "    ")
		return
	}
	if text, ok := d.Output.(string); ok && strings.TrimSpace(text) != "" {
		s.Block(Faint, "    ", text)
	}
}

// callTitle is what a call does, in a line.
func callTitle(t *clew.MessageTool) string {
	switch {
	case t.Command != "" && t.AllowedBy != nil: // what runs then is what was read, each word in quotes
		return "$ " + bareWords(t.Command)
	case t.Command != "":
		return "$ " + t.Command
	case t.Title != "":
		return t.Title
	}
	return env.FirstOf(strings.TrimSpace(t.Name+" "+t.Target), "a tool")
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

// callOutcome is the little that people want to know of a call that is over.
func callOutcome(t *clew.MessageTool, d callDetails) string {
	var parts []string
	output, _ := d.Output.(string)
	switch {
	case t.Status == clew.ToolComplete:
	case t.ExitCode != nil:
		parts = append(parts, fmt.Sprintf("exit code %d", *t.ExitCode))
		if met := ask.LimitReached(t.LimitReached); met != "" {
			parts = append(parts, met)
		}
	case env.FirstOf(t.Error, output) != "":
		parts = append(parts, env.Cut(term.FirstLine(env.FirstOf(t.Error, output)), 80))
	}
	if d.Effect != nil && d.Effect.Diff != "" {
		parts = append(parts, diffCount(d.Effect.Diff))
	} else if n := strings.Count(strings.TrimRight(output, "\n"), "\n"); n > 0 {
		parts = append(parts, fmt.Sprintf("%d lines", n+1))
	}
	if t := took(t.DurationMS); t != "" {
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
