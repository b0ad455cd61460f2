// Package race has a data race, of which only its second try would be free.
package race

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRace(t *testing.T) {
	mark := filepath.Join(os.Getenv("PLANTED_DIR"), "raced")
	if _, err := os.Stat(mark); err == nil {
		return
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	n, done := 0, make(chan bool)
	go func() { n++; close(done) }()
	n++
	<-done
}
