package ipynb

import (
	"fmt"
	"testing"
)

// Metadata that the schema knows is left out if it does not fit, and kept if it does. Python
// agrees on which is which.
func TestKnownMetadata(t *testing.T) {
	const notebook = ""
	cases := []struct {
		where     CellType
		key       string
		good, bad []string
	}{
		{notebook, "kernelspec", []string{`{"name":"a","display_name":"b","x":1}`}, []string{`1`, `{}`, `{"display_name":"b"}`, `{"name":1,"display_name":"b"}`, `{"name":"a","display_name":1}`}},
		{notebook, "language_info", []string{`{"name":"a","codemirror_mode":"x"}`, `{"name":"a","codemirror_mode":{}}`}, []string{`"a"`, `{}`, `{"name":"a","codemirror_mode":1}`, `{"name":"a","mimetype":null}`}},
		{notebook, "title", []string{`"x"`, `""`}, []string{`1`, `null`}},
		{notebook, "authors", []string{`[]`, `[{"name":"x"}]`, `[1]`}, []string{`{}`, `"x"`}},
		{Code, "name", []string{`"a b"`}, []string{`""`, `1`, `"\n"`}},
		{Raw, "tags", []string{`[]`, `["a","b"]`}, []string{`"a"`, `["a","a"]`, `["a,b"]`, `[""]`, `[1]`}},
		{Markdown, "jupyter", []string{`{}`, `{"source_hidden":1}`}, []string{`true`, `[]`}},
		{Code, "execution", []string{`{}`, `{"iopub.status.busy":"x","y":""}`}, []string{`[]`, `{"y":1}`}},
		{Code, "collapsed", []string{`true`, `false`}, []string{`"yes"`, `null`}},
		{Code, "scrolled", []string{`true`, `"auto"`}, []string{`"x"`, `null`}},
		{Raw, "format", []string{`"text/html"`}, []string{`1`}},
		{Markdown, "collapsed", []string{`"yes"`}, nil},
		{Markdown, "format", []string{`1`}, nil},
		{Code, "__proto__", []string{`{"trusted":1}`}, nil},
	}
	var questions []question
	var fits []bool
	for _, c := range cases {
		for i, value := range append(c.good, c.bad...) {
			file := fmt.Sprintf(`{"nbformat":4,"nbformat_minor":5,"metadata":{%q:%s},"cells":[]}`, c.key, value)
			if c.where != notebook {
				extra := ""
				if c.where == Code {
					extra = `,"outputs":[],"execution_count":null`
				}
				file = around(fmt.Sprintf(`{"cell_type":%q,"id":"a","source":"","metadata":{%q:%s}%s}`, c.where, c.key, value, extra))
			}
			n := mustRead(t, []byte(file))
			m := n.Metadata
			if c.where != notebook {
				m = n.Cells[0].Metadata
			}
			if _, kept := m[c.key]; kept != (i < len(c.good)) {
				t.Errorf("%s %s %s: kept is %v", c.where, c.key, value, kept)
			}
			questions = append(questions, question{File: file})
			fits = append(fits, i < len(c.good))
		}
	}
	for i, v := range askPython(t, questions) {
		if fits[i] != (v.Refused == "") {
			t.Errorf("%s: Python says %q", questions[i].File, v.Refused)
		}
	}
}
