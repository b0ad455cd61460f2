package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
)

func firstLine(d *desk) string {
	line, _, _ := strings.Cut(d.text(), "\n")
	return line
}

// The first line keeps what the session is doing, whatever the room.
func TestHeadKeepsState(t *testing.T) {
	for width := smallestWidth; width <= 120; width++ {
		d := newDesk(t, width, 24)
		s := clew.SessionState{Title: "A long title about a friendlier greeting for everybody", Usage: &clew.Usage{TokensIn: 123_456, CostUSD: 1.25}}
		s.Viewers = clew.List[clew.Viewer]{{UserID: "owner"}}
		d.opens(s)
		d.asks(approval("q1", "one"))
		if line := firstLine(d); !strings.Contains(line, "needs you") || !strings.Contains(line, "A long") {
			t.Errorf("at %d columns: %q", width, line)
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Title: "Short", Usage: &clew.Usage{TokensIn: 123_456, CostUSD: 1.25}})
	if line := firstLine(d); !strings.Contains(line, "123.5k tokens · $1.25") {
		t.Errorf("with room: %q", line)
	}
}

// In a small window a question comes before everything else.
func TestSmallWindows(t *testing.T) {
	for _, size := range [][2]int{{30, 8}, {40, 8}, {40, 12}, {60, 12}, {80, 15}} {
		d := newDesk(t, size[0], size[1])
		s := planned()
		for n := 1; n <= 20; n++ {
			s.Messages = append(s.Messages, message(n, fmt.Sprintf("message %d.", n)))
		}
		d.seq = 20
		s.LastMessageID = clew.MessageIDOf(20)
		d.opens(s)
		d.asks(approval("q1", "make test"))
		d.sees("Run this command?", "$ make test", "tab to answer")
		d.press("tab")
		d.sees("y yes · n no")
		d.safe()
		d.press("tab") // somebody reads
		d.sees("Run this command?", "message 20.")
		d.press("tab", "ctrl+p")
		d.sees("Plan 1 of 3", "Run this command?")
		d.safe()
	}
}

// What is unfolded is brought onto the screen.
func TestUnfoldIsSeen(t *testing.T) {
	d := newDesk(t, 80, 24)
	s := clew.SessionState{}
	for n := 1; n <= 30; n++ {
		s.Messages = append(s.Messages, message(n, fmt.Sprintf("message %d.", n)))
	}
	s.Messages = append(s.Messages, clew.Message{
		MessageID: clew.MessageIDOf(31), Type: clew.TypeSay, Say: clew.SayReasoning, Role: clew.SpeakerAssistant, Text: "one\ntwo\nthree\nfour\nfive\nsix",
	})
	d.opens(s)
	d.press("esc", "enter")
	d.sees("▾ thought", "six")
	d.press("enter")
	d.seesNot("six")
}

// A window that changes its size keeps the row that is looked at.
func TestResize(t *testing.T) {
	d := newDesk(t, 80, 24)
	s := clew.SessionState{}
	for n := 1; n <= 60; n++ {
		s.Messages = append(s.Messages, message(n, fmt.Sprintf("message %d. %s", n, strings.Repeat("some words ", 12))))
	}
	d.opens(s)
	d.press("pgup", "pgup", "pgup")
	top := d.m.sight.top
	for _, size := range [][2]int{{200, 50}, {40, 12}, {30, 8}, {20, 4}, {80, 24}} {
		d.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.m.View()
		if size[0] >= smallestWidth {
			d.safe()
		}
	}
	if d.m.sight.follow || d.m.sight.top != top {
		t.Errorf("the row at the top is %s, it was %s", d.m.sight.top, top)
	}
}

// What is over has nothing to be done with.
func TestPlanIsOver(t *testing.T) {
	over, none := planned(), planned()
	over.Status, none.CurrentLayer = clew.StatusCompleted, ""
	for name, s := range map[string]clew.SessionState{"over": over, "no run": none} {
		d := newDesk(t, 80, 24)
		d.opens(s)
		d.press("ctrl+p")
		for _, not := range []string{"p pause", "c cancel", "s skip"} {
			d.seesNot(not)
		}
		d.press("p", "c", "s", "t")
		if len(d.sent) != 0 || d.m.prompt != nil {
			t.Errorf("%s: sent %v", name, d.sent)
		}
	}
}

// The composer breaks between words, and the cursor stays in the text.
func TestComposerWraps(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"make the greeting friendlier", "make the |greeting |friendlier|"}, // the cursor is behind it,
		{"abcdefghijkl", "abcdefghij|kl"},
		{"abcdefghij klm", "abcdefghij |klm"},
		{"abc  def    ghi", "abc  def   | ghi"},
		{"한국어 문장 하나", "한국어 |문장 하나"},
		{"ab\ncd", "ab|cd"},
	} {
		var e editor
		e.Set(c.text)
		if got := strings.Join(e.lay(10).lines, "|"); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
		for e.Cursor = range len(e.Text) + 1 {
			l := e.lay(10)
			if l.row >= len(l.lines) || l.col > 11 {
				t.Errorf("%q: the cursor at %d is in line %d, column %d", c.text, e.Cursor, l.row, l.col)
			}
		}
	}
}

// A kernel at work is seen in the first line.
func TestHeadShowsBusyKernel(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Title: "Data"})
	d.m.state.Notebooks = []clew.NotebookInfo{{Cells: clew.List[string]{"a", "b"}, Run: &clew.CellRun{CellID: "b"}, Kernel: clew.KernelInfo{State: clew.KernelBusy}}}
	if line := firstLine(d); !strings.Contains(line, "kernel runs cell 2 of 2") {
		t.Errorf("it shows %q", line)
	}
	d.m.state.Notebooks[0].Kernel.State = clew.KernelIdle
	if line := firstLine(d); strings.Contains(line, "kernel") {
		t.Errorf("an idle one: %q", line)
	}
}
