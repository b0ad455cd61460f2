package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// toolWindow and toolNotify are among the agent's own: windows and notices are a part
// of the session, so the record that shows one and the call's result are one batch.
const (
	toolWindow = "window"
	toolNotify = "notify"
)

var windowSpec = control(toolWindow, "Show the user something in a window beside the conversation: a report, a table, a form, an image, a small page. "+
	"open makes one under a name of yours, update changes its title or content, close takes it away. "+
	"The user may move and close windows. HTML is a page of its own, whole in itself, on white: it loads nothing from elsewhere, and its scripts run only once the user lets them. "+
	"Prefer components to HTML. An app is an HTML file of the workspace whose scripts the user lets run, and which you can ask and tell things: app_query and app_command are there once it is ready.",
	`{"type":"object","properties":{"action":{"type":"string","enum":["open","update","close"]},"window_id":{"type":"string","description":"letters, digits, _ and -"},"title":{"type":"string"},`+
		`"kind":{"type":"string","enum":["markdown","text","table","components","image","html","app"],"description":"of content; markdown if absent"},`+
		`"content":{"type":"string","description":"the whole content of markdown, text and html"},`+
		`"columns":{"type":"array","description":"of a table","items":{"type":"object","properties":{"name":{"type":"string"},"title":{"type":"string"},"align":{"type":"string","enum":["left","center","right"]},"numeric":{"type":"boolean"}},"required":["name"]}},`+
		`"rows":{"type":"array","description":"of a table: at most 200 lists of texts, numbers, booleans and nulls, in the order of the columns","items":{"type":"array"}},`+
		`"row_action":{"type":"string","description":"of a table: a name of yours for what choosing a row means. Without it rows cannot be chosen"},`+
		`"root":{"type":"object","description":"of components: a tree of at most 200 nodes, 8 deep. `+componentsDoc+`"},`+
		`"path":{"type":"string","description":"a file of the workspace in place of content: an image, a table as .csv with a line of names or as .jsonl (at most 8 MiB), a text, or the page of an app (kind app, at most 2 MiB)"},`+
		`"alt":{"type":"string","description":"what an image or an app shows, in words"},`+
		`"append":{"type":"boolean","description":"with update: put the text or the rows behind those that are there; the oldest give way"},`+
		`"if_version":{"type":"integer","description":"with update: refuse if the window has another version by now"},`+
		`"lock":{"type":"boolean","description":"true: other agents cannot change the window; false lifts it"}},`+
		`"required":["action","window_id"],"additionalProperties":false}`)

const componentsDoc = `A node has a type and: stack, row: children. text, markdown: text, and tone (neutral, info, success, warning, danger). ` +
	`button: label, action (a name of yours), submit (true sends all fields), parallel. input: name, label, value, placeholder, input_type (text, multiline, number, date, time, email, url). ` +
	`select: name, label, options of value and label, value. checkbox: name, label, value. progress: value, max (100), label. table: columns, rows. image: path of a file of the workspace, alt.`

var notifySpec = control(toolNotify, "Show the user a short notice, such as that something long is done. It is a plain text of at most 300 characters and needs no answer.",
	`{"type":"object","properties":{"text":{"type":"string"},"title":{"type":"string"}},"required":["text"],"additionalProperties":false}`)

type windowInput struct {
	Action  string             `json:"action"`
	ID      string             `json:"window_id"`
	Title   *string            `json:"title"`
	Kind    clew.WindowKind    `json:"kind"`
	Content *string            `json:"content"`
	Columns []clew.TableColumn `json:"columns"`
	Rows    [][]any            `json:"rows"`
	Choice  string             `json:"row_action"`
	Root    json.RawMessage    `json:"root"`
	Path    string             `json:"path"`
	Alt     string             `json:"alt"`
	Append  bool               `json:"append"`
	If      int                `json:"if_version"`
	Lock    *bool              `json:"lock"`
}

// shows reports whether the call says what the window has to show.
func (in *windowInput) shows() bool {
	return in.Content != nil || in.Path != "" || in.Root != nil || in.Rows != nil || in.Columns != nil
}

var windowActions = map[string]clew.ActionType{
	"open": clew.ActionWindowCreate, "update": clew.ActionWindowUpdate, "close": clew.ActionWindowClose,
}

// showWindow carries out a call of the tool.
func (w *worker) showWindow(ctx context.Context, v session.View, c core.Call) error {
	var in windowInput
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	wish := decide.WindowWish{Type: windowActions[in.Action], ID: in.ID, IfVersion: in.If, Append: in.Append, Lock: in.Lock}
	switch {
	case wish.Type == "":
		return w.wrong(c, "action is open, update or close")
	case wish.Type == clew.ActionWindowCreate && (in.Title == nil || !in.shows()):
		return w.wrong(c, "a window opens with a title and content")
	case wish.Type == clew.ActionWindowUpdate && in.Title == nil && !in.shows() && in.Lock == nil:
		return w.wrong(c, "give the title or the content of the window")
	}
	if in.Title != nil {
		title := oneLine(*in.Title)
		wish.Title = &title
	}
	if wish.Type != clew.ActionWindowClose && in.shows() {
		r := windowReader{w: w, ctx: ctx, v: v}
		content, err := r.content(&in)
		if err != nil {
			return w.wrong(c, plainError(err))
		}
		wish.Content = content
	}
	done := map[string]string{"open": "is open", "update": "was changed", "close": "is closed"}[in.Action]
	_, err := w.desk.Do(decide.ChangeWindow{Call: c, Wish: wish, Done: fmt.Sprintf("Window %s %s.", in.ID, done)})
	return ignoreTurnOver(err)
}

// notify carries out a call of the tool.
func (w *worker) notify(c core.Call) error {
	var in struct{ Text, Title string }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	_, err := w.desk.Do(decide.Notify{Call: c, Title: oneLine(in.Title), Text: oneLine(in.Text)})
	return ignoreTurnOver(err)
}

// oneLine is a model's text as it may stand in a line for people.
func oneLine(text string) string { return visible(strings.Join(strings.Fields(text), " ")) }
