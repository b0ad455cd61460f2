package env

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log begins anew when it is full; three old ones stay, and only the owner reads them.
func TestLogRotates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log", "server.log")
	l, err := OpenLogFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	l.most = 20
	for i := range 12 {
		if _, err := fmt.Fprintf(l, "line %02d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(name + "*")
	if err != nil || len(files) != 4 {
		t.Fatalf("%v %v", files, err)
	}
	for file, want := range map[string]string{name: "line 10\nline 11\n", name + ".1": "line 08\nline 09\n", name + ".3": "line 04\nline 05\n"} {
		info, statErr := os.Stat(file)
		b, err := os.ReadFile(file)
		if err != nil || statErr != nil || string(b) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q %v %v", file, b, info.Mode(), err)
		}
	}
	if got := LastLines(name, 8, 5); strings.Join(got, "|") != "line 11" {
		t.Errorf("%q", got)
	}
	if got := LastLines(name, 16, 5); got != nil {
		t.Errorf("%q", got)
	}
}
