package git

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Change is a file that differs.
type Change struct {
	Path      string `json:"path" doc:"Below the workspace"`
	Old       string `json:"old_path,omitempty" doc:"If it was renamed"`
	Status    string `json:"status" doc:"added, deleted, modified, renamed or mode"`
	Added     int    `json:"added" doc:"Lines"`
	Deleted   int    `json:"deleted" doc:"Lines"`
	Binary    bool   `json:"binary,omitempty"`
	Truncated bool   `json:"truncated,omitempty" doc:"The difference is too large to show"`
	Unified   string `json:"unified,omitempty" doc:"How the text differs, with three lines around each change"`
}

// Count counts the lines of a unified difference.
func (c *Change) Count() {
	inside := false
	for line := range strings.Lines(c.Unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true // what stands before names the files
		case inside && line[0] == '+':
			c.Added++
		case inside && line[0] == '-':
			c.Deleted++
		}
	}
}

// maxPatch bounds the text of an answer.
const maxPatch = 2 << 20

// statuses are git's letters.
var statuses = map[byte]string{'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'T': "modified"}

// changes tells how two trees differ, for files below a directory of the work
// tree ("" = all), with their texts if wanted.
func (s *shadow) changes(ctx context.Context, from, to, below string, texts bool) ([]Change, error) {
	args := []string{"diff-tree", "-r", "-z", "-M", "--no-ext-diff", "--no-textconv"}
	tail := []string{from, to}
	if below != "" {
		args, tail = append(args, "--relative="+below+"/"), append(tail, "--", below)
	}
	fields, err := s.list(ctx, s.repo.Root, "", append(append(args, "--raw"), tail...)...)
	if err != nil {
		return nil, err
	}
	list := parseRaw(fields)
	if len(list) == 0 {
		return list, nil
	}
	if fields, err = s.list(ctx, s.repo.Root, "", append(append(args, "--numstat"), tail...)...); err != nil {
		return nil, err
	}
	count(list, fields)
	if !texts {
		return list, nil
	}
	out := limited{room: maxPatch}
	err = s.run(ctx, "", nil, &out, append(append(args, "-p", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"), tail...)...)
	if err != nil && !out.over {
		return nil, err
	}
	attach(list, out.String(), out.over)
	return list, nil
}

// parseRaw reads --raw -z: ":modes hashes S" and one or two paths.
func parseRaw(fields []string) []Change {
	list := []Change{}
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(fields[i])
		if len(words) < 5 {
			return list
		}
		c := Change{Path: fields[i+1], Status: statuses[words[4][0]]}
		if words[4][0] == 'R' && i+2 < len(fields) {
			c.Old, c.Path = fields[i+1], fields[i+2]
			i++
		}
		if c.Status == "modified" && words[2] == words[3] {
			c.Status = "mode"
		}
		list = append(list, c)
	}
	return list
}

// count reads --numstat -z, which has the same files in the same order.
func count(list []Change, fields []string) {
	i := 0
	for at := range list {
		if i >= len(fields) {
			return
		}
		words := strings.SplitN(fields[i], "\t", 3)
		if len(words) < 3 {
			return
		}
		list[at].Binary = words[0] == "-"
		list[at].Added, _ = strconv.Atoi(words[0])
		list[at].Deleted, _ = strconv.Atoi(words[1])
		i++
		if words[2] == "" { // renamed: both names follow
			i += 2
		}
	}
}

// attach gives each file its part of a patch. Every line of a text begins with a
// sign, so a line that begins like this is a head.
func attach(list []Change, patch string, cut bool) {
	parts := strings.Split("\n"+patch, "\ndiff --git ")
	if len(parts) > 0 {
		parts = parts[1:]
	}
	if cut && len(parts) > 0 {
		parts = parts[:len(parts)-1] // half a text tells a lie
	}
	for i := range list {
		if i >= len(parts) {
			list[i].Truncated = !list[i].Binary && list[i].Added+list[i].Deleted > 0
			continue
		}
		if at := strings.Index(parts[i], "\n--- "); at >= 0 && !list[i].Binary {
			text := strings.TrimSuffix(parts[i][at+1:], "\n") + "\n"
			if !utf8.ValidString(text) {
				text = strings.ToValidUTF8(text, "\uFFFD")
			}
			list[i].Unified = text
		}
	}
}

// limited keeps what is written to it up to a limit.
type limited struct {
	bytes.Buffer
	room int
	over bool
}

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > l.room {
		l.Buffer.Write(b[:l.room-l.Len()])
		l.over = true
		return 0, errOver
	}
	return l.Buffer.Write(b)
}

var errOver = errTooMuch{}

type errTooMuch struct{}

func (errTooMuch) Error() string { return "there is more than can be shown" }
