package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A word is a piece of a text that can be found.
type word struct {
	start, end int // bytes in the text
	form       string
	// cjk words are pairs of characters: these scripts have no spaces.
	cjk bool
	// last is the single character that ends a run of them.
	last bool
}

// wordMax bounds a word, in bytes. Longer ones (keys, encoded data) are found by
// how they begin.
const wordMax = 64

// splitWords cuts a text into words. What is neither letter nor digit separates, so
// request_key, Request-Key and "request key" are the same two words. A run of
// characters of a script without spaces becomes overlapping pairs and, at its end,
// the last character: every part of it is found as a phrase or by its first character.
func splitWords(text string) []word {
	var words []word
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case spaceless(r):
			i = addPairs(&words, text, i)
		case wordRune(r):
			end := i + n
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !wordRune(r) || spaceless(r) {
					break
				}
				end += n
			}
			if form := foldWord(text[i:end]); form != "" {
				words = append(words, word{start: i, end: end, form: form})
			}
			i = end
		default:
			i += n
		}
	}
	return words
}

func addPairs(words *[]word, text string, at int) (end int) {
	for {
		r, n := utf8.DecodeRuneInString(text[at:])
		next, m := utf8.DecodeRuneInString(text[at+n:])
		if m == 0 || !spaceless(next) {
			*words = append(*words, word{start: at, end: at + n, form: foldWord(string(r)), cjk: true, last: true})
			return at + n
		}
		*words = append(*words, word{start: at, end: at + n + m, form: foldWord(text[at : at+n+m]), cjk: true})
		at += n
	}
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

var scripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// spaceless reports whether a character is of a script that is written without
// spaces, or, as Korean, with endings that stick to words.
func spaceless(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || wordRune(r) && unicode.In(r, scripts...))
}

// foldWord gives the form in which words are compared: small letters without marks.
func foldWord(w string) string {
	ascii := true
	for i := range len(w) {
		ascii = ascii && w[i] < utf8.RuneSelf
	}
	if !ascii {
		bare := strings.Map(func(r rune) rune {
			if r >= 0x300 && r < 0x370 { // accents of Latin, Greek and Cyrillic
				return -1
			}
			return r
		}, norm.NFKD.String(w))
		w = norm.NFC.String(bare)
	}
	w = strings.ToLower(w)
	if len(w) > wordMax {
		end := wordMax
		for !utf8.RuneStart(w[end]) {
			end--
		}
		w = w[:end]
	}
	// A compatibility form may hold a space or a sign; the index would split it there.
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && !wordRune(r) {
			return -1
		}
		return r
	}, w)
}

// indexed is a text as the index gets it: its words, with spaces between them.
func indexed(text string) string {
	var b strings.Builder
	for i, w := range splitWords(text) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.form)
	}
	return b.String()
}

// clean makes a text ready to be kept: valid, composed and not too long.
func clean(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit]
	}
	return norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD"))
}
