package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A rewind goes back in time: first a place is chosen, then it shows what would
// change, then it asks.
type rewind struct {
	list
	marks   []client.Place
	loaded  bool
	problem string

	files   bool         // they go back, too
	wanted  *preview     // the newest that was asked for
	preview *preview     // what is on the screen; nil while choosing
	lines   []paint.Line // of the preview
	width   int          // that they were drawn for
	offset  int
}

// A preview is what would change, and the very thing that was asked: a yes goes
// there and nowhere else, whatever was pressed since.
type preview struct {
	place  client.Place
	files  bool
	answer *clew.RewindPreviewAnswer
}

func (g *preview) target() clew.Target { return clew.Target{MessageID: g.place.MessageID} }

func (r *rewind) start(m *model) tea.Cmd {
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		places, err := api.Places(ctx, session)
		return func(*model) tea.Cmd {
			r.loaded = true
			if err != nil {
				r.problem = clew.AsError(err).Message
			}
			slices.Reverse(places)
			r.marks = places
			return nil
		}
	})
}

func (r *rewind) paste(*model, string) tea.Cmd { return nil }

func (r *rewind) keys(m *model) []string {
	if r.preview != nil {
		return []string{"y", "goes back", "f", "with or without files", "↑↓", "scroll", "esc", "back"}
	}
	keys := []string{"enter", "shows what changes"}
	if m.state.Status.CanUndo {
		keys = append(keys, "u", "undo")
	}
	if m.state.Status.CanRedo {
		keys = append(keys, "U", "redo")
	}
	return append(keys, "esc", "back")
}

func (r *rewind) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	if r.preview != nil {
		return r.pressPreview(m, k.String())
	}
	switch key := k.String(); {
	case key == "esc" || key == "q" || key == "ctrl+r":
		m.overlay = nil
	case key == "u" && m.state.Status.CanUndo:
		m.overlay = nil
		return m.undoRewind()
	case key == "U" && m.state.Status.CanRedo:
		m.overlay = nil
		return m.command(clew.CommandRedoRewind, clew.RedoRewindData{}, told("done again"))
	case key == "enter" && r.chosen < len(r.marks):
		return r.look(m, r.marks[r.chosen])
	default:
		r.key(key, len(r.marks), 10)
	}
	return nil
}

func told(text string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.tell(paint.Run, text)
		m.sight.follow = true
		return nil
	}
}

// look asks what would change. Nothing can be agreed to before the answer is there.
func (r *rewind) look(m *model, place client.Place) tea.Cmd {
	g := &preview{place: place, files: r.files}
	l, data := m.link, clew.RewindPreviewData{Target: g.target(), RestoreCheckpoint: g.files}
	r.wanted, r.preview, r.problem = g, nil, ""
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		env, err := l.client.Do(ctx, clew.CommandRewindPreview, data)
		var ev clew.Event
		if err == nil {
			ev, err = clew.DecodeEvent(clew.EventType(env.Type), env.Data)
		}
		return func(*model) tea.Cmd {
			answer, _ := ev.Data.(*clew.RewindPreviewAnswer)
			r.looked(g, answer, err)
			return nil
		}
	})
}

// looked takes an answer. One that is not to the newest question says nothing.
func (r *rewind) looked(g *preview, answer *clew.RewindPreviewAnswer, err error) {
	switch {
	case g != r.wanted:
	case err != nil:
		r.problem = clew.AsError(err).Message
	case answer != nil:
		g.answer = answer
		r.preview, r.offset, r.width = g, 0, 0
	}
}

func (r *rewind) pressPreview(m *model, key string) tea.Cmd {
	switch key {
	case "esc", "q", "n":
		r.preview = nil
	case "f":
		r.files = !r.files
		return r.look(m, r.preview.place)
	case "down", "j":
		r.offset++
	case "up", "k":
		r.offset--
	case "pgdown", "space":
		r.offset += 10
	case "pgup":
		r.offset -= 10
	case "y":
		m.overlay = nil
		g := r.preview
		words := m.feed.Words(g.place.MessageID)
		return m.command(clew.CommandRewind, clew.RewindData{Target: g.target(), RestoreCheckpoint: g.files && g.answer.FilesProblem == ""},
			func(m *model) tea.Cmd {
				m.sayAgain(words)
				return told("taken back; ctrl+r u undoes it")(m)
			})
	}
	return nil
}

func (r *rewind) draw(m *model, width, height int) []paint.Line {
	if r.preview != nil {
		return r.drawPreview(width, height)
	}
	lines := title("Go back to before …")
	switch {
	case r.problem != "":
		lines = append(lines, paint.L(paint.S(paint.Fail, "   "+r.problem)), nil)
	case !r.loaded:
		return append(lines, paint.L(paint.S(paint.Past, "   …")))
	case len(r.marks) == 0:
		return append(lines, paint.L(paint.S(paint.Soft, "   There is nothing to go back to.")))
	}
	return append(lines, r.window(len(r.marks), height-len(lines), 1, func(i int, chosen bool) []paint.Line {
		mark, ink := "●", paint.Run
		if r.marks[i].Kind != client.PlaceSaid {
			mark, ink = "◇", paint.Past
		}
		left := paint.L(pointer(chosen), paint.S(ink, mark+" "), paint.S(paint.Plain, r.marks[i].Text))
		return []paint.Line{paint.Between(left, paint.L(paint.S(paint.Past, term.Ago(time.UnixMilli(r.marks[i].TS), m.now)+" ")), width)}
	})...)
}
