package term

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Exact is Clean for what a person is asked to allow: commands, paths, addresses,
// inputs, changes of files. There nothing may be left out and nothing may look
// like something else that is as short: a soft hyphen, a joiner, a variation
// selector, a space that is none (⟨00A0⟩), a carriage return, a mark too many are
// all spelled out. What it gives is clean.
func Exact(s string) string {
	if plain(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + 16)
	marks := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
			if marks++; marks > marksShown || disguised(r) {
				spell(&out, r)
				continue
			}
		default:
			marks = 0
		}
		switch {
		case r == '\r':
			out.WriteRune('␍')
		case disguised(r):
			spell(&out, r)
		default:
			out.WriteRune(r)
		}
	}
	return Clean(out.String())
}

// ExactLine is Exact for a text that must stay on one line.
func ExactLine(s string) string {
	return strings.ReplaceAll(Exact(s), "\n", "⏎")
}

func spell(out *strings.Builder, r rune) { fmt.Fprintf(out, "⟨%04X⟩", r) }

// disguised reports whether r shows nothing, or shows as something else.
func disguised(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r == 0x2800, // a Braille cell without dots
		r >= 0x1F3FB && r <= 0x1F3FF, // colours of skin, which Clean leaves out
		unicode.Is(unicode.Zs, r),
		unicode.Is(unicode.Cf, r),
		unicode.Is(unicode.Variation_Selector, r),
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return true
	}
	same := norm.NFC.PropertiesString(string(r)).Decomposition()
	return len(same) == 1 // it is written as a letter of ASCII, as the Kelvin sign is
}
