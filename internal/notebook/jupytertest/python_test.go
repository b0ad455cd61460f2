package jupytertest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	for _, name := range []string{"python3", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	yes, no := func(string) bool { return true }, func(string) bool { return false }
	for _, c := range []struct {
		name, named string
		usable      func(string) bool
		path, why   string
	}{
		{"the system's", "", yes, filepath.Join(dir, "python3"), ""},
		{"the named one", other, yes, other, ""},
		{"without ipykernel", "", no, "", filepath.Join(dir, "python3") + " cannot import ipykernel"},
		{"missing", filepath.Join(dir, "missing"), yes, "", "there is no " + filepath.Join(dir, "missing")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if path, why := find(c.named, c.usable); path != c.path || why != c.why {
				t.Errorf("got %q, %q", path, why)
			}
		})
	}
}
