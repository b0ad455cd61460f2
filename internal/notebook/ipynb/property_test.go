package ipynb

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// Random notebooks come back from their files as they were. Each file is valid, and is
// byte for byte what Python writes of the same notebook.
//
// The rule is JUP-20.
func TestRandomNotebooks(t *testing.T) {
	const notebooks = 1000
	var questions []question
	cells, outputs := 0, 0
	nightly.CheckTimes(t, 0, notebooks, func(rt *rapid.T) {
		n := notebooksGen.Draw(rt, "notebook")
		file, err := n.Bytes()
		if err != nil {
			rt.Fatal(err)
		}
		again, err := Read(file)
		if err != nil {
			rt.Fatalf("%v\n%s", err, file)
		}
		if !reflect.DeepEqual(again, n) {
			rt.Fatalf("read %+v\nwas  %+v", again, n)
		}
		questions = append(questions, question{File: string(file), Notebook: plain(t, n)})
		cells += len(n.Cells)
		for _, c := range n.Cells {
			outputs += len(c.Outputs)
		}
	})
	if len(questions) < notebooks {
		t.Fatalf("%d notebooks", len(questions))
	}
	for i, v := range askPython(t, questions) {
		switch file := questions[i].File; {
		case v.Refused != "":
			t.Fatalf("notebook %d: %s\n%s", i, v.Refused, file)
		case v.Written != file:
			t.Fatalf("notebook %d is written as\n%s\nby Python as\n%s", i, file, v.Written)
		case v.Made != file:
			t.Fatalf("notebook %d is written as\n%s\nand made by Python as\n%s", i, file, v.Made)
		}
	}
	t.Logf("%d notebooks, %d cells, %d outputs: all come back, all valid, all byte for byte as Python's", len(questions), cells, outputs)
	if cells < 2000 || outputs < 2000 {
		t.Error("these are too small to show anything")
	}
}

// Pieces that texts are made of: all that ends lines for Python, all that JSON escapes, and
// what other programs trip over.
var pieces = []string{
	"x", "print(1)", " ", "\n", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\u0085", "\u2028", "\u2029",
	"\"", "\\", "\\n", "\\u2028", "/", "\b", "\t", "\x00", "\x7f", "\ufffd", "\ufeff", "\uffff", "한글", "é", "e\u0301", "𝔘", "👩‍🚀", "\u202e",
	"\x1b[31m", "<script>alert(1)</script>", "&amp;", "__proto__", "null", "{", "]", ",", ":",
}

var (
	textGen = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "text"), "")
	})
	// As Python writes them: other forms are kept as well, but not by Python.
	numberGen = rapid.SampledFrom([]string{"0", "-1", "3", "1.5", "-0.0", "1e-07", "1e+16", "1.7976931348623157e+308", "123456789012345678901234567890", "0.1"})
	idGen     = rapid.StringMatching(`[a-zA-Z0-9_-]{1,64}`)
	countGen  = rapid.Custom(func(t *rapid.T) *int {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		n := rapid.IntRange(0, 1<<40).Draw(t, "count")
		return &n
	})
	notebooksGen = rapid.Custom(drawNotebook)
)

// drawValue makes a JSON value of any form, in canonical form.
func drawValue(t *rapid.T, depth int) json.RawMessage {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return json.RawMessage(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
	case 1:
		return json.RawMessage(numberGen.Draw(t, "number"))
	case 2, 3:
		return quote(nil, textGen.Draw(t, "string"))
	case 4:
		list := []string{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, string(drawValue(t, depth-1)))
		}
		return json.RawMessage("[" + strings.Join(list, ",") + "]")
	}
	return appendObject(nil, drawMetadata(t, nil, depth-1))
}

// drawMetadata makes unknown metadata; the keys of rules have forms of their own.
func drawMetadata(t *rapid.T, rules map[string]rule, depth int) Metadata {
	m := Metadata{}
	for range rapid.IntRange(0, 3).Draw(t, "keys") {
		key := textGen.Draw(t, "key")
		if _, known := rules[key]; !known {
			m[key] = drawValue(t, depth)
		}
	}
	return m
}

