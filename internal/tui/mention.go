package tui

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/internal/tui/paint"
)

// A mentioning is the list of files for the @ that is being typed. It opens by itself and
// leaves the composer to the person: keys that mean nothing to it are letters.
type mentioning struct {
	list
	found  []foundFile
	asked  string // what the server was asked for last
	asking bool
	closed int // where the @ stands whose list was closed, and 1; 0 for none
}

// A foundFile is one that the server found.
type foundFile struct {
	Path      string `json:"path"`
	Directory bool   `json:"directory"`
	Mention   string `json:"mention"` // as it stands in a message
}

const mentionLines = 10

// mentionAt finds the @word that the cursor stands in or behind.
func (c *composer) mentionAt() (from, to int, ok bool) {
	from, to = c.Cursor, c.Cursor
	for from > 0 && !unicode.IsSpace(c.Text[from-1]) {
		from--
	}
	for to < len(c.Text) && !unicode.IsSpace(c.Text[to]) {
		to++
	}
	if from < c.Cursor && c.Text[from] == '(' {
		from++
	}
	return from, to, from < c.Cursor && c.Text[from] == '@'
}

// mentions reports whether the list of files is on the screen.
func (m *model) mentions() bool {
	return len(m.files.found) > 0 && m.focus == writing && m.prompt == nil && m.palette == nil && m.overlay == nil
}

// seekFiles has the list follow what is written.
func (m *model) seekFiles() tea.Cmd {
	f := &m.files
	from, _, ok := m.write.mentionAt()
	if !ok {
		*f = mentioning{asking: f.asking}
		return nil
	}
	if f.closed == from+1 {
		return nil
	}
	f.closed = 0
	return m.askFiles(string(m.write.Text[from+1 : m.write.Cursor]))
}

// askFiles asks the server for files. One question is under way at a time; what was typed
// meanwhile is asked for after it.
func (m *model) askFiles(query string) tea.Cmd {
	f := &m.files
	if f.asking || f.asked == query && f.found != nil {
		return nil
	}
	f.asking, f.asked = true, query
	at, api := sessionPath(m.link.session, "files"), m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var list struct {
			Files []foundFile `json:"files"`
		}
		err := api.Call(ctx, http.MethodGet, at, url.Values{"query": {query}, "limit": {"20"}}, nil, &list)
		return func(m *model) tea.Cmd {
			m.files.asking = false
			if err != nil { // an older server, or files that are elsewhere: there is nothing to choose
				list.Files = nil
			}
			return m.filesFound(query, list.Files)
		}
	})
}

func (m *model) filesFound(query string, found []foundFile) tea.Cmd {
	from, _, ok := m.write.mentionAt()
	if !ok || m.files.closed == from+1 {
		return nil
	}
	m.files.found, m.files.chosen = append([]foundFile{}, found...), 0
	if now := string(m.write.Text[from+1 : m.write.Cursor]); now != query {
		return m.askFiles(now)
	}
	return nil
}

// pressMention does what a key says to the list.
func (m *model) pressMention(key string) (tea.Cmd, bool) {
	f := &m.files
	from, to, ok := m.write.mentionAt()
	if !ok {
		return nil, false
	}
	chosen := f.found[min(f.chosen, len(f.found)-1)]
	switch {
	case key == "esc":
		*f = mentioning{asking: f.asking, closed: from + 1}
	case key == "enter" && string(m.write.Text[from:to]) == chosen.Mention:
		return nil, false // it is written already: enter sends
	case key == "enter" || key == "tab":
		return m.mention(from, to, chosen), true
	default:
		return nil, f.key(key, len(f.found), mentionLines)
	}
	return nil, true
}

// mention writes the chosen file. Behind a directory one may go on.
func (m *model) mention(from, to int, chosen foundFile) tea.Cmd {
	rest := string(m.write.Text[to:])
	text := chosen.Mention
	if !chosen.Directory && !strings.HasPrefix(rest, " ") {
		text += " "
	}
	m.write.Set(string(m.write.Text[:from]) + text + rest)
	m.write.Cursor -= len([]rune(rest))
	m.files = mentioning{asking: m.files.asking}
	return m.seekFiles()
}

// drawMentions shows the files above the place to write: the name first, which stays
// where there is little room.
func (m *model) drawMentions(height int) []paint.Line {
	f := &m.files
	return f.window(len(f.found), min(height, len(f.found), mentionLines), 1, func(i int, chosen bool) []paint.Line {
		file := f.found[i]
		name, dir := path.Base(file.Path), path.Dir(file.Path)
		if file.Directory {
			name += "/"
		}
		line := paint.L(pointer(chosen), paint.B(paint.Plain, name))
		if dir != "." {
			line = append(line, paint.S(paint.Soft, "  "+dir+"/"))
		}
		return []paint.Line{line.Cut(m.w)}
	})
}
