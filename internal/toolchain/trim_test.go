package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTrimRemovesTheOldest(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	for name, workspace := range map[string]string{"here": work, "gone": filepath.Join(work, "none")} {
		if err := os.MkdirAll(filepath.Join(dir, name, "go"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, OwnerFile), []byte(workspace+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		path := filepath.Join(dir, "here/go", fmt.Sprint(i))
		if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(1000+i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Trim(dir, 20_000); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "here/go")); len(left) != 10 {
		t.Errorf("%d files are left of a small cache", len(left))
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("the cache of a workspace that is gone is still there")
	}
	if err := Trim(dir, 5000); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(filepath.Join(dir, "here/go"))
	if len(left) != 4 || left[0].Name() != "6" {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "here", OwnerFile)); err != nil {
		t.Error(err)
	}
}
