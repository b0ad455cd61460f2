package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Read takes a notebook file of format 4.0 to 4.5, within the limits of Default. Each cell
// has an id then, and nothing refers to b.
func Read(b []byte) (*Notebook, error) { return Default.Read(b) }

// Read is the function Read, within these limits.
func (l Limits) Read(b []byte) (*Notebook, error) {
	n, err := l.read(b)
	return n, explain(err, "this notebook cannot be read")
}

func (l Limits) read(b []byte) (*Notebook, error) {
	if len(b) > l.Bytes {
		return nil, over("it has %d bytes, more than %d", len(b), l.Bytes)
	}
	text, err := canonical(bytes.TrimPrefix(b, []byte("\ufeff")), l, 0)
	if err != nil {
		return nil, err
	}
	if !isObject(text) {
		return nil, errors.New("it is not a JSON object")
	}
	has := fields(text, "nbformat", "nbformat_minor", "metadata", "cells")
	n := &Notebook{}
	if n.Minor, err = version(has["nbformat"], has["nbformat_minor"]); err != nil {
		return nil, err
	}
	r := reader{tally: tally{Limits: l}, minor: n.Minor}
	if n.Metadata, err = r.metadata(has["metadata"]); err != nil {
		return nil, err
	}
	n.Metadata.tidyNotebook()
	if n.Cells, err = r.cells(has["cells"]); err != nil {
		return nil, err
	}
	nameCells(n.Cells)
	return n, nil
}

// version gives the minor number of a format that can be read.
func version(majorText, minorText []byte) (int, error) {
	got, err := count(majorText, "nbformat")
	switch {
	case err != nil:
		return 0, err
	case got == nil:
		return 0, errors.New("nbformat is missing, so it is not a notebook of format 4")
	case *got < major:
		return 0, fmt.Errorf("it has the old format %d; convert it with: jupyter nbconvert --to notebook --nbformat 4 FILE", *got)
	case *got > major:
		return 0, fmt.Errorf("it has format %d, which is newer than this program; save it as format 4", *got)
	}
	got, err = count(minorText, "nbformat_minor")
	switch {
	case err != nil:
		return 0, err
	case got == nil:
		return 0, errors.New("nbformat_minor is missing")
	case *got > minor:
		return 0, fmt.Errorf("it has format 4.%d, which is newer than this program; save it as format 4.5", *got)
	}
	return *got, nil
}

// count reads a whole number from 0 up; nil if it is missing or null.
func count(value []byte, name string) (*int, error) {
	if value == nil || string(value) == "null" {
		return nil, nil
	}
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s is %s, not a whole number from 0 up", name, shown(value))
	}
	return &n, nil
}

// reader takes canonical JSON apart.
type reader struct {
	tally
	minor int
}

// metadata reads an object; none if it is missing.
func (r *reader) metadata(value []byte) (Metadata, error) {
	m := Metadata{}
	if value == nil {
		return m, nil
	}
	if !isObject(value) {
		return nil, errors.New("metadata is not an object")
	}
	for key, v := range members(value) {
		if err := r.part(); err != nil {
			return nil, err
		}
		m[key] = bytes.Clone(v)
	}
	return m, nil
}

func (r *reader) cells(value []byte) ([]Cell, error) {
	if !isList(value) {
		return nil, errors.New("cells is not a list")
	}
	var cells []Cell
	for v := range elements(value) {
		if len(cells) == r.Cells {
			return nil, over("more than %d cells", r.Cells)
		}
		c, err := r.cell(v)
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", len(cells), err)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

func (r *reader) cell(value []byte) (c Cell, err error) {
	if !isObject(value) {
		return c, errors.New("it is not an object")
	}
	has := fields(value, "id", "cell_type", "source", "metadata", "attachments", "execution_count", "outputs")
	if c.Type, err = cellType(has["cell_type"]); err != nil {
		return c, err
	}
	if c.ID, err = r.id(has["id"]); err != nil {
		return c, err
	}
	var ok bool
	if c.Source, ok = joined(has["source"]); !ok {
		return c, errors.New("source is not a string or a list of strings")
	}
	if c.Metadata, err = r.metadata(has["metadata"]); err != nil {
		return c, err
	}
	c.Metadata.tidyCell(c.Type)
	if c.Type != Code {
		c.Attachments, err = r.attachments(has["attachments"])
		return c, err
	}
	if c.ExecutionCount, err = count(has["execution_count"], "execution_count"); err != nil {
		return c, err
	}
	c.Outputs, err = r.outputs(has["outputs"])
	return c, err
}

func cellType(value []byte) (CellType, error) {
	if isText(value) {
		switch t := CellType(unquote(value)); t {
		case Code, Markdown, Raw:
			return t, nil
		}
	}
	return "", fmt.Errorf("cell_type is %s, not code, markdown or raw", shown(value))
}

// id reads a cell's id, "" if it has none. Before 4.5 ids meant nothing, so that a wrong
// one does no harm.
func (r *reader) id(value []byte) (string, error) {
	if isText(value) {
		if id := string(unquote(value)); ValidID(id) {
			return id, nil
		}
	}
	if value == nil || r.minor < 5 {
		return "", nil
	}
	return "", fmt.Errorf("id is %s, not 1 to 64 letters, digits, - and _", shown(value))
}

func (r *reader) attachments(value []byte) (json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	if !isObject(value) {
		return nil, errors.New("attachments is not an object")
	}
	out := make([]byte, 0, len(value))
	out = append(out, '{')
	for name, v := range members(value) {
		bundle, err := r.bundle(v)
		if err != nil {
			return nil, fmt.Errorf("attachment %.40q: %w", name, err)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(quote(out, name), ':')
		out = appendObject(out, bundle)
	}
	return append(out, '}'), nil
}
