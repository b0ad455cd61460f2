package ipynb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Bytes gives the notebook as a file of format 4.5, within the limits of Default, byte for
// byte as Python's nbformat writes it. Read gives the same notebook again. It is an error if
// the format has no place for something, such as an id that two cells have.
func (n *Notebook) Bytes() ([]byte, error) { return Default.Write(n) }

// Write gives what Notebook.Bytes gives, within these limits.
func (l Limits) Write(n *Notebook) ([]byte, error) {
	w := writer{tally: tally{Limits: l}}
	err := w.notebook(n)
	if err == nil {
		w.out, err = pretty(w.out, l.Bytes)
	}
	if err != nil {
		return nil, explain(err, "this notebook cannot be written")
	}
	return w.out, nil
}

// writer makes the canonical JSON of a file: all keys are sorted, texts are lists of lines.
type writer struct {
	tally
	out []byte
}

func (w *writer) add(text string)     { w.out = append(w.out, text...) }
func (w *writer) addText(text string) { w.out = quote(w.out, text) }

// comma separates what follows from what precedes it, if anything does.
func (w *writer) comma() {
	if last := w.out[len(w.out)-1]; last != '[' && last != '{' {
		w.add(",")
	}
}

func (w *writer) addCount(n *int) error {
	switch {
	case n == nil:
		w.add("null")
	case *n < 0:
		return fmt.Errorf("the execution count is %d", *n)
	default:
		w.out = strconv.AppendInt(w.out, int64(*n), 10)
	}
	return nil
}

func (w *writer) addLines(text string) {
	w.add("[")
	for line := range splitLines(text) {
		w.comma()
		w.addText(line)
	}
	w.add("]")
}

func (w *writer) notebook(n *Notebook) error {
	if len(n.Cells) > w.Cells {
		return over("more than %d cells", w.Cells)
	}
	w.add(`{"cells":[`)
	ids := make(map[string]bool, len(n.Cells))
	for i := range n.Cells {
		c := &n.Cells[i]
		w.comma()
		if err := w.cell(c); err != nil {
			return fmt.Errorf("cell %d: %w", i, err)
		}
		if ids[c.ID] {
			return fmt.Errorf("cell %d: another cell has the id %q", i, c.ID)
		}
		ids[c.ID] = true
	}
	w.add(`],"metadata":`)
	if err := w.metadata(n.Metadata, notebookRules, notebookTransient, 2); err != nil {
		return err
	}
	w.add(fmt.Sprintf(`,"nbformat":%d,"nbformat_minor":%d}`, major, minor))
	return nil
}

func (w *writer) cell(c *Cell) error {
	rules, known := cellRules[c.Type]
	if !known {
		return fmt.Errorf("its type is %q, not code, markdown or raw", c.Type)
	}
	if !ValidID(c.ID) {
		return fmt.Errorf("its id is %.80q, not 1 to 64 letters, digits, - and _", c.ID)
	}
	w.add("{")
	if c.Type != Code && c.Attachments != nil {
		if err := w.attachments(c.Attachments); err != nil {
			return err
		}
	}
	w.comma()
	w.add(`"cell_type":"` + string(c.Type) + `"`)
	if c.Type == Code {
		w.add(`,"execution_count":`)
		if err := w.addCount(c.ExecutionCount); err != nil {
			return err
		}
	}
	w.add(`,"id":"` + c.ID + `","metadata":`)
	if err := w.metadata(c.Metadata, rules, cellTransient, 4); err != nil {
		return err
	}
	if c.Type == Code {
		if err := w.outputs(c.Outputs); err != nil {
			return err
		}
	}
	w.add(`,"source":`)
	w.addLines(c.Source)
	w.add("}")
	return nil
}

// metadata writes all but the transient keys; its values stand at this depth.
func (w *writer) metadata(m Metadata, rules map[string]rule, transient []string, depth int) error {
	w.add("{")
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(transient, key) {
			continue
		}
		value, err := w.value(key, m[key], depth)
		if err != nil {
			return fmt.Errorf("metadata %.40q: %w", key, err)
		}
		if fits, known := rules[key]; known && !fits(value) {
			return fmt.Errorf("metadata %.40q has not the form that the format wants", key)
		}
		w.comma()
		w.addText(key)
		w.add(":")
		w.out = append(w.out, value...)
	}
	w.add("}")
	return nil
}

// value checks a key and its value, and gives the value in canonical form.
func (w *writer) value(key string, value json.RawMessage, depth int) ([]byte, error) {
	if !utf8.ValidString(key) {
		return nil, errors.New("the key is not UTF-8 text")
	}
	if err := w.part(); err != nil {
		return nil, err
	}
	return canonical(value, w.Limits, depth)
}

func (w *writer) attachments(files json.RawMessage) error {
	value, err := canonical(files, w.Limits, 3)
	if err != nil {
		return fmt.Errorf("attachments: %w", err)
	}
	if !isObject(value) {
		return errors.New("attachments is not an object")
	}
	w.add(`"attachments":{`)
	for name, v := range members(value) {
		if !isObject(v) {
			return fmt.Errorf("attachment %.40q is not an object", name)
		}
		bundle := map[string]json.RawMessage{}
		for mime, form := range members(v) {
			bundle[mime] = form
		}
		w.comma()
		w.addText(name)
		w.add(":")
		if err := w.bundle(bundle, 5); err != nil {
			return fmt.Errorf("attachment %.40q: %w", name, err)
		}
	}
	w.add("}")
	return nil
}

func (w *writer) bundle(bundle map[string]json.RawMessage, depth int) error {
	w.add("{")
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		value, err := w.value(mime, bundle[mime], depth)
		if err == nil {
			value, err = mimeForm(mime, value)
		}
		if err != nil {
			return fmt.Errorf("data %.40q: %w", mime, err)
		}
		w.comma()
		w.addText(mime)
		w.add(":")
		if linesMIME(mime) {
			w.addLines(string(unquote(value)))
		} else {
			w.out = append(w.out, value...)
		}
	}
	w.add("}")
	return nil
}
