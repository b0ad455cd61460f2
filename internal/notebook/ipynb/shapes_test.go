package ipynb

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// shape gives a file as one of the programs out there writes it.
func shape(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "shapes", name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustRead(t testing.TB, b []byte) *Notebook {
	t.Helper()
	n, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustWrite(t testing.TB, n *Notebook) []byte {
	t.Helper()
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Files of the programs that people use are read, and what is written of them is valid and
// as Python writes it.
//
// The rule is JUP-20.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("testdata/shapes/*.ipynb")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var questions []question
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := mustRead(t, b)
		written := mustWrite(t, n)
		again := mustRead(t, written)
		if again.Minor = n.Minor; !reflect.DeepEqual(again, n) {
			t.Errorf("%s: read %+v, then %+v", file, n, again)
		}
		questions = append(questions, question{File: string(written), Notebook: plain(t, n)})
	}
	for i, v := range askPython(t, questions) {
		if v.Refused != "" || v.Written != questions[i].File || v.Made != questions[i].File {
			t.Errorf("%s: %s\n%s\n%s", files[i], v.Refused, questions[i].File, v.Written)
		}
	}
}

func TestWhatIsRead(t *testing.T) {
	t.Run("ipython", func(t *testing.T) {
		n := mustRead(t, shape(t, "v4.0-ipython"))
		if n.Minor != 0 || len(n.Cells) != 3 || n.Cells[0].Source != "# Title\n\nText with $x^2$." {
			t.Errorf("%+v", n)
		}
		if n.Metadata["signature"] != nil || n.Cells[1].Metadata["trusted"] != nil {
			t.Error("what is of one opening of a file was kept")
		}
		if o := n.Cells[1].Outputs[0]; o.Name != "stdout" || o.Text != "3.4.3\n" || *n.Cells[1].ExecutionCount != 1 {
			t.Errorf("%+v", o)
		}
		if o := n.Cells[2].Outputs[0]; string(o.Data["text/plain"]) != `"0.3333333333333333"` || *o.ExecutionCount != 2 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("numbers", func(t *testing.T) {
		toc := string(mustRead(t, shape(t, "v4.2-numbers")).Metadata["toc"])
		for _, number := range []string{"12345678901234567890123", "10.0", "1e+22"} {
			if !strings.Contains(toc, number) {
				t.Errorf("%s is not in %s", number, toc)
			}
		}
	})
	t.Run("ids", func(t *testing.T) {
		cells := mustRead(t, shape(t, "v4.4-ids")).Cells
		if cells[0].ID != "abc-1" {
			t.Errorf("the first id is %q", cells[0].ID)
		}
		seen := map[string]bool{}
		for _, c := range cells {
			if !ValidID(c.ID) || seen[c.ID] {
				t.Errorf("the id %q", c.ID)
			}
			seen[c.ID] = true
		}
		if again := mustRead(t, shape(t, "v4.4-ids")).Cells; !reflect.DeepEqual(again, cells) {
			t.Errorf("another reading gives other ids: %+v", again)
		}
	})
	t.Run("colab", func(t *testing.T) {
		n := mustRead(t, shape(t, "colab"))
		if n.Metadata["widgets"] == nil || n.Metadata["colab"] == nil || string(n.Cells[0].Metadata["id"]) != `"view-in-github"` {
			t.Errorf("%+v", n.Metadata)
		}
		view := n.Cells[1].Outputs[1].Data["application/vnd.jupyter.widget-view+json"]
		if string(view) != `{"model_id":"0a1b","version_major":2,"version_minor":0}` {
			t.Errorf("%s", view)
		}
	})
	t.Run("vscode", func(t *testing.T) {
		n := mustRead(t, shape(t, "vscode"))
		o := n.Cells[0].Outputs[0]
		if o.EName != "ZeroDivisionError" || len(o.Traceback) != 4 || !strings.HasPrefix(o.Traceback[0], "\x1b[1;31m---") {
			t.Errorf("%+v", o)
		}
		if n.Metadata["orig_nbformat"] != nil || string(n.Cells[1].Attachments) != "{}" || n.Cells[1].Source != "text\r\nmore" {
			t.Errorf("%+v", n)
		}
	})
	t.Run("attachments", func(t *testing.T) {
		want := `{"a b.png":{"image/png":"iVBORw0KGgo="},"d.svg":{"image/svg+xml":"<svg>\n</svg>"}}`
		if got := mustRead(t, shape(t, "lab-attachments")).Cells[0].Attachments; string(got) != want {
			t.Errorf("%s", got)
		}
	})
	t.Run("sparse", func(t *testing.T) {
		n := mustRead(t, shape(t, "sparse"))
		if string(n.Metadata["kernelspec"]) != `{"display_name":"julia-1.9","name":"julia-1.9"}` {
			t.Errorf("%s", n.Metadata["kernelspec"])
		}
		if c := n.Cells[1]; c.Metadata["collapsed"] != nil || len(c.Outputs) != 1 || c.Outputs[0].Metadata == nil {
			t.Errorf("%+v", c)
		}
	})
}

// An image of many megabytes is one string, in and out.
func TestHugeImage(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("\x89PNG pixels "), 2<<20))
	n := &Notebook{Minor: 5, Metadata: Metadata{}, Cells: []Cell{{ID: "a", Type: Code, Metadata: Metadata{}, Outputs: []Output{{
		Type: DisplayData, Metadata: Metadata{}, Data: map[string]json.RawMessage{"image/png": json.RawMessage(`"` + picture + `"`)},
	}}}}}
	file := mustWrite(t, n)
	if len(file) < 30<<20 {
		t.Fatalf("%d bytes", len(file))
	}
	if !reflect.DeepEqual(mustRead(t, file), n) {
		t.Error("the notebook is another one")
	}
}
