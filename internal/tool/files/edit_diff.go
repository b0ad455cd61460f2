package files

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// A patch is a unified diff of one file. It is applied where its line numbers
// say or not at all.
type patch struct{ text string }

func (p patch) apply(text string) (string, error) { return p.put(text, false) }

func (p patch) applied(text string) bool {
	_, err := p.put(text, true)
	return err == nil
}

// put applies the diff, or takes it back. It is tried as it stands first. Then,
// since models do not write CR LF or the mark of a missing last line break, with
// the file's own way in both.
func (p patch) put(text string, reverse bool) (string, error) {
	out, err := strictly(p.text, text, reverse)
	crlf := allCRLF(text)
	bare := text != "" && !strings.HasSuffix(text, "\n") && !strings.Contains(p.text, "\n\\ No newline")
	if err == nil || !crlf && !bare {
		return out, err
	}
	d, src := p.text, text
	if crlf {
		d, src = strings.ReplaceAll(d, "\r\n", "\n"), strings.ReplaceAll(src, "\r\n", "\n")
	}
	if bare {
		src += "\n"
	}
	if out, err = strictly(d, src, reverse); err != nil {
		return "", err
	}
	if bare {
		out = strings.TrimSuffix(out, "\n")
	}
	if crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out, nil
}

func strictly(d, text string, reverse bool) (string, error) {
	hunks, err := parse(d)
	if err != nil {
		return "", err
	}
	if reverse {
		for _, h := range hunks {
			turn(h)
		}
	}
	var out bytes.Buffer
	a := gitdiff.NewTextApplier(&out, strings.NewReader(text))
	for i, h := range hunks {
		// Without a line to compare there is nothing that says where it belongs.
		if h.OldLines == 0 && text != "" {
			return "", fmt.Errorf("hunk %d has no line of the file as it is; give lines of context", i+1)
		}
		if err := a.ApplyFragment(h); err != nil {
			return "", misfit(text, i, h, err)
		}
	}
	if err := a.Close(); err != nil {
		return "", fmt.Errorf("the diff cannot be applied: %w", err)
	}
	return out.String(), nil
}

// parse reads the hunks of a diff of one file. The header is read for what it
// asks for beyond a change of text, which is refused, and dropped.
func parse(d string) ([]*gitdiff.TextFragment, error) {
	if !strings.HasSuffix(d, "\n") {
		d += "\n"
	}
	start := 0
	if !strings.HasPrefix(d, "@@ ") {
		i := strings.Index(d, "\n@@ ")
		if i < 0 {
			return nil, errors.New("the diff has no hunk (a line that starts with @@)")
		}
		start = i + 1
	}
	if err := checkHeader(d[:start]); err != nil {
		return nil, err
	}
	body := d[start:]
	files, _, err := gitdiff.Parse(strings.NewReader("--- a/file\n+++ b/file\n" + body))
	if err != nil {
		return nil, fmt.Errorf("the diff cannot be read: %s", strings.TrimPrefix(err.Error(), "gitdiff: "))
	}
	if len(files) != 1 {
		return nil, errors.New("the diff must be of one file")
	}
	hunks := files[0].TextFragments
	if lines(body) > length(hunks) {
		return nil, errors.New("the diff has lines that belong to no hunk; check the numbers in its @@ lines")
	}
	return hunks, nil
}

func checkHeader(h string) error {
	named := 0
	for line := range strings.Lines(h) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "+++ ") {
			named++
		}
		for _, other := range []string{"deleted file", "new file", "rename ", "copy ", "old mode", "new mode", "+++ /dev/null", "--- /dev/null"} {
			if strings.HasPrefix(line, other) {
				return fmt.Errorf("the diff does more than change the text of a file (%s)", strings.TrimSpace(other))
			}
		}
	}
	if named > 1 {
		return errors.New("the diff must be of one file")
	}
	return nil
}

// lines counts the lines of a text without empty ones at its end.
func lines(s string) int {
	s = strings.TrimRight(s, "\r\n")
	return strings.Count(s, "\n") + 1
}

// length counts the lines that hunks take in a diff.
func length(hunks []*gitdiff.TextFragment) int {
	n := 0
	for _, h := range hunks {
		n += 1 + len(h.Lines)
		for _, l := range h.Lines {
			if l.NoEOL() {
				n++
			}
		}
	}
	return n
}

// turn makes a hunk its own opposite.
func turn(h *gitdiff.TextFragment) {
	h.OldPosition, h.NewPosition = h.NewPosition, h.OldPosition
	h.OldLines, h.NewLines = h.NewLines, h.OldLines
	h.LinesAdded, h.LinesDeleted = h.LinesDeleted, h.LinesAdded
	h.Lines = slices.Clone(h.Lines)
	for i := range h.Lines {
		switch h.Lines[i].Op {
		case gitdiff.OpAdd:
			h.Lines[i].Op = gitdiff.OpDelete
		case gitdiff.OpDelete:
			h.Lines[i].Op = gitdiff.OpAdd
		}
	}
}

// misfit says where a hunk and the file part, and what the file has there.
func misfit(text string, i int, h *gitdiff.TextFragment, err error) error {
	var ae *gitdiff.ApplyError
	if !errors.As(err, &ae) || ae.FragmentLine < 1 || ae.FragmentLine > len(h.Lines) {
		return fmt.Errorf("hunk %d does not fit: %w", i+1, err)
	}
	want, _ := firstRunes(strings.TrimRight(h.Lines[ae.FragmentLine-1].Line, "\r\n"), 200)
	have, number := "", int64(0)
	for line := range strings.Lines(text) {
		if number++; number == ae.Line {
			have, _ = firstRunes(strings.TrimRight(line, "\r\n"), 200)
			break
		}
	}
	return fmt.Errorf("hunk %d does not fit: line %d of the file is %q, the diff has %q there", i+1, ae.Line, have, want)
}
