//go:build linux

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// A page is a document that people read.
type page struct {
	name   string   // below the repository
	prose  []string // its lines, empty where code or a comment is
	blocks []block
	spans  []span
	run    string // the words of <!-- page: … -->, for all blocks that have none of their own
	model  string // what the scripted model says on this page, from <!-- model … -->
}

// A block is fenced code, with what the hidden comments above it say.
type block struct {
	line   int
	lang   string
	text   string
	before string // commands of <!-- before … -->, which readers need not see
	run    string // the words of <!-- run: … -->
	around string // the rest of the program, from <!-- around … -->
}

// A span is code inside a sentence.
type span struct {
	line int
	text string
}

// pages are all that has to be true. ADRs tell what was, and the changelog too.
func pages(t *testing.T) []page {
	t.Helper()
	var list []page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md", "deploy/README.md", "deploy/*/README.md", "sdk/*/README.md", "tools/README.md", "web/e2e/README.md", "bench/README.md"} {
		files, err := filepath.Glob(filepath.Join(proc.Root(), pattern))
		proc.Must(t, err)
		for _, file := range files {
			name, err := filepath.Rel(proc.Root(), file)
			proc.Must(t, err)
			if name == "CHANGELOG.md" || strings.HasPrefix(name, "docs/adr/") {
				continue
			}
			b, err := os.ReadFile(file)
			proc.Must(t, err)
			p, err := readPage(name, string(b))
			if err != nil {
				t.Errorf("%s:%v", name, err)
				continue
			}
			list = append(list, p)
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d pages were found", len(list))
	}
	return list
}

// shell says whether a block holds commands.
func (b block) shell() bool {
	return slices.Contains([]string{"sh", "bash", "shell", "console"}, b.lang)
}

var inline = regexp.MustCompile("``[^`]+(?:`[^`]+)*``|`[^`]+`")

// translation is a page such as README.ko.md.
var translation = regexp.MustCompile(`^(.*)\.[a-z]{2}\.md$`)

func readPage(name, text string) (page, error) {
	p := page{name: name}
	r := reader{lines: strings.Split(text, "\n")}
	for r.at < len(r.lines) {
		if err := r.step(&p); err != nil {
			return p, err
		}
	}
	p.prose, p.spans = r.prose, r.spans()
	if m := translation.FindStringSubmatch(name); m != nil && p.run == "" {
		p.run = "as " + m[1] + ".md"
	}
	return p, nil
}

// A reader goes through the lines of a page.
type reader struct {
	lines []string
	at    int
	above block    // what comments said since the last line of text
	prose []string // the text alone, as many lines as the page has
}

func (r *reader) step(p *page) error {
	line := strings.TrimSpace(r.lines[r.at])
	switch {
	case strings.HasPrefix(line, "```"):
		b := r.fence(line)
		p.blocks = append(p.blocks, b)
		r.above = block{}
	case strings.HasPrefix(line, "<!--"):
		return r.comment(p)
	default:
		if line != "" {
			if r.above != (block{}) {
				return positioned(r.at, "a comment that says how to run a block stands directly above it")
			}
			if command.MatchString(r.lines[r.at]) && (r.at == 0 || strings.TrimSpace(r.lines[r.at-1]) == "" || command.MatchString(r.lines[r.at-1])) {
				return positioned(r.at, "commands stand in a block between ```sh and ```")
			}
		}
		r.prose = append(r.prose, r.lines[r.at])
		r.at++
	}
	return nil
}

// command is one in a block that is made by indentation, which has no language.
var command = regexp.MustCompile(`^ {4,}(\$ )?(clew|make|go) [a-z-]`)

func (r *reader) fence(opening string) block {
	b := r.above
	b.line = r.at + 1
	b.lang, _, _ = strings.Cut(strings.TrimLeft(opening, "`"), " ")
	indent := len(r.lines[r.at]) - len(strings.TrimLeft(r.lines[r.at], " "))
	r.skip()
	var text strings.Builder
	for ; r.at < len(r.lines) && strings.TrimSpace(r.lines[r.at]) != "```"; r.skip() {
		line := r.lines[r.at]
		text.WriteString(line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):] + "\n")
	}
	if r.at < len(r.lines) {
		r.skip()
	}
	b.text = text.String()
	return b
}

// skip leaves out a line that is no prose.
func (r *reader) skip() {
	r.prose = append(r.prose, "")
	r.at++
}

func (r *reader) comment(p *page) error {
	start := r.at
	var text strings.Builder
	for {
		if r.at == len(r.lines) {
			return positioned(start, "a comment has no end")
		}
		line := r.lines[r.at]
		r.skip()
		text.WriteString(line + "\n")
		if strings.Contains(line, "-->") {
			break
		}
	}
	body, _, _ := strings.Cut(strings.TrimSpace(text.String())[len("<!--"):], "-->")
	switch words := strings.TrimSpace(body); {
	case strings.HasPrefix(words, "run:"):
		r.above.run = strings.TrimSpace(words[len("run:"):])
	case strings.HasPrefix(words, "page:"):
		p.run = strings.TrimSpace(words[len("page:"):])
	case strings.HasPrefix(words, "before\n"):
		r.above.before += words[len("before\n"):] + "\n"
	case strings.HasPrefix(words, "around\n"):
		r.above.around = words[len("around\n"):] + "\n"
	case strings.HasPrefix(words, "model\n"):
		p.model += words[len("model\n"):] + "\n"
	}
	return nil
}

// spans are all pieces of code in the prose, and lines that are set apart by
// indentation. A piece may go over the end of a line.
func (r *reader) spans() []span {
	text := strings.Join(r.prose, "\n")
	var list []span
	for i, line := range r.prose {
		if strings.HasPrefix(line, "    ") {
			list = append(list, span{i + 1, strings.TrimSpace(line)})
		}
	}
	for _, at := range inline.FindAllStringIndex(text, -1) {
		code := strings.Trim(text[at[0]:at[1]], "`")
		if strings.Contains(code, "\n\n") {
			continue
		}
		list = append(list, span{1 + strings.Count(text[:at[0]], "\n"), strings.Join(strings.Fields(strings.ReplaceAll(code, `\|`, "|")), " ")})
	}
	return list
}
