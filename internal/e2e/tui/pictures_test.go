package tui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// The terminals that pictures are taken on.
var terminals = []struct {
	width, height int
	theme         string
}{{80, 24, "dark"}, {80, 24, "light"}, {200, 50, "dark"}, {200, 50, "light"}}

// small is a window in which hardly anything fits.
const smallWidth, smallHeight = 40, 12

// pictures takes one on each terminal, once good says that it is the right one:
// the text once for each size, the colours for each theme.
func pictures(t *testing.T, s *stage, name string, id clew.SessionID, pose func(*screen)) {
	t.Helper()
	for _, on := range terminals {
		size := fmt.Sprintf("%dx%d", on.width, on.height)
		t.Run(name+"/"+size+"/"+on.theme, func(t *testing.T) {
			at := &stage{s.In(t)}
			scr := at.attach(id, on.width, on.height, "--theme", on.theme)
			pose(scr)
			scr.alone()
			golden(t, scr, fmt.Sprintf("%s.%s.txt", name, size), scr.text)
			golden(t, scr, fmt.Sprintf("%s.%s.%s.ansi", name, size, on.theme), func() string { return plainly(scr.styled()) })
			leave(scr)
		})
	}
}

func leave(scr *screen) {
	scr.t.Helper()
	scr.press("C-c")
	scr.see("ctrl+c again to leave")
	scr.press("C-c")
	if code := scr.over(); code != "0" {
		scr.t.Errorf("it ended with %s", code)
	}
}

// TestPictures goes through a task and a run, and takes pictures on the way.
func TestPictures(t *testing.T) {
	s := newStage(t)
	s.session("sess_greeting", "A friendlier greeting")
	s.say("sess_greeting", "Make the greeting friendlier, 조금만 👋")
	pictures(t, s, "question", "sess_greeting", func(scr *screen) {
		scr.see("● live", "Run this command?", "sh greet.sh", "tab to answer", "3.3k tokens")
	})
	t.Run("question/small", func(t *testing.T) {
		at := &stage{s.In(t)}
		scr := at.attach("sess_greeting", smallWidth, smallHeight, "--theme", "dark")
		scr.see("Run this command?", "sh greet.sh", "tab to answer", "needs you")
		scr.press("Tab")
		scr.see("y yes")
		golden(t, scr, "question.40x12.txt", scr.text)
		leave(scr)
	})

	t.Run("approve", func(t *testing.T) {
		at := &stage{s.In(t)}
		scr := at.attach("sess_greeting", 80, 24)
		scr.see("tab to answer")
		scr.typed("y") // nobody goes to the question: it is a letter
		scr.see("› y", "your words deny it")
		scr.press("Enter")
		scr.see("not sent: to answer, press tab, then y or n")
		scr.press("BSpace", "Tab")
		scr.see("y yes · n no · a always")
		scr.press("a")
		scr.see("until this task ends", "e edit the rule")
		scr.gone("not sent")
		golden(t, scr, "always.80x24.txt", scr.text)
		scr.press("y")
		scr.see("It runs. The greeting is:", "idle")
		leave(scr)
	})
	pictures(t, s, "unfolded", "sess_greeting", func(scr *screen) {
		scr.see("● live", "It runs. The greeting is:", "idle")
		scr.press("Escape")
		scr.see("enter unfold")
		scr.press("k", "k", "k")
		scr.see("›● ▸ Edit")
		scr.press("Enter")
		scr.see("+echo 'Hello, and welcome!'")
	})

	s.session("sess_run", "Words that greet")
	s.command("sess_run", clew.CommandUserMessage, clew.UserMessageData{Text: "Rewrite all words that greet.", Mode: clew.ModeRun})
	pictures(t, s, "review", "sess_run", func(scr *screen) {
		scr.see("● live", "Approve the plan? (version 1)", "○ Check that all is well.")
		scr.press("Tab")
		scr.see("y yes · n no · e change it")
	})
	overlays(t, s)
	t.Run("plan", func(t *testing.T) { workOnPlan(t, s) })
}

// listed waits until the list of sessions, which follows by a moment, knows that
// the run waits.
func listed(s *stage, scr *screen) {
	scr.until("the run waits in the list", func(string) bool {
		page, err := s.API().ListSessions(s.T.Context(), "", "", 10)
		return err == nil && slices.ContainsFunc(page.Sessions, func(l client.Session) bool {
			return l.ID == "sess_run" && l.Status == clew.StatusAwaitingInput
		})
	})
}

// overlays takes a picture of what takes the place of the session.
func overlays(t *testing.T, s *stage) {
	for _, o := range []struct {
		name, key string
		see       []string
	}{
		{"sessions", "C-k", []string{"Sessions   ›", "A friendlier greeting", "· here"}},
		{"inbox", "C-o", []string{"Inbox: what waits for you", "› ◇ Approve the plan?"}},
		{"rewind", "C-r", []string{"Go back to before …", "Rewrite all words"}},
		{"help", "F1", []string{"Everywhere", "Writing"}},
	} {
		t.Run(o.name, func(t *testing.T) {
			at := &stage{s.In(t)}
			scr := at.attach("sess_run", 80, 24, "--theme", "dark")
			scr.see("● live", "Approve the plan?")
			listed(at, scr)
			scr.press(o.key)
			scr.see(o.see...)
			scr.alone()
			golden(t, scr, o.name+".80x24.txt", scr.text)
			scr.press("Escape")
			scr.see("tab to answer")
			leave(scr)
		})
	}
}

// workOnPlan approves a plan in its panel, pauses, goes on, skips and cancels.
func workOnPlan(t *testing.T, s *stage) {
	at := &stage{s.In(t)}
	scr := at.attach("sess_run", 80, 24, "--theme", "dark")
	scr.see("● live", "Approve the plan?")
	scr.press("C-p")
	scr.see("Plan 0 of 3", "y yes")
	scr.press("y")
	scr.see("Rewrite all words that greet.", "◐ ▸ step  List the words that greet.") // the transcript is back
	scr.press("C-p")
	scr.see("Plan 0 of 3", "›◐ List the words that greet.")
	scr.gone("your answer")
	scr.alone()
	golden(t, scr, "plan.80x24.txt", scr.text)
	scr.do("resize-window", "-x", "200", "-y", "50")
	scr.see("Rewrite all words", "◐ List the words that greet.", "I am at it.")
	golden(t, scr, "plan.200x50.txt", scr.text)
	scr.do("resize-window", "-x", "80", "-y", "24")
	scr.gone("Rewrite all words that greet.")
	scr.press("p")
	scr.see("paused", "p resume")
	scr.press("p")
	scr.see("p pause")
	scr.press("Down")
	scr.see("›○ Write the new words")
	scr.press("s")
	scr.see("Skip “Write the new words")
	scr.typed("not today")
	scr.press("Enter")
	scr.see("⊘ Write the new words")
	scr.press("c")
	scr.see("Cancel the run?", "y cancels it")
	scr.press("y")
	scr.see("cancelled")
	scr.gone("p pause")
	leave(scr)
}
