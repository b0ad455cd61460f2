// Package requirements keeps the list of requirements, what state each is in, and
// finds the tests that show it.
//
// The list is rows.txt. A requirement has one of three states:
//
//   - behaves: a test drives production code and sees what the row describes.
//   - vocabulary: the type exists or a part of it is shown, but the whole does not
//     act yet. The reason says what is missing.
//   - not here: overruled, not applicable or not built yet. The reason says which.
//
// A test names what it shows in its doc comment:
//
//	// Covers: WS-012, C-34, HIS-06..HIS-09
//	func TestBadFrame(t *testing.T) {
//
// and a transcript in a line before its first file marker:
//
//	# Covers: WS-094
//
// and a test in TypeScript in a comment anywhere in its file.
//
// Check holds rows and tests together. A row that is about types of events or
// commands names them; CheckRecord asks that they passed through a running server
// while the tests ran. The document for people is docs/requirements.md, made by
// the command in gen.
package requirements

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

//go:embed rows.txt
var rowsFile string

// A State says how far a requirement has come.
type State string

// The states.
const (
	Behaves    State = "behaves"
	Vocabulary State = "vocabulary"
	NotHere    State = "not here"
)

// A Row is one requirement, settled conflict (C) or settled open point (G).
type Row struct {
	ID    string
	Area  string
	State State
	Title string // our own short wording
	// Types are the types of events and commands that the row is about.
	Types []string
	// Reason says why it does not behave. On a row that does, it is a remark.
	Reason string
}

// List gives all rows in their order: by area, then as numbered.
func List() ([]Row, error) { return parseRows(rowsFile) }

func parseRows(file string) ([]Row, error) {
	var rows []Row
	seen := make(map[string]bool)
	s := bufio.NewScanner(strings.NewReader(file))
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row, err := parseRow(strings.Split(line, "\t"))
		if err == nil && seen[row.ID] {
			err = fmt.Errorf("%s is listed twice", row.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("rows.txt, line %d: %w", n, err)
		}
		seen[row.ID] = true
		rows = append(rows, row)
	}
	return rows, s.Err()
}

func parseRow(fields []string) (Row, error) {
	if len(fields) < 3 || len(fields) > 5 {
		return Row{}, fmt.Errorf("want id, state, title, types, reason; got %d fields", len(fields))
	}
	fields = append(fields, "", "")
	row := Row{ID: fields[0], State: State(fields[1]), Title: fields[2], Types: strings.Fields(fields[3]), Reason: fields[4]}
	var err error
	if row.Area, _, err = split(row.ID); err != nil {
		return Row{}, err
	}
	switch {
	case row.Title == "":
		return Row{}, fmt.Errorf("%s has no title", row.ID)
	case !slices.Contains([]State{Behaves, Vocabulary, NotHere}, row.State):
		return Row{}, fmt.Errorf("%s has the state %q", row.ID, row.State)
	case row.State != Behaves && row.Reason == "":
		return Row{}, fmt.Errorf("%s is %s without a reason", row.ID, row.State)
	}
	for _, t := range row.Types {
		if len(entries(t)) == 0 {
			return Row{}, fmt.Errorf("%s names %q, which is no type of an event or a command", row.ID, t)
		}
	}
	return row, nil
}

// entries gives what a record has to hold for a type: a few names are those of a
// command and of the event that answers it.
func entries(name string) []string {
	var list []string
	if _, ok := clew.EventInfoOf(clew.EventType(name)); ok {
		list = append(list, "event "+name)
	}
	if _, ok := clew.CommandInfoOf(clew.CommandType(name)); ok {
		list = append(list, "command "+name)
	}
	return list
}

// split takes an id apart into its area and its number.
func split(id string) (area string, number int, err error) {
	area, digits, ok := strings.Cut(id, "-")
	number, err = strconv.Atoi(digits)
	if !ok || area == "" || err != nil {
		return "", 0, fmt.Errorf("%q is not a requirement id", id)
	}
	return area, number, nil
}

// expand reads the list after "Covers:". A range a..b stands for the known ids
// between the two, ends included.
func expand(list string, rows []Row) ([]string, error) {
	known := make(map[string]bool, len(rows))
	for _, row := range rows {
		known[row.ID] = true
	}
	var out []string
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		from, to, isRange := strings.Cut(word, "..")
		if !isRange {
			to = from
		}
		if !known[from] || !known[to] {
			return nil, fmt.Errorf("%q names no known requirement", word)
		}
		out = append(out, between(from, to, rows)...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("a Covers line without an id")
	}
	return out, nil
}

func between(from, to string, rows []Row) []string {
	area, lo, _ := split(from)
	areaTo, hi, _ := split(to)
	var out []string
	for _, row := range rows {
		if _, n, _ := split(row.ID); row.Area == area && area == areaTo && lo <= n && n <= hi {
			out = append(out, row.ID)
		}
	}
	return out
}
