package client

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// PlainYesNo reports that a text says nothing but yes or nothing but no, and
// which of the two. At an open approval or plan review such words must not be
// sent as a message: words deny the one and change the other, so a yes would be
// taken for its opposite. A user interface says how to answer instead.
func PlainYesNo(text string) (yes, plain bool) {
	words := strings.Fields(strings.Map(withoutMarks, strings.ToLower(text)))
	if len(words) == 0 || len(words) > 6 {
		return false, false
	}
	switch {
	case only(words, clew.PlainYes):
		return true, true
	case only(words, clew.PlainNo):
		return false, true
	}
	return false, false
}

// withoutMarks turns punctuation into spaces: "Yes, go ahead!" is plain. A
// question mark stays, for a question is no answer.
func withoutMarks(r rune) rune {
	switch r {
	case '.', '!', ',', '~', '…', '。', '！', '，', '、', '"', '\'', '’', '`':
		return ' '
	}
	return r
}

// only reports that words are made of such phrases, with nothing left but
// courtesy.
func only(words []string, phrases []string) bool {
	found := false
	for len(words) > 0 {
		if found && slices.Contains(clew.PlainCourtesy, words[0]) {
			words = words[1:]
			continue
		}
		n := 0
		for _, p := range phrases {
			if n = strings.Count(p, " ") + 1; n <= len(words) && strings.Join(words[:n], " ") == p {
				break
			}
			n = 0
		}
		if n == 0 {
			return false
		}
		found, words = true, words[n:]
	}
	return found
}
