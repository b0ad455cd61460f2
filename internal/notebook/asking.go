package notebook

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

const (
	helpWithin = 10 * time.Second // of an answer to somebody who types: the first one reads a library
	maxMatches = 300
	maxMatch   = 256      // bytes of one
	maxHelp    = 64 << 10 // bytes of what is known of a name
)

// Complete says what could stand at the cursor of code, counted in code points, as the
// notebook's kernel knows it. There is nothing without a kernel, while a cell runs, and
// if the kernel takes long or answers nonsense: no kernel is started for it, and nobody
// waits for an hour for the end of a word.
func (r *Runner) Complete(ctx context.Context, id clew.SessionID, notebook, code string, cursor int) kernel.Completion {
	k := r.asked(id, notebook)
	if k == nil {
		return kernel.Completion{}
	}
	ctx, cancel := context.WithTimeout(ctx, helpWithin)
	defer cancel()
	length := utf8.RuneCountInString(code)
	cursor = min(max(cursor, 0), length)
	c, err := k.client.Complete(ctx, code, cursor)
	if err != nil || c.Start < 0 || c.Start > cursor || c.End < c.Start || c.End > length {
		return kernel.Completion{}
	}
	var matches []string
	for _, m := range c.Matches {
		if len(matches) == maxMatches {
			break
		}
		if m != "" && len(m) <= maxMatch && utf8.ValidString(m) && !strings.ContainsFunc(m, isHidden) {
			matches = append(matches, m)
		}
	}
	return kernel.Completion{Matches: matches, Start: c.Start, End: c.End}
}

// isHidden says that people would not see a character that a match puts into their code.
func isHidden(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }

// Inspect gives the text of what the notebook's kernel knows of what stands at the cursor,
// with a terminal's colours. There is nothing where Complete has nothing.
func (r *Runner) Inspect(ctx context.Context, id clew.SessionID, notebook, code string, cursor, detail int) (text string, found bool) {
	k := r.asked(id, notebook)
	if k == nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, helpWithin)
	defer cancel()
	i, err := k.client.Inspect(ctx, code, min(max(cursor, 0), utf8.RuneCountInString(code)), detail)
	if err != nil || !i.Found || json.Unmarshal(i.Data["text/plain"], &text) != nil {
		return "", false
	}
	if len(text) > maxHelp {
		text = wholeRunes(text, maxHelp) + "\n…"
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError)), true
}

// asked gives the kernel of a notebook if it can answer now.
func (r *Runner) asked(id clew.SessionID, notebook string) *attached {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.live {
		if k.session == id && k.notebook == notebook && k.alive() && !k.busy.Load() {
			return k
		}
	}
	return nil
}
