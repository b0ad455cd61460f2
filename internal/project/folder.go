package project

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Folder is a set of files that was read at once, by their paths: what a trusted
// workspace or a person's home says to agents. What counts is what was read, and not
// what the files say later.
type Folder struct {
	Files map[string][]byte
	// Label stands before paths for people and models, "" for a workspace.
	Label string
}

// under lists the files below a directory, sorted.
func (f Folder) under(dir string) []string {
	var list []string
	for name := range f.Files {
		if strings.HasPrefix(name, dir+"/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// A Fault is a file that does not count, and why.
type Fault struct{ Path, Problem string }

func (f Fault) String() string { return f.Path + ": " + f.Problem }

// frontMatter parts a Markdown file into the fields at its top and the text. A file
// without fields is all text.
func frontMatter(data []byte, into any) (body string, err error) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte("---\n"))
	if !ok {
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	}
	head, text, ok := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---\n"))
	if !ok {
		if head, ok = bytes.CutSuffix(rest, []byte("\n---")); !ok {
			return "", errors.New("the fields at the top have no end: a line --- is missing")
		}
		text = nil
	}
	if yaml.Unmarshal(head, into) != nil && yaml.Unmarshal(quoted(head), into) != nil {
		return "", errors.New("the fields at the top are not valid YAML")
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

var field = regexp.MustCompile(`(?m)^([A-Za-z_-]+):[ \t]+(.+)$`)

// quoted takes the values of fields for texts: people write colons and brackets in
// them without quotes, and other programs take that.
func quoted(head []byte) []byte {
	return field.ReplaceAllFunc(head, func(line []byte) []byte {
		m := field.FindSubmatch(line)
		return fmt.Appendf(nil, "%s: %q", m[1], m[2])
	})
}

// clip cuts a text at a line. It reports whether it did.
func clip(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	return text[:strings.LastIndexByte(text[:most], '\n')+1], true
}

func depth(dir, name string) int { return strings.Count(strings.TrimPrefix(path.Dir(name), dir), "/") }
