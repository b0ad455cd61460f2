package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// sees reports whether the server works on this machine's files: its local socket
// vouched for it, or it was named by an address of this machine. A proxy for TLS
// may stand before a server anywhere.
func (c *rest) sees() bool {
	return c.local || c.base.Scheme == "http" && loopback(c.base.Hostname())
}

// place is the directory a new session works in. This directory is meant only
// where the server can see it.
func (c *rest) place(dir string, placed bool) (string, error) {
	switch {
	case placed && dir == "", !placed && !c.sees():
		return "", nil
	case !c.sees():
		if !filepath.IsAbs(dir) {
			return "", usagef("--workspace must be an absolute path on %s", c.base.Host)
		}
		return dir, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", usagef("--workspace %s is no directory", dir)
	}
	return filepath.Abs(dir)
}

// misplaced says what to do when this directory, which nobody named, is none to
// work in.
func misplaced(err error, dir string, placed bool) error {
	var e *clew.Error
	if placed || dir == "" || !errors.As(err, &e) || e.Code != clew.Forbidden && e.Code != clew.InvalidMessage {
		return err
	}
	return clew.Errorf(e.Code, "%s; --workspace DIR names another directory, --workspace '' gives the session one of its own", e.Message).Advised()
}

// approvals asks how those of a session stand. Only a connection gets to know.
func (c *rest) approvals(ctx context.Context, id clew.SessionID) (now approvals, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	cl, err := client.Dial(ctx, c.dialing(id))
	if err != nil {
		return now, err
	}
	defer cl.Close()
	if _, err := cl.Send(ctx, clew.CommandGetState, clew.GetStateData{Scope: clew.ScopeUI}); err != nil {
		return now, err
	}
	for env, err := range cl.Follow(ctx) {
		if err != nil {
			return now, err
		}
		if clew.EventType(env.Type) == clew.EventState {
			return now, json.Unmarshal(env.Data, &now)
		}
	}
	return now, clew.Errorf(clew.ConnectionFailed, "the server did not say what it allows")
}

// mayAnswer lets words answer the questions that are open in the session now, and
// none that opens meanwhile. Words deny some of them: that is told, and what is
// nothing but a yes or a no is not sent then.
func (a *app) mayAnswer(ctx context.Context, c *rest, id clew.SessionID, say *clew.UserMessageData) error {
	page, err := c.api().Inbox(ctx, "", 200)
	if err != nil {
		return err
	}
	var open []clew.Question
	for _, it := range page.Items {
		if it.SessionID == id {
			open = append(open, it.Question)
		}
	}
	say.MayAnswer = idsOf(open)
	if say.Mode == clew.ModeRun { // a plan is a task of its own
		return nil
	}
	if q := notForWords(open, *say); q != nil {
		return usagef("%s was not sent: a question is open, and words are not taken as a yes or a no. Answer it: %s", quoted(say.Text), c.line(answerWords(*q)...))
	}
	if deniedByWords(open) != nil {
		_, _ = fmt.Fprintln(a.Err, "A question is open: your words deny it, and tell the agent what to do instead.")
	}
	return nil
}

// explained says what to do where no server answers.
func (c *rest) explained(err error) error {
	var e *clew.Error
	if errors.As(err, &e) && e.Code == clew.ConnectionFailed {
		return clew.Errorf(e.Code, "no server answers at %s: clew serve starts one, --server names another", c.base.Host).Advised()
	}
	return err
}

// finishRun tells how it ended and gives the answer where that is wanted.
func (a *app) finishRun(c *rest, done followed, quiet bool) error {
	if a.json {
		enc := json.NewEncoder(a.Out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(done); err != nil {
			return err
		}
		return exitWith(done.ExitCode)
	}
	story := a.storyWriter(quiet)
	if !quiet || done.ExitCode != exitOK {
		a.tellEnd(a.newScreen(story), c, done)
	}
	if story == a.Err && done.Answer != "" && done.Status == endedDone {
		if _, err := fmt.Fprintln(a.Out, strings.TrimRight(done.Answer, "\n")); err != nil {
			return err
		}
	}
	return exitWith(done.ExitCode)
}

// tellEnd writes the last lines of a story.
func (a *app) tellEnd(s *screen, c *rest, done followed) {
	id := string(done.SessionID)
	s.write("\n")
	switch done.Status {
	case endedDone:
		s.item(good, "●", "Done"+spentText(done))
		if len(done.Reports) > 0 {
			s.write("    Report: " + plain(c.address().JoinPath(done.Reports[0]).String()) + "\n") // an address is not broken
			s.block(plainInk, "    ", "Sign a browser in first: "+c.line("open", id))
		}
		s.block(faint, "    ", "Go on: "+c.line("run", "--session", id, "…"))
	case endedLeft:
		s.item(waiting, "◐", "You left. The work goes on. Come back to it, or stop it:")
		s.block(plainInk, "    ", c.line("attach", id)+"\n"+c.line("stop", id))
	case endedQuestion:
		s.item(waiting, "◇", "It waits for an answer"+spentText(done))
		s.block(faint, "    ", "Once it is answered, follow it with "+c.line("attach", id))
	case endedPaused:
		s.item(waiting, "◐", "The plan is paused: nothing new begins until somebody resumes it.")
		if done.said {
			s.block(plainInk, "    ", "What you said is taken; it is heard when the plan goes on.")
		}
		s.block(plainInk, "    ", c.line("resume", id)+"\nThen follow it with "+c.line("attach", id))
	case endedLost:
		s.item(bad, "✕", "No server: "+done.Message+". The work goes on when it is back.")
		s.block(plainInk, "    ", c.line("attach", id))
	default:
		words := map[string]string{endedFailed: "Failed", endedCancelled: "Cancelled", endedStopped: "Stopped", endedBudget: "Out of budget"}
		s.item(bad, "✕", words[done.Status]+because(done.Message)+spentText(done))
		s.block(faint, "    ", "All of it: "+c.line("show", id))
	}
}

// spentText is what something used, as far as that is known.
func spentText(done followed) string {
	u, text := done.Usage, ""
	if u.CostUSD > 0 {
		text += " · " + dollars(u.CostUSD)
	}
	if n := u.TokensIn + u.TokensOut; n > 0 {
		text += " · " + tokens(n)
	}
	if done.lasted >= time.Second {
		text += " · " + briefly(done.lasted)
	}
	return text
}

func tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d tokens", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk tokens", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM tokens", float64(n)/1e6)
}
