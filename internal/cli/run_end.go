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
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/term"
)

// place is the directory a new session works in. This directory is meant only
// where the server can see it.
func place(c *env.Rest, dir string, placed bool) (string, error) {
	switch {
	case placed && dir == "", !placed && !c.SeesFiles():
		return "", nil
	case !c.SeesFiles():
		if !filepath.IsAbs(dir) {
			return "", env.Usagef("--workspace must be an absolute path on %s", c.Base.Host)
		}
		return dir, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", env.Usagef("--workspace %s is no directory", dir)
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
func approvals(ctx context.Context, c *env.Rest, id clew.SessionID) (now follow.Approvals, err error) {
	ctx, cancel := context.WithTimeout(ctx, env.RequestTimeout)
	defer cancel()
	cl, err := client.Dial(ctx, c.Dialing(id))
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
func mayAnswer(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, say *clew.UserMessageData) error {
	page, err := c.API().Inbox(ctx, "", 200)
	if err != nil {
		return err
	}
	var open []clew.Question
	for _, it := range page.Items {
		if it.SessionID == id {
			open = append(open, it.Question)
		}
	}
	say.MayAnswer = follow.IDsOf(open)
	if say.Mode == clew.ModeRun { // a plan is a task of its own
		return nil
	}
	if q := follow.NotForWords(open, *say); q != nil {
		return env.Usagef("%s was not sent: a question is open, and a message does not approve or deny it. Answer it: %s", follow.Quoted(say.Text), c.Line(follow.AnswerWords(*q)...))
	}
	if follow.DeniedByWords(open) != nil {
		_, _ = fmt.Fprintln(a.Err, "A question is open: your words deny it, and tell the agent what to do instead.")
	}
	return nil
}

// explained says what to do where no server answers.
func explained(c *env.Rest, err error) error {
	var e *clew.Error
	if errors.As(err, &e) && e.Code == clew.ConnectionFailed {
		return clew.Errorf(e.Code, "no server answers at %s: clew serve --detach starts one, --server names another", c.Base.Host).Advised()
	}
	return err
}

// finishRun tells how it ended and gives the answer where that is wanted.
func finishRun(a *env.App, c *env.Rest, done follow.Followed, quiet bool) error {
	if a.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(done); err != nil {
			return err
		}
		return env.ExitWith(done.ExitCode)
	}
	story := follow.StoryWriter(a, quiet)
	if !quiet || done.ExitCode != env.ExitOK {
		tellEnd(a, follow.NewScreen(a, story), c, done)
	}
	if story == a.Err && done.Answer != "" && done.Status == follow.EndedDone {
		if _, err := fmt.Fprintln(a.Out, strings.TrimRight(done.Answer, "\n")); err != nil {
			return err
		}
	}
	return env.ExitWith(done.ExitCode)
}

// tellEnd writes the last lines of a story.
func tellEnd(a *env.App, s *follow.Screen, c *env.Rest, done follow.Followed) {
	id := string(done.SessionID)
	s.Write("\n")
	switch done.Status {
	case follow.EndedDone:
		s.Item(follow.Good, "●", "Done"+spentText(done))
		if len(done.Reports) > 0 {
			s.Write("    Report: " + env.Plain(c.Address().JoinPath(done.Reports[0]).String()) + "\n") // an address is not broken
			s.Paste(follow.PlainInk, "    ", "Sign a browser in first: "+c.Line("open", id))
		}
		s.Paste(follow.Faint, "    ", "Continue: "+c.Line("run", "--session", id, "…"))
	case follow.EndedLeft:
		s.Item(follow.Waiting, "◐", "You left. The work continues. Come back to it, or stop it:")
		s.Paste(follow.PlainInk, "    ", c.Line("attach", id)+"\n"+c.Line("stop", id))
	case follow.EndedQuestion:
		s.Item(follow.Waiting, "◇", "It waits for an answer"+spentText(done))
		s.Paste(follow.Faint, "    ", "Once it is answered, follow it with "+c.Line("attach", id))
	case follow.EndedPaused:
		s.Item(follow.Waiting, "◐", "The plan is paused: nothing new begins until somebody resumes it.")
		if done.Said {
			s.Block(follow.PlainInk, "    ", "Your message was received; the agent reads it when the plan continues.")
		}
		s.Paste(follow.PlainInk, "    ", c.Line("resume", id)+"\nThen follow it with "+c.Line("attach", id))
	case follow.EndedLost:
		s.Item(follow.Bad, "✕", "No server: "+done.Message+". The work continues when it is back.")
		s.Paste(follow.PlainInk, "    ", c.Line("attach", id))
	default:
		words := map[string]string{follow.EndedFailed: "Failed", follow.EndedCancelled: "Cancelled", follow.EndedStopped: "Stopped", follow.EndedBudget: "Out of budget"}
		s.Item(follow.Bad, "✕", words[done.Status]+ask.Because(done.Message)+spentText(done))
		s.Paste(follow.Faint, "    ", "All of it: "+c.Line("show", id))
	}
}

// spentText is what something used, as far as that is known.
func spentText(done follow.Followed) string {
	u, text := done.Usage, ""
	if u.CostUSD > 0 {
		text += " · " + term.Dollars(u.CostUSD)
	}
	if n := u.TokensIn + u.TokensOut; n > 0 {
		text += " · " + term.Tokens(n)
	}
	if done.Lasted >= time.Second {
		text += " · " + term.Duration(done.Lasted)
	}
	return text
}
