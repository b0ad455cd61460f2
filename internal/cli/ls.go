package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

func lsCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var limit int
	var cursor, filter string
	var archived, deleted bool
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List your sessions, newest first",
		Long: "List your sessions, newest first: the id of each, as other commands take it, what it\n" +
			"does, when something was last written to it, and its title. On a terminal ids and titles are cut to fit.",
		Example: "clew ls\nclew ls --filter parser --limit 10\nclew ls --json | jq -r '.sessions[].session_id'    # clew's list for programs",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			list := c.API().ListSessions
			switch {
			case deleted:
				list = c.API().ListDeleted
			case archived:
				list = c.API().ListArchived
			}
			page, err := list(cmd.Context(), filter, cursor, limit)
			if err != nil {
				return err
			}
			if page.Sessions == nil {
				page.Sessions = []client.Session{}
			}
			return a.Print(page, func(w io.Writer) error { return sessionTable(w, page, filter, lsOf{archived, deleted}, r) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&cursor, "cursor", "", "continue after an earlier page")
	cmd.Flags().StringVar(&filter, "filter", "", "only those with this text in title or id")
	cmd.Flags().BoolVar(&archived, "archived", false, "those that were put away, in place of the others")
	cmd.Flags().BoolVar(&deleted, "deleted", false, "those that were deleted and can be brought back")
	cmd.MarkFlagsMutuallyExclusive("archived", "deleted")
	return cmd
}

// lsOf says of which sessions a list is: of all that are neither by default.
type lsOf struct{ archived, deleted bool }

func sessionTable(w io.Writer, list client.Page, filter string, of lsOf, r env.Remote) error {
	p := &env.Page{W: w}
	switch {
	case len(list.Sessions) == 0 && of.deleted:
		p.Line("No deleted session can be brought back.")
		return p.Err
	case len(list.Sessions) == 0 && of.archived && filter == "":
		p.Line("No session is archived.")
		return p.Err
	case len(list.Sessions) == 0:
		p.Line("%s", noSessions(filter, r))
		return p.Err
	}
	width, person := env.Columns(w)
	if err := writeSessions(w, list.Sessions, width, person); err != nil {
		return err
	}
	if list.Next != "" {
		p.Line("more: %s", r.Line("ls", "--cursor", list.Next))
	}
	if of.archived {
		p.Line("Put one back on the list: %s", r.Line("archive", "--undo", "SESSION"))
	}
	if of.deleted {
		p.Line("Bring one back: %s", r.Line("delete", "--undo", "SESSION"))
	}
	return p.Err
}

// noSessions says what to do about an empty list.
func noSessions(filter string, r env.Remote) string {
	if filter != "" {
		return fmt.Sprintf("No session has %q in its title or id: %s lists all.", env.Plain(filter), r.Line("ls"))
	}
	return "There is no session yet. Begin one: " + r.Line("run", "what is in here?")
}

func showCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var page client.PageOf
	var before string
	var environment, windows bool
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Print the newest messages of a session",
		Long: "Print the newest messages of a session: the number and the id of each, as clew rewind\n" +
			"and clew fork take them, who or what it is, and the text.\n\n" + env.HowSession,
		Example: "clew show\nclew show sess_1 --limit 10\nclew show --windows            # tables, forms and pages that agents show\nclew show --environment        # what commands have of your terminal",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, c, err := a.SessionNamed(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			id := s.ID
			if environment {
				return showEnvironment(cmd.Context(), a, c, id)
			}
			if windows {
				return showWindows(cmd.Context(), a, c, id)
			}
			page.Before = clew.MessageID(before)
			got, err := c.API().Messages(cmd.Context(), id, page)
			if err != nil {
				return err
			}
			return a.Print(got, func(w io.Writer) error {
				if s, err := c.API().GetSession(cmd.Context(), id); err == nil {
					if err := history.PrintFork(w, history.ForkPoint(s)); err != nil {
						return err
					}
				}
				first := got.Total - len(got.Messages)
				if before != "" {
					first = -1 // how many are behind is not known
				}
				shown, err := printMessages(w, got.Messages, first)
				if err == nil && shown == 0 && before == "" {
					_, err = fmt.Fprintf(w, "There is nothing to show: nothing was said yet, or it was taken back; %s would bring that back.\n", c.Line("undo", string(id)))
				}
				return err
			})
		},
	}
	r.Flags(cmd)
	cmd.Flags().IntVar(&page.Limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&before, "before", "", "only messages older than this one")
	cmd.Flags().BoolVar(&environment, "environment", false, "print PATH and the variables that commands have from the terminal where the session began")
	cmd.Flags().BoolVar(&windows, "windows", false, "print what agents show in windows, and notices")
	cmd.MarkFlagsMutuallyExclusive("environment", "windows")
	return cmd
}

