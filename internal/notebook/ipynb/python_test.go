package ipynb

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// A verdict is what Python's nbformat says of one file.
type verdict struct {
	Refused string // why it is not valid, "" if it is
	Written string // what nbformat writes of the file
	Made    string // what nbformat writes of the notebook as Python would hold it
}

// A question is one file and, if known, the notebook that it is made of.
type question struct {
	File     string          `json:"file"`
	Notebook json.RawMessage `json:"notebook,omitempty"`
}

// judge is Python's side: a question in each line, an answer to each.
const judge = `
import json, logging, sys, warnings
import nbformat
logging.disable(logging.CRITICAL)
warnings.simplefilter("error")
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
def answer(question):
    said = {"Refused": "", "Written": "", "Made": ""}
    try:
        plain = json.loads(question["file"])
        nbformat.validate(plain)
        nb = nbformat.reads(question["file"], as_version=4)
        nbformat.validate(nb)
        said["Written"] = nbformat.writes(nb, version=4) + "\n"
        if "notebook" in question:
            said["Made"] = nbformat.writes(nbformat.from_dict(question["notebook"]), version=4) + "\n"
    except Exception as e:
        said["Refused"] = (type(e).__name__ + ": " + str(e))[:300]
    return said
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
`

// askPython has one Python answer all questions.
func askPython(t *testing.T, questions []question) []verdict {
	t.Helper()
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range questions {
		if err := encoder.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(jupytertest.Run(t, judge, in.Bytes())))
	verdicts := make([]verdict, len(questions))
	for i := range verdicts {
		if err := decoder.Decode(&verdicts[i]); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	return verdicts
}

// plain gives a notebook as Python holds it, by the standard library's encoder.
func plain(t *testing.T, n *Notebook) json.RawMessage {
	t.Helper()
	cells := []any{}
	for _, c := range n.Cells {
		cell := map[string]any{"id": c.ID, "cell_type": c.Type, "metadata": c.Metadata, "source": c.Source}
		if c.Attachments != nil {
			cell["attachments"] = c.Attachments
		}
		if c.Type == Code {
			cell["execution_count"], cell["outputs"] = c.ExecutionCount, plainOutputs(c.Outputs)
		}
		cells = append(cells, cell)
	}
	b, err := json.Marshal(map[string]any{"cells": cells, "metadata": n.Metadata, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func plainOutputs(outputs []Output) []any {
	list := []any{}
	for _, o := range outputs {
		output := map[string]any{"output_type": o.Type}
		switch o.Type {
		case Stream:
			output["name"], output["text"] = o.Name, o.Text
		case Error:
			output["ename"], output["evalue"], output["traceback"] = o.EName, o.EValue, append([]string{}, o.Traceback...)
		case ExecuteResult:
			output["execution_count"] = o.ExecutionCount
			fallthrough
		case DisplayData:
			output["data"], output["metadata"] = o.Data, o.Metadata
		}
		list = append(list, output)
	}
	return list
}
