// Package requirements keeps the list of requirement ids and finds the tests
// that show each of them.
//
// A test names what it covers in its doc comment:
//
//	// Covers: WS-012, C-10, MSG-02..MSG-09
//	func TestBadFrame(t *testing.T) {
//
// and a transcript in a line before its first file marker:
//
//	# Covers: WS-094
//
// and a test in TypeScript in a comment anywhere in its file.
//
// The result is docs/requirements.md, made by the command in gen.
package requirements

import (
	"bufio"
	_ "embed"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

//go:embed ids.txt
var idsFile string

//go:embed milestones.txt
var milestonesFile string

// An ID is one requirement, settled conflict (C) or settled open point (G).
type ID struct {
	Name  string
	Area  string
	Title string // our own short wording, may be empty
	// NotHere is true for what only makes sense inside another product.
	NotHere bool
}

// List gives all ids in their order: by area, then as numbered.
func List() ([]ID, error) { return parseIDs(idsFile) }

func parseIDs(file string) ([]ID, error) {
	var ids []ID
	seen := make(map[string]bool)
	err := eachLine(file, func(n int, fields []string) error {
		if len(fields) < 2 || len(fields) > 4 {
			return fmt.Errorf("ids line %d: want id, area, title, mark", n)
		}
		id := ID{Name: fields[0], Area: fields[1]}
		if len(fields) > 2 {
			id.Title = fields[2]
		}
		if len(fields) > 3 {
			id.NotHere = fields[3] == "n/a"
		}
		if area, _, err := split(id.Name); err != nil || area != id.Area || seen[id.Name] {
			return fmt.Errorf("ids line %d: %q is malformed or named twice", n, id.Name)
		}
		seen[id.Name] = true
		ids = append(ids, id)
		return nil
	})
	return ids, err
}

// Milestone gives the ids that milestone n asks for.
func Milestone(n int) ([]string, error) {
	var ids []string
	err := eachLine(milestonesFile, func(line int, fields []string) error {
		if len(fields) != 2 {
			return fmt.Errorf("milestones line %d: want number, id", line)
		}
		if fields[0] == strconv.Itoa(n) {
			ids = append(ids, fields[1])
		}
		return nil
	})
	return ids, err
}

func eachLine(file string, do func(n int, fields []string) error) error {
	s := bufio.NewScanner(strings.NewReader(file))
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := do(n, strings.Split(line, "\t")); err != nil {
			return err
		}
	}
	return s.Err()
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
func expand(list string, ids []ID) ([]string, error) {
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id.Name] = true
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
		out = append(out, between(from, to, ids)...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("a Covers line without an id")
	}
	return out, nil
}

func between(from, to string, ids []ID) []string {
	area, lo, _ := split(from)
	areaTo, hi, _ := split(to)
	var out []string
	for _, id := range ids {
		if _, n, _ := split(id.Name); id.Area == area && area == areaTo && lo <= n && n <= hi {
			out = append(out, id.Name)
		}
	}
	return out
}

// Missing gives those of want that no test covers, sorted.
func Missing(want []string, found Coverage) []string {
	var out []string
	for _, id := range want {
		if len(found[id]) == 0 {
			out = append(out, id)
		}
	}
	sort.Strings(out)
	return out
}
