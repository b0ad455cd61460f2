package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func (r *reader) outputs(value []byte) ([]Output, error) {
	if value == nil {
		return nil, nil
	}
	if !isList(value) {
		return nil, errors.New("outputs is not a list")
	}
	var outputs []Output
	for v := range elements(value) {
		if err := r.output(len(outputs) + 1); err != nil {
			return nil, err
		}
		o, err := r.oneOutput(v)
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", len(outputs), err)
		}
		outputs = append(outputs, o)
	}
	return outputs, nil
}

func (r *reader) oneOutput(value []byte) (Output, error) {
	if !isObject(value) {
		return Output{}, errors.New("it is not an object")
	}
	has := fields(value, "output_type", "name", "text", "data", "metadata", "execution_count", "ename", "evalue", "traceback")
	if isText(has["output_type"]) {
		switch t := OutputType(unquote(has["output_type"])); t {
		case Stream:
			return readStream(has)
		case DisplayData, ExecuteResult:
			return r.display(t, has)
		case Error:
			return r.failure(has)
		}
	}
	return Output{}, fmt.Errorf("output_type is %s, not stream, display_data, execute_result or error", shown(has["output_type"]))
}

func readStream(has map[string][]byte) (Output, error) {
	o := Output{Type: Stream}
	if !isText(has["name"]) {
		return o, errors.New("name is not a string")
	}
	o.Name = string(unquote(has["name"]))
	var ok bool
	if o.Text, ok = joined(has["text"]); !ok {
		return o, errors.New("text is not a string or a list of strings")
	}
	return o, nil
}

func (r *reader) display(t OutputType, has map[string][]byte) (o Output, err error) {
	o.Type = t
	if o.Data, err = r.bundle(has["data"]); err != nil {
		return o, err
	}
	if o.Metadata, err = r.metadata(has["metadata"]); err != nil {
		return o, err
	}
	if t == ExecuteResult {
		o.ExecutionCount, err = count(has["execution_count"], "execution_count")
	}
	return o, err
}

func (r *reader) failure(has map[string][]byte) (Output, error) {
	o := Output{Type: Error}
	if !isText(has["ename"]) || !isText(has["evalue"]) {
		return o, errors.New("ename or evalue is not a string")
	}
	o.EName, o.EValue = string(unquote(has["ename"])), string(unquote(has["evalue"]))
	if !isTexts(has["traceback"]) {
		return o, errors.New("traceback is not a list of strings")
	}
	for line := range elements(has["traceback"]) {
		if err := r.part(); err != nil {
			return o, err
		}
		o.Traceback = append(o.Traceback, string(unquote(line)))
	}
	return o, nil
}

// bundle reads one thing in several forms, by MIME type. Texts are one string each.
func (r *reader) bundle(value []byte) (map[string]json.RawMessage, error) {
	if !isObject(value) {
		return nil, errors.New("data is not an object")
	}
	bundle := map[string]json.RawMessage{}
	for mime, v := range members(value) {
		if err := r.part(); err != nil {
			return nil, err
		}
		form, err := mimeForm(mime, v)
		if err != nil {
			return nil, err
		}
		bundle[mime] = form
	}
	return bundle, nil
}

// mimeForm gives a value of a bundle as it is kept.
func mimeForm(mime string, value []byte) (json.RawMessage, error) {
	switch {
	case strings.ContainsRune(mime, '\n'):
		return nil, fmt.Errorf("the MIME type %.40q has a line break", mime)
	case IsJSON(mime) || isText(value):
		return bytes.Clone(value), nil
	}
	text, ok := joined(value)
	if !ok {
		return nil, fmt.Errorf("%.40q is not a string or a list of strings", mime)
	}
	return quote(make([]byte, 0, len(value)), text), nil
}

// IsJSON says whether values of a type are JSON of any form.
func IsJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// linesMIME says whether files have values of a type as lists of lines.
func linesMIME(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml"
}
