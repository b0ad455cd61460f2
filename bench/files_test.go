package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
)

// The tree has the files and bytes that it says, and the walk comes through it.
func TestTree(t *testing.T) {
	root := t.TempDir()
	const files, size = 250, 250 * 40
	if err := checkpointtest.Fill(root, files, size); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		info, err := os.Stat(filepath.Join(root, checkpointtest.Name(i)))
		if err != nil || info.Size() != size/files {
			t.Fatalf("file %d: %v, %v", i, info, err)
		}
	}
	if err := statWalk(root); err != nil {
		t.Error(err)
	}
	if err := statWalk(filepath.Join(root, "missing")); err == nil {
		t.Error("the walk of nothing went well")
	}
}

// Writing leaves the file alone in its place.
func TestWriteFlushed(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"one", "two"} {
		if err := writeFlushed(filepath.Join(dir, "file"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil || string(got) != "two" {
		t.Errorf("got %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}
