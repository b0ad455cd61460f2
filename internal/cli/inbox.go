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
)

func (a *app) inboxCommand() *cobra.Command {
	var r remote
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
			c, err := a.connect(r)
			if err != nil {
				return err
			}
			if watch {
				return a.watchInbox(cmd.Context(), c, giveUp)
			}
			in, err := c.api().Inbox(cmd.Context(), cursor, limit)
			if err != nil {
				return c.explained(err)
			}
			if in.Items == nil {
				in.Items = []client.InboxItem{}
			}
			return a.print(in, func(w io.Writer) error { return a.printInbox(w, c, in) })
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "stay, and tell what comes and goes")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	cmd.Flags().StringVar(&cursor, "cursor", "", "go on after an earlier page")
	cmd.Flags().DurationVar(&giveUp, "give-up", giveUpAfter, "with --watch: how long the server may be gone")
	return cmd
}

func (a *app) printInbox(w io.Writer, c *rest, in client.Inbox) error {
	s := a.newScreen(w)
	if len(in.Items) == 0 {
		s.line(plainInk, "Nothing waits for you.")
	}
	for i, it := range in.Items {
		if i > 0 {
			s.write("\n")
		}
		s.listed(c, it)
	}
	if in.Next != "" {
		s.line(faint, "more: %s", c.line("inbox", "--cursor", in.Next))
	}
	return s.err
}

// inboxItem shows a question, where it is from, and how to answer it. A long one
// is folded if more says how to see the rest; then the answer begins with that.
func (s *screen) inboxItem(c *rest, it client.InboxItem, more string) {
	all := s.question(it.Question, time.Now(), more)
	s.fact("session", string(it.SessionID)+"  "+it.Title)
	s.fact("since", time.UnixMilli(it.AskedMS).Format(time.DateTime))
	words := answerWords(it.Question)
	if !all { // nobody should say yes to what they have not seen
		words = words[:2]
	}
	s.fact("answer", c.line(words...))
}

// listed shows a question among others.
func (s *screen) listed(c *rest, it client.InboxItem) {
	s.inboxItem(c, it, c.line("answer", string(it.Question.RequestID()))+" shows it")
}

// answerWords is a command that answers a question, for a person to change.
func answerWords(q clew.Question) []string {
	word := "yes"
	if (&ask{q: q}).options() == nil {
		word = "…"
		if labels, _ := client.Choices(q); len(labels) > 0 {
			word = "1"
		}
	}
	return []string{"answer", string(q.RequestID()), word}
}

// watchInbox follows the inbox until the person leaves.
func (a *app) watchInbox(ctx context.Context, c *rest, giveUp time.Duration) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := &goneFor{limit: giveUp, over: func() {
		cancel(clew.Errorf(clew.ConnectionFailed, "the server has been gone for %s", briefly(giveUp)))
	}}
	s, known := a.newScreen(a.Out), map[clew.RequestID]bool{}
	opts := c.dialing("")
	opts.Retry, opts.OnState = patient, func(state client.State, _ error) { gone.heard(state) }
	for change, err := range client.FollowInbox(ctx, opts) {
		if err != nil {
			if cause := context.Cause(ctx); clew.CodeOf(cause) == clew.ConnectionFailed {
				return cause
			}
			if ctx.Err() != nil {
				return nil // to leave is how watching ends
			}
			return c.explained(err)
		}
		if a.json {
			if err := a.printChange(change); err != nil {
				return err
			}
			continue
		}
		s.inboxChange(c, change, known)
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

func (a *app) printChange(change client.InboxChange) error {
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
func (s *screen) inboxChange(c *rest, change client.InboxChange, known map[clew.RequestID]bool) {
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
			s.line(faint, "%s is settled.", id)
		}
	}
	for _, it := range change.Added {
		if id := it.Question.RequestID(); !known[id] {
			known[id] = true
			s.listed(c, it)
			s.write("\n")
		}
	}
	s.setStatus(fmt.Sprintf("%s open. Ctrl-C leaves.", count(change.Counts.Total, "question")))
}

// goneFor counts how long a server is gone, and calls over when that is too
// long.
type goneFor struct {
	limit time.Duration
	over  func()
	timer *time.Timer
}

func (g *goneFor) heard(s client.State) {
	switch {
	case s == client.Reconnecting && g.timer == nil && g.limit > 0:
		g.timer = time.AfterFunc(g.limit, g.over)
	case s == client.Active && g.timer != nil:
		g.timer.Stop()
		g.timer = nil
	}
}
