package call

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/planted"
)

const (
	maxMessage = 500
	maxCause   = 2000
	maxRaw     = 16 << 10 // what is looked at of a text; the rest cannot be seen anyway
	redacted   = "[redacted]"
)

// keyLike finds what looks like a key, whole or with its middle starred out as
// some providers do when they refuse one, and credentials in an address.
var keyLike = []struct {
	find    *regexp.Regexp
	replace string
}{
	{regexp.MustCompile(`(?i)\b(?:sk|rk|pk|gsk|xai|hf|api|key|token)[-_][a-z0-9_*.\-]{6,}`), redacted},
	{regexp.MustCompile(`\bAIza[A-Za-z0-9_\-]{10,}`), redacted},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`), "$1 " + redacted},
	{regexp.MustCompile(`(?i)\b((?:x-)?api[-_]?key|authorization)("?\s*[:=]\s*"?)[^\s"',;]+`), "$1$2" + redacted},
	{regexp.MustCompile(`://[^/\s@"']+@`), "://"},
}

// Secrets are the values of one call that no text may hold.
type Secrets []string

// Clean makes a provider's text safe for people: no secret, no control
// character, no mark that turns text around, at most 500 bytes.
func (s Secrets) Clean(text string) string { return s.clean(text, maxMessage) }

func (s Secrets) clean(text string, limit int) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxRaw)], "\uFFFD")
	if planted.Bug("provider's words not cleaned") {
		return cut(oneLine(text), limit)
	}
	for _, secret := range s {
		text = hide(text, secret)
	}
	for _, k := range keyLike {
		text = k.find.ReplaceAllString(text, k.replace)
	}
	return cut(oneLine(text), limit)
}

// hide takes out a secret, its escaped form, and any word that holds its
// beginning: a cut-off key is a good part of a key.
func hide(text, secret string) string {
	if len(secret) < 4 {
		return text // it would take letters out of every word and hide nothing
	}
	text = strings.ReplaceAll(text, secret, redacted)
	if escaped := url.QueryEscape(secret); escaped != secret {
		text = strings.ReplaceAll(text, escaped, redacted)
	}
	if len(secret) < 16 {
		return text
	}
	for from := 0; ; {
		i := strings.Index(text[from:], secret[:8])
		if i < 0 {
			return text
		}
		i += from
		end := i + 8
		if n := strings.IndexFunc(text[end:], wordEnd); n >= 0 {
			end += n
		} else {
			end = len(text)
		}
		text = text[:i] + redacted + text[end:]
		from = i + len(redacted)
	}
}

func wordEnd(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"',;)}]`, r) }

func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text))
}

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const more = "…"
	at := limit - len(more)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + more
}
