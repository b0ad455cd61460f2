package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// source is where files are that the site links to and does not have.
const source = "https://github.com/clew-run/clew/"

// copyPages takes the pages of the order, and the pictures.
func (s *site) copyPages(root fs.FS) error {
	names := []string{home, order}
	for _, kind := range s.sections {
		for _, x := range append([]section{kind}, kind.sections...) {
			for _, p := range x.pages {
				names = append(names, p.name)
			}
		}
	}
	if err := complete(root, names); err != nil {
		return err
	}
	for _, pattern := range []string{"docs/pictures/*", "docs/tour/*"} {
		pictures, err := fs.Glob(root, pattern)
		if err != nil {
			return err
		}
		names = append(names, pictures...)
	}
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s.files[name] = text
	}
	for name, text := range s.files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		page, err := s.page(root, name, string(text))
		if err != nil {
			return err
		}
		s.files[name] = []byte(page)
	}
	return nil
}

// complete says whether every page of docs/ has its place in the order.
func complete(root fs.FS, names []string) error {
	for _, pattern := range []string{"docs/*.md", "docs/adr/*.md"} {
		found, err := fs.Glob(root, pattern)
		if err != nil {
			return err
		}
		for _, name := range found {
			if !slices.Contains(names, name) {
				return fmt.Errorf("%s does not list %s", order, name)
			}
		}
	}
	return nil
}

var (
	// A block of code, a comment, or one line of a text.
	parts = regexp.MustCompile("(?ms)^```.*?^```$|^<!--.*?-->$|^.*?$")
	// The words behind a block's language are for tests, not for the generator.
	options = regexp.MustCompile("^(```[a-z]*) [^\n]*")
	target  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// Python's Markdown wants an empty line before a list.
	item = regexp.MustCompile(`^(\d+\.|[-*]) `)
)

// page is a page as the site has it: links to files that the site lacks lead to the
// repository.
func (s *site) page(root fs.FS, name, text string) (string, error) {
	var wrong error
	var lines []string
	for _, part := range parts.FindAllString(text, -1) {
		if strings.HasPrefix(part, "<!--") { // for tests and generators
			continue
		}
		if strings.HasPrefix(part, "```") {
			lines = append(lines, options.ReplaceAllString(part, "$1"))
			continue
		}
		if n := len(lines); item.MatchString(part) && n > 0 && lines[n-1] != "" && isText(lines[n-1]) {
			lines = append(lines, "")
		}
		lines = append(lines, target.ReplaceAllStringFunc(part, func(m string) string {
			to, err := s.link(root, name, target.FindStringSubmatch(m)[1])
			if err != nil {
				wrong = err
			}
			return "](" + to + ")"
		}))
	}
	return strings.Join(lines, "\n") + "\n", wrong
}

// isText says whether a line is one of a paragraph, behind which a list may begin.
func isText(line string) bool {
	return !item.MatchString(line) && !strings.HasPrefix(line, " ")
}

func (s *site) link(root fs.FS, from, to string) (string, error) {
	file, anchor, _ := strings.Cut(to, "#")
	if file == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return to, nil
	}
	name := path.Join(path.Dir(from), file)
	if _, ok := s.files[name]; ok {
		return to, nil
	}
	info, err := fs.Stat(root, name)
	if err != nil {
		return "", fmt.Errorf("%s links to %s, which is not there", from, to)
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	if info.IsDir() {
		return source + "tree/main/" + name + anchor, nil
	}
	return source + "blob/main/" + name + anchor, nil
}
