package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func found(list []Found) string {
	var names []string
	for _, f := range list {
		name := f.Path
		if f.Directory {
			name += "/"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// What a person may mean comes best first, and nothing else comes at all.
func TestFind(t *testing.T) {
	ws, outside := newWorkspace(t, map[string]string{
		"main.go": "", "internal/domain.go": "", "internal/mail/again.go": "", "docs/my notes.md": "",
		".env": "", "keys/id_rsa": "", "node_modules/main.js": "", "sub/build/main.o": "", ".git/config": "", ".clewignore": "private/\n",
		"private/main.txt": "", ".gitignore": "node_modules/\n", "sub/.gitignore": "build\n", "bad\nname.go": "",
	})
	if err := os.WriteFile(filepath.Join(outside, "main-secret.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"out": outside, "main-out.go": filepath.Join(outside, "main-secret.go"), "main-in.go": "main.go"} {
		if err := os.Symlink(to, filepath.Join(ws.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"main":        "main.go internal/domain.go internal/mail/again.go",
		"main.go":     "main.go internal/domain.go internal/mail/again.go",
		"MAIN":        "main.go internal/domain.go internal/mail/again.go",
		"./main.go":   "main.go internal/domain.go internal/mail/again.go",
		"imago":       "internal/mail/again.go internal/domain.go",
		"mail/":       "internal/mail/ internal/mail/again.go",
		"my notes":    "docs/my notes.md",
		"../":         "",
		"../../etc":   "",
		"/etc/passwd": "",
		".env":        "",
		"id_rsa":      "",
		"private":     "",
		"bad":         "",
		"out":         "",
		"zzz":         "",
		"/":           "",
	} {
		list, more, err := Find(t.Context(), ws, query, 10)
		if got := found(list); err != nil || more || got != want {
			t.Errorf("%q finds %q, %v, %v; want %q", query, got, more, err, want)
		}
	}
	list, _, err := Find(t.Context(), ws, "", 100)
	want := ".clewignore .gitignore docs/ internal/ keys/ main.go sub/ docs/my notes.md internal/domain.go internal/mail/ sub/.gitignore internal/mail/again.go"
	if got := found(list); err != nil || got != want {
		t.Errorf("all are %q, %v", got, err)
	}
	if list, _, _ := Find(t.Context(), ws, "", 2); len(list) != 2 {
		t.Errorf("the limit gives %q", found(list))
	}
}

// A walk that takes too long gives what it found, and one that nobody waits for ends.
func TestFindHasAnEnd(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("d%d/f", i)] = ""
	}
	ws, _ := newWorkspace(t, files)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Find(gone, ws, "f", 10); err == nil {
		t.Error("a search that nobody waits for goes on")
	}
	before := maxFindNames
	maxFindNames = 35
	defer func() { maxFindNames = before }()
	list, more, err := Find(t.Context(), ws, "", 100)
	if err != nil || !more || len(list) != 35 || slices.Contains(list, Found{Path: "d9/f"}) {
		t.Errorf("the first 35 are %q, %v, %v", found(list), more, err)
	}
}
