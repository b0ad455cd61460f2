package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// Limits on a result.
const (
	maxResultText  = 4 << 20
	maxResultImage = 8 << 20 // all images together
	maxImages      = 16
	maxShown       = 16 << 10
)

// imageTypes are what models and browsers take, and cannot run.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// result turns what a server answered into what models and people get.
func (l *link) result(res *sdk.CallToolResult) tool.Result {
	c := &collector{}
	for _, content := range res.Content {
		c.add(content)
	}
	if c.text.Len() == 0 && res.StructuredContent != nil {
		if b, err := json.Marshal(res.StructuredContent); err == nil {
			c.write(string(b))
		}
	}
	text := cut(clean(l.redact.apply(c.text.String())), maxResultText)
	if text == "" && len(c.images) == 0 {
		text = "(no output)"
	}
	return tool.Result{
		Text: text, Images: c.images, IsError: res.IsError,
		Say: clew.SayMcpServerResponse, Shown: cut(text, maxShown),
	}
}

type collector struct {
	text   strings.Builder
	images []string
	bytes  int
}

func (c *collector) add(content sdk.Content) {
	switch v := content.(type) {
	case *sdk.TextContent:
		c.write(v.Text)
	case *sdk.ImageContent:
		c.image(v.MIMEType, v.Data)
	case *sdk.AudioContent:
		c.write(fmt.Sprintf("[audio, %d bytes: not shown]", len(v.Data)))
	case *sdk.ResourceLink:
		c.write(fmt.Sprintf("[resource %s: %s] %s", line(v.Name, maxSummary), line(v.URI, maxText), line(v.Description, maxText)))
	case *sdk.EmbeddedResource:
		c.resource(v.Resource)
	default:
		c.write("[content of a kind that is not known here]")
	}
}

func (c *collector) resource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case len(r.Blob) > 0 && strings.HasPrefix(r.MIMEType, "image/"):
		c.image(r.MIMEType, r.Blob)
	case len(r.Blob) > 0:
		c.write(fmt.Sprintf("[resource %s, %d bytes: not shown]", line(r.URI, maxText), len(r.Blob)))
	default:
		c.write(fmt.Sprintf("[resource %s]\n%s", line(r.URI, maxText), r.Text))
	}
}

func (c *collector) image(kind string, data []byte) {
	switch {
	case !slices.Contains(imageTypes, kind):
		c.write(fmt.Sprintf("[image of type %s: not shown]", line(kind, 60)))
	case len(c.images) == maxImages || c.bytes+len(data) > maxResultImage:
		c.write("[a further image: not shown]")
	default:
		c.bytes += len(data)
		c.images = append(c.images, "data:"+kind+";base64,"+base64.StdEncoding.EncodeToString(data))
	}
}

func (c *collector) write(text string) {
	if c.text.Len() > maxResultText {
		return
	}
	if c.text.Len() > 0 {
		c.text.WriteByte('\n')
	}
	c.text.WriteString(text)
}
