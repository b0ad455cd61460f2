package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

func TestCacheIsListedAndCleared(t *testing.T) {
	data := t.TempDir()
	for name, workspace := range map[string]string{"aa": "/code/shop", "bb": "/code/other"} {
		dir := filepath.Join(data, "cache", name)
		if err := os.MkdirAll(filepath.Join(dir, "go-modules/x"), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"workspace": workspace + "\n", "go-modules/x/file": strings.Repeat("x", 3_000_000)} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o400); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(dir, "go-modules/x"), 0o500); err != nil { // as Go leaves modules
			t.Fatal(err)
		}
	}
	environ := []string{"HOME=" + data}
	got := call(t, env.RealServer, environ, "cache", "ls", "--data", data)
	if got.code != env.ExitOK || !strings.Contains(got.out, "3.0 MB") || !strings.Contains(got.out, "/code/shop") {
		t.Errorf("ls: %+v", got)
	}
	if got := call(t, env.RealServer, environ, "cache", "clear", "/code/shop", "--data", data); got.out != "1 cache cleared, 3.0 MB\n" {
		t.Errorf("clear: %+v", got)
	}
	if got := call(t, env.RealServer, environ, "cache", "ls", "--data", data); strings.Contains(got.out, "shop") || !strings.Contains(got.out, "other") {
		t.Errorf("ls after that: %+v", got)
	}
	if got := call(t, env.RealServer, environ, "cache", "clear", "--all", "--data", data); got.code != env.ExitOK {
		t.Errorf("clear all: %+v", got)
	}
	if left, err := os.ReadDir(filepath.Join(data, "cache")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestUnlinkGivesOwnCopies(t *testing.T) {
	dir := t.TempDir()
	cache, venv := filepath.Join(dir, "cache.py"), filepath.Join(dir, ".venv")
	if err := os.MkdirAll(venv, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cache, []byte("theirs\n"), 0o750); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(venv, "a.py")
	if err := os.Link(cache, own); err != nil {
		t.Fatal(err)
	}
	if got := call(t, env.RealServer, []string{"HOME=" + dir}, "unlink", venv); got.out != "1 file copied\n" {
		t.Fatalf("%+v", got)
	}
	a, err1 := os.Stat(cache)
	b, err2 := os.Stat(own)
	if err1 != nil || err2 != nil || os.SameFile(a, b) || a.Mode() != b.Mode() || !a.ModTime().Equal(b.ModTime()) {
		t.Errorf("%v %v, %v %v", a, b, err1, err2)
	}
	if text, err := os.ReadFile(own); err != nil || string(text) != "theirs\n" {
		t.Errorf("the copy has %q, %v", text, err)
	}
	if got := call(t, env.RealServer, []string{"HOME=" + dir}, "unlink", venv); got.out != "0 files copied\n" {
		t.Errorf("again: %+v", got)
	}
}
