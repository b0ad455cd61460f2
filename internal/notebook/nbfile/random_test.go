package nbfile_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// Random notebooks come back as they were from a session that read and wrote them: cells,
// ids, metadata, attachments and outputs. The first file is kept byte for byte, and each
// file is valid for Python.
//
// Covers: JUP-20
func TestRandomNotebooksThroughASession(t *testing.T) {
	const notebooks = 1000
	var files []string
	made, cells, outputs, long := 0, 0, 0, 0
	nightly.CheckTimes(t, 0, notebooks, func(rt *rapid.T) {
		n := drawNotebook(rt)
		file, err := n.Bytes()
		if err != nil {
			rt.Fatal(err)
		}
		w := newWorld(rt)
		w.open(file)
		for _, c := range w.notebook().Cells {
			if c.SourceBlob != "" {
				long++
			}
		}
		saved := w.save()
		if !bytes.Equal(saved, file) {
			rt.Fatalf("saved\n%s\nwas\n%s", saved, file)
		}
		if got := read(rt, saved); !reflect.DeepEqual(got, n) {
			rt.Fatalf("read %+v\nwas  %+v", got, n)
		}
		// Something is done with it: a cell is added, and the rest stays.
		text := "new"
		w.record(&clew.NotebookChangedData{NotebookID: notebookID, Version: 2, Edits: clew.List[clew.CellEdit]{
			{Op: clew.EditInsert, CellID: "added-by-somebody", Type: clew.CellRaw, Source: &text},
		}})
		changed := w.save()
		got := read(rt, changed)
		if len(got.Cells) != len(n.Cells)+1 || got.Cells[0].Source != text || !reflect.DeepEqual(got.Cells[1:], append([]ipynb.Cell{}, n.Cells...)) {
			rt.Fatalf("%+v\nwas %+v", got.Cells, n.Cells)
		}
		agent, ok := ipynb.AgentState(got)
		if !ok || agent.SessionID != "sess_1" {
			rt.Fatalf("%+v", agent)
		}
		if delete(got.Metadata, "hdsp_agent"); !reflect.DeepEqual(got.Metadata, n.Metadata) {
			rt.Fatalf("%s\nwas %s", got.Metadata, n.Metadata)
		}
		// Another session reads that, and changes nothing by saving it.
		other := newWorld(rt)
		other.open(changed)
		if again := other.save(); !bytes.Equal(again, changed) {
			rt.Fatalf("saved again\n%s\nwas\n%s", again, changed)
		}
		if files = append(files, string(saved)); made%10 == 0 {
			files = append(files, string(changed))
		}
		made++
		cells += len(n.Cells)
		for _, c := range n.Cells {
			outputs += len(c.Outputs)
		}
	})
	validate(t, files)
	t.Logf("%d notebooks, %d cells, %d outputs, %d long sources: all come back byte for byte, %d files valid for nbformat and opened by nbclient", made, cells, outputs, long, len(files))
	if made < notebooks || cells < 2000 || outputs < 2000 || long < 5 {
		t.Error("these are too few to show anything")
	}
}

// validate has one Python look at all files: each is valid, Jupyter's client opens it, and
// Python would write it with the same bytes.
func validate(t *testing.T, files []string) {
	t.Helper()
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	const program = `
import json, logging, sys, warnings
import nbclient, nbformat
logging.disable(logging.CRITICAL)
warnings.simplefilter("error")
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
bad = []
for i, file in enumerate(json.load(sys.stdin)):
    try:
        nbformat.validate(json.loads(file))
        nb = nbformat.reads(file, as_version=4)
        nbclient.NotebookClient(nb)
        if nbformat.writes(nb, version=4) + "\n" != file:
            bad.append([i, "Python writes it otherwise"])
    except Exception as e:
        bad.append([i, (type(e).__name__ + ": " + str(e))[:300]])
print(json.dumps(bad[:5]))
`
	if bad := strings.TrimSpace(string(jupytertest.Run(t, program, in))); bad != "[]" {
		t.Fatalf("not valid, by the number of the file: %s", bad)
	}
}

// validOf has one Python say of each file whether it is a valid notebook of the formats
// 4.0 to 4.5.
func validOf(t *testing.T, files []string) (valid []bool) {
	t.Helper()
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	const program = `
import json, logging, sys, warnings
import nbformat
logging.disable(logging.CRITICAL)
warnings.simplefilter("error")
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
def valid(file):
    try:
        plain = json.loads(file)
        nbformat.validate(plain)
        return plain["nbformat"] == 4 and plain["nbformat_minor"] <= 5
    except Exception:
        return False
print(json.dumps([valid(file) for file in json.load(sys.stdin)]))
`
	if err := json.Unmarshal(jupytertest.Run(t, program, in), &valid); err != nil || len(valid) != len(files) {
		t.Fatalf("%d of %d files: %v", len(valid), len(files), err)
	}
	return valid
}

// Pieces that texts are made of: what ends lines for Python, what JSON escapes, and what
// other programs trip over.
var pieces = []string{
	"x", "print(1)", " ", "\n", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\u0085", "\u2028", "\"", "\\", "\\n", "/", "\t", "\x00", "\x7f", "\ufffd", "\ufeff",
	"한글", "e\u0301", "𝔘", "👩‍🚀", "\u202e", "\x1b[31m", "<script>alert(1)</script>", "&amp;", "__proto__", "null", "{", "]", ",", ":",
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "text"), "")
}

