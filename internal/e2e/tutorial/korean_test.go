//go:build linux

package tutorial

import (
	"slices"
	"testing"
)

// The Korean pages have the parts of the English ones, and every command and output to
// the letter.
func TestKoreanIsInStep(t *testing.T) {
	for english, korean := range map[string]string{"README.md": "README.ko.md", "docs/tutorial.md": "docs/tutorial.ko.md"} {
		en, ko := readPage(t, english), readPage(t, korean)
		if !slices.Equal(en.headings, ko.headings) {
			t.Errorf("%s has the headings %v, %s %v", english, en.headings, korean, ko.headings)
		}
		if len(en.blocks) != len(ko.blocks) {
			t.Errorf("%s has %d fenced blocks, %s %d", english, len(en.blocks), korean, len(ko.blocks))
			continue
		}
		for i, b := range en.blocks {
			if b != ko.blocks[i] {
				t.Errorf("%s has\n%s\n%s has\n%s", english, b.text, korean, ko.blocks[i].text)
			}
		}
	}
}
