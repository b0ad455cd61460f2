package settings

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// shortestSecret is the length from which values are searched for. Shorter ones
// would turn up in innocent text.
const shortestSecret = 8

// A Redactor replaces secrets by [secret], in the forms that they usually take
// in text: as they are, escaped for URLs, JSON and Go, in base64 and in hex. It
// is the last line of defence behind code that shows no secrets in the first
// place. It is safe for concurrent use.
type Redactor struct {
	mu    sync.Mutex // guards known
	known map[string]bool

	patterns atomic.Pointer[patterns]
}

// patterns is what is searched for, longest first. It is never changed.
type patterns struct {
	texts    []string
	first    [256]bool // bytes that a pattern starts with
	replacer *strings.Replacer
}

// NewRedactor gives one that knows no secret yet.
func NewRedactor() *Redactor {
	r := &Redactor{known: map[string]bool{}}
	r.patterns.Store(newPatterns(nil))
	return r
}

// Add makes a secret known. It stays so, because old text may still hold it.
func (r *Redactor) Add(value string) {
	if len(value) < shortestSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[value] {
		return
	}
	r.known[value] = true
	texts := slices.Clone(r.patterns.Load().texts)
	r.patterns.Store(newPatterns(append(texts, forms(value)...)))
}

// Redact replaces all known secrets in a text.
func (r *Redactor) Redact(text string) string {
	p := r.patterns.Load()
	if len(p.texts) == 0 {
		return text
	}
	return p.replacer.Replace(text)
}

// Contains reports whether a text holds a known secret.
func (r *Redactor) Contains(text string) bool {
	return slices.ContainsFunc(r.patterns.Load().texts, func(t string) bool { return strings.Contains(text, t) })
}

func newPatterns(texts []string) *patterns {
	slices.SortFunc(texts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	p := &patterns{texts: slices.Compact(texts)}
	pairs := make([]string, 0, 2*len(p.texts))
	for _, t := range p.texts {
		p.first[t[0]] = true
		pairs = append(pairs, t, hidden)
	}
	p.replacer = strings.NewReplacer(pairs...)
	return p
}

// forms lists the ways in which a value may be written.
func forms(value string) []string {
	list := []string{value, strings.TrimSpace(value), url.QueryEscape(value), url.PathEscape(value),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	quoted := strconv.Quote(value)
	list = append(list, quoted[1:len(quoted)-1])
	list = append(list, jsonForm(value, true), jsonForm(value, false))
	list = append(list, base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(value)))
	for shift := range 3 {
		list = append(list, shiftedBase64(base64.RawStdEncoding, value, shift), shiftedBase64(base64.RawURLEncoding, value, shift))
	}
	return slices.DeleteFunc(list, func(s string) bool { return len(s) < shortestSecret })
}

func jsonForm(value string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(value) != nil {
		return ""
	}
	s := strings.TrimSuffix(b.String(), "\n")
	return s[1 : len(s)-1]
}

// shiftedBase64 gives the part of the base64 form that is the same whatever
// stands around the value, for a value that starts shift bytes into a group of
// three: so that it is found in the base64 of user:password too.
func shiftedBase64(enc *base64.Encoding, value string, shift int) string {
	encoded := enc.EncodeToString(append(make([]byte, shift), value...))
	start := []int{0, 2, 3}[shift]
	end := (shift + len(value)) * 8 / 6
	if start >= end {
		return ""
	}
	return encoded[start:end]
}

// Writer gives a writer that passes text on to w without secrets, also where
// one is split over several writes: a piece that could be the start of one is
// kept back until more comes, or Close. Close does not close w. The writer is
// safe for concurrent use.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &redactingWriter{redactor: r, to: w}
}

type redactingWriter struct {
	redactor *Redactor
	to       io.Writer

	mu   sync.Mutex
	kept []byte
}

func (w *redactingWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, kept := w.redactor.patterns.Load().scan(append(w.kept, p...), false)
	w.kept = slices.Clone(kept)
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what was kept back.
func (w *redactingWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, _ := w.redactor.patterns.Load().scan(w.kept, true)
	w.kept = nil
	if len(out) == 0 {
		return nil
	}
	_, err := w.to.Write(out)
	return err
}

// scan replaces patterns from the left. Unless all is there it stops where the
// rest may be the beginning of a pattern.
func (p *patterns) scan(data []byte, all bool) (out, rest []byte) {
	out = make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if !p.first[data[i]] {
			out = append(out, data[i])
			i++
			continue
		}
		length, open := p.match(data[i:])
		switch {
		case open && !all:
			return out, data[i:]
		case length > 0:
			out = append(out, hidden...)
			i += length
		default:
			out = append(out, data[i])
			i++
		}
	}
	return out, nil
}

// match gives the length of the longest pattern at the start of data, and
// whether a longer one may be under way.
func (p *patterns) match(data []byte) (length int, open bool) {
	for _, t := range p.texts {
		switch {
		case len(t) > len(data):
			open = open || strings.HasPrefix(t, string(data))
		case string(data[:len(t)]) == t:
			return len(t), open
		}
	}
	return 0, open
}
