package agent

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// previewRows are the rows of a large table that the state has: a screen full.
const previewRows = 50

// A tableFile is a table that is read from a file. Columns are those that were asked
// for, or all that the file has.
type tableFile struct {
	columns []clew.TableColumn
	first   [][]any // as many as a window holds, none beyond
	total   int
	bytes   int
}

var errNoRows = errors.New("there is no table in it")

// add takes a row. From the first one on that a window has no room for, rows are only
// counted.
func (t *tableFile) add(row []any) {
	b, _ := json.Marshal(row) // of scalars
	t.bytes += len(b) + 1
	if t.total++; len(t.first) == t.total-1 && t.total <= core.TableRowsMax && t.bytes <= core.WindowTextMax*3/4 {
		t.first = append(t.first, row)
	}
}

// readCSV reads lines with commas, the first of which has the names. A column of
// nothing but numbers is one of numbers.
func (t *tableFile) readCSV(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("it is no UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errNoRows
	}
	if err != nil {
		return err
	}
	names := append([]string(nil), head...)
	at, err := t.places(names)
	if err != nil {
		return err
	}
	numbers := make([]bool, len(at))
	for i := range numbers {
		numbers[i] = true
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		row := make([]any, len(at))
		for i, from := range at {
			text := record[from]
			row[i] = text
			if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" {
				numbers[i] = false
			}
		}
		t.add(row)
	}
	for i := range t.columns {
		if numbers[i] && t.total > 0 {
			t.columns[i].Numeric = true
		}
	}
	return nil
}

// places says where in the file the columns are. Without any, they are those of the
// file.
func (t *tableFile) places(names []string) ([]int, error) {
	if len(t.columns) == 0 {
		for i, name := range names {
			name = strings.TrimSpace(name)
			if name == "" {
				name = "column " + strconv.Itoa(i+1)
			}
			t.columns = append(t.columns, clew.TableColumn{Name: visible(clew.Clip(name, core.WindowTitleMax-1))})
		}
		at := make([]int, len(names))
		for i := range at {
			at[i] = i
		}
		return at, nil
	}
	var at []int
	for _, c := range t.columns {
		i := -1
		for j, name := range names {
			if strings.TrimSpace(name) == c.Name {
				i = j
			}
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no column %q; there are %s", c.Name, strings.Join(names, ", "))
		}
		at = append(at, i)
	}
	return at, nil
}

// readLines reads a JSON value in each line, lists or objects.
func (t *tableFile) readLines(data []byte) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		row, err := t.line(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		t.add(row)
	}
	if t.total == 0 {
		return errNoRows
	}
	return nil
}

func (t *tableFile) line(line []byte) ([]any, error) {
	if line[0] == '[' {
		var row []any
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, err
		}
		for i := len(t.columns); t.total == 0 && i < len(row); i++ {
			t.columns = append(t.columns, clew.TableColumn{Name: "column " + strconv.Itoa(i+1)})
		}
		if len(row) > len(t.columns) {
			return nil, fmt.Errorf("there are %d values and %d columns", len(row), len(t.columns))
		}
		return plainCells(row), nil
	}
	var object map[string]any
	if err := json.Unmarshal(line, &object); err != nil {
		return nil, errors.New("it is no list and no object")
	}
	if t.total == 0 && len(t.columns) == 0 {
		for _, name := range keysOf(line) {
			_, number := object[name].(float64)
			t.columns = append(t.columns, clew.TableColumn{Name: name, Numeric: number})
		}
	}
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		row[i] = object[c.Name]
	}
	return plainCells(row), nil
}

// keysOf are the names of an object in their order.
func keysOf(object []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // the brace: it was read before
	for d.More() {
		name, err := d.Token()
		var skip json.RawMessage
		if err != nil || d.Decode(&skip) != nil {
			return names
		}
		if s, ok := name.(string); ok {
			names = append(names, s)
		}
	}
	return names
}

// plainCells writes lists and objects out.
func plainCells(row []any) []any {
	for i, cell := range row {
		switch cell.(type) {
		case []any, map[string]any:
			b, _ := json.Marshal(cell) // it was read from JSON
			row[i] = string(b)
		}
	}
	return row
}
