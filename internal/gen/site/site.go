package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A site is its files by name, and the order of its pages.
type site struct {
	files    map[string][]byte
	sections []section
}

// A section is a kind of pages, or a group within one.
type section struct {
	title    string
	pages    []link
	sections []section
}

// A link is a page in the order, by its name in the repository.
type link struct{ title, name string }

const home, order = "README.md", "docs/README.md"

// build makes the site of a repository.
func build(root fs.FS) (*site, error) {
	text, err := fs.ReadFile(root, order)
	if err != nil {
		return nil, err
	}
	s := &site{files: map[string][]byte{}, sections: sectionsOf(string(text))}
	if err := s.copyPages(root); err != nil {
		return nil, err
	}
	openAPI, asyncAPI, err := descriptions()
	if err != nil {
		return nil, err
	}
	samples, err := samplesOf(root)
	if err != nil {
		return nil, err
	}
	s.files["openapi.json"], s.files["asyncapi.json"] = openAPI, asyncAPI
	http, err := s.httpPages(openAPI)
	if err != nil {
		return nil, err
	}
	messages, err := s.messagePages(asyncAPI, samples)
	if err != nil {
		return nil, err
	}
	for i := range s.sections {
		if s.sections[i].title == "Reference" {
			s.sections[i].sections = append(s.sections[i].sections, http, messages)
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s has no section Reference", order)
}

// sectionsOf reads the order: headings of two levels, and lists of links below them.
func sectionsOf(text string) []section {
	var all []section
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			all = append(all, section{title: line[3:]})
		case len(all) == 0:
		case strings.HasPrefix(line, "### "):
			top := &all[len(all)-1]
			top.sections = append(top.sections, section{title: line[4:]})
		case strings.HasPrefix(line, "- ["):
			title, rest, _ := strings.Cut(line[3:], "](")
			target, _, _ := strings.Cut(rest, ")")
			at := &all[len(all)-1]
			if n := len(at.sections); n > 0 {
				at = &at.sections[n-1]
			}
			at.pages = append(at.pages, link{title, path.Join("docs", target)})
		}
	}
	return all
}

// nav is the order as the generator reads it.
func (s *site) nav() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nav:\n- Home: %s\n- All pages: %s\n", home, order)
	writeSections(&b, s.sections, "")
	return b.String()
}

func writeSections(b *strings.Builder, all []section, indent string) {
	for _, x := range all {
		fmt.Fprintf(b, "%s- %q:\n", indent, x.title)
		for _, p := range x.pages {
			fmt.Fprintf(b, "%s  - %q: %s\n", indent, p.title, p.name)
		}
		writeSections(b, x.sections, indent+"  ")
	}
}
