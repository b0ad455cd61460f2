//go:build linux

package tutorial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// A block is one fenced part of a page.
type block struct {
	kind string // what stands behind the fence: sh, text
	text string
}

// A page is what a test needs of a Markdown file.
type page struct {
	headings []string // by their level alone: languages differ
	blocks   []block
}

func readPage(t *testing.T, name string) page {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(proc.Root(), name))
	proc.Must(t, err)
	var p page
	open := false
	for line := range strings.Lines(string(b)) {
		kind, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open:
			open = false
		case fence:
			open = true
			p.blocks = append(p.blocks, block{kind: strings.TrimSpace(kind)})
		case open:
			p.blocks[len(p.blocks)-1].text += line
		case strings.HasPrefix(line, "#"):
			level, _, _ := strings.Cut(line, " ")
			p.headings = append(p.headings, level)
		}
	}
	return p
}

// A step is the commands of a page up to the output that it shows for them.
type step struct {
	commands string
	output   []string
}

func (p page) steps() []step {
	var all []step
	for _, b := range p.blocks {
		switch b.kind {
		case "sh":
			all = append(all, step{commands: b.text})
		case "text":
			all[len(all)-1].output = strings.Split(strings.TrimSuffix(b.text, "\n"), "\n")
		}
	}
	return all
}
