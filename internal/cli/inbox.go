package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/term"
)

func inboxCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var watch bool
	var cursor string
	var limit int
	var giveUp time.Duration
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "List what waits for your answer, over all sessions",
		Long: "List the questions that wait for your answer, over all sessions, the nearest\n" +
			"deadline first, each with the line that answers it. --watch stays and tells each\n" +
			"new one; with --json it prints a line for each change.",
		Example: "clew inbox\nclew inbox --watch",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			if watch {
				return watchInbox(cmd.Context(), a, c, giveUp)
			}
			in, err := c.API().Inbox(cmd.Context(), cursor, limit)
			if err != nil {
				return explained(c, err)
			}
			if in.Items == nil {
				in.Items = []client.InboxItem{}
			}
			return a.Print(in, func(w io.Writer) error { return printInbox(a, w, c, in) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "stay, and tell what comes and goes")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&cursor, "cursor", "", "continue after an earlier page")
	cmd.Flags().DurationVar(&giveUp, "give-up", giveUpAfter, "with --watch: how long the server may be gone")
	return cmd
}

func printInbox(a *env.App, w io.Writer, c *env.Rest, in client.Inbox) error {
	s := follow.NewScreen(a, w)
	if len(in.Items) == 0 {
		s.Line(follow.PlainInk, "You're all caught up.")
	}
	for i, it := range in.Items {
		if i > 0 {
			s.Write("\n")
		}
		listed(s, c, it)
	}
	if in.Next != "" {
		s.Line(follow.Faint, "more: %s", c.Line("inbox", "--cursor", in.Next))
	}
	return s.Err
}

// inboxItem shows a question, where it is from, and how to answer it. A long one
// is folded if more says how to see the rest; then the answer begins with that.
func inboxItem(s *follow.Screen, c *env.Rest, it client.InboxItem, more string) {
	all := s.Question(it.Question, time.Now(), more)
	s.Fact("session", string(it.SessionID)+"  "+it.Title)
	s.Fact("since", time.UnixMilli(it.AskedMS).Format(time.DateTime))
	words := follow.AnswerWords(it.Question)
	if !all { // nobody should say yes to what they have not seen
		words = words[:2]
	}
	s.Fact("answer", c.Line(words...))
}

// listed shows a question among others.
func listed(s *follow.Screen, c *env.Rest, it client.InboxItem) {
	inboxItem(s, c, it, c.Line("answer", string(it.Question.RequestID()))+" shows it")
}

// watchInbox follows the inbox until the person leaves.
func watchInbox(ctx context.Context, a *env.App, c *env.Rest, giveUp time.Duration) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := &outageTimer{limit: giveUp, over: func() {
		cancel(clew.Errorf(clew.ConnectionFailed, "the server has been gone for %s", term.Duration(giveUp)))
	}}
	s, known := follow.NewScreen(a, a.Out), map[clew.RequestID]bool{}
	opts := c.Dialing("")
	opts.Retry, opts.OnState = follow.Patient, func(state client.State, _ error) { gone.heard(state) }
	for change, err := range client.FollowInbox(ctx, opts) {
		if err != nil {
			if cause := context.Cause(ctx); clew.CodeOf(cause) == clew.ConnectionFailed {
				return cause
			}
			if ctx.Err() != nil {
				return nil // to leave is how watching ends
			}
			return explained(c, err)
		}
		if a.JSON {
			if err := printChange(a, change); err != nil {
				return err
			}
			continue
		}
		inboxChange(s, c, change, known)
		if s.Err != nil {
			return s.Err
		}
	}
	return nil
}

func printChange(a *env.App, change client.InboxChange) error {
	typ := "inbox_changed"
	if change.All {
		typ = "inbox_state"
	}
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{
		"type": typ, "added": append([]client.InboxItem{}, change.Added...),
		"removed": append([]clew.RequestID{}, change.Removed...), "counts": change.Counts,
	})
}

// inboxChange tells what is new and what is settled, each once.
func inboxChange(s *follow.Screen, c *env.Rest, change client.InboxChange, known map[clew.RequestID]bool) {
	removed := change.Removed
	if change.All {
		there := map[clew.RequestID]bool{}
		for _, it := range change.Added {
			there[it.Question.RequestID()] = true
		}
		for id := range known {
			if !there[id] {
				removed = append(removed, id)
			}
		}
	}
	for _, id := range removed {
		if known[id] {
			delete(known, id)
			s.Line(follow.Faint, "%s is settled.", id)
		}
	}
	for _, it := range change.Added {
		if id := it.Question.RequestID(); !known[id] {
			known[id] = true
			listed(s, c, it)
			s.Write("\n")
		}
	}
	s.SetStatus(fmt.Sprintf("%s open. Ctrl-C leaves.", term.Count(change.Counts.Total, "question")))
}

// outageTimer counts how long a server is gone, and calls over when that is too
// long.
type outageTimer struct {
	limit time.Duration
	over  func()
	timer *time.Timer
}

func (g *outageTimer) heard(s client.State) {
	switch {
	case s == client.Reconnecting && g.timer == nil && g.limit > 0:
		g.timer = time.AfterFunc(g.limit, g.over)
	case s == client.Active && g.timer != nil:
		g.timer.Stop()
		g.timer = nil
	}
}
