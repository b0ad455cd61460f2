package search

import (
	"strings"
	"unicode"
)

// Limits on what one query may ask for.
const (
	// QueryMax is how long a query may be, in characters.
	QueryMax  = 500
	termsMax  = 16
	phraseMax = 32 // words in a term
)

// A term is what has to be in a text: words that follow each other.
type term struct {
	words []word
	// open means that the last word may go on.
	open bool
	// begun means that it is a single letter, which finds words of one letter only.
	begun bool
}

// parseQuery reads what somebody typed: words that all have to be there, each found by
// its beginning; "words in quotes" have to follow each other as they are. There are no
// operators, so no query is wrong.
func parseQuery(q string) []term {
	var terms []term
	for i, part := range strings.Split(clean(q, 4*QueryMax), `"`) {
		pieces := []string{part}
		if quoted := i%2 == 1; !quoted {
			pieces = strings.FieldsFunc(part, unicode.IsSpace)
		}
		for _, piece := range pieces {
			if t := newTerm(piece, i%2 == 1); len(t.words) > 0 && len(terms) < termsMax {
				terms = append(terms, t)
			}
		}
	}
	if n := len(terms); n > 1 && terms[n-1].begun && !strings.HasSuffix(q, " ") {
		terms = terms[:n-1] // somebody is typing it
	}
	return terms
}

func newTerm(text string, quoted bool) term {
	words := splitWords(text)
	n := len(words)
	if n > 1 && words[n-1].last && words[n-2].cjk { // the pair before has it
		words = words[:n-1]
	}
	words = words[:min(len(words), phraseMax)]
	t := term{words: words}
	if n := len(words); n > 0 {
		last := words[n-1]
		t.begun = !quoted && n == 1 && len(last.form) == 1 && last.form[0] >= 'a'
		t.open = last.cjk && last.last || !quoted && !last.cjk && len(last.form) > 1
	}
	return t
}

// expression gives the terms to FTS5. Words have no character that means something
// there, and are quoted.
func expression(terms []term) string {
	var all []string
	for _, t := range terms {
		var words []string
		for _, w := range t.words {
			words = append(words, w.form)
		}
		e := `"` + strings.Join(words, " ") + `"`
		if t.open {
			e += " *"
		}
		all = append(all, e)
	}
	return strings.Join(all, " AND ")
}

// sideBySide gives several terms as one that wants them next to each other.
func sideBySide(terms []term) term {
	var all term
	for i, t := range terms {
		words := t.words
		if n := len(words); i < len(terms)-1 && n > 0 && words[n-1].cjk && !words[n-1].last {
			return term{} // what follows a part of a run is not known
		}
		all.words = append(all.words, words...)
		all.open = t.open
	}
	return all
}
