package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxLinesNamed = 10
	maxNearest    = 3
	maxReverts    = 100
)

// A replacement puts one text in the place of another.
type replacement struct {
	old, new string
	all      bool
}

// suit gives the replacement with the line endings of a text. Models write LF;
// in a file whose lines all end in CR LF that is what they mean.
func (r replacement) suit(text string) replacement {
	if allCRLF(text) {
		r.old, r.new = toCRLF(r.old), toCRLF(r.new)
	}
	return r
}

func (r replacement) apply(text string) (string, error) {
	r = r.suit(text)
	at := places(text, r.old, maxLinesNamed+1)
	switch {
	case len(at) == 0:
		return "", notFound(text, r.old)
	case r.all:
		return strings.ReplaceAll(text, r.old, r.new), nil
	case len(at) > 1:
		return "", fmt.Errorf("old is in the file more than once (lines %s); give more of the text around it, or set replace_all", lineList(text, at))
	}
	return text[:at[0]] + r.new + text[at[0]+len(r.old):], nil
}

// applied reports whether a text may be what came of it. Its line endings do not tell
// those of the text before: the only LF may have been replaced.
func (r replacement) applied(text string) bool {
	return r.suit(text).leads(text) || r.leads(text)
}

// leads looks for a way back: a place of the new text where the old one may have
// been, and been the only one.
func (r replacement) leads(text string) bool {
	if r.new == "" {
		return !strings.Contains(text, r.old)
	}
	if r.all {
		back := strings.ReplaceAll(text, r.new, r.old)
		return back != text && strings.ReplaceAll(back, r.old, r.new) == text
	}
	for _, i := range places(text, r.new, maxReverts) {
		back := text[:i] + r.old + text[i+len(r.new):]
		if len(places(back, r.old, 2)) == 1 {
			return true
		}
	}
	return false
}

// places lists where s is in text, overlaps included: "aa" is in "aaa" twice,
// and nobody can say which was meant.
func places(text, s string, limit int) []int {
	var at []int
	for from := 0; len(at) < limit; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

func lineList(text string, at []int) string {
	var lines []string
	for _, i := range at[:min(len(at), maxLinesNamed)] {
		lines = append(lines, strconv.Itoa(strings.Count(text[:i], "\n")+1))
	}
	if len(at) > maxLinesNamed {
		lines = append(lines, "…")
	}
	return strings.Join(slices.Compact(lines), ", ")
}

// notFound helps to find what was meant: lines that are like the first line of
// the text looked for.
func notFound(text, old string) error {
	near := nearest(text, old)
	if near == "" {
		return fmt.Errorf("old is not in the file; read it again")
	}
	return fmt.Errorf("old is not in the file, letter by letter; the nearest lines are:\n%s", near)
}

func nearest(text, old string) string {
	want := ""
	for line := range strings.Lines(old) {
		if want = strings.TrimSpace(line); want != "" {
			break
		}
	}
	if want == "" {
		return ""
	}
	type candidate struct {
		number, score int
		line          string
	}
	var best []candidate
	number := 0
	for line := range strings.Lines(text) {
		number++
		score := likeness(strings.TrimSpace(line), want)
		if score < 50 {
			continue
		}
		best = append(best, candidate{number, score, strings.TrimRight(line, "\r\n")})
		slices.SortStableFunc(best, func(a, b candidate) int { return b.score - a.score })
		best = best[:min(len(best), maxNearest)]
	}
	var out strings.Builder
	for _, c := range best {
		shown, _ := firstRunes(c.line, 200)
		fmt.Fprintf(&out, "%6d\t%s\n", c.number, strings.ToValidUTF8(shown, "\uFFFD"))
	}
	return out.String()
}

// likeness gives in percent how much of two lines is the same at their
// beginnings and ends.
func likeness(a, b string) int {
	if a == b {
		return 100
	}
	n := min(len(a), len(b))
	if n == 0 {
		return 0
	}
	head := 0
	for head < n && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return 100 * (head + tail) / max(len(a), len(b))
}

// allCRLF reports whether every line of a text ends in CR LF.
func allCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && n == strings.Count(text, "\r\n")
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
