package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/policy"
)

// A windowReader makes what a window shows of a call's input, and of files.
type windowReader struct {
	w   *worker
	ctx context.Context
	v   session.View
}

// content gives what the window has to show, without a kind if the call names none and
// none follows from the rest.
func (r *windowReader) content(in *windowInput) (*clew.WindowContent, error) {
	c := &clew.WindowContent{Kind: in.Kind, Columns: in.Columns, Rows: in.Rows, RowAction: in.Choice, Alt: oneLine(in.Alt)}
	if in.Content != nil {
		c.Text = *in.Content
	}
	switch {
	case in.Kind == "" && in.Root != nil:
		c.Kind = clew.WindowComponents
	case in.Kind == "" && (in.Rows != nil || in.Columns != nil):
		c.Kind = clew.WindowTable
	case in.Kind == "" && in.Path != "":
		c.Kind = r.kindOfFile(in)
	}
	if why := mixed(in, c.Kind); why != "" {
		return nil, errors.New(why)
	}
	for i := range c.Columns {
		c.Columns[i].Name, c.Columns[i].Title = visible(c.Columns[i].Name), visible(c.Columns[i].Title)
	}
	switch {
	case in.Root != nil:
		return c, r.components(c, in.Root)
	case in.Path != "":
		return c, r.file(c, in.Path)
	}
	return c, nil
}

// mixed says what of the input does not go with the kind.
func mixed(in *windowInput, kind clew.WindowKind) string {
	switch {
	case kind == clew.WindowMCPApp:
		return "pages of tool servers open with the calls that they show"
	case in.Path != "" && (in.Content != nil || in.Rows != nil || in.Root != nil):
		return "give path or what the window shows, not both"
	case in.Content != nil && (kind == clew.WindowTable || kind == clew.WindowComponents || kind == clew.WindowImage || kind == clew.WindowApp):
		return fmt.Sprintf("content is of markdown, text and html: a window of kind %s has %s", kind, instead[kind])
	case (in.Rows != nil || in.Columns != nil) && kind != clew.WindowTable:
		return "rows and columns are those of a table"
	case in.Root != nil && kind != clew.WindowComponents:
		return "root is that of components"
	case kind == clew.WindowComponents && in.Root == nil || (kind == clew.WindowImage || kind == clew.WindowApp) && in.Path == "":
		return fmt.Sprintf("a window of kind %s has %s", kind, instead[kind])
	}
	return ""
}

var instead = map[clew.WindowKind]string{
	clew.WindowTable: "columns and rows, or a path", clew.WindowComponents: "a root", clew.WindowImage: "a path", clew.WindowApp: "a path",
}

// kindOfFile is the kind that a file's name stands for. A page for an app is an app.
func (r *windowReader) kindOfFile(in *windowInput) clew.WindowKind {
	switch strings.ToLower(path.Ext(in.Path)) {
	case ".csv", ".jsonl", ".ndjson":
		return clew.WindowTable
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return clew.WindowImage
	case ".md", ".markdown":
		return clew.WindowMarkdown
	case ".html", ".htm":
		if old := core.WindowIn(r.v.Windows, in.ID); old != nil && old.Content != nil && old.Content.Kind == clew.WindowApp {
			return clew.WindowApp
		}
		return clew.WindowHTML
	}
	return clew.WindowText
}

// file fills in what a file has.
func (r *windowReader) file(c *clew.WindowContent, name string) error {
	data, err := r.read(name)
	if err != nil {
		return err
	}
	switch c.Kind {
	case clew.WindowImage:
		c.Blob, err = r.image(data)
		c.Bytes, c.MediaType = int64(len(data)), http.DetectContentType(data)
		return err
	case clew.WindowTable:
		return r.table(c, name, data)
	case clew.WindowApp:
		return r.app(c, name, data)
	case clew.WindowMarkdown, clew.WindowText, clew.WindowHTML, clew.WindowComponents, clew.WindowMCPApp:
	}
	if !utf8.Valid(data) {
		return fmt.Errorf("%s is no text", visible(name))
	}
	c.Text = string(data)
	return nil
}

