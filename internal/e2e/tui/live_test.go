package tui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Text of a session is text: it moves no cursor, sets no title, and puts nothing
// into the clipboard.
func TestHostileSession(t *testing.T) {
	s := newStage(t)
	s.session("sess_bad", "a \u202etitle")
	s.say("sess_bad", "attack \x1b[1;1Hnow \x1b]0;OWNED\x07")
	scr := s.attach("sess_bad", 100, 40)
	scr.see("● live", "Run this command?", "⟨202E⟩reverse", "tab to answer")
	title := scr.do("display", "-p", "#{pane_title} #{window_name}")
	scr.press("Tab")
	scr.see("y yes")
	scr.press("y")
	scr.see("survived", "idle")
	scr.press("Escape")
	scr.see("enter unfold")
	scr.press("k")
	scr.see("›● ▸ Run")
	scr.press("Enter")
	text := scr.see("▾ Run", "approved by owner") // what commands print is cleaned by the server, too
	for _, want := range []string{"␛]0;OWNED␇", "␛]52;c;T1dORUQ=␇", "␛[1;1HOVER", "⟨009B⟩1;1HC1", "⟨202E⟩reverse"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the screen:\n%s", want, text)
		}
	}
	if now := scr.do("display", "-p", "#{pane_title} #{window_name}"); now != title || strings.Contains(now, "OWNED") || strings.Contains(now, "PWNED") {
		t.Errorf("the title is %q, it was %q", now, title)
	}
	if on := strings.TrimSpace(scr.do("display", "-p", "#{alternate_on}")); on != "1" {
		t.Error("the text left the screen that it was on")
	}
	if buffer, err := scr.try("show-buffer"); err == nil {
		t.Errorf("the clipboard has %q", buffer)
	}
	if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, "a ⟨202E⟩title") || strings.Contains(first, "OVER") {
		t.Errorf("the first line is %q", first)
	}
	leave(scr)
}

// The server dies underneath: that shows, and when it is back every message is
// there once.
func TestServerDies(t *testing.T) {
	s := newStage(t)
	s.session("sess_1", "Talk")
	scr := s.attach("sess_1", 80, 24)
	scr.see("● live", "Nothing said yet.")
	scr.typed("first words")
	scr.press("Enter")
	scr.see("You said: first words", "idle")
	s.Srv.Kill()
	scr.see("✕ no connection for")
	scr.typed("second words")
	scr.press("Enter")
	scr.see("not sent: ", "› second words")
	if err := s.Srv.Start(); err != nil {
		t.Fatal(err)
	}
	scr.see("● live")
	scr.press("Enter")
	text := scr.see("You said: second words", "idle")
	for _, words := range []string{"│ first words", "You said: first words", "│ second words", "You said: second words"} {
		if n := strings.Count(text, words); n != 1 {
			t.Errorf("%q stands there %d times:\n%s", words, n, text)
		}
	}
	leave(scr)
}

// A question that was answered elsewhere goes, its keys with it, and it says so.
func TestAnsweredElsewhere(t *testing.T) {
	s := newStage(t)
	s.session("sess_1", "")
	s.say("sess_1", "make it friendlier")
	scr := s.attach("sess_1", 80, 24)
	scr.see("tab to answer")
	scr.press("Tab")
	scr.see("y yes")
	s.command("sess_1", clew.CommandAskResponse, clew.AskResponseData{AskResponse: clew.NoButtonClicked, Text: "not now"})
	scr.see("you answered elsewhere: denied")
	scr.gone("Run this command?")
	scr.see("⊘ ▸ Run", "denied by owner: not now")
	scr.typed("y") // would have been a yes a moment ago
	scr.see("› y")
	leave(scr)
}

// Where there are choices a written number is one of them, and words are the
// answer; neither came from elsewhere.
func TestAnswerIsWritten(t *testing.T) {
	s := newStage(t)
	for id, c := range map[clew.SessionID]struct{ write, told, answer string }{
		"sess_number": {"2", "answered", "answered by owner: Blue"},
		"sess_words":  {"rather green", "your words were the answer", "rather green"},
	} {
		s.session(id, "")
		s.say(id, "choose a colour")
		scr := s.attach(id, 80, 24)
		scr.see("Which colour?", "2  Blue", "tab to answer")
		scr.typed("yes")
		scr.press("Enter")
		scr.see("not sent: to answer, press tab, then a number")
		scr.press("BSpace", "BSpace", "BSpace")
		scr.typed(c.write)
		scr.press("Enter")
		scr.see(c.told)
		scr.see(c.answer, "Painted.", "idle")
		leave(scr)
	}
}

