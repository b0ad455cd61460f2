package notebook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// runByJupyter validates a file, runs it with Jupyter's own client and gives what that writes.
const runByJupyter = `
import sys, nbclient, nbformat
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
nb = nbformat.read(sys.stdin, as_version=4)
nbformat.validate(nb)
nbclient.NotebookClient(nb, timeout=120, kernel_name="python3", allow_errors=True, record_timing=False).execute()
nbformat.write(nb, sys.stdout)
`

// What a session saves after the real kernel ran the cells is what Jupyter makes of the same
// file, with a note of the session and of what the kernel knew after each cell. Saving it
// once more changes nothing.
//
// Covers: JUP-13, JUP-14, JUP-15, JUP-20
func TestRealFile(t *testing.T) {
	n := &ipynb.Notebook{Metadata: ipynb.Metadata{"mine": []byte(`{"kept":1.0}`), "kernelspec": []byte(`{"display_name":"Mine","name":"python3"}`)}}
	for i, source := range []string{
		"print('안녕')\nx = 6 * 7\nx",
		"from IPython.display import display, HTML\nh = display(HTML('<b>one</b>'), display_id='d')",
		"h.update(HTML('<b>two</b>'))",
		"from IPython.display import clear_output\nprint('gone')\nclear_output(wait=True)\nprint('kept')",
		"y = [1, 2]",
	} {
		n.Cells = append(n.Cells, ipynb.Cell{ID: string(rune('a' + i)), Type: ipynb.Code, Source: source, Metadata: ipynb.Metadata{}})
	}
	n.Cells = append(n.Cells, ipynb.Cell{ID: "words", Type: ipynb.Markdown, Source: "# end", Metadata: ipynb.Metadata{"tags": []byte(`["t"]`)}})
	before, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, realMachine(t))
	name := filepath.Join(w.dir, "a.ipynb")
	if err := os.WriteFile(name, before, 0o600); err != nil {
		t.Fatal(err)
	}
	w.do(&clew.NotebookOpenData{Path: "a.ipynb"})
	w.until("the notebook", func() bool { return w.opened != nil })
	w.do(&clew.NotebookRunData{NotebookID: w.notebook, All: true})
	saved := saveUntil(t, w, name, func(n *ipynb.Notebook) bool {
		_, ok := ipynb.CellCheckpoint(&n.Cells[4])
		return ok
	})
	got := parse(t, saved)
	by := parse(t, jupytertest.Run(t, runByJupyter, before))
	for i := range by.Cells {
		if !reflect.DeepEqual(got.Cells[i].Outputs, by.Cells[i].Outputs) || got.Cells[i].Source != by.Cells[i].Source {
			t.Errorf("cell %d shows %+v\nby Jupyter %+v", i, got.Cells[i].Outputs, by.Cells[i].Outputs)
		}
		if a, b := got.Cells[i].ExecutionCount, by.Cells[i].ExecutionCount; !reflect.DeepEqual(a, b) {
			t.Errorf("cell %d has the counts %v and %v", i, a, b)
		}
	}
	agent, ok := ipynb.AgentState(got)
	if !ok || agent.SessionID == "" || len(agent.Checkpoints) != 5 || string(agent.Messages) != "[]" {
		t.Fatalf("%+v", agent)
	}
	last, _ := ipynb.CellCheckpoint(&got.Cells[4])
	if names := strings.Join(last.Variables, " "); len(last.StateHash) != 8 || last.TS == 0 || !strings.Contains(names, "x") || !strings.Contains(names, "y") {
		t.Errorf("%+v", last)
	}
	if string(got.Metadata["mine"]) != `{"kept":1.0}` || string(got.Metadata["kernelspec"]) != `{"display_name":"Mine","name":"python3"}` || string(got.Cells[5].Metadata["tags"]) != `["t"]` {
		t.Errorf("%s", got.Metadata)
	}
	if again := saveUntil(t, w, name, func(*ipynb.Notebook) bool { return true }); !bytes.Equal(again, saved) {
		t.Errorf("saved again as\n%s\nwas\n%s", again, saved)
	}
	// The file is one that Jupyter opens and runs.
	if again := parse(t, jupytertest.Run(t, runByJupyter, saved)); len(again.Cells) != len(got.Cells) {
		t.Errorf("%+v", again)
	}
}

// saveUntil saves, again and again, until the file is as wanted.
func saveUntil(t *testing.T, w *world, name string, is func(*ipynb.Notebook) bool) (file []byte) {
	t.Helper()
	w.until("the file", func() bool {
		before := len(w.saved)
		w.do(&clew.NotebookSaveData{NotebookID: w.notebook})
		w.until("a save", func() bool { return len(w.saved) > before })
		if d := w.saved[len(w.saved)-1]; d.Problem != "" || d.Conflict {
			t.Fatalf("%+v", d)
		}
		var err error
		if file, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		return is(parse(t, file))
	})
	return file
}

func parse(t *testing.T, b []byte) *ipynb.Notebook {
	t.Helper()
	n, err := ipynb.Read(b)
	if err != nil {
		t.Fatalf("%v\n%.1000s", err, b)
	}
	return n
}
