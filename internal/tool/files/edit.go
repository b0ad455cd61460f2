package files

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

//go:embed edit.md
var editDoc string

var editSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File, relative to the workspace"},
    "old": {"type": "string", "description": "Text to be replaced, exactly as it is in the file"},
    "new": {"type": "string", "description": "Text that takes its place"},
    "replace_all": {"type": "boolean", "description": "Replace every occurrence"},
    "diff": {"type": "string", "description": "Unified diff, instead of old and new"}
  },
  "required": ["path"],
  "additionalProperties": false
}`)

type edit struct{}

func (edit) Spec() tool.Spec {
	return tool.Spec{
		Name: "edit", Description: strings.TrimSpace(editDoc), Schema: editSchema,
		Class: clew.ClassCheckable, Group: tool.GroupEdit,
	}
}

// An editor computes an edit.
type editor interface {
	// apply gives the new content, or says why the edit does not fit.
	apply(text string) (string, error)
	// applied reports whether text can be what apply gave.
	applied(text string) bool
}

type editInput struct {
	Path       string  `json:"path"`
	Old        *string `json:"old"`
	New        *string `json:"new"`
	ReplaceAll bool    `json:"replace_all"`
	Diff       *string `json:"diff"`
}

func (in editInput) editor() (editor, error) {
	switch {
	case in.Diff != nil && (in.Old != nil || in.New != nil || in.ReplaceAll):
		return nil, invalid("give either diff or old and new, not both")
	case in.Diff != nil:
		return patch{*in.Diff}, nil
	case in.Old == nil || in.New == nil:
		return nil, invalid("give old and new, or diff")
	case *in.Old == "":
		return nil, invalid("old is empty; to make a new file use write_file")
	case *in.Old == *in.New:
		return nil, invalid("old and new are the same")
	}
	return replacement{*in.Old, *in.New, in.ReplaceAll}, nil
}

func (edit) Prepare(ctx context.Context, call tool.Call) (*tool.Action, error) {
	var in editInput
	if err := decode(call, &in); err != nil {
		return nil, err
	}
	ed, err := in.editor()
	if err != nil {
		return nil, err
	}
	p, protected, err := writable(call.Workspace, in.Path)
	if err != nil {
		return settle(nil, err)
	}
	if !p.exists() {
		return nil, invalid("%s does not exist; to make a new file use write_file", show(p.asked))
	}
	before, err := look(ctx, call.Workspace.Root, p.real)
	if err != nil {
		return settle(nil, explain(p.asked, err))
	}
	a := &tool.Action{
		Effect: clew.Effect{Summary: "Edit " + p.label(), Paths: []string{p.real}},
		Ask:    clew.AskTool, Protected: protected,
	}
	// Set in any case: an edit that took effect before a crash fits no more, and
	// this is how that is told from one that never fitted.
	a.Check = func(ctx context.Context) (bool, tool.Result, error) {
		return checkEdit(ctx, call, p, ed)
	}
	c, err := fit(call, p, before, ed)
	if err != nil {
		return settle(a, err)
	}
	a.Effect = c.effect("Edit")
	a.Run = func(ctx context.Context, _ tool.Output) (tool.Result, error) {
		if err := c.run(ctx); err != nil {
			return tool.Result{}, err
		}
		return edited(p), nil
	}
	return a, nil
}

func edited(p place) tool.Result {
	return tool.Result{Text: fmt.Sprintf("Edited %s.", show(p.real))}
}

// fit computes the change. What does not fit is shown as a diff error.
func fit(call tool.Call, p place, before state, ed editor) (*change, error) {
	switch {
	case !before.exists:
		return nil, invalid("%s does not exist", show(p.asked))
	case before.data == nil:
		return nil, invalid("%s is too large to be edited (%d bytes)", show(p.asked), before.size)
	case isBinary(before.data):
		return nil, invalid("%s is a binary file and cannot be edited as text", show(p.asked))
	}
	after, err := ed.apply(string(before.data))
	if err != nil {
		return nil, &refusal{clew.SayDiffError, fmt.Sprintf("%s: %v", show(p.asked), err)}
	}
	return newChange(call, p, before, []byte(after))
}

// errInDoubt says that a file can be from before the edit or from after it.
var errInDoubt = errors.New("the file does not tell whether the edit was made")

// checkEdit judges by the file alone, since what it held before is not known
// after a crash. Where it fits both or neither, a person has to look.
func checkEdit(ctx context.Context, call tool.Call, p place, ed editor) (bool, tool.Result, error) {
	(&change{ws: call.Workspace, at: p, callID: call.ID}).tidy()
	now, err := look(ctx, call.Workspace.Root, p.real)
	if err != nil {
		return false, tool.Result{}, explain(p.asked, err)
	}
	if !now.exists || now.data == nil {
		return false, tool.Result{}, errInDoubt
	}
	text := string(now.data)
	_, misfit := ed.apply(text)
	done := ed.applied(text)
	switch {
	case done && misfit != nil:
		return true, edited(p), nil
	case !done && misfit == nil:
		return false, tool.Result{}, nil
	}
	return false, tool.Result{}, errInDoubt
}