// read reads a file of the workspace, if read_file could without asking anybody.
func (r *windowReader) read(name string) ([]byte, error) {
	t, ok := r.w.tools["read_file"]
	if !ok {
		return nil, fmt.Errorf("files cannot be read in mode %s", r.w.mode.Slug)
	}
	input, err := json.Marshal(map[string]string{"path": name})
	if err != nil {
		return nil, err
	}
	p := &preparedCall{call: core.Call{Tool: "read_file", Input: input}, spec: t.Spec()}
	r.w.inspectCall(r.ctx, r.v, t, p, input)
	switch {
	case p.wrong != "":
		return nil, errors.New(p.wrong)
	case p.decision.Kind == policy.Ask:
		return nil, fmt.Errorf("%s cannot be read for a window: %s. Show what you may read", visible(name), p.decision.Reason)
	case p.decision.Kind != policy.Allow:
		return nil, errors.New(p.decision.Reason)
	}
	_, data, err := files.Attached(r.w.workspace, name, core.WindowBlobMax)
	return data, err
}

// image stores an image and gives its address.
func (r *windowReader) image(data []byte) (string, error) {
	address, err := session.PutImage(r.ctx, r.w.cfg.Blobs, r.by(), data)
	return strings.TrimPrefix(address, session.BlobScheme), err
}

// app stores the page of an app.
func (r *windowReader) app(c *clew.WindowContent, name string, data []byte) (err error) {
	switch {
	case len(data) == 0 || !utf8.Valid(data):
		return fmt.Errorf("%s is no page", visible(name))
	case len(data) > clew.AppPageMax:
		return fmt.Errorf("%s has %d bytes, the page of an app may have %d", visible(name), len(data), clew.AppPageMax)
	}
	c.Bytes, c.MediaType = int64(len(data)), "text/html"
	c.Blob, err = r.store(data)
	return err
}

// store stores a file as it is and gives its address.
func (r *windowReader) store(data []byte) (string, error) {
	address, err := r.w.cfg.Blobs.PutBlob(r.ctx, r.by(), data)
	if err != nil {
		return "", cmp.Or(budgetError(err), errors.New("the file could not be stored"))
	}
	return address, nil
}

func (r *windowReader) by() blob.For { return blob.For{User: r.v.Owner, Session: r.v.Session} }

// table takes a file's rows: all of them if they fit into a window, else the first ones
// and the file itself.
func (r *windowReader) table(c *clew.WindowContent, name string, data []byte) error {
	rows := tableFile{columns: c.Columns}
	var err error
	if c.MediaType = "text/csv"; strings.ToLower(path.Ext(name)) != ".csv" {
		c.MediaType = "application/jsonl"
		err = rows.readLines(data)
	} else {
		err = rows.readCSV(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", visible(name), err)
	}
	c.Columns, c.Rows, c.Total = rows.columns, rows.first, rows.total
	if rows.total <= len(rows.first) {
		c.MediaType = ""
		return nil
	}
	c.Rows = c.Rows[:min(len(c.Rows), previewRows)]
	c.Bytes = int64(len(data))
	c.Blob, err = r.store(data)
	return err
}

// budgetError is an error that says that somebody has used up their room, nil otherwise.
func budgetError(err error) error {
	if clew.CodeOf(err) == clew.BudgetExceeded {
		return err
	}
	return nil
}

// components reads a tree. An image in it names a file of the workspace.
func (r *windowReader) components(c *clew.WindowContent, raw json.RawMessage) error {
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return fmt.Errorf("root: %w", err)
	}
	if err := r.images("root", tree, 1); err != nil {
		return err
	}
	whole, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(whole))
	d.DisallowUnknownFields()
	c.Root = new(clew.Component)
	if err := d.Decode(c.Root); err != nil {
		return fmt.Errorf("root: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	shownLabels(c.Root)
	return core.CheckComponents(c.Root)
}

// images puts the addresses of stored images in the place of paths.
func (r *windowReader) images(at string, node any, depth int) error {
	m, ok := node.(map[string]any)
	if !ok || depth > core.ComponentDepthMax {
		return nil // which is said by the check of the tree
	}
	if _, given := m["blob"]; given {
		return fmt.Errorf("%s: name an image by the path of its file", at)
	}
	if name, ok := m["path"].(string); ok && m["type"] == string(clew.ComponentImage) {
		data, err := r.read(name)
		if err == nil {
			m["blob"], err = r.image(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %s", at, plainError(err))
		}
		delete(m, "path")
	}
	children, _ := m["children"].([]any)
	for i, child := range children {
		if err := r.images(fmt.Sprintf("%s.children[%d]", at, i), child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// shownLabels has nothing hidden in what people press.
func shownLabels(c *clew.Component) {
	c.Label, c.Placeholder = oneLine(c.Label), oneLine(c.Placeholder)
	for i := range c.Options {
		c.Options[i].Label = oneLine(c.Options[i].Label)
	}
	for i := range c.Children {
		shownLabels(&c.Children[i])
	}
}
