package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/term"
)

var searchKinds = []string{"message", "command", "file", "title"}

func searchCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var q client.SearchQuery
	var session string
	var everyone bool
	cmd := &cobra.Command{
		Use:   "search WORD…",
		Short: "Find words in your sessions",
		Long: "Find words in the sessions you may read: in messages, commands and their output, names\n" +
			"of files, and titles. All words have to be there; each is found by its beginning, in\n" +
			"any case. Words in quotes have to follow each other. What was rewound is not found.\n" +
			"--session finds in one session, in order of time.",
		Example: "clew search request key\nclew search '\"request key\"' --kind command\nclew search orders.py --session sess_1 --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Q = strings.Join(args, " ")
			if q.Kind != "" && !slices.Contains(searchKinds, q.Kind) {
				return env.Usagef("--kind takes message, command, file or title, not %q", q.Kind)
			}
			if everyone {
				q.Owner = "*"
			}
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			if session != "" {
				s, _, err := a.SessionNamed(cmd.Context(), session, r)
				if err != nil {
					return err
				}
				q.Session = s.ID
			}
			found, err := c.API().Search(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.Print(found, func(w io.Writer) error { return printFound(a, w, found, time.Now()) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVar(&session, "session", "", "only in this session: its id, or how that begins")
	cmd.Flags().StringVar(&q.Kind, "kind", "", "only message, command, file or title")
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "how many sessions; with --session, how many matches")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "continue after an earlier page")
	cmd.Flags().BoolVar(&q.Newest, "newest", false, "the newest sessions first, in place of the best matches")
	cmd.Flags().BoolVar(&everyone, "everyone", false, "the sessions of all people; for administrators")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(searchKinds, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// printFound writes each session with its hits below. What matches is highlighted on a
// terminal.
func printFound(a *env.App, w io.Writer, found client.SearchResult, now time.Time) error {
	p := &env.Page{W: w}
	width, person := env.Columns(w)
	ink := func(code, text string) string {
		if !follow.Coloured(a, w) || text == "" {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	for _, g := range found.Groups {
		id := string(g.SessionID)
		if person {
			id = env.Shorten(g.SessionID)
		}
		about := []string{id}
		if g.Workspace != "" {
			about = append(about, env.Plain(filepath.Base(g.Workspace)))
		}
		about = append(about, matches(g.Matches))
		if g.UpdatedMS > 0 {
			about = append(about, term.Ago(time.UnixMilli(g.UpdatedMS), now))
		}
		p.Line("%s  %s", ink("1", env.FirstOf(env.Plain(g.Title), "Untitled")), ink("2", strings.Join(about, " · ")))
		for _, h := range g.Hits {
			p.Line("  %s  %s  %s", ink("2", env.FirstOf(string(h.MessageID), strings.Repeat("-", 16))), term.Fill(hitLabel(h), 8), excerptLine(h.Excerpt, width-30, ink))
		}
	}
	more := ""
	if found.More {
		more = "more than "
	}
	if found.Total == 0 {
		p.Line("No matches.")
	} else {
		p.Line("%s", ink("2", fmt.Sprintf("%s%s in %s", more, matches(found.Total), term.Count(found.Sessions, "session"))))
	}
	if found.Next != "" {
		p.Line("%s", ink("2", "The next page: add --cursor "+found.Next))
	}
	if found.Indexing {
		p.Line("%s", ink("2", "The search index is not up to date yet. There may be more."))
	}
	return p.Err
}

func matches(n int) string {
	if n == 1 {
		return "1 match"
	}
	return fmt.Sprintf("%d matches", n)
}

// hitLabel says who said it, or what it is.
func hitLabel(h client.SearchHit) string {
	switch {
	case h.Output:
		return "Output"
	case h.Kind == "command":
		return "Command"
	case h.Kind == "file":
		return "File"
	case h.Kind == "title":
		return "Title"
	}
	return env.FirstOf(env.Plain(string(h.By)), "Agent")
}

// excerptLine writes an excerpt in so much room; 0 or less is all of it.
func excerptLine(parts []client.ExcerptPart, room int, ink func(code, text string) string) string {
	var b strings.Builder
	whole := room <= 0
	for _, part := range parts {
		text := term.CleanLine(part.Text)
		if !whole {
			text = term.Cut(text, room)
			room -= term.Width(text)
		}
		if part.Match {
			text = ink("1;33", text)
		}
		b.WriteString(text)
		if !whole && room <= 0 {
			break
		}
	}
	return b.String()
}