// showEnvironment prints what the session has of its person's terminal.
func showEnvironment(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID) error {
	var had struct {
		Environment map[string]string `json:"environment"`
	}
	var err error
	if had.Environment, err = environmentOf(ctx, c, id); err != nil {
		return err
	}
	return a.Print(had, func(w io.Writer) error {
		if len(had.Environment) == 0 {
			_, err := fmt.Fprintln(w, "It did not begin in a terminal: commands have the setting command_path, else what the server's login shell says.")
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(had.Environment)) {
			if _, err := fmt.Fprintf(w, "%s=%s\n", name, env.Plain(had.Environment[name])); err != nil {
				return err
			}
		}
		return nil
	})
}

// environmentOf is what commands of a session have of a terminal; empty if it did not
// begin in one.
func environmentOf(ctx context.Context, c *env.Rest, id clew.SessionID) (map[string]string, error) {
	s, err := c.API().GetSession(ctx, id)
	if err != nil {
		return nil, err
	}
	had := struct {
		Environment map[string]string `json:"environment"`
	}{map[string]string{}}
	err = json.Unmarshal(s.Raw, &had)
	return had.Environment, err
}

// printMessages writes each message with its number and id, who or what it is,
// and the text, and says how many it wrote. first is the number of the first one,
// -1 if that is not known. Further lines of a text are set in, so that no text
// looks like a message. Bookkeeping without a text is left out; it has numbers,
// too.
func printMessages(w io.Writer, messages []clew.Message, first int) (shown int, err error) {
	width := len(strconv.Itoa(first + len(messages)))
	for i, m := range messages {
		text := messageText(m)
		if text == "" {
			continue
		}
		if shown++; first >= 0 {
			text = fmt.Sprintf("%*d  %s  %s  %s", width, first+i, m.MessageID, messageKind(m), text)
		} else {
			text = fmt.Sprintf("%s  %s  %s", m.MessageID, messageKind(m), text)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return shown, err
		}
	}
	return shown, nil
}

// kinds are short names of what is no ordinary text.
var kinds = map[clew.Say]string{
	clew.SayReasoning: "thinks", clew.SayCommandOutput: "output", clew.SayCodebaseSearchResult: "output",
	clew.SayCompletionResult: "result", clew.SaySubtaskResult: "subtask", clew.SayError: "error", clew.SayDiffError: "error",
}

// messageKind says who or what a message is, and on which monitor, unless that is the
// main one.
func messageKind(m clew.Message) string {
	if on := m.MonitorID; on != "" && on != clew.MainMonitor {
		m.MonitorID = ""
		return messageKind(m) + " on " + on.Name()
	}
	switch {
	case m.Cell != nil:
		return "cell"
	case m.Type == clew.TypeAsk && m.RequestID == "":
		return "tool"
	case m.Type == clew.TypeAsk && !m.IsAnswered:
		return "asks (open)"
	case m.Type == clew.TypeAsk:
		return "asked"
	case m.Role == clew.SpeakerUser && m.AgentID != "":
		return "task" // what an agent, or a run, gave to another
	case m.Role == clew.SpeakerUser:
		return "user"
	}
	return env.FirstOf(kinds[m.Say], string(m.Role), string(m.Say), "-")
}

func messageText(m clew.Message) string {
	text := env.FirstOf(m.Text, m.Reasoning)
	if m.Cell != nil {
		text = ask.CellText(&m)
	}
	var call struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	if m.Type == clew.TypeAsk && json.Unmarshal([]byte(text), &call) == nil && call.Tool != "" {
		text = call.Tool + " " + env.Cut(string(call.Input), 160)
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimRight(env.Plain(line), " "); i > 0 && lines[i] != "" {
			lines[i] = "    " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
