package ipynb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// around puts a cell or the fields of an output into a notebook of format 4.5.
func around(cells string) string {
	return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + cells + `]}`
}

func output(fields string) string {
	return around(`{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":null,"outputs":[` + fields + `]}`)
}

// What the schema refuses is refused, in words that say where it is wrong. Python is asked
// about each file too.
func TestRefused(t *testing.T) {
	cases := []struct{ name, file, want string }{
		{"nothing", ``, "it ends too early"},
		{"a list", `[]`, "not a JSON object"},
		{"no version", `{"nbformat_minor":5,"metadata":{},"cells":[]}`, "nbformat is missing"},
		{"no minor version", `{"nbformat":4,"metadata":{},"cells":[]}`, "nbformat_minor is missing"},
		{"a version of letters", `{"nbformat":"4","nbformat_minor":5,"metadata":{},"cells":[]}`, `nbformat is "4"`},
		{"half a version", `{"nbformat":4,"nbformat_minor":4.5,"metadata":{},"cells":[]}`, "nbformat_minor is"},
		{"less than nothing", `{"nbformat":4,"nbformat_minor":-1,"metadata":{},"cells":[]}`, "nbformat_minor is"},
		{"format 5", `{"nbformat":5,"nbformat_minor":0,"metadata":{},"cells":[]}`, "save it as format 4"},
		{"no cells", `{"nbformat":4,"nbformat_minor":5,"metadata":{}}`, "cells is not a list"},
		{"cells by name", `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":{}}`, "cells is not a list"},
		{"metadata as a list", `{"nbformat":4,"nbformat_minor":5,"metadata":[],"cells":[]}`, "metadata is not an object"},
		{"null metadata", `{"nbformat":4,"nbformat_minor":5,"metadata":null,"cells":[]}`, "metadata is not an object"},
		{"a number as a cell", around(`1`), "cell 0: it is not an object"},
		{"no type", around(`{"id":"a","metadata":{},"source":""}`), "cell_type is missing"},
		{"an unknown type", around(`{"cell_type":"heading","id":"a","metadata":{},"source":""}`), `cell_type is "heading"`},
		{"no source", around(`{"cell_type":"raw","id":"a","metadata":{}}`), "source is not"},
		{"numbers as source", around(`{"cell_type":"raw","id":"a","metadata":{},"source":["a",1]}`), "source is not"},
		{"an id with a slash", around(`{"cell_type":"raw","id":"../../etc","metadata":{},"source":""}`), `id is "../../etc"`},
		{"an id of HTML", around(`{"cell_type":"raw","id":"<img src=x>","metadata":{},"source":""}`), "id is"},
		{"an empty id", around(`{"cell_type":"raw","id":"","metadata":{},"source":""}`), "id is"},
		{"a null id", around(`{"cell_type":"raw","id":null,"metadata":{},"source":""}`), "id is"},
		{"a long id", around(`{"cell_type":"raw","id":"` + strings.Repeat("x", 65) + `","metadata":{},"source":""}`), "id is"},
		{"attachments as a list", around(`{"cell_type":"markdown","id":"a","metadata":{},"source":"","attachments":[]}`), "attachments is not"},
		{"an attachment as text", around(`{"cell_type":"markdown","id":"a","metadata":{},"source":"","attachments":{"f":"x"}}`), `attachment "f"`},
		{"an attachment of numbers", around(`{"cell_type":"markdown","id":"a","metadata":{},"source":"","attachments":{"f":{"image/png":1}}}`), `"image/png" is not`},
		{"a count of letters", around(`{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":[],"execution_count":"1"}`), "execution_count is"},
		{"a count below 0", around(`{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":[],"execution_count":-1}`), "execution_count is"},
		{"outputs by name", around(`{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":{},"execution_count":null}`), "outputs is not a list"},
		{"a text as output", output(`"x"`), "output 0: it is not an object"},
		{"an unknown output", output(`{"output_type":"pyout"}`), `output_type is "pyout"`},
		{"an output without type", output(`{"data":{},"metadata":{}}`), "output_type is missing"},
		{"a stream without name", output(`{"output_type":"stream","text":""}`), "name is not"},
		{"a stream without text", output(`{"output_type":"stream","name":"stdout"}`), "text is not"},
		{"a stream of objects", output(`{"output_type":"stream","name":"stdout","text":{}}`), "text is not"},
		{"a display without data", output(`{"output_type":"display_data","metadata":{}}`), "data is not an object"},
		{"a display of numbers", output(`{"output_type":"display_data","metadata":{},"data":{"text/plain":1}}`), `"text/plain" is not`},
		{"a display of mixed lines", output(`{"output_type":"display_data","metadata":{},"data":{"image/x+json":["a",{}]}}`), `"image/x+json" is not`},
		{"output metadata as text", output(`{"output_type":"display_data","metadata":"x","data":{}}`), "metadata is not"},
		{"a result counted by text", output(`{"output_type":"execute_result","metadata":{},"data":{},"execution_count":"x"}`), "execution_count is"},
		{"an error without name", output(`{"output_type":"error","evalue":"","traceback":[]}`), "ename or evalue"},
		{"an error without traceback", output(`{"output_type":"error","ename":"","evalue":""}`), "traceback is not"},
		{"a traceback as text", output(`{"output_type":"error","ename":"","evalue":"","traceback":"x"}`), "traceback is not"},
		{"a cut file", around(`{"cell_type":"code"`), "not JSON"},
		{"a merge conflict", "{\n<<<<<<< HEAD\n", "line 2"},
		{"a comma too many", around(`{"cell_type":"raw","id":"a","metadata":{},"source":"",}`), "not JSON"},
		{"two values", around("") + "{}", "something follows"},
		{"a raw NUL", around("{\"cell_type\":\"raw\",\"id\":\"a\",\"metadata\":{},\"source\":\"\x00\"}"), "control character"},
		{"a wrong escape", around(`{"cell_type":"raw","id":"a","metadata":{},"source":"\x"}`), "wrong escape"},
	}
	var questions []question
	for _, c := range cases {
		_, err := Read([]byte(c.file))
		if clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		questions = append(questions, question{File: c.file})
	}
	for i, v := range askPython(t, questions) {
		if v.Refused == "" {
			t.Errorf("%s: Python takes it", cases[i].name)
		}
	}
}

