// Package second has tests that fail each second time, the first time first.
package second

import (
	"os"
	"path/filepath"
	"testing"
)

func second(t *testing.T) {
	t.Helper()
	mark := filepath.Join(os.Getenv("PLANTED_DIR"), t.Name())
	if os.Remove(mark) == nil {
		return
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Error("not this time")
}

func TestSecond(t *testing.T)      { second(t) }
func TestSecondTwo(t *testing.T)   { second(t) }
func TestSecondThree(t *testing.T) { second(t) }
func TestSecondFour(t *testing.T)  { second(t) }
