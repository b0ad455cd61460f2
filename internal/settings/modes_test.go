package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBuiltInModes(t *testing.T) {
	all := Modes(Defaults(), nil)
	var slugs []string
	for _, m := range all {
		slugs = append(slugs, m.Slug)
		checked := m
		checked.Source = ""
		if err := checkMode(checked); err != nil || m.Prompt == "" || m.Source != SourceBuiltIn {
			t.Errorf("%s: %v, source %q, prompt %q", m.Slug, err, m.Source, m.Prompt)
		}
	}
	if want := []string{"code", "architect", "ask", "debug", "orchestrator", "web", "compute", "app", "desktop"}; !slices.Equal(slugs, want) {
		t.Errorf("modes %v", slugs)
	}
	// Those that edit and run commands have notebooks where there is one.
	withoutNotebooks := slices.DeleteFunc(slices.Clone(ToolGroups), func(g string) bool { return g == "notebook" })
	allowed := map[string][]string{
		"code": withoutNotebooks, "debug": withoutNotebooks, "architect": {"read", "edit", "fetch", "mcp", "control"},
		"ask": {"read", "fetch", "mcp", "control"}, "orchestrator": {"control"},
		"web": {"fetch", "mcp", "control"}, "compute": {"read", "command", "notebook", "control"}, "app": {"read", "edit", "command", "control"}, "desktop": {"read", "control"},
	}
	for slug, groups := range allowed {
		m, found := FindMode(all, slug)
		for _, g := range ToolGroups {
			if !found || m.Allows(g) != slices.Contains(groups, g) {
				t.Errorf("%s allows %s: %v", slug, g, m.Allows(g))
			}
		}
	}
	if m, _ := FindMode(all, "architect"); m.EditPattern != "**/*.md" {
		t.Errorf("architect edits %q", m.EditPattern)
	}
	if _, found := FindMode(all, "none"); found {
		t.Error("found a mode that is not there")
	}
}

// Covers: UIC-53
func TestModesOfSettingsAndWorkspace(t *testing.T) {
	v := Defaults()
	v.CustomModes = []Mode{{Slug: "ask", Name: "Mine"}, {Slug: "docs", Name: "Docs"}, {Slug: "sneaky", Name: "S", Source: SourceWorkspace}}
	all := Modes(v, nil)
	if _, found := FindMode(all, "sneaky"); found || len(all) != 10 {
		t.Errorf("%d modes, a workspace's mode counts without trust: %v", len(all), found)
	}
	all = Modes(v, []Mode{{Slug: "docs", Name: "Theirs"}})
	docs, _ := FindMode(all, "docs")
	ask, _ := FindMode(all, "ask")
	if docs.Name != "Theirs" || docs.Source != SourceWorkspace || ask.Name != "Mine" || ask.Source != SourceGlobal {
		t.Errorf("docs %+v, ask %+v", docs, ask)
	}
}

func TestWorkspaceModes(t *testing.T) {
	fsys := fstest.MapFS{".clew/modes.yaml": {Data: []byte("modes:\n- slug: docs\n  name: Docs\n  prompt: Write.\n  when_to_use: For words.\n  groups: [read, edit]\n  edit_pattern: '**/*.md'\n  source: global\n")}}
	read := func(fsys fstest.MapFS) ([]Mode, error) {
		w, err := ReadWorkspace(fsys)
		if err != nil {
			return nil, err
		}
		return w.Modes, w.ModesErr
	}
	modes, err := read(fsys)
	if err != nil || len(modes) != 1 {
		t.Fatal(modes, err)
	}
	if m := modes[0]; m.Slug != "docs" || m.WhenToUse != "For words." || m.EditPattern != "**/*.md" || m.Source != SourceWorkspace {
		t.Errorf("%+v", m)
	}
	for _, text := range []string{"modes: [", "modes:\n- slug: Bad Slug\n  name: x\n", "modes:\n- {slug: a, name: A, groups: [root]}\n", "modes:\n- {slug: a, name: A}\n- {slug: a, name: A}\n"} {
		if modes, err := read(fstest.MapFS{".clew/modes.yaml": {Data: []byte(text)}}); err == nil || modes != nil {
			t.Errorf("%q: %v", text, modes)
		}
	}
	if modes, err := read(fstest.MapFS{}); err != nil || modes != nil {
		t.Error(modes, err)
	}
}