// Old formats are refused with the way to convert them.
//
// The rule is JUP-20.
func TestOldFormats(t *testing.T) {
	for _, file := range []string{
		`{"nbformat":3,"nbformat_minor":0,"metadata":{"name":""},"worksheets":[{"cells":[]}]}`,
		`{"nbformat":2,"worksheets":[]}`,
	} {
		if _, err := Read([]byte(file)); err == nil || !strings.Contains(err.Error(), "jupyter nbconvert --to notebook --nbformat 4 FILE") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Read([]byte(`{"nbformat":4,"nbformat_minor":6,"metadata":{},"cells":[]}`)); err == nil || !strings.Contains(err.Error(), "4.6, which is newer") {
		t.Errorf("%v", err)
	}
}

// What JSON and UTF-8 leave open has one answer each.
func TestOddText(t *testing.T) {
	raw := func(source string) string {
		return around(`{"cell_type":"raw","id":"a","metadata":{"k":1E400,"l":[-0,0.10,1e5,9007199254740993]},"source":"` + source + `"}`)
	}
	for _, c := range []struct{ name, file, source, refused string }{
		{"escapes", raw(`\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00`), "\"\\/\b\f\n\r\tAé😀", ""},
		{"NUL as an escape", raw(`a\u0000b`), "a\x00b", ""},
		{"half a pair", raw(`\ud800`), "\ufffd", ""},
		{"half a pair and an escape", raw(`\ud800\n`), "\ufffd\n", ""},
		{"halves in wrong order", raw(`\udc00\ud800x`), "\ufffd\ufffdx", ""},
		{"half a pair and a whole one", raw(`\ud83d\ud83d\ude00`), "\ufffd😀", ""},
		{"a mark of byte order", "\ufeff" + raw(`x`), "x", ""},
		{"not UTF-8", raw("\xff"), "", "not UTF-8"},
		{"a surrogate in UTF-8", raw("\xed\xa0\x80"), "", "not UTF-8"},
		{"cut UTF-8", raw("\xe2\x82"), "", "not UTF-8"},
		{"a key twice", strings.Replace(raw(`x`), `"id":"a"`, `"id":"a","id":"b"`, 1), "", `the key "id" appears twice`},
		{"a key twice, once escaped", strings.Replace(raw(`x`), `"k":1E400`, `"k":1,"\u006b":2`, 1), "", `the key "k" appears twice`},
		{"NaN", strings.Replace(raw(`x`), "1E400", "NaN", 1), "", "NaN and Infinity"},
		{"minus infinity", strings.Replace(raw(`x`), "1E400", "-Infinity", 1), "", "NaN and Infinity"},
		{"a number from 0", strings.Replace(raw(`x`), "1E400", "01", 1), "", "not JSON"},
		{"a hexadecimal number", strings.Replace(raw(`x`), "1E400", "0x1", 1), "", "not JSON"},
		{"a number without end", strings.Replace(raw(`x`), "1E400", "1.", 1), "", "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := Read([]byte(c.file))
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || n.Cells[0].Source != c.source {
				t.Fatalf("%+v, %v", n, err)
			}
			again := mustRead(t, mustWrite(t, n)).Cells[0]
			if again.Source != c.source || string(again.Metadata["k"]) != "1E400" || string(again.Metadata["l"]) != "[-0,0.10,1e5,9007199254740993]" {
				t.Errorf("%+v", again)
			}
		})
	}
}

