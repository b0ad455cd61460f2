package nbfile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/clew-run/clew/internal/notebook/ipynb"
)

// Files of the programs that people use go through a session and lose nothing: what is
// saved is what Python's nbformat would write of them.
//
// Covers: JUP-20
func TestShapesThroughASession(t *testing.T) {
	files, err := filepath.Glob("../ipynb/testdata/shapes/*.ipynb")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var saved []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.open(b)
		got := w.save()
		was, again := read(t, b), read(t, got)
		if again.Minor = was.Minor; !reflect.DeepEqual(again, was) {
			t.Errorf("%s: %+v\nwas %+v", file, again, was)
		}
		saved = append(saved, string(got))
	}
	validate(t, saved)
	t.Logf("%d files", len(saved))
}

// All notebooks below the directory that CLEW_TEST_NOTEBOOKS names go through a session and
// lose nothing but an execution count of 0, which is none; what is saved of them is valid,
// and Jupyter's client opens it. Files that are refused are not valid for Python either.
func TestWholeCorpus(t *testing.T) {
	dir := os.Getenv("CLEW_TEST_NOTEBOOKS")
	if dir == "" {
		t.Skip("CLEW_TEST_NOTEBOOKS names no directory with notebooks")
	}
	var saved, refused, reasons []string
	cells, outputs, size := 0, 0, 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".ipynb" {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		was, err := ipynb.Read(b)
		if err != nil {
			refused, reasons = append(refused, string(b)), append(reasons, name+": "+err.Error())
			return nil
		}
		w := newWorld(t)
		w.open(b)
		got := w.save()
		for i := range was.Cells { // as some files have it of cells that never ran
			if c := &was.Cells[i]; c.ExecutionCount != nil && *c.ExecutionCount == 0 {
				c.ExecutionCount = nil
			}
		}
		again := read(t, got)
		if again.Minor = was.Minor; !reflect.DeepEqual(again, was) {
			t.Errorf("%s came back otherwise", name)
		}
		other := newWorld(t)
		other.open(got)
		if !bytes.Equal(other.save(), got) {
			t.Errorf("%s is written otherwise the second time", name)
		}
		saved, size, cells = append(saved, string(got)), size+len(b), cells+len(was.Cells)
		for _, c := range was.Cells {
			outputs += len(c.Outputs)
		}
		return nil
	})
	if err != nil || len(saved) == 0 {
		t.Fatalf("%d notebooks: %v", len(saved), err)
	}
	validate(t, saved)
	t.Logf("%d notebooks of %d MB, %d cells, %d outputs: all come back, all valid for nbformat and opened by nbclient", len(saved), size>>20, cells, outputs)
	for i, valid := range validOf(t, refused) {
		if valid {
			t.Errorf("%s, and it is valid for Python", reasons[i])
		}
	}
	t.Logf("%d files are refused, none of which is a valid notebook of the formats 4.0 to 4.5 for Python", len(refused))
}
