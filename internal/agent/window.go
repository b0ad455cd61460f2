package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// toolWindow is one of the agent's own: a window is a part of the session, so
// the record that shows it and the call's result are one batch.
const toolWindow = "window"

var windowSpec = control(toolWindow, "Show the user something in a window beside the conversation: a table, a report, a small page. "+
	"open makes one under a name of yours, update changes its title or content, close takes it away. "+
	"The user may move and close windows. HTML is a page of its own, whole in itself, on white: it loads nothing from elsewhere, and its scripts run only once the user lets them.",
	`{"type":"object","properties":{"action":{"type":"string","enum":["open","update","close"]},"window_id":{"type":"string","description":"letters, digits, _ and -"},"title":{"type":"string"},"kind":{"type":"string","enum":["markdown","html"],"description":"of content; markdown if absent"},"content":{"type":"string","description":"the whole content"}},"required":["action","window_id"],"additionalProperties":false}`)

type windowInput struct {
	Action  string          `json:"action"`
	ID      string          `json:"window_id"`
	Title   *string         `json:"title"`
	Kind    clew.WindowKind `json:"kind"`
	Content *string         `json:"content"`
}

var windowActions = map[string]clew.ActionType{
	"open": clew.ActionWindowCreate, "update": clew.ActionWindowUpdate, "close": clew.ActionWindowClose,
}

// showWindow carries out a call of the tool.
func (w *worker) showWindow(c core.Call) error {
	var in windowInput
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	wish := decide.WindowWish{Type: windowActions[in.Action], ID: in.ID}
	if in.Content != nil {
		wish.Content = &clew.WindowContent{Kind: in.Kind, Text: *in.Content}
	}
	switch {
	case wish.Type == "":
		return w.wrong(c, "action is open, update or close")
	case wish.Type == clew.ActionWindowCreate && (in.Title == nil || in.Content == nil):
		return w.wrong(c, "a window opens with a title and content")
	case wish.Type == clew.ActionWindowUpdate && in.Title == nil && in.Content == nil:
		return w.wrong(c, "give the title or the content of the window")
	}
	if in.Title != nil {
		title := visible(strings.Join(strings.Fields(*in.Title), " "))
		wish.Title = &title
	}
	done := map[string]string{"open": "is open", "update": "was changed", "close": "is closed"}[in.Action]
	_, err := w.desk.Do(decide.ChangeWindow{Call: c, Wish: wish, Done: fmt.Sprintf("Window %s %s.", in.ID, done)})
	return ignoreTurnOver(err)
}

// openWindows is the part of the prompt that says what the user has before them.
// Where a window lies is left out: a prompt that changes is read anew, and paid.
func openWindows(list []core.Window) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nOpen windows:\n")
	for _, x := range list {
		kind := clew.WindowMarkdown
		if x.Content != nil {
			kind = x.Content.Kind
		}
		fmt.Fprintf(&b, "- %s (%s): %q\n", x.ID, kind, x.Title)
	}
	return b.String()
}