// A notebook that no file can hold is not written.
func TestNotWritten(t *testing.T) {
	minus := -1
	cell := func(c Cell) *Notebook { return &Notebook{Cells: []Cell{c}} }
	code := func(o Output) *Notebook { return cell(Cell{ID: "a", Type: Code, Outputs: []Output{o}}) }
	for _, c := range []struct {
		name string
		n    *Notebook
		want string
	}{
		{"no type", cell(Cell{ID: "a"}), "its type"},
		{"no id", cell(Cell{Type: Raw}), "its id"},
		{"an id twice", &Notebook{Cells: []Cell{{ID: "a", Type: Raw}, {ID: "a", Type: Code}}}, `the id "a"`},
		{"a count below 0", cell(Cell{ID: "a", Type: Code, ExecutionCount: &minus}), "count is -1"},
		{"broken metadata", &Notebook{Metadata: Metadata{"k": []byte("{")}}, `metadata "k"`},
		{"empty metadata", &Notebook{Metadata: Metadata{"k": nil}}, `metadata "k"`},
		{"a key that is no text", &Notebook{Metadata: Metadata{"\xff": []byte("1")}}, "not UTF-8"},
		{"a wrong kernel", &Notebook{Metadata: Metadata{"kernelspec": []byte(`{"name":1}`)}}, "kernelspec"},
		{"a wrong tag", cell(Cell{ID: "a", Type: Raw, Metadata: Metadata{"tags": []byte(`["a,b"]`)}}), "tags"},
		{"attachments as a list", cell(Cell{ID: "a", Type: Raw, Attachments: []byte(`[]`)}), "attachments"},
		{"an unknown output", code(Output{Type: "pyout"}), "output 0"},
		{"a number as text", code(Output{Type: DisplayData, Data: map[string]json.RawMessage{"text/plain": []byte("1")}}), `data "text/plain"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if b, err := c.n.Bytes(); clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %v", b, err)
			}
		})
	}
}

// What a cell's type does not have is not written, and what is not UTF-8 does no harm.
func TestLeftOut(t *testing.T) {
	n := &Notebook{Cells: []Cell{
		{ID: "a", Type: Markdown, Source: "\xffx", Outputs: []Output{{Type: Stream}}},
		{ID: "b", Type: Code, Attachments: []byte("{}"), Metadata: Metadata{"trusted": []byte("true")}},
	}}
	file := mustWrite(t, n)
	got := mustRead(t, file)
	if c := got.Cells[0]; c.Outputs != nil || c.Source != "\ufffdx" {
		t.Errorf("%+v", c)
	}
	if c := got.Cells[1]; c.Attachments != nil || len(c.Metadata) > 0 {
		t.Errorf("%+v", c)
	}
	if v := askPython(t, []question{{File: string(file)}})[0]; v.Refused != "" || v.Written != string(file) {
		t.Errorf("%+v", v)
	}
}