func TestTrustIsForOneHash(t *testing.T) {
	base := fstest.MapFS{".clew/modes.yaml": {Data: []byte("modes: []\n")}, ".clew/rules/a.md": {Data: []byte("a")}, "main.go": {Data: []byte("x")}}
	hash := func(change func(fstest.MapFS)) string {
		t.Helper()
		fsys := fstest.MapFS{}
		for name, f := range base {
			fsys[name] = &fstest.MapFile{Data: f.Data}
		}
		change(fsys)
		w, err := ReadWorkspace(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return w.Hash
	}
	h := hash(func(fstest.MapFS) {})
	if other := hash(func(f fstest.MapFS) { f["main.go"].Data = []byte("y") }); other != h {
		t.Error("a file outside of .clew counts")
	}
	for what, change := range map[string]func(fstest.MapFS){
		"content": func(f fstest.MapFS) { f[".clew/rules/a.md"].Data = []byte("b") },
		"name":    func(f fstest.MapFS) { f[".clew/rules/b.md"] = f[".clew/rules/a.md"]; delete(f, ".clew/rules/a.md") },
		"more":    func(f fstest.MapFS) { f[".clew/x"] = &fstest.MapFile{} },
		"less":    func(f fstest.MapFS) { delete(f, ".clew/rules/a.md") },
		"none":    func(f fstest.MapFS) { delete(f, ".clew/rules/a.md"); delete(f, ".clew/modes.yaml") },
	} {
		if hash(change) == h {
			t.Errorf("change of %s is not seen", what)
		}
	}
	v := Defaults()
	v.TrustedWorkspaces = map[string]string{"/w": h, "/empty": ""}
	for _, tt := range []struct {
		dir, madeFrom, hash string
		want                bool
	}{
		{"/w", "", h, true}, {"/w/", "", h, false}, {"/W", "", h, false}, {"/w/x", "", h, false}, {"/w", "", strings.ToUpper(h), false}, {"/w", "", "", false}, {"/empty", "", "", false},
		{"/tree", "/w", h, true}, {"/w", "/tree", h, true}, {"/tree", "/w/x", h, false}, {"/tree", "/w", "", false}, {"", "", h, false},
	} {
		if got := Trusted(v, tt.hash, tt.dir, tt.madeFrom); got != tt.want {
			t.Errorf("Trusted(%.5q, %q, %q) = %v", tt.hash, tt.dir, tt.madeFrom, got)
		}
	}
}

func TestWorkspaceFolderIsBoundedAndPlain(t *testing.T) {
	many := fstest.MapFS{}
	for i := range maxWorkspaceFiles + 1 {
		many[".clew/"+strings.Repeat("a", i+1)] = &fstest.MapFile{}
	}
	if _, err := ReadWorkspace(many); err == nil {
		t.Error("too many files")
	}
	if _, err := ReadWorkspace(fstest.MapFS{".clew/big": {Data: make([]byte, maxWorkspaceBytes+1)}}); err == nil {
		t.Error("too many bytes")
	}
	if _, err := ReadWorkspace(fstest.MapFS{".clew": {Data: []byte("file")}}); err == nil {
		t.Error(".clew is a file")
	}
	for _, link := range []string{".clew", ".clew/modes.yaml"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "real"), 0o755); err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(link) != "." {
			if err := os.Mkdir(filepath.Join(dir, ".clew"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadWorkspace(root.FS()); err == nil {
			t.Errorf("link %s is followed", link)
		}
		_ = root.Close()
	}
}
