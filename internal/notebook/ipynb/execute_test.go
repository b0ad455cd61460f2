package ipynb

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// run has Jupyter's own client open a file, run it with a real kernel and write it.
const run = `
import sys, nbclient, nbformat
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
nb = nbformat.read(sys.stdin, as_version=4)
nbclient.NotebookClient(nb, timeout=120, kernel_name="python3", allow_errors=True).execute()
nbformat.write(nb, sys.stdout)
`

// A file of ours is opened and run by Jupyter, and what Jupyter writes of it is read, and
// written again byte for byte.
//
// The rule is JUP-20.
func TestRunByJupyter(t *testing.T) {
	n := &Notebook{Metadata: Metadata{"kernelspec": json.RawMessage(`{"display_name":"Python 3","name":"python3"}`)}}
	for id, source := range []string{
		"import sys\nprint('안녕\\r\\x0b', 'out')\nprint('err', file=sys.stderr)",
		"x = 6 * 7\nx",
		"from IPython.display import display, HTML, JSON\ndisplay(HTML('<b>\\n</b>'), JSON({'b': [1.0, None], 'a': 1e22}))",
		"1 / 0",
		"import matplotlib\nmatplotlib.use('module://matplotlib_inline.backend_inline')\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
	} {
		n.Cells = append(n.Cells, Cell{ID: string(rune('a' + id)), Type: Code, Source: source})
	}
	n.Cells = append(n.Cells, Cell{ID: "text", Type: Markdown, Source: "# done"})
	file := jupytertest.Run(t, run, mustWrite(t, n))
	got := mustRead(t, file)
	if again := mustWrite(t, got); !bytes.Equal(again, file) {
		t.Errorf("Jupyter wrote\n%s\nwritten again as\n%s", file, again)
	}
	if len(got.Cells) != len(n.Cells) || got.Metadata["language_info"] == nil {
		t.Fatalf("%+v", got)
	}
	outputs := func(cell int) []Output { return got.Cells[cell].Outputs }
	if o := outputs(0); len(o) != 2 || o[0].Text != "안녕\r\v out\n" || o[1].Name != "stderr" {
		t.Errorf("%+v", o)
	}
	if o := outputs(1); len(o) != 1 || o[0].Type != ExecuteResult || string(o[0].Data["text/plain"]) != `"42"` || *o[0].ExecutionCount != 2 {
		t.Errorf("%+v", o)
	}
	if o := outputs(2); len(o) != 2 || string(o[0].Data["text/html"]) != `"<b>\n</b>"` || string(o[1].Data["application/json"]) != `{"a":1e+22,"b":[1.0,null]}` {
		t.Errorf("%+v", o)
	}
	if o := outputs(3); len(o) != 1 || o[0].EName != "ZeroDivisionError" || !strings.Contains(strings.Join(o[0].Traceback, ""), "\x1b[") {
		t.Errorf("%+v", o)
	}
	if o := outputs(4); len(o) == 0 || !strings.HasPrefix(string(o[len(o)-1].Data["image/png"]), `"iVBOR`) {
		t.Errorf("%.500v", o)
	}
}

// runAll has Jupyter's own client open many files, run each with one real kernel and write
// it. What the cells say is no matter: most of them fail.
const runAll = `
import json, sys, nbclient, nbformat
from nbclient.util import run_sync
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
client = nbclient.NotebookClient(nbformat.v4.new_notebook(), timeout=120, kernel_name="python3", allow_errors=True)
async def run(files):
    done = []
    async with client.async_setup_kernel():
        for file in files:
            client.nb = nbformat.reads(file, as_version=4)
            client.reset_execution_trackers()
            for i, cell in enumerate(client.nb.cells):
                await client.async_execute_cell(cell, i)
            done.append(nbformat.writes(client.nb, version=4) + "\n")
    return done
files = json.load(sys.stdin)
json.dump(run_sync(run)(files), sys.stdout)
`

// Random notebooks are opened and run by Jupyter; what Jupyter writes of them is read, and
// written again byte for byte. Cells, ids and sources are as they were.
//
// The rule is JUP-20.
func TestRandomRunByJupyter(t *testing.T) {
	notebooks := nightly.Size(20, 1000)
	var files []string
	var sources []*Notebook
	nightly.CheckTimes(t, 1, notebooks, func(rt *rapid.T) {
		n := notebooksGen.Draw(rt, "notebook")
		file, err := n.Bytes()
		if err != nil {
			rt.Fatal(err)
		}
		files, sources = append(files, string(file)), append(sources, n)
	})
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	if err := json.Unmarshal(jupytertest.Run(t, runAll, in), &ran); err != nil || len(ran) != len(files) {
		t.Fatalf("%d of %d: %v", len(ran), len(files), err)
	}
	cells := 0
	for i, file := range ran {
		n := mustRead(t, []byte(file))
		if again := mustWrite(t, n); string(again) != file {
			t.Fatalf("Jupyter wrote\n%s\nwritten again as\n%s", file, again)
		}
		if len(n.Cells) != len(sources[i].Cells) {
			t.Fatalf("%d cells came of\n%s", len(n.Cells), files[i])
		}
		for k, c := range n.Cells {
			if was := sources[i].Cells[k]; c.ID != was.ID || c.Type != was.Type || c.Source != was.Source {
				t.Fatalf("the cell %+v came of %+v", c, was)
			}
			if c.Type == Code && c.ExecutionCount != nil {
				cells++
			}
		}
	}
	t.Logf("%d notebooks opened and run by nbclient, %d cells ran; all are read and written again byte for byte", len(ran), cells)
	if len(ran) < notebooks || cells < notebooks/2 {
		t.Error("these are too few to show anything")
	}
}
