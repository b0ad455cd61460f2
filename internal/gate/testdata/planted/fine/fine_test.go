// Package fine has a test that passes, and says that a server saw a type.
package fine

import (
	"os"
	"testing"
)

func TestFine(t *testing.T) {
	if err := os.WriteFile(os.Getenv("RECORD_CLEW_TYPES"), []byte("event planted\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
