package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// commit shows what a commit of the session's changes would be, and makes it.
type commit struct {
	preview *client.CommitPreview // nil until it is there
	message string                // "" until the model, or somebody, wrote one
	problem string
}

func (c *commit) start(m *model) tea.Cmd {
	session, api, draft := m.link.session, m.api, c.message == ""
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		p, err := api.PreviewCommit(ctx, session, draft)
		return func(*model) tea.Cmd {
			switch {
			case err != nil:
				c.problem = clew.AsError(err).Message
			case len(p.Files) == 0:
				c.problem = "There is nothing to commit."
			default:
				if c.preview = &p; draft {
					c.message = p.Message
				}
			}
			return nil
		}
	})
}

func (c *commit) paste(*model, string) tea.Cmd { return nil }

func (c *commit) keys(*model) []string {
	if c.preview == nil {
		return []string{"esc", "back"}
	}
	return []string{"y", "commit", "e", "edit the message", "n", "no"}
}

func (c *commit) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+c" || key == "n" || c.preview == nil && c.problem != "":
		m.overlay = nil
	case c.preview == nil:
	case key == "y":
		return c.do(m)
	case key == "e":
		m.overlay = nil
		m.askFor("The commit's message", c.message, func(m *model, text string) tea.Cmd {
			return m.open(&commit{message: text})
		})
	}
	return nil
}

// do commits exactly what was shown.
func (c *commit) do(m *model) tea.Cmd {
	session, api, shown, message := m.link.session, m.api, *c.preview, c.message
	m.overlay = nil
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		made, err := api.Commit(ctx, session, shown, message)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			m.tell(paint.Run, ask.Committed(made))
			return nil
		}
	})
}

// changes are those of the files that would be committed.
func (c *commit) changes() client.Diff {
	d := client.Diff{Files: c.preview.Files, Count: len(c.preview.Files)}
	for _, f := range d.Files {
		d.Added += f.Added
		d.Deleted += f.Deleted
	}
	return d
}

func (c *commit) draw(_ *model, width, height int) []paint.Line {
	lines := title("Commit")
	switch {
	case c.problem != "":
		return append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, " "+c.problem, width)...)
	case c.preview == nil && c.message == "":
		return append(lines, paint.L(paint.S(paint.Soft, " the model writes a message …")))
	case c.preview == nil:
		return append(lines, paint.L(paint.S(paint.Soft, " one moment …")))
	}
	for i, line := range ask.CommitQuestion(*c.preview, c.message) {
		style := paint.Style{Ink: paint.Plain, Bold: i == 0}
		lines = append(lines, paint.Paragraphs(style, " "+line, width)...)
	}
	lines = append(lines, nil)
	for _, line := range ask.DiffStat(c.changes()) {
		lines = append(lines, paint.L(paint.S(paint.Soft, " "+line)).Cut(width))
	}
	return lines[:min(len(lines), height)]
}
