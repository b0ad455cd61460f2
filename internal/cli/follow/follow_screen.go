package follow

import (
	"fmt"
	"io"
	"os"
	"strings"

	xterm "github.com/charmbracelet/x/term"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// An ink is how a piece of text looks where there are colours. All are of the 16
// that every theme has a say in.
type ink string

// The inks. PlainInk is ordinary text.
const (
	PlainInk ink = ""
	Faint    ink = "2"
	strong   ink = "1"
	Good     ink = "36" // cyan
	Waiting  ink = "33" // yellow
	Bad      ink = "31" // red
)

// A Screen writes a story line by line. On a terminal it breaks lines between
// words and keeps one status line below the story; elsewhere it writes text and
// nothing else. It belongs to one goroutine.
type Screen struct {
	w      io.Writer
	tty    *os.File // nil where it is none
	width  int      // columns; 0 where lines are not broken
	colour bool     //
	live   bool     // there is somebody to see a line that changes
	raw    bool     // the terminal takes newlines as they are

	column int    // of the line under way
	gap    int    // spaces to come before the next word
	word   string // the end of what was said, not yet shown: the word may go on
	status string // the status line as it stands there
	Err    error  // the first one
}

// widest keeps lines readable on a wide terminal.
const widest = 100

// NewScreen makes a screen of where output goes.
func NewScreen(a *env.App, w io.Writer) *Screen {
	s := &Screen{w: w, colour: Coloured(a, w)}
	if f, ok := w.(*os.File); ok && env.IsTerminal(f) {
		s.live = a.Getenv("TERM") != "dumb"
		s.tty, s.width = f, 80
		s.measure()
	}
	return s
}

// measure looks how wide the terminal is now.
func (s *Screen) measure() {
	if s.tty == nil {
		return
	}
	if n, _, err := xterm.GetSize(s.tty.Fd()); err == nil && n > 0 {
		s.width = max(20, min(n, widest))
	}
}

// Coloured decides as most programs do: what was said by flag, then NO_COLOR,
// then CLICOLOR_FORCE, then whether it is a terminal that knows colours.
func Coloured(a *env.App, w io.Writer) bool {
	switch {
	case a.Color == "always":
		return true
	case a.Color == "never" || a.Getenv("NO_COLOR") != "":
		return false
	case a.Getenv("CLICOLOR_FORCE") != "" && a.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	f, ok := w.(*os.File)
	return ok && a.Getenv("TERM") != "dumb" && env.IsTerminal(f)
}

func (s *Screen) Write(text string) {
	if s.raw {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if s.Err == nil {
		_, s.Err = io.WriteString(s.w, text)
	}
}

// paint wraps a text that is safe already in a colour.
func (s *Screen) paint(i ink, text string) string {
	if !s.colour || i == PlainInk || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

// say shows a growing text as it comes, word by word. end closes it.
func (s *Screen) say(text string) {
	s.clearStatus()
	s.word += text
	for {
		at := strings.IndexAny(s.word, " \n\t")
		if at < 0 {
			break
		}
		s.show(s.word[:at])
		switch s.word[at] {
		case '\n':
			s.newline()
		default:
			s.space(s.word[at] == '\t')
		}
		s.word = s.word[at+1:]
	}
	if term.Width(s.word) > widest { // no word of a language
		s.flush()
	}
}

// flush shows the word under way.
func (s *Screen) flush() {
	s.show(s.word)
	s.word = ""
}

func (s *Screen) show(word string) {
	word = strings.TrimSuffix(word, "\r") // of a line as Windows ends it
	if word == "" {
		return
	}
	word = term.Clean(word)
	n := term.Width(word)
	if s.width > 0 && s.column > 0 && s.column+s.gap+n > s.width {
		s.newline()
	}
	s.Write(strings.Repeat(" ", s.gap))
	s.column, s.gap = s.column+s.gap, 0
	for s.width > 0 && n > s.width { // longer than a line
		head, rest := term.Split(word, s.width)
		s.Write(head)
		s.newline()
		word, n = rest, term.Width(rest)
	}
	s.Write(word)
	s.column += n
}

func (s *Screen) space(tab bool) {
	n := 1
	if tab {
		n = term.Tab - (s.column+s.gap)%term.Tab
	}
	s.gap += n
}

func (s *Screen) newline() {
	s.Write("\n")
	s.column, s.gap = 0, 0
}

// end closes the line under way, if there is one.
func (s *Screen) end() {
	s.clearStatus()
	s.flush()
	if s.gap = 0; s.column > 0 {
		s.newline()
	}
}

// Line writes lines of their own, in a colour. The text need not be safe.
func (s *Screen) Line(i ink, format string, args ...any) {
	s.Block(i, "", fmt.Sprintf(format, args...))
}

// Item writes a text with a mark in front of its first line.
func (s *Screen) Item(i ink, mark, text string) {
	s.hang("  "+s.paint(i, mark)+" ", term.Width(mark)+3, PlainInk, text)
}

// Block writes a text of its own, each line behind the same few characters.
func (s *Screen) Block(i ink, indent, text string) {
	s.end()
	for _, line := range term.Wrap(strings.TrimRight(term.Clean(text), "\n"), s.room(term.Width(indent))) {
		s.Write(strings.TrimRight(indent+s.paint(i, line), " ") + "\n")
	}
}

// Paste writes lines with commands for a person to paste. They are not broken here: a
// terminal that breaks a line itself still copies it whole.
func (s *Screen) Paste(i ink, indent, text string) {
	s.end()
	for line := range strings.SplitSeq(strings.TrimRight(term.Clean(text), "\n"), "\n") {
		s.Write(indent + s.paint(i, line) + "\n")
	}
}

// hang writes a text whose first line has something in front that is so wide.
func (s *Screen) hang(front string, wide int, i ink, text string) {
	s.end()
	for _, line := range term.Wrap(strings.TrimRight(term.Clean(text), "\n"), s.room(wide)) {
		s.Write(front + s.paint(i, line) + "\n")
		front = strings.Repeat(" ", wide)
	}
}

// goesOn stands in front of what did not fit into the line above.
const goesOn = "↳ "

// exact writes a text that somebody is asked to allow: nothing of it is left out,
// also no space, and what did not fit is marked. first is in front of it, next in
// front of its other lines; both are equally wide.
func (s *Screen) exact(i ink, first, next, text string) {
	s.end()
	room := s.room(term.Width(next))
	for _, line := range strings.Split(strings.TrimRight(term.Clean(text), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, goesOn); ok { // it is no mark of ours
			line = "⟨21B3⟩ " + rest
		}
		head, rest := term.Split(line, room)
		s.Write(first + s.paint(i, head) + "\n")
		for first = next; rest != ""; {
			head, rest = term.Split(rest, room-term.Width(goesOn))
			s.Write(next + s.paint(Faint, goesOn) + s.paint(i, head) + "\n")
		}
	}
}

// room is how wide lines are behind an indent.
func (s *Screen) room(indent int) int {
	if s.width == 0 {
		return 1 << 20
	}
	return max(10, s.width-indent)
}

// SetStatus puts a line below the story that later ones take the place of. Nobody
// sees it where the output is no terminal.
func (s *Screen) SetStatus(text string) {
	if !s.live || s.column > 0 || s.word != "" {
		return
	}
	text = term.Cut(term.CleanLine(text), s.width-1)
	if text == s.status {
		return
	}
	s.Write("\r" + s.paint(Faint, text) + "\x1b[K")
	s.status = text
}

func (s *Screen) clearStatus() {
	if s.status != "" {
		s.Write("\r\x1b[K")
		s.status = ""
	}
}
