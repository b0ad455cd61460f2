package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Fragment is a piece of an excerpt.
type Fragment struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty" doc:"It is what was looked for"`
}

const (
	excerptBefore = 60  // bytes, about
	excerptLength = 240 // bytes, about
)

// found is where a term stands in a text.
type found struct {
	start, end int
	term       int
}

// findTerms gives the places of all terms, in order.
func findTerms(text string, terms []term) []found {
	var list []found
	words := splitWords(text)
	for i := range words {
		for n, t := range terms {
			if !t.at(words[i:]) {
				continue
			}
			last := words[i+len(t.words)-1]
			if want := t.words[len(t.words)-1]; want.cjk && want.last { // one character, of a pair perhaps
				_, n := utf8.DecodeRuneInString(text[last.start:])
				last.end = last.start + n
			}
			list = append(list, found{words[i].start, last.end, n})
		}
	}
	return list
}

// at reports whether words begin with the term.
func (t term) at(words []word) bool {
	if len(words) < len(t.words) {
		return false
	}
	for i, want := range t.words {
		have := words[i].form
		begins := t.open && i == len(t.words)-1 && strings.HasPrefix(have, want.form)
		if have != want.form && !begins {
			return false
		}
	}
	return true
}

// excerpt cuts the part out of a text where most terms stand together, in one line,
// and says what in it matches. score is higher the better it fits.
func excerpt(text string, terms []term) (parts []Fragment, score int) {
	places := findTerms(text, terms)
	if len(places) == 0 {
		return []Fragment{{Text: oneLine(text[:cutAt(text, excerptLength)])}}, 0
	}
	best := 0
	for i := range places {
		if n := distinct(places[i:], terms); n > score {
			best, score = i, n
		}
	}
	if together := sideBySide(terms); len(terms) > 1 && len(together.words) > 0 {
		if side := findTerms(text, []term{together}); len(side) > 0 {
			best = slices.IndexFunc(places, func(p found) bool { return p.start >= side[0].start })
			score += len(terms)
		}
	}
	from, to := window(text, places[best])
	return cut(text, from, to, marks(text, places)), score
}

// distinct counts the terms that stand in the window that begins at the first place.
func distinct(places []found, terms []term) int {
	seen := make([]bool, len(terms))
	n := 0
	for _, p := range places {
		if p.start > places[0].start+excerptLength-excerptBefore {
			break
		}
		if !seen[p.term] {
			seen[p.term] = true
			n++
		}
	}
	return n
}

// window is the part of the text around a place.
func window(text string, p found) (from, to int) {
	from = 0
	if p.start > excerptBefore {
		from = cutAt(text, p.start-excerptBefore)
		if i := strings.IndexFunc(text[from:p.start], unicode.IsSpace); i >= 0 { // whole words, if there are any
			from += i
		}
	}
	if i := strings.LastIndexByte(text[from:p.start], '\n'); i >= 0 {
		from += i + 1
	}
	to = cutAt(text, max(from+excerptLength, p.end))
	if i := strings.IndexByte(text[p.end:to], '\n'); i >= 0 && p.end+i-from > excerptBefore {
		to = p.end + i
	}
	return from, to
}

// cutAt gives the place at or before n where no character is cut in two.
func cutAt(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// marks puts places together that overlap, or that only one sign stands between.
func marks(text string, places []found) []found {
	var list []found
	for _, p := range places {
		if n := len(list); n > 0 && p.start <= list[n-1].end+1 && (p.start <= list[n-1].end || text[list[n-1].end] != '\n') {
			list[n-1].end = max(list[n-1].end, p.end)
			continue
		}
		list = append(list, p)
	}
	return list
}

func cut(text string, from, to int, marks []found) []Fragment {
	var parts []Fragment
	add := func(s string, match bool) {
		if s = oneLine(s); s != "" {
			parts = append(parts, Fragment{s, match})
		}
	}
	at := from
	for _, m := range marks {
		if m.start < from || m.start >= to {
			continue
		}
		add(text[at:m.start], false)
		end := min(m.end, to)
		add(text[m.start:end], true)
		at = end
	}
	add(text[at:to], false)
	if len(parts) == 0 {
		return parts
	}
	if first := &parts[0]; !first.Match {
		first.Text = strings.TrimLeft(first.Text, " ")
	}
	if last := &parts[len(parts)-1]; !last.Match {
		last.Text = strings.TrimRight(last.Text, " ")
	}
	if strings.TrimSpace(text[:from]) != "" {
		parts = append([]Fragment{{Text: "…"}}, parts...)
	}
	if strings.TrimSpace(text[to:]) != "" {
		parts = append(parts, Fragment{Text: "…"})
	}
	return slices.DeleteFunc(join(parts), func(p Fragment) bool { return p.Text == "" })
}

// join puts neighbours of one kind together.
func join(parts []Fragment) []Fragment {
	var list []Fragment
	for _, p := range parts {
		if n := len(list); n > 0 && list[n-1].Match == p.Match {
			list[n-1].Text += p.Text
			continue
		}
		list = append(list, p)
	}
	return list
}

// oneLine makes each run of white space one space, and leaves control characters out.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if unicode.IsControl(r) {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}
