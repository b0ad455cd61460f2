package main

import (
	"encoding/csv"
	"fmt"
	"os"

	"github.com/clew-run/clew"
)

// entries is a CSV file with one line for each press. The id of the message makes a
// press count once, however often the program is started.
type entries struct {
	file  *os.File
	known map[clew.MessageID]bool
}

func openEntries(name string) (*entries, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e := &entries{file: file, known: map[clew.MessageID]bool{}}
	for _, line := range lines {
		e.known[clew.MessageID(line[0])] = true
	}
	return e, nil
}

// add writes a press down, unless it is there already.
func (e *entries) add(id clew.MessageID, fields ...string) (added bool, err error) {
	if e.known[id] {
		return false, nil
	}
	e.known[id] = true
	w := csv.NewWriter(e.file)
	if err := w.Write(append([]string{string(id)}, fields...)); err != nil {
		return false, err
	}
	w.Flush()
	return true, w.Error()
}
