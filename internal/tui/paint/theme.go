package paint

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew/internal/term"
)

// A Depth is how many colours a terminal has.
type Depth uint8

// The depths.
const (
	Mono    Depth = iota // bold and the like only
	Sixteen              // the terminal's own colours
	Many                 // the 256 of most terminals
	Full
)

// A Theme is how a terminal shows styles. The zero value is for one without
// colours.
type Theme struct {
	Light bool
	Depth Depth
}

// The colours of the web face, for dark and for light paper.
var (
	dark = [inks]string{
		Soft: "38;2;169;164;151", Run: "38;2;79;184;170", Ask: "38;2;232;163;92", Fail: "38;2;240;139;129",
		Past: "38;2;134;128;115", Add: "38;2;127;201;154", Del: "38;2;240;147;138",
	}
	light = [inks]string{
		Soft: "38;2;98;94;85", Run: "38;2;15;110;102", Ask: "38;2;143;69;8", Fail: "38;2;176;37;29",
		Past: "38;2;124;119;108", Add: "38;2;26;107;58", Del: "38;2;163;38;31",
	}
	manyDark = [inks]string{
		Soft: "38;5;248", Run: "38;5;73", Ask: "38;5;179", Fail: "38;5;210", Past: "38;5;243", Add: "38;5;114", Del: "38;5;210",
	}
	manyLight = [inks]string{
		Soft: "38;5;240", Run: "38;5;23", Ask: "38;5;94", Fail: "38;5;124", Past: "38;5;244", Add: "38;5;22", Del: "38;5;124",
	}
	sixteen = [inks]string{Soft: "90", Run: "36", Ask: "33", Fail: "31", Past: "90", Add: "32", Del: "31"}
)

func (t Theme) ink(i Ink) string {
	switch {
	case t.Depth == Mono:
		return ""
	case t.Depth == Sixteen:
		return sixteen[i]
	case t.Depth == Many && t.Light:
		return manyLight[i]
	case t.Depth == Many:
		return manyDark[i]
	case t.Light:
		return light[i]
	}
	return dark[i]
}

// codes gives the parameters that a style begins with, "" for plain text.
func (t Theme) codes(s Style) string {
	codes := make([]string, 0, 6)
	for _, c := range []struct {
		on   bool
		code string
	}{{s.Bold, "1"}, {s.Italic, "3"}, {s.Underline, "4"}, {s.Reverse, "7"}, {s.Strike, "9"}} {
		if c.on {
			codes = append(codes, c.code)
		}
	}
	if ink := t.ink(s.Ink); ink != "" {
		codes = append(codes, ink)
	}
	return strings.Join(codes, ";")
}

// Encode writes the line for the terminal, cut to width columns. Each span is
// cleaned once more: whatever a caller forgot, no escape sequence leaves here
// but the theme's own.
func (t Theme) Encode(l Line, width int) string {
	clean := make(Line, len(l))
	for i, s := range l {
		clean[i] = Span{term.CleanLine(s.Text), s.Style}
	}
	var b strings.Builder
	for _, s := range clean.Cut(width) {
		if codes := t.codes(s.Style); codes != "" && s.Text != "" {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[m", codes, s.Text)
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}
