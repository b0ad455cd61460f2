package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// The extension of the protocol by which tools come with a page, MCP Apps of
// 2026-01-26, and the one type of page that it has.
const (
	viewExtension = "io.modelcontextprotocol/ui"
	viewType      = "text/html;profile=mcp-app"
	viewScheme    = "ui://"
)

// Limits on a page.
const (
	maxViewURI    = 1 << 10
	maxViewHTML   = 2 << 20
	maxViewResult = 256 << 10
)

// toolMeta is what a tool says about its page.
type toolMeta struct {
	UI struct {
		ResourceURI string   `json:"resourceUri"`
		Visibility  []string `json:"visibility"`
	} `json:"ui"`
	Old string `json:"ui/resourceUri"` // before the extension was stable
}

// readMeta reads it. What cannot be read is a tool without a page.
func (d *definition) readMeta(meta sdk.Meta) {
	var m toolMeta
	if b, err := json.Marshal(meta); err == nil {
		_ = json.Unmarshal(b, &m)
	}
	if m.UI.ResourceURI == "" {
		m.UI.ResourceURI = m.Old
	}
	if uri := m.UI.ResourceURI; strings.HasPrefix(uri, viewScheme) && len(uri) <= maxViewURI && clean(uri) == uri {
		d.view = uri
	}
	everybody := len(m.UI.Visibility) == 0
	d.forModels = everybody || slices.Contains(m.UI.Visibility, "model")
	d.forApps = everybody && d.view != "" || slices.Contains(m.UI.Visibility, "app")
}

// view reads the page that shows a tool's results. The error is in words for people.
func (l *link) view(ctx context.Context, d *definition) (*tool.View, error) {
	res, err := l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: d.view})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(res.Contents, func(c *sdk.ResourceContents) bool { return c != nil && c.MIMEType == viewType })
	if i < 0 {
		return nil, fmt.Errorf("it is not of the type %s", viewType)
	}
	page := res.Contents[i]
	html := page.Text
	if html == "" {
		html = string(page.Blob)
	}
	switch {
	case len(html) > maxViewHTML:
		return nil, fmt.Errorf("it has %d bytes, a page may have %d", len(html), maxViewHTML)
	case !utf8.ValidString(html):
		return nil, fmt.Errorf("it is not text")
	}
	v := &tool.View{URI: d.view, Title: d.shown, HTML: l.redact.apply(html)}
	v.Connect, v.Resources = origins(page.Meta)
	return v, nil
}

// showIn completes a result with the page that shows it. A page that cannot be had
// is no failure: the text says the same.
func (l *link) showIn(ctx context.Context, d *definition, input json.RawMessage, res *sdk.CallToolResult, to *tool.Result) {
	if d.view == "" {
		return
	}
	v, err := l.view(ctx, d)
	if err != nil {
		to.Shown = cut(to.Shown, maxShown-maxErrorText) + "\n[its page could not be read: " + line(l.redact.apply(err.Error()), maxErrorText/2) + "]"
		return
	}
	v.Tool, v.Input, v.Result = d.name, input, l.told(res, to)
	to.View = v
}

// told is a result as a page is told it: as the server gave it, without secrets. One
// that is too large for a page is its text, as far as that fits.
func (l *link) told(res *sdk.CallToolResult, as *tool.Result) json.RawMessage {
	b, err := json.Marshal(res)
	if err == nil {
		b = []byte(l.redact.apply(string(b)))
	}
	if err != nil || len(b) > maxViewResult || !json.Valid(b) {
		short := text(cut(as.Text, maxViewResult/8))
		short.IsError = as.IsError
		b, _ = json.Marshal(short)
	}
	return b
}

// text is a result of text alone.
func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// origins gives the hosts that a page wants to reach, and those it wants to load
// pictures, styles and scripts from. One that cannot be taken to the letter is left out.
func origins(meta sdk.Meta) (connect, resources []string) {
	var m struct {
		UI struct {
			CSP struct {
				ConnectDomains  []string `json:"connectDomains"`
				ResourceDomains []string `json:"resourceDomains"`
			} `json:"csp"`
		} `json:"ui"`
	}
	if b, err := json.Marshal(meta); err == nil {
		_ = json.Unmarshal(b, &m)
	}
	pick := func(list []string, fits func(string) bool) []string {
		var out []string
		for _, o := range list {
			if len(out) < clew.AppOriginsMax && clew.ValidOrigin(o) && fits(o) && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
		slices.Sort(out)
		return out
	}
	connect = pick(m.UI.CSP.ConnectDomains, func(string) bool { return true })
	resources = pick(m.UI.CSP.ResourceDomains, func(o string) bool { return strings.HasPrefix(o, "https:") })
	return connect, resources
}

// AppTool gives a tool to the page of its own server, if that tool is for pages. It waits
// a few seconds for a server that is starting.
func (m *Manager) AppTool(ctx context.Context, server, name string) (tool.Tool, bool) {
	s := m.server(server)
	if s == nil {
		return nil, false
	}
	wait, cancel := context.WithTimeout(ctx, m.time.wait)
	defer cancel()
	_ = s.settle(wait)
	d := s.find(name)
	if d == nil || !d.forApps {
		return nil, false
	}
	return &remote{m: m, server: server, tool: d.name, name: newNames().pick(server, d.name), page: true, last: d}, true
}
