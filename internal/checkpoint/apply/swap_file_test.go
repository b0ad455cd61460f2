package apply

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// A new file takes its place only if what is there is what was expected; whatever
// somebody put there instead stays, and nothing is left over.
func TestPlace(t *testing.T) {
	write := func(t *testing.T, name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		was  string // "": nothing
		then func(t *testing.T, name string)
		want string
		err  error
	}{
		"still there":    {was: "old", want: "restored"},
		"still nothing":  {want: "restored"},
		"removed":        {was: "old", then: func(_ *testing.T, name string) { _ = os.Remove(name) }, want: "restored"},
		"written to":     {was: "old", then: func(t *testing.T, name string) { write(t, name, "theirs") }, want: "theirs", err: errStrange},
		"made meanwhile": {then: func(t *testing.T, name string) { write(t, name, "theirs") }, want: "theirs", err: errStrange},
		"replaced": {was: "old", then: func(t *testing.T, name string) {
			write(t, name+".new", "theirs")
			_ = os.Rename(name+".new", name)
		}, want: "theirs", err: errStrange},
		"now a link": {was: "old", then: func(t *testing.T, name string) {
			write(t, filepath.Join(filepath.Dir(name), "..", "theirs"), "theirs")
			_ = os.Remove(name)
			_ = os.Symlink("../theirs", name)
		}, want: "theirs", err: errStrange},
		"now a directory": {was: "old", then: func(_ *testing.T, name string) {
			_ = os.Remove(name)
			_ = os.Mkdir(name, 0o755)
		}, err: errStrange},
	} {
		t.Run(what, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "work")
			name := filepath.Join(root, "f")
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
			dir, err := beneath.OpenRoot(root)
			if err != nil {
				t.Fatal(err)
			}
			f := os.NewFile(uintptr(dir), root)
			defer func() { _ = f.Close() }()
			e := expectation{}
			if c.was != "" {
				write(t, name, c.was)
				e.there = true
				if e.stamp, _, err = beneath.Lstat(dir, "f"); err != nil {
					t.Fatal(err)
				}
			}
			a := &Applier{nonce: "1"}
			write(t, filepath.Join(root, temp(a.nonce, "f")), "restored")
			if c.then != nil {
				c.then(t, name)
			}
			if err := a.place(dir, "f", tree.Change{Path: "f"}, e); !errors.Is(err, c.err) {
				t.Errorf("it says %v", err)
			}
			if b, _ := os.ReadFile(name); string(b) != c.want {
				t.Errorf("it is %q", b)
			}
			if list, err := os.ReadDir(root); err != nil || len(list) != 1 {
				t.Errorf("%v %v", list, err)
			}
		})
	}
}
