//go:build linux

package docs

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	anchored = regexp.MustCompile(`\]\(([^)\s:]*)#([^)\s]+)\)`)
	heading  = regexp.MustCompile(`^#{1,6} +(.*)$`)
	linked   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// A link to a part of a page leads to a heading. That the pages are there, the test of
// internal/layers sees.
func TestAnchorsExist(t *testing.T) {
	all := pages(t)
	parts := map[string]map[string]bool{}
	for _, p := range all {
		parts[p.name] = p.anchors()
	}
	found := 0
	for _, p := range all {
		for i, line := range p.prose {
			for _, m := range anchored.FindAllStringSubmatch(inline.ReplaceAllString(line, ""), -1) {
				target := p.name
				if m[1] != "" {
					target = path.Join(path.Dir(p.name), m[1])
				}
				known, read := parts[target]
				if found++; read && !known[m[2]] {
					t.Errorf("%s:%d: %s has no heading #%s", p.name, i+1, target, m[2])
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d links were found", found)
	}
}

func TestAnchors(t *testing.T) {
	p, err := readPage("x.md", "# A page\n\n## What `clew ls` [says](y.md): all, of it\n\n## Why\n\n## Why\n\n```sh\n# no heading\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.anchors(), map[string]bool{"a-page": true, "what-clew-ls-says-all-of-it": true, "why": true, "why-1": true}; !maps.Equal(got, want) {
		t.Error(got)
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func (p page) anchors() map[string]bool {
	known := map[string]bool{}
	for _, line := range p.prose {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, linked.ReplaceAllString(m[1], "$1"))
		for n, again := 1, name; known[name]; n++ {
			name = fmt.Sprintf("%s-%d", again, n)
		}
		known[name] = true
	}
	return known
}