func quoted(t *rapid.T, s string) json.RawMessage {
	b, err := clew.MarshalData(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawValue makes a JSON value. Reading gives it in its shortest form.
func drawValue(t *rapid.T, depth int) json.RawMessage {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return json.RawMessage(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
	case 1: // as Python writes them
		return json.RawMessage(rapid.SampledFrom([]string{"0", "-1", "1.5", "-0.0", "1e-07", "1e+16", "123456789012345678901234567890"}).Draw(t, "number"))
	case 2, 3:
		return quoted(t, drawText(t))
	case 4:
		list := []string{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, string(drawValue(t, depth-1)))
		}
		return json.RawMessage("[" + strings.Join(list, ",") + "]")
	}
	b, err := clew.MarshalData(drawObject(t, depth-1))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func drawObject(t *rapid.T, depth int) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for range rapid.IntRange(0, 3).Draw(t, "keys") {
		m[drawText(t)+"-"] = drawValue(t, depth) // no name that the format knows
	}
	return m
}

var mimes = []string{"text/plain", "text/html", "image/png", "image/svg+xml", "application/javascript", "application/json", "application/vnd.plotly.v1+json", "odd", ""}

func drawBundle(t *rapid.T) map[string]json.RawMessage {
	bundle := map[string]json.RawMessage{}
	for _, mime := range rapid.SliceOfNDistinct(rapid.SampledFrom(mimes), 0, 4, rapid.ID).Draw(t, "mimes") {
		if ipynb.IsJSON(mime) {
			bundle[mime] = drawValue(t, 2)
		} else {
			bundle[mime] = quoted(t, drawText(t))
		}
	}
	return bundle
}

func drawOutput(t *rapid.T) ipynb.Output {
	o := ipynb.Output{Type: rapid.SampledFrom([]ipynb.OutputType{ipynb.Stream, ipynb.DisplayData, ipynb.ExecuteResult, ipynb.Error}).Draw(t, "output")}
	switch o.Type {
	case ipynb.Stream:
		o.Name, o.Text = rapid.SampledFrom([]string{"stdout", "stderr", ""}).Draw(t, "name"), drawText(t)
	case ipynb.Error:
		o.EName, o.EValue = drawText(t), drawText(t)
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			o.Traceback = append(o.Traceback, drawText(t))
		}
	case ipynb.ExecuteResult:
		if n := rapid.IntRange(0, 1<<40).Draw(t, "count"); n%2 == 0 {
			o.ExecutionCount = &n
		}
		fallthrough
	case ipynb.DisplayData:
		o.Data, o.Metadata = drawBundle(t), drawObject(t, 2)
	}
	return o
}

func drawCell(t *rapid.T, id string) ipynb.Cell {
	c := ipynb.Cell{ID: id, Type: rapid.SampledFrom([]ipynb.CellType{ipynb.Code, ipynb.Code, ipynb.Markdown, ipynb.Raw}).Draw(t, "type"), Source: drawText(t)}
	if rapid.IntRange(0, 99).Draw(t, "long") == 70 { // too long for a record
		c.Source = strings.Repeat(c.Source+"\u00e9", 1+70_000/len(c.Source+"\u00e9"))
	}
	c.Metadata = drawObject(t, 2)
	if rapid.IntRange(0, 2).Draw(t, "tagged") == 0 {
		c.Metadata["tags"] = json.RawMessage(`["a","b c"]`)
	}
	if rapid.IntRange(0, 49).Draw(t, "large") == 35 { // the same
		c.Metadata["large"] = quoted(t, strings.Repeat("m", 17<<10))
	}
	if c.Type != ipynb.Code {
		if rapid.IntRange(0, 2).Draw(t, "attached") == 0 {
			b, err := clew.MarshalData(map[string]any{drawText(t): drawBundle(t)})
			if err != nil {
				t.Fatal(err)
			}
			c.Attachments = b
		}
		return c
	}
	if n := rapid.IntRange(0, 1<<40).Draw(t, "count"); n > 0 { // 0 is none
		c.ExecutionCount = &n
	}
	for range rapid.IntRange(0, 4).Draw(t, "outputs") {
		c.Outputs = append(c.Outputs, drawOutput(t))
	}
	return c
}

// drawNotebook makes a notebook as reading gives it.
func drawNotebook(t *rapid.T) *ipynb.Notebook {
	n := &ipynb.Notebook{Minor: 5, Metadata: drawObject(t, 3)}
	if rapid.Bool().Draw(t, "kernel") {
		n.Metadata["kernelspec"] = json.RawMessage(`{"argv":["x"],"display_name":"Python 3","name":"python3"}`)
		n.Metadata["language_info"] = json.RawMessage(`{"codemirror_mode":{"name":"ipython","version":3},"file_extension":".py","name":"python"}`)
	}
	for _, id := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z0-9_-]{1,64}`), 0, 6, rapid.ID).Draw(t, "ids") {
		n.Cells = append(n.Cells, drawCell(t, id))
	}
	// Values in the one form that reading gives them.
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return read(t, file)
}
