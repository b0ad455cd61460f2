package env

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	xterm "github.com/charmbracelet/x/term"

	"github.com/clew-run/clew/internal/term"
)

// program is this program as it was called, so that the lines work where it is
// not in the PATH.
func program() string {
	if name := os.Args[0]; filepath.Base(name) == "clew" {
		return quote(name)
	}
	return "clew"
}

// quote makes one word of a text for a shell.
func quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%=", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// HelpWidth is how wide help is at most.
const HelpWidth = 80

// Reflow breaks the lines of a text anew, for the width of a terminal. Paragraphs
// with lines that are set in stay as they are.
func Reflow(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, " ") && !strings.Contains(p, "\n ") {
			paragraphs[i] = strings.Join(term.Wrap(strings.ReplaceAll(p, "\n", " "), width), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// Plain takes out what could command a terminal or turn the order of its text:
// titles and messages are written by models and strangers.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return '\uFFFD'
		}
		return r
	}, s)
}

// Cut gives the beginning of a text that fits into n columns.
func Cut(s string, n int) string { return term.Cut(s, n) }

// Listed is how many lines of a kind a person gets to see; --json has all.
const Listed = 30

// A Page is text for a person, written in order; the first error is kept.
type Page struct {
	W   io.Writer
	Err error
}

// Line writes a line.
func (p *Page) Line(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format+"\n", args...)
	}
}

// More says how many lines were left out.
func (p *Page) More(total, shown int) {
	if total > min(shown, Listed) {
		p.Line("    … and %d more", total-min(shown, Listed))
	}
}

// Columns is how wide the terminal is that a person sees the output on.
func Columns(w io.Writer) (width int, person bool) {
	f, ok := w.(*os.File)
	if !ok || !IsTerminal(f) {
		return 0, false
	}
	if n, _, err := xterm.GetSize(f.Fd()); err == nil && n > 0 {
		return n, true
	}
	return HelpWidth, true
}

// IsTerminal reports whether a person may sit behind a file.
func IsTerminal(f *os.File) bool { return xterm.IsTerminal(f.Fd()) }
