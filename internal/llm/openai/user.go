package openai

import (
	"context"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// told is a message of the user as both wires send it: the results of tools, and
// all the rest. A result holds no images, so those come with the rest.
type told struct {
	results []result
	rest    []content
	images  bool // the rest has some
}

type result struct{ id, text string }

// content is a text, or an image as a data URL.
type content struct{ text, url string }

func read(ctx context.Context, req llm.Request, m clew.ModelMessage) (told, error) {
	var t told
	for _, p := range m.Content {
		switch p.Type {
		case clew.PartToolResult:
			id := call.ToolCallID(p.ToolCallID)
			t.results = append(t.results, result{id, resultText(p)})
			if len(p.Images) > 0 {
				t.text("Images from the result of tool call " + id + ":")
			}
		case clew.PartText:
			t.text(p.Text)
		case clew.PartImage:
		default:
			return told{}, call.Refused(nil, "the conversation holds a part of an unknown kind: %s", p.Type)
		}
		for _, address := range p.Images {
			image, err := call.LoadImage(ctx, req, address)
			if err != nil {
				return told{}, err
			}
			t.image(image)
		}
	}
	return t, nil
}

func (t *told) text(s string) {
	if strings.TrimSpace(s) != "" {
		t.rest = append(t.rest, content{text: s})
	}
}

func (t *told) image(i call.Image) {
	if !i.Readable() {
		t.text(call.Unreadable)
		return
	}
	t.images = true
	t.rest = append(t.rest, content{url: i.URL()})
}

func (t told) texts() []string {
	var all []string
	for _, c := range t.rest {
		all = append(all, c.text)
	}
	return all
}

// resultText says in words what the API has no field for.
func resultText(p clew.Part) string {
	text := p.Text
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
		if len(p.Images) > 0 {
			text = "(the images follow)"
		}
	}
	if p.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
		text = "Error: " + text
	}
	return text
}