// While an agent works, words steer it or wait; a paste presses no keys; a draft
// outlives the program.
func TestSteerQueueDraft(t *testing.T) {
	s := newStage(t)
	s.session("sess_1", "Slow")
	scr := s.attach("sess_1", 80, 24)
	scr.see("Nothing said yet.")
	scr.typed("take your time")
	scr.press("Enter")
	scr.see("I think about it.", "working")
	scr.typed("later please")
	scr.see("enter steers", "ctrl+q queues")
	scr.press("C-q")
	scr.see("○ waits  later please")
	scr.typed("hurry up")
	scr.press("Enter")
	scr.see("while it worked", "│ hurry up")
	scr.do("set-buffer", "-b", "p", "pasted\nlines\x03 \x1b[A and 한국어\n")
	scr.do("paste-buffer", "-p", "-b", "p")
	scr.see("› pasted", "lines", "한국어")
	scr.see("● live")
	keepsDraft(s, scr)
	leave(scr)
	again := s.attach("sess_1", 80, 24)
	again.see("› pasted", "lines")
	leave(again)
}

// Esc stops an agent at the second time; other sessions that need somebody show;
// commands have names; a session that is not there is an error.
func TestStopNewOthers(t *testing.T) {
	s := newStage(t)
	s.session("sess_1", "Slow")
	scr := s.attach("sess_1", 80, 24)
	scr.see("Nothing said yet.")
	scr.typed("take your time")
	scr.press("Enter")
	scr.see("I think about it.", "working 0:", "esc stops")
	scr.press("Escape")
	scr.see("esc again stops the agent")
	scr.press("Escape")
	scr.see("┊ stopped", "○ Slow  stopped")
	s.session("sess_2", "Asks")
	s.say("sess_2", "make it friendlier")
	scr.see("1 more needs you · ctrl+o")
	scr.press("C-o")
	scr.see("› ◇ Run this command?")
	scr.press("Enter")
	scr.see("$ sh greet.sh", "y yes · n no · a always")
	scr.gone("more needs you")
	scr.press("a")
	scr.see("commands like sh greet.sh")
	scr.press("Escape")
	scr.see("tab to answer")
	scr.typed("/")
	scr.see("/model", "/help")
	scr.typed("new")
	scr.press("Enter")
	scr.see("Nothing said yet.", "1 more needs you")
	leave(scr)
	none := s.attach("sess_nowhere", 80, 24)
	if code := none.over(); code == "0" {
		t.Errorf("a session that is not there:\n%s", none.printed())
	}
}

// keepsDraft waits until the server has what is being written.
func keepsDraft(s *stage, scr *screen) {
	scr.until("a draft on the server", func(string) bool {
		var d struct {
			Text string `json:"text"`
		}
		err := s.API().Call(s.T.Context(), "GET", "/sessions/sess_1/draft", nil, nil, &d)
		return err == nil && strings.HasPrefix(d.Text, "pasted\nlines")
	})
}

// Leaving says how to come back; a terminal that cannot show a screen is told so.
func TestLeave(t *testing.T) {
	s := newStage(t)
	s.session("sess_1", "")
	scr := s.attach("sess_1", 80, 24)
	scr.see("● live")
	scr.press("Escape")
	scr.see("q leave")
	scr.press("q")
	if code := scr.over(); code != "0" {
		t.Errorf("it ended with %s", code)
	}
	if out := scr.printed(); !strings.Contains(out, "You left; the work continues.") || !strings.Contains(out, "attach sess_1") {
		t.Errorf("it said:\n%s", out)
	}
	dumb := newScreen(t, 80, 24, "TERM=dumb "+s.Srv.Path()+" attach sess_1 --server "+s.Srv.URL()+" --data "+s.Srv.Dir)
	if code := dumb.over(); code == "0" {
		t.Error("a dumb terminal is no failure")
	}
	if out := dumb.printed(); !strings.Contains(out, "show a screen") || !strings.Contains(out, "--plain") {
		t.Errorf("it said:\n%s", out)
	}
	mono := newScreen(t, 80, 24, s.Srv.Path()+" attach sess_1 --server "+s.Srv.URL()+" --data "+s.Srv.Dir, "NO_COLOR=1")
	mono.see("● live")
	if out := mono.styled(); regexp.MustCompile(`\x1b\[(3[0-8]|9[0-7])`).MatchString(out) {
		t.Errorf("colours despite NO_COLOR:\n%q", out)
	}
}
