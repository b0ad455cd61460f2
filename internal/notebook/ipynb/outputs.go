package ipynb

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// outputsDepth is how deep the list of a cell's outputs stands in a file.
const outputsDepth = 3

// WriteOutputs gives a list of outputs as a file has it, without space.
func WriteOutputs(list []Output) ([]byte, error) {
	w := writer{tally: tally{Limits: Default}}
	if err := w.outputs(list); err != nil {
		return nil, explain(err, "these outputs cannot be written")
	}
	return w.out[len(`,"outputs":`):], nil
}

// ReadOutputs reads a list of outputs as a file has it.
func ReadOutputs(b []byte) ([]Output, error) {
	list, err := readOutputs(b)
	return list, explain(err, "these outputs cannot be read")
}

func readOutputs(b []byte) ([]Output, error) {
	if len(b) > Default.Bytes {
		return nil, over("they have %d bytes, more than %d", len(b), Default.Bytes)
	}
	text, err := canonical(b, Default, outputsDepth)
	if err != nil {
		return nil, err
	}
	if !isList(text) {
		return nil, errors.New("it is not a list")
	}
	r := reader{tally: tally{Limits: Default}, minor: minor}
	return r.outputs(text)
}

// What Fit leaves of one output.
const (
	fitForms = 100
	fitLines = 1_000
)

// Fit makes an output of a kernel one that a file has a place for. A kernel keeps to no
// schema: a form that should be text and is not becomes the JSON of it, and what cannot be
// kept at all is left out.
func (o *Output) Fit() {
	if o.ExecutionCount != nil && *o.ExecutionCount < 0 {
		o.ExecutionCount = nil
	}
	if len(o.Traceback) > fitLines {
		o.Traceback = o.Traceback[len(o.Traceback)-fitLines:]
	}
	data, metadata := map[string]json.RawMessage{}, Metadata{}
	for _, mime := range slices.Sorted(maps.Keys(o.Data)) {
		value, err := fitValue(mime, o.Data[mime])
		if err != nil || strings.ContainsRune(mime, '\n') || len(data) == fitForms {
			continue
		}
		form, err := mimeForm(mime, value)
		if err != nil {
			form = quote(nil, string(value))
		}
		data[mime] = form
	}
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		if value, err := fitValue(key, o.Metadata[key]); err == nil && len(metadata) < fitForms {
			metadata[key] = value
		}
	}
	o.Data, o.Metadata = data, metadata
}

// Fit leaves out metadata that the format refuses where it stands: a cell may have become
// one of another type.
func (n *Notebook) Fit() {
	n.Metadata.tidyNotebook()
	for i := range n.Cells {
		n.Cells[i].Metadata.tidyCell(n.Cells[i].Type)
	}
}

// formDepth is how deep the values of a bundle stand in a file.
const formDepth = 6

func fitValue(key string, value json.RawMessage) (json.RawMessage, error) {
	if !utf8.ValidString(key) {
		return nil, errors.New("the key is not UTF-8 text")
	}
	return canonical(value, Default, formDepth)
}
