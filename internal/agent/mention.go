package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool/files"
)

// maxMentionedText bounds the text of all files that one model call brings along.
const maxMentionedText = 128 << 10

// mentions reports whether a message that the model has not heard may mention files.
func mentions(v session.View) bool {
	for _, in := range decide.Waiting(&v.Task) {
		if strings.Contains(in.Text, "@") {
			return true
		}
	}
	return false
}

// mentioned reads the files that the messages mention which the model is about to hear.
// What it gives goes on record with them: a file that changes later changes nothing, not
// after a crash and not after a rewind. parts are those of all messages.
func (w *worker) mentioned(ctx context.Context, v session.View) (byMessage map[clew.MessageID]decide.Mentioned, parts []clew.Part) {
	if !mentions(v) {
		return nil, nil
	}
	if w.later != "" {
		w.openPlace(v)
	}
	left := maxMentionedText
	if w.model.ContextWindow > 0 {
		left = min(left, w.model.ContextWindow) // about a quarter of it: a token is four bytes or so
	}
	byMessage = map[clew.MessageID]decide.Mentioned{}
	for i, in := range decide.Waiting(&v.Task) {
		m := &mentionReader{w: w, v: v, left: left}
		// The first words of a subtask, and the result of one, are a model's: it reads
		// with its tools.
		if byModel := i == 0 && v.Task.Turn.Prompt != nil && v.Task.ParentTaskID != "" || in.Callback != ""; !byModel && w.noPlace == nil {
			for _, path := range clew.Mentions(in.Text) {
				m.read(ctx, path)
			}
		}
		left = m.left
		byMessage[in.MessageID] = decide.Mentioned{Parts: m.parts, Note: m.note()}
		parts = append(parts, m.parts...)
	}
	return byMessage, parts
}

// asMessage gives parts as a message, none without any.
func asMessage(parts []clew.Part) []clew.ModelMessage {
	if len(parts) == 0 {
		return nil
	}
	return []clew.ModelMessage{{Content: parts}}
}

// A mentionReader collects what a message mentions.
type mentionReader struct {
	w       *worker
	v       session.View
	left    int // bytes of text that there is room for
	parts   []clew.Part
	names   []string // of what was read, for people
	refused []string
}

// read takes in a path as it stands in the message. Where there is no such file, marks
// at its end are taken for those of the sentence.
func (m *mentionReader) read(ctx context.Context, path string) {
	found, err := files.ReadMentioned(ctx, m.w.workspace, path, m.w.outputLimit())
	if short := strings.TrimRight(path, clew.SentenceEnd); found == nil && short != "" && short != path {
		if other, otherErr := files.ReadMentioned(ctx, m.w.workspace, short, m.w.outputLimit()); other != nil || err == nil {
			path, found, err = short, other, otherErr
		}
	}
	switch {
	case err != nil:
		m.refuse(path, strings.TrimSuffix(err.Error(), "."))
	case found == nil || found.Directory && !strings.Contains(path, "/"): // just words, as @test in code
	case len(found.Images) > 0:
		m.image(ctx, path, found)
	case len(found.Text) > m.left:
		m.refuse(path, "there is no room for it; the agent can read it in parts")
	default:
		m.text(path, found)
	}
}

func (m *mentionReader) refuse(path, why string) {
	why = strings.TrimPrefix(why, path+" ")
	m.refused = append(m.refused, visible(path)+" ("+visible(why)+")")
	m.add(fmt.Sprintf("(%s was not attached: %s.)", path, why))
}

func (m *mentionReader) add(text string) {
	m.parts = append(m.parts, clew.Part{Type: clew.PartText, Text: text})
}

// text marks a file's text, or a directory's listing, as that.
func (m *mentionReader) text(path string, found *files.Mentioned) {
	m.left -= len(found.Text)
	kind, name := "file", visible(path)
	if found.Directory {
		kind = "directory"
	}
	if found.Cut {
		name += " (cut)"
	}
	m.names = append(m.names, name)
	text := strings.ReplaceAll(strings.ToValidUTF8(found.Text, "\uFFFD"), "</attached_"+kind, `<\/attached_`+kind)
	m.add(fmt.Sprintf("<attached_%s path=%q>\n%s</attached_%s>", kind, found.Path, text, kind))
}

func (m *mentionReader) image(ctx context.Context, path string, found *files.Mentioned) {
	if m.w.model.NoImages {
		m.refuse(path, "the model takes no images")
		return
	}
	for _, url := range found.Images {
		address, err := session.StoreImage(ctx, m.w.cfg.Blobs, blob.For{User: m.v.Owner, Session: m.v.Session}, url)
		if err != nil {
			m.refuse(path, clew.AsError(err).Message)
			return
		}
		m.add(fmt.Sprintf("The image %q:", found.Path))
		m.parts = append(m.parts, clew.Part{Type: clew.PartImage, Images: []string{address}})
	}
	m.names = append(m.names, visible(path)+" (image)")
}

// note says in the transcript what the model got with the message.
func (m *mentionReader) note() string {
	var says []string
	if len(m.names) > 0 {
		says = append(says, "Attached "+strings.Join(m.names, ", "))
	}
	if len(m.refused) > 0 {
		says = append(says, "Not attached: "+strings.Join(m.refused, ", "))
	}
	return strings.Join(says, ". ")
}
