package files

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// newWorkspace makes a workspace with some files, beside a directory that nothing may
// reach.
func newWorkspace(t testing.TB, files map[string]string) (ws *tool.Workspace, beside string) {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "ws")
	beside = filepath.Join(base, "beside")
	put(t, filepath.Join(beside, "secret.txt"), "outside\n")
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = workspace.Close(ws) })
	return ws, beside
}

func put(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type in map[string]any

func callOf(t testing.TB, ws *tool.Workspace, input in) tool.Call {
	t.Helper()
	b, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{ID: "call_1", SessionID: "ses_1", Input: b, Workspace: ws}
}

// do prepares and runs a call. A refusal comes back as a *refusal.
func do(t testing.TB, tl tool.Tool, ws *tool.Workspace, input in) (tool.Result, error) {
	t.Helper()
	a, err := tl.Prepare(t.Context(), callOf(t, ws, input))
	if err != nil {
		return tool.Result{}, err
	}
	if a.Refused != "" {
		return tool.Result{}, &refusal{a.RefusedSay, a.Refused}
	}
	return a.Run(t.Context(), nil)
}

func must(t testing.TB, tl tool.Tool, ws *tool.Workspace, input in) string {
	t.Helper()
	r, err := do(t, tl, ws, input)
	if err != nil {
		t.Fatalf("%s %v: %v", tl.Spec().Name, input, err)
	}
	return r.Text
}

// calls gives one call of each tool on a path.
func calls(path string) map[tool.Tool]in {
	return map[tool.Tool]in{
		readFile{}:  {"path": path},
		listFiles{}: {"path": path, "recursive": true},
		writeFile{}: {"path": path, "content": "hacked"},
		edit{}:      {"path": path, "old": "outside", "new": "hacked"},
	}
}

// searches gives both ways to search.
func searches() map[string]tool.Tool {
	m := map[string]tool.Tool{"plain": searchFiles{rg: func() string { return "" }}}
	if findRipgrep() != "" {
		m["ripgrep"] = searchFiles{rg: findRipgrep}
	}
	return m
}

func TestToolsDescribeThemselves(t *testing.T) {
	want := map[string]clew.ToolClass{
		"read_file": clew.ClassReadOnly, "list_files": clew.ClassReadOnly, "search_files": clew.ClassReadOnly,
		"write_file": clew.ClassCheckable, "edit": clew.ClassCheckable,
	}
	for _, tl := range Tools() {
		s := tl.Spec()
		if want[s.Name] != s.Class {
			t.Errorf("%s has class %s", s.Name, s.Class)
		}
		delete(want, s.Name)
		var schema struct {
			Type       string
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(s.Schema, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: schema %v %v", s.Name, schema, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name] == nil {
				t.Errorf("%s: %s is required and not described", s.Name, name)
			}
		}
		if len(s.Description) < 100 || strings.HasSuffix(s.Description, "\n") {
			t.Errorf("%s: description %q", s.Name, s.Description)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Covers: TOOL-17
func TestActionsAskAsTools(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "outside\n", "d/b": ""})
	for tl, input := range calls("a.txt") {
		if _, list := tl.(listFiles); list {
			input["path"] = "d"
		}
		a, err := tl.Prepare(t.Context(), callOf(t, ws, input))
		if err != nil || a.Ask != clew.AskTool || a.Effect.Summary == "" || len(a.Effect.Paths) != 1 {
			t.Errorf("%s: %+v %v", tl.Spec().Name, a, err)
		}
	}
}

func TestInputThatDoesNotFit(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "a\n", "d/x": ""})
	bad := map[tool.Tool][]string{
		readFile{}:  {``, `null`, `[]`, `{}`, `{"path":1}`, `{"path":""}`, `{"path":"a.txt","x":1}`, `{"path":"a.txt"}{}`, `{"path":"a.txt","offset":0}`, `{"path":"a.txt","limit":-1}`, `{"path":"none"}`, `{"path":"d"}`},
		listFiles{}: {`{}`, `{"path":"a.txt"}`, `{"path":"none"}`, `{"path":".","limit":0}`},
		writeFile{}: {`{"path":"a.txt"}`, `{"path":"d","content":""}`, `{"path":".","content":""}`, `{"path":"new/","content":""}`, `{"path":"a.txt/b","content":""}`},
		edit{}:      {`{"path":"a.txt"}`, `{"path":"a.txt","old":"","new":"x"}`, `{"path":"a.txt","old":"x","new":"x"}`, `{"path":"a.txt","old":"a","new":"b","diff":"@@"}`, `{"path":"none","old":"a","new":"b"}`},
	}
	bad[&searchFiles{rg: findRipgrep}] = []string{`{}`, `{"pattern":""}`, `{"pattern":"("}`, `{"pattern":"a\nb"}`, `{"pattern":"a","glob":"!x"}`, `{"pattern":"a","limit":0}`, `{"pattern":"a","path":"none"}`}
	for tl, inputs := range bad {
		for _, input := range inputs {
			a, err := tl.Prepare(t.Context(), tool.Call{Input: json.RawMessage(input), Workspace: ws})
			var ie *tool.InputError
			if !errors.As(err, &ie) {
				t.Errorf("%s %s: %+v %v", tl.Spec().Name, input, a, err)
			}
		}
	}
}

func TestNoWorkspace(t *testing.T) {
	for _, tl := range Tools() {
		if _, err := tl.Prepare(context.Background(), tool.Call{Input: json.RawMessage(`{"path":"a"}`)}); err == nil {
			t.Errorf("%s works without a workspace", tl.Spec().Name)
		}
	}
}
