package ipynb

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Whatever a file says, it is refused or read without harm: what was read can be written,
// and that is read as the same notebook.
func FuzzRead(f *testing.F) {
	for _, folder := range []string{"shapes", "hostile"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.ipynb"))
		if err != nil || len(files) == 0 {
			f.Fatalf("%d files, %v", len(files), err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Read(b)
		if err != nil {
			return
		}
		AgentState(n)
		for i := range n.Cells {
			CellCheckpoint(&n.Cells[i])
		}
		once := mustWrite(t, n)
		again := mustRead(t, once)
		if twice := mustWrite(t, again); !bytes.Equal(once, twice) {
			t.Fatalf("written as\n%s\nthen as\n%s", once, twice)
		}
		if again.Minor = n.Minor; !reflect.DeepEqual(again, n) {
			t.Fatalf("read %+v\nthen %+v", n, again)
		}
	})
}
