package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/deletion"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A deleting says what deleting this session erases, and then asks.
type deleting struct {
	preview *client.DeletionPreview // nil until it is there
	problem string
}

func (d *deleting) start(m *model) tea.Cmd {
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		p, err := api.PreviewDeletion(ctx, session)
		return func(*model) tea.Cmd {
			if err != nil {
				d.problem = clew.AsError(err).Message
				return nil
			}
			d.preview = &p
			return nil
		}
	})
}

func (d *deleting) paste(*model, string) tea.Cmd { return nil }

func (d *deleting) keys(*model) []string {
	if d.preview == nil {
		return []string{"esc", "back"}
	}
	return []string{"y", "deletes", "esc", "keeps it"}
}

func (d *deleting) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	if k.String() != "y" || d.preview == nil {
		m.overlay = nil
		return nil
	}
	id, api := d.preview.SessionID, m.api
	d.preview = nil // once
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		gone, err := api.DeleteSession(ctx, id, false)
		return func(m *model) tea.Cmd {
			if err != nil {
				d.problem = clew.AsError(err).Message
				return nil
			}
			text := "deleted, and being erased"
			if gone.EraseMS > gone.DeletedMS {
				text = "deleted; until " + deletion.Day(gone.EraseMS) + " this brings it back: clew delete --undo " + string(id)
			}
			m.tell(paint.Run, text)
			return m.open(newSwitcher(""))
		}
	})
}

func (d *deleting) draw(_ *model, width, _ int) []paint.Line {
	lines := title("Delete this session?")
	switch {
	case d.problem != "":
		return append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, "   "+d.problem, width)...)
	case d.preview == nil:
		return append(lines, paint.L(paint.S(paint.Past, "   …")))
	}
	words := deletion.Of(*d.preview, false)
	add := func(label string, ink paint.Ink, texts []string) {
		for _, text := range texts {
			lines = append(lines, paint.L(paint.S(ink, "   "+pad(label, 8)), paint.S(paint.Plain, text)).Cut(width-1))
			label = ""
		}
	}
	add("erases", paint.Fail, words.Erases)
	add("keeps", paint.Past, words.Keeps)
	lines = append(lines, nil)
	return append(lines, paint.L(paint.S(paint.Soft, "   "+words.Until)).Cut(width-1))
}
