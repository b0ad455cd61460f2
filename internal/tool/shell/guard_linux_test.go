package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/tool/files"
)

// A guarded command sees no secret of the workspace and changes nothing that is
// protected, by whatever name; all else works as before.
func TestGuardedCommands(t *testing.T) {
	b := sandboxed(t, Options{Guard: files.Guards})
	for name, text := range map[string]string{
		".env": "TOKEN=abc", "web/.env.local": "TOKEN=abc", ".ssh/id_rsa": "TOKEN=abc", "settings/plain": "TOKEN=abc",
		".github/workflows/ci.yml": "ci", ".clewignore": "x", "a.txt": "plain", ".env.example": "TOKEN=",
	} {
		write(t, filepath.Join(b.ws.Dir, name), text)
	}
	if err := os.Symlink("settings/plain", filepath.Join(b.ws.Dir, "id_rsa")); err != nil {
		t.Fatal(err)
	}
	a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "true"}))
	if err != nil || !a.Guarded {
		t.Fatalf("not guarded: %v", err)
	}
	if out, _ := b.run("grep -r TOKEN=abc . ; cat .env web/.env.local .ssh/id_rsa id_rsa settings/plain; ln .env x; cp .env y; cat x y"); strings.Contains(out, "abc") {
		t.Errorf("it read a secret: %s", out)
	}
	if out, _ := b.run("cat a.txt .env.example; echo more >> a.txt"); !strings.Contains(out, "plain") {
		t.Errorf("%s", out)
	}
	for _, line := range []string{
		"echo x >> .github/workflows/ci.yml", "echo x > .github/workflows/new.yml", "mv .github elsewhere", "rm -rf .github", "echo x > .clewignore", "rm .clewignore",
		"mv .clewignore z", "echo x > .env", "rm -f .env",
	} {
		if out, r := b.run(line); !r.IsError && line != "echo x > .env" {
			t.Errorf("%s: %s", line, out)
		}
	}
	for name, want := range map[string]string{".env": "TOKEN=abc", ".github/workflows/ci.yml": "ci", ".clewignore": "x", "settings/plain": "TOKEN=abc"} {
		if got, err := os.ReadFile(filepath.Join(b.ws.Dir, name)); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s is %q now, %v", name, got, err)
		}
	}
}

// Where not everything can be guarded, nothing counts as guarded; nor without a guard.
func TestNotGuarded(t *testing.T) {
	b := sandboxed(t, Options{Guard: files.Guards})
	for i := range maxGuarded + 2 {
		write(t, filepath.Join(b.ws.Dir, fmt.Sprint("d", i), ".env"), "x")
	}
	for _, opts := range []Options{{Guard: files.Guards}, {}} {
		opts.Sandbox, opts.Marker = SandboxBwrap, "test"
		b.shell.options = func(context.Context) Options { return opts }
		if a, err := (executeCommand{b.shell}).Prepare(t.Context(), b.call(map[string]any{"command": "true"})); err != nil || a.Guarded {
			t.Errorf("guarded: %v", err)
		}
	}
	none := newBench(t, Options{Sandbox: SandboxNone, Guard: files.Guards})
	if a, err := (executeCommand{none.shell}).Prepare(t.Context(), none.call(map[string]any{"command": "true"})); err != nil || a.Guarded || !a.Effect.Network {
		t.Errorf("without a sandbox: %+v %v", a, err)
	}
}

// A mask is of a file and not of a name: what was made since a program began, or saved in
// place of what there was, is open to it.
func TestStillGuarded(t *testing.T) {
	at := func(b *bench, name string) string { return filepath.Join(b.ws.Dir, name) }
	for name, c := range map[string]struct {
		change func(t *testing.T, b *bench) error
		want   bool
	}{
		"nothing":      {func(*testing.T, *bench) error { return nil }, true},
		"another file": {func(t *testing.T, b *bench) error { write(t, at(b, "b.txt"), "x"); return nil }, true},
		"written":      {func(t *testing.T, b *bench) error { write(t, at(b, ".env"), "new"); return nil }, true},
		"in a folder":  {func(t *testing.T, b *bench) error { write(t, at(b, ".ssh/new"), "x"); return nil }, true},
		"removed":      {func(_ *testing.T, b *bench) error { return os.Remove(at(b, ".env")) }, true},
		"new":          {func(t *testing.T, b *bench) error { write(t, at(b, "web/.env.local"), "x"); return nil }, false},
		"saved": {func(t *testing.T, b *bench) error {
			write(t, at(b, "tmp"), "x")
			return os.Rename(at(b, "tmp"), at(b, ".env"))
		}, false},
		"saved with the number of the old one": {func(t *testing.T, b *bench) error {
			err := os.Remove(at(b, ".env"))
			write(t, at(b, ".env"), "x")
			return err
		}, false},
		"another folder": {func(t *testing.T, b *bench) error {
			err := os.Rename(at(b, ".ssh"), at(b, "ssh"))
			write(t, at(b, ".ssh/id_rsa"), "x")
			return err
		}, false},
		"a link": {func(_ *testing.T, b *bench) error { return os.Symlink("a.txt", at(b, "id_ed25519")) }, false},
		"read-only, saved": {func(t *testing.T, b *bench) error {
			write(t, at(b, "tmp"), "x")
			return os.Rename(at(b, "tmp"), at(b, ".clewignore"))
		}, false},
	} {
		b := newBench(t, Options{Sandbox: SandboxNone})
		for _, file := range []string{".env", ".ssh/id_rsa", ".clewignore", "a.txt"} {
			write(t, at(b, file), "old")
		}
		list, ok := findGuarded(b.ws, files.Guards)
		was := maskedFiles(b.ws, list)
		if err := c.change(t, b); err != nil || !ok {
			t.Fatal(name, err)
		}
		if got := StillGuarded(b.ws, files.Guards, was); got != c.want {
			t.Errorf("%s: %v, was %+v", name, got, was)
		}
	}
}
