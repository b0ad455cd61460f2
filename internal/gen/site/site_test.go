package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/clew-run/clew"
)

// The site of this repository has every page of docs/, every route and every message.
func TestSite(t *testing.T) {
	s, err := build(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(s.files["openapi.json"], &doc); err != nil {
		t.Fatal(err)
	}
	index := string(s.files["api/http/index.md"])
	for path, methods := range doc.Paths {
		for method := range methods {
			if route := strings.ToUpper(method) + " " + path; !strings.Contains(index, "`"+route+"`") {
				t.Errorf("%s is on no page", route)
			}
		}
	}
	for _, e := range clew.Events {
		if !strings.Contains(string(s.files["api/websocket/events.md"]), "\n## "+string(e.Type)+"\n") {
			t.Errorf("the event %s is on no page", e.Type)
		}
	}
	for _, c := range clew.Commands {
		if !strings.Contains(string(s.files["api/websocket/commands.md"]), "\n## "+string(c.Type)+"\n") {
			t.Errorf("the command %s is on no page", c.Type)
		}
	}
	for _, want := range []string{"- Home: README.md", `- "How-to guides":`, `    - "Sessions": api/http/sessions.md`, `"Protocol": PROTOCOL.md`} {
		if !strings.Contains(s.nav(), want) {
			t.Errorf("the order lacks %s", want)
		}
	}
}

const listed = "# Documents\n\n## Tutorials\n\n- [A](a.md): what?\n\n## Reference\n\n### Wire\n\n- [Protocol](../PROTOCOL.md): how?\n"

func pages(t *testing.T, more map[string]string) (*site, error) {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range map[string]string{order: listed, home: "# clew\n", "PROTOCOL.md": "# P\n", "docs/a.md": "# A\n", "main.go": "", "examples/run/x.go": ""} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range more {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s := &site{files: map[string][]byte{}, sections: sectionsOf(listed)}
	return s, s.copyPages(root)
}

func TestPages(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a page":            {"[p](../PROTOCOL.md#x)", "[p](../PROTOCOL.md#x)"},
		"a file":            {"[m](../main.go)", "[m](" + source + "blob/main/main.go)"},
		"a directory":       {"[r](../examples/run)", "[r](" + source + "tree/main/examples/run)"},
		"elsewhere":         {"[e](https://example.org/x)", "[e](https://example.org/x)"},
		"options of blocks": {"```sh name=x\na [b](c)\n```", "```sh\na [b](c)\n```"},
		"a comment":         {"text\n\n<!-- run:\n[g](gone.md)\n-->\n```sh\nls\n```", "text\n\n```sh\nls\n```"},
		"a list":            {"text:\n- one\n- two", "text:\n\n- one\n- two"},
	} {
		s, err := pages(t, map[string]string{"docs/a.md": c.text + "\n"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.TrimSpace(string(s.files["docs/a.md"])); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPagesThatAreWrong(t *testing.T) {
	for want, more := range map[string]map[string]string{
		"docs/README.md does not list docs/b.md":               {"docs/b.md": "# B\n"},
		"docs/a.md links to ../gone.go, which is not there":    {"docs/a.md": "[g](../gone.go)\n"},
		"docs/README.md does not list docs/adr/0001-forgot.md": {"docs/adr/0001-forgot.md": "# 1\n"},
	} {
		if _, err := pages(t, more); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
