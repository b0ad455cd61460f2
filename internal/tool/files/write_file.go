package files

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

//go:embed write_file.md
var writeFileDoc string

var writeFileSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File, relative to the workspace"},
    "content": {"type": "string", "description": "The whole new content"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`)

type writeFile struct{}

func (writeFile) Spec() tool.Spec {
	return tool.Spec{
		Name: "write_file", Description: strings.TrimSpace(writeFileDoc), Schema: writeFileSchema,
		Class: clew.ClassCheckable, Group: tool.GroupEdit,
	}
}

func (writeFile) Prepare(ctx context.Context, call tool.Call) (*tool.Action, error) {
	var in struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	if err := decode(call, &in); err != nil {
		return nil, err
	}
	if in.Content == nil {
		return nil, invalid("content is missing")
	}
	p, protected, err := writable(call.Workspace, in.Path)
	if err != nil {
		return settle(nil, err)
	}
	before, err := look(ctx, call.Workspace.Root, p.real)
	if err != nil {
		return settle(nil, explain(p.asked, err))
	}
	c, err := newChange(call, p, before, []byte(*in.Content))
	if err != nil {
		return nil, err
	}
	result := tool.Result{Text: fmt.Sprintf("Wrote %s (%d bytes).", show(p.real), len(c.after))}
	return &tool.Action{
		Effect: c.effect("Write"), Ask: clew.AskTool, Protected: protected,
		Run: func(ctx context.Context, _ tool.Output) (tool.Result, error) {
			if err := c.run(ctx); err != nil {
				return tool.Result{}, err
			}
			return result, nil
		},
		Check: func(ctx context.Context) (bool, tool.Result, error) {
			c.tidy()
			now, err := look(ctx, c.ws.Root, p.real)
			if err != nil {
				return false, tool.Result{}, explain(p.asked, err)
			}
			if !now.exists || now.sum != c.sum {
				return false, tool.Result{}, nil
			}
			return true, result, nil
		},
	}, nil
}
