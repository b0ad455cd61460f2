package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// plainly writes a coloured picture in one way only. What tmux gives depends on
// the order in which parts of the screen were drawn, and on colours of spaces,
// which nobody sees.
func plainly(styled string) string {
	var out strings.Builder
	var now []string // the style that holds
	shown := ""      // the style that was written last
	write := func(text string) {
		for _, r := range text {
			style := strings.Join(now, ";")
			if r == '\n' {
				style = ""
			}
			if (r != ' ' || slices.Contains(now, "7")) && style != shown {
				out.WriteString("\x1b[0m")
				if style != "" {
					out.WriteString("\x1b[" + style + "m")
				}
				shown = style
			}
			out.WriteRune(r)
		}
	}
	for styled != "" {
		at := sgr.FindStringSubmatchIndex(styled)
		if at == nil {
			break
		}
		write(styled[:at[0]])
		now = after(now, styled[at[2]:at[3]])
		styled = styled[at[1]:]
	}
	write(styled)
	return out.String()
}

// after is a style once a sequence came: attributes in order, the colour last.
func after(now []string, codes string) []string {
	var colour []string
	attributes := slices.DeleteFunc(slices.Clone(now), func(s string) bool { return len(s) > 1 })
	for _, s := range now {
		if len(s) > 1 {
			colour = []string{s}
		}
	}
	list := strings.Split(codes, ";")
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == "" || c == "0":
			attributes, colour = nil, nil
		case c == "39":
			colour = nil
		case c == "38" && i+2 < len(list):
			colour = []string{strings.Join(list[i:i+3], ";")} // 256 colours
			i += 2
		case len(c) == 1:
			attributes = append(attributes, c)
		case c == "49": // there are no backgrounds
		default:
			colour = []string{c}
		}
	}
	slices.Sort(attributes)
	return append(slices.Compact(attributes), colour...)
}

func TestPlainly(t *testing.T) {
	one := plainly("\x1b[38;5;9ma \x1b[1mb\x1b[0m c\nd")
	two := plainly("\x1b[38;5;9ma\x1b[0m \x1b[38;5;9;1mb\x1b[39m\x1b[0m c\nd")
	if want := "\x1b[0m\x1b[38;5;9ma \x1b[0m\x1b[1;38;5;9mb \x1b[0mc\nd"; one != want || two != want {
		t.Errorf("%q and %q, want %q", one, two, want)
	}
}
