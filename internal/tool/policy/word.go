package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// literal gives the one text that a word stands for, or says why it could
// stand for another. It knows fewer spellings than bash on purpose: what it
// does not know is asked about.
func literal(word *syntax.Word) (string, error) {
	var b strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text, err := bare(p.Value)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", errors.New("it has a word in $'…'")
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, err := doubleQuoted(p)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		default:
			return "", errors.New("it has a word that the shell would expand")
		}
	}
	return b.String(), nil
}

// bare reads text outside of quotes.
func bare(text string) (string, error) {
	var b strings.Builder
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			if r != '\n' {
				b.WriteRune(r)
			}
		case r == '\\':
			escaped = true
		case plain(r):
			b.WriteRune(r)
		default:
			return "", fmt.Errorf("it has %q outside of quotes", r)
		}
	}
	if escaped {
		return "", errors.New("it ends in a backslash")
	}
	return b.String(), nil
}

// plain reports whether a character outside of quotes means itself, wherever in
// a word it stands. Globs, braces, tildes and all the shell's own are missing.
func plain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:=,@%+^#", r)
}

func doubleQuoted(q *syntax.DblQuoted) (string, error) {
	if q.Dollar {
		return "", errors.New(`it has a word in $"…"`)
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", errors.New("it has a word that the shell would expand")
		}
		text, err := unescape(lit.Value)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// unescape reads text inside of double quotes, where a backslash means itself
// before most characters.
func unescape(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$' || c == '`':
			return "", errors.New("it has a word that the shell would expand")
		case c != '\\':
			b.WriteByte(c)
		case i+1 == len(text):
			return "", errors.New("it ends in a backslash")
		case strings.IndexByte("$`\"\\", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case text[i+1] == '\n':
			i++
		default:
			b.WriteByte('\\')
		}
	}
	return b.String(), nil
}

// unknownWord stands for a word that only running would tell.
const unknownWord = "\x00"

// guess gives what a word most likely stands for, for the deny list only. It
// takes variables for empty, so r${x}m is rm; there a wrong guess costs a
// question, no more.
func guess(word *syntax.Word) []string {
	var b strings.Builder
	split := false
	for _, part := range word.Parts {
		text, fields := guessPart(part, &split)
		if !fields {
			return []string{unknownWord}
		}
		b.WriteString(text)
	}
	if split {
		return strings.Fields(b.String())
	}
	return []string{b.String()}
}

func guessPart(part syntax.WordPart, split *bool) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return strings.ReplaceAll(strings.ReplaceAll(p.Value, "\\\n", ""), "\\", ""), true
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true
		}
		text, _, err := expand.Format(nil, p.Value, nil)
		return text, err == nil
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, inner := range p.Parts {
			ignored := false
			text, ok := guessPart(inner, &ignored)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		}
		return b.String(), true
	case *syntax.ParamExp:
		return guessParam(p, split)
	}
	return "", false
}

func guessParam(p *syntax.ParamExp, split *bool) (string, bool) {
	switch {
	case p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull ||
		p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		return strings.Join(guess(p.Exp.Word), " "), true
	case p.Param != nil && p.Param.Value == "IFS":
		*split = true
		return " ", true
	}
	*split = true
	return "", true
}
