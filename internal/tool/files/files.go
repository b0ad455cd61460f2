// Package files holds the tools that work on a workspace's files: read_file,
// list_files, search_files, write_file and edit.
//
// Every access goes through the workspace's root and, below it, through
// directories opened one by one without following links. So neither a path nor
// a link that is swapped meanwhile leads outside, or past the rules on what is
// hidden and protected.
package files

import (
	"bytes"
	_ "embed" // the tools' descriptions
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// Tools lists the file tools.
func Tools() []tool.Tool {
	return []tool.Tool{readFile{}, listFiles{}, searchFiles{rg: findRipgrep}, writeFile{}, edit{}}
}

// A refusal is why a call may not run at all.
type refusal struct {
	say  clew.Say // "" for error
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return &tool.InputError{Message: fmt.Sprintf(format, args...)}
}

// settle turns a refusal into an action that says so, which people see; any
// other error is the model's to mend.
func settle(a *tool.Action, err error) (*tool.Action, error) {
	var r *refusal
	switch {
	case err == nil:
		return a, nil
	case errors.As(err, &r):
		if a == nil {
			a = &tool.Action{Ask: clew.AskTool}
		}
		a.Refused, a.RefusedSay = r.text, r.say
		return a, nil
	}
	return nil, err
}

// decode reads a call's input. Unknown fields are an error: a model that
// misspells one would otherwise get something it did not ask for.
func decode(call tool.Call, into any) error {
	if call.Workspace == nil || call.Workspace.Root == nil {
		return clew.Errorf(clew.SessionInvalidState, "the session has no workspace")
	}
	d := json.NewDecoder(bytes.NewReader(call.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return invalid("the input does not fit the tool: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return invalid("the input has more than one JSON value")
	}
	return nil
}

// show gives a file name as it can stand in a line of text: quoted if it has
// characters that do not print, such as line breaks, escape codes or marks that
// turn the direction of writing.
func show(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// quoted shows a pattern as it was written: backslashes are common in them, and
// doubled ones would be another pattern.
func quoted(pattern string) string {
	if s := show(pattern); s != pattern {
		return s
	}
	return `"` + pattern + `"`
}

// explain puts a failed file operation into words without the server's paths.
func explain(name string, err error) error {
	var r *refusal
	var in *tool.InputError
	switch {
	case errors.As(err, &r), errors.As(err, &in):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return invalid("%s does not exist", show(name))
	case errors.Is(err, fs.ErrPermission):
		return invalid("%s: permission denied", show(name))
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return invalid("%s: %v", show(name), err)
}
