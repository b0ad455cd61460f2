package tui

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clew-run/clew/internal/picture"
	"github.com/clew-run/clew/internal/tui/paint"
)

// An attachedImage is a file of this machine that goes with a message as long as its
// label stands in the text.
type attachedImage struct {
	label, url string
}

// maxHeldImages bounds what is held for messages that are sent again.
const maxHeldImages = 20

// localPath is a path from the top, as it is typed, dragged into a terminal or copied
// from a file manager: plain, with escaped spaces, in quotes, or as an address.
var (
	localPath = regexp.MustCompile(`(^|\s)@?('/[^'\n]+'|"/[^"\n]+"|(?:file://|~)?/(?:\\.|[^\s\\'"])+)`)
	escaped   = regexp.MustCompile(`\\(.)`)
)

// attachPasted gives what stands for a paste: labels for paths of images, if it is
// nothing but paths. A path within other words may be part of a log.
func (m *model) attachPasted(text string) string {
	if strings.TrimSpace(localPath.ReplaceAllString(text, "")) != "" {
		return text
	}
	if with := m.attachPaths(text); with != text {
		return strings.TrimSpace(with) + " "
	}
	return text
}

// attachTyped puts a label in the place of an image's path that was just typed: of the
// word before the cursor.
func (m *model) attachTyped() {
	c := &m.write
	to := c.Cursor
	for to > 0 && unicode.IsSpace(c.Text[to-1]) {
		to--
	}
	from := to
	for from > 0 && !unicode.IsSpace(c.Text[from-1]) {
		from--
	}
	word := string(c.Text[from:to])
	if label := m.attachPaths(word); label != word {
		rest := string(c.Text[to:])
		behind := len([]rune(rest)) - (c.Cursor - to)
		c.Set(string(c.Text[:from]) + label + rest)
		c.Cursor -= behind
	}
}

// attachPaths puts a label in the place of each path of an image that is on this machine.
// All else stays as it is.
func (m *model) attachPaths(text string) string {
	return localPath.ReplaceAllStringFunc(text, func(found string) string {
		part := localPath.FindStringSubmatch(found)
		name := plainPath(part[2])
		if !picture.Named(name) {
			return found
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return found
		}
		label, err := m.attach(name)
		if err != nil {
			m.tell(paint.Fail, err.Error())
			return found
		}
		return part[1] + label
	})
}

// plainPath takes quotes and escapes off.
func plainPath(text string) string {
	if rest, ok := strings.CutPrefix(text, "file://"); ok {
		if plain, err := url.PathUnescape(rest); err == nil {
			return plain
		}
	}
	if quote := text[0]; quote == '\'' || quote == '"' {
		return text[1 : len(text)-1]
	}
	text = escaped.ReplaceAllString(text, "$1")
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return text
}

// attach reads an image, and gives the label that stands for it.
func (m *model) attach(name string) (label string, err error) {
	url, err := picture.Read(name, picture.ShareOf(picture.Most))
	if err != nil {
		return "", err
	}
	base := strings.NewReplacer("[", "(", "]", ")").Replace(filepath.Base(name))
	label = "[image " + base + "]"
	for n := 2; m.imageOf(label) != nil && m.imageOf(label).url != url; n++ {
		label = fmt.Sprintf("[image %s %d]", base, n)
	}
	if m.imageOf(label) == nil {
		m.images = append(m.images, attachedImage{label, url})
		m.images = m.images[max(0, len(m.images)-maxHeldImages):]
	}
	return label, nil
}

func (m *model) imageOf(label string) *attachedImage {
	i := slices.IndexFunc(m.images, func(a attachedImage) bool { return a.label == label })
	if i < 0 {
		return nil
	}
	return &m.images[i]
}

// imagesIn are the images whose labels stand in a text.
func (m *model) imagesIn(text string) []string {
	var urls []string
	for _, a := range m.images {
		if strings.Contains(text, a.label) {
			urls = append(urls, a.url)
		}
	}
	return urls
}