// knownMetadata has a right value for each key that the schema knows.
var knownMetadata = map[string]string{
	"kernelspec":    `{"argv":["x"],"display_name":"Python 3","name":"python3"}`,
	"language_info": `{"codemirror_mode":{"name":"ipython","version":3},"file_extension":".py","name":"python"}`,
	"title":         `"T"`, "authors": `[{"name":"A"}]`,
	"name": `"a cell"`, "tags": `["a","b c"]`, "jupyter": `{"source_hidden":true}`, "execution": `{"iopub.status.busy":"2026-01-01T00:00:00Z"}`,
	"collapsed": "true", "scrolled": `"auto"`, "format": `"text/latex"`,
}

func drawKnown(t *rapid.T, m Metadata, rules map[string]rule) Metadata {
	for _, key := range slices.Sorted(maps.Keys(knownMetadata)) {
		if rules[key] != nil && rapid.IntRange(0, 3).Draw(t, "known") == 0 {
			m[key] = json.RawMessage(knownMetadata[key])
		}
	}
	return m
}

func drawBundle(t *rapid.T) map[string]json.RawMessage {
	bundle := map[string]json.RawMessage{}
	mimes := []string{
		"text/plain", "text/html", "image/png", "image/svg+xml", "application/javascript", "application/json", "application/vnd.plotly.v1+json",
		"image/x+json", "text/x+json", "application/pdf", "odd", "",
	}
	for _, mime := range rapid.SliceOfNDistinct(rapid.SampledFrom(mimes), 0, 4, rapid.ID).Draw(t, "mimes") {
		if IsJSON(mime) {
			bundle[mime] = drawValue(t, 2)
			continue
		}
		bundle[mime] = quote(nil, textGen.Draw(t, "form"))
	}
	return bundle
}

func drawOutput(t *rapid.T) Output {
	o := Output{Type: rapid.SampledFrom([]OutputType{Stream, DisplayData, ExecuteResult, Error}).Draw(t, "output")}
	switch o.Type {
	case Stream:
		o.Name, o.Text = rapid.SampledFrom([]string{"stdout", "stderr", ""}).Draw(t, "name"), textGen.Draw(t, "text")
	case Error:
		o.EName, o.EValue = textGen.Draw(t, "ename"), textGen.Draw(t, "evalue")
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			o.Traceback = append(o.Traceback, textGen.Draw(t, "line"))
		}
	case ExecuteResult:
		o.ExecutionCount = countGen.Draw(t, "count")
		fallthrough
	case DisplayData:
		o.Data, o.Metadata = drawBundle(t), drawMetadata(t, nil, 2)
	}
	return o
}

func drawCell(t *rapid.T, id string) Cell {
	c := Cell{ID: id, Type: rapid.SampledFrom([]CellType{Code, Code, Markdown, Raw}).Draw(t, "type"), Source: textGen.Draw(t, "source")}
	c.Metadata = drawKnown(t, drawMetadata(t, cellRules[c.Type], 2), cellRules[c.Type])
	if c.Type != Code {
		if rapid.IntRange(0, 2).Draw(t, "attached") == 0 {
			c.Attachments = appendObject(nil, map[string]json.RawMessage{textGen.Draw(t, "file"): appendObject(nil, drawBundle(t))})
		}
		return c
	}
	c.ExecutionCount = countGen.Draw(t, "count")
	for range rapid.IntRange(0, 4).Draw(t, "outputs") {
		c.Outputs = append(c.Outputs, drawOutput(t))
	}
	return c
}

func drawNotebook(t *rapid.T) *Notebook {
	n := &Notebook{Minor: 5, Metadata: drawKnown(t, drawMetadata(t, notebookRules, 3), notebookRules)}
	for _, id := range rapid.SliceOfNDistinct(idGen, 0, 6, rapid.ID).Draw(t, "ids") {
		n.Cells = append(n.Cells, drawCell(t, id))
	}
	return n
}

// Lines end where Python's str.splitlines ends them, for every character there is.
func TestSplitLines(t *testing.T) {
	var ends []int
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		lines := 0
		for range splitLines("a" + string(r) + "b") {
			lines++
		}
		if lines == 2 {
			ends = append(ends, int(r))
		}
	}
	const program = `print([c for c in range(0x110000) if len(("a"+chr(c)+"b").splitlines(True)) == 2])`
	want := strings.TrimSpace(string(jupytertest.Run(t, program, nil)))
	if got := strings.ReplaceAll(fmt.Sprint(ends), " ", ", "); got != want {
		t.Errorf("lines end at %s, for Python at %s", got, want)
	}
}
