// Command changelog joins the fragments of changelog.d. A change has a file of its own
// there, so that branches do not meet in the same lines of CHANGELOG.md.
//
//	changelog notes VERSION    print the notes of a version
//	changelog fold VERSION     move the fragments into CHANGELOG.md
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	document  = "CHANGELOG.md"
	fragments = "changelog.d"
	readme    = "README.md"
	// unreleased is where sections of new versions go.
	unreleased = "## [Unreleased]\n"
	// maxText is the longest fragment: three sentences.
	maxText = 600
)

// kinds are the headings of a version, in their order.
var kinds = []string{"added", "changed", "fixed", "removed", "security"}

var (
	fileName = regexp.MustCompile(`^([a-z0-9]+(?:-[a-z0-9]+)*)\.([a-z]+)\.md$`)
	semver   = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
)

// An entry is a fragment.
type entry struct{ file, kind, text string }

func main() {
	if len(os.Args) != 3 || os.Args[1] != "notes" && os.Args[1] != "fold" {
		fail(fmt.Errorf("usage: changelog notes|fold VERSION"))
	}
	run := notes
	if os.Args[1] == "fold" {
		run = fold
	}
	out, err := run(".", strings.TrimPrefix(os.Args[2], "v"))
	if err != nil {
		fail(err)
	}
	fmt.Print(out)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "changelog:", err)
	os.Exit(1)
}

// notes gives the section of a version, without its heading: that of CHANGELOG.md, or
// what the fragments will make of it.
func notes(dir, version string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, document))
	if err != nil {
		return "", err
	}
	if section, ok := sectionOf(string(text), version); ok {
		return section, nil
	}
	entries, err := read(dir)
	return markdown(entries), err
}

// fold moves the fragments into a new section of CHANGELOG.md.
func fold(dir, version string) (string, error) {
	if !semver.MatchString(version) {
		return "", fmt.Errorf("%q is no version such as 1.2.3", version)
	}
	entries, err := read(dir)
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", fmt.Errorf("%s has no fragments", fragments)
	}
	name := filepath.Join(dir, document)
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if _, ok := sectionOf(string(text), version); ok {
		return "", fmt.Errorf("%s has version %s", document, version)
	}
	before, after, ok := strings.Cut(string(text), unreleased)
	if !ok {
		return "", fmt.Errorf("%s has no line %q", document, strings.TrimSpace(unreleased))
	}
	joined := before + unreleased + "\n## [" + version + "]\n\n" + markdown(entries) + "\n" + strings.TrimLeft(after, "\n")
	if err := os.WriteFile(name, []byte(joined), 0o644); err != nil { //nolint:gosec // a document
		return "", err
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, fragments, e.file)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d fragments are in %s now, as version %s\n", len(entries), document, version), nil
}

// read gives all fragments in the order of their names.
func read(dir string) ([]entry, error) {
	files, err := os.ReadDir(filepath.Join(dir, fragments))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, f := range files {
		if f.Name() == readme {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, fragments, f.Name()))
		if err != nil {
			return nil, err
		}
		e, err := parse(f.Name(), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", fragments, f.Name(), err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func parse(file, text string) (entry, error) {
	name := fileName.FindStringSubmatch(file)
	text = strings.TrimSpace(text)
	switch {
	case name == nil:
		return entry{}, fmt.Errorf("the name has another form than some-words.changed.md")
	case !slices.Contains(kinds, name[2]):
		return entry{}, fmt.Errorf("%q is none of %s", name[2], strings.Join(kinds, ", "))
	case text == "":
		return entry{}, fmt.Errorf("it is empty")
	case strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "#") || strings.Contains(text, "\n\n"):
		return entry{}, fmt.Errorf("it has a heading, a list or several paragraphs: write one paragraph")
	case len(text) > maxText:
		return entry{}, fmt.Errorf("it has %d bytes, more than %d", len(text), maxText)
	case !strings.HasSuffix(text, "."):
		return entry{}, fmt.Errorf("its last sentence has no full stop")
	}
	return entry{file: file, kind: name[2], text: text}, nil
}

// markdown lists the entries under the headings of their kinds.
func markdown(entries []entry) string {
	var out strings.Builder
	for _, kind := range kinds {
		heading := "### " + strings.ToUpper(kind[:1]) + kind[1:] + "\n\n"
		for _, e := range entries {
			if e.kind == kind {
				out.WriteString(heading + "- " + strings.ReplaceAll(e.text, "\n", "\n  ") + "\n")
				heading = ""
			}
		}
		if heading == "" {
			out.WriteString("\n")
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// sectionOf finds the section of a version.
func sectionOf(text, version string) (string, bool) {
	_, after, ok := strings.Cut(text, "\n## ["+version+"]")
	if !ok {
		return "", false
	}
	_, after, _ = strings.Cut(after, "\n") // the date
	section, _, _ := strings.Cut(after, "\n## [")
	return strings.TrimSpace(section) + "\n", true
}
