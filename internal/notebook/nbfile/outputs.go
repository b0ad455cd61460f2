package nbfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	// maxCellOutputs is what the outputs of one cell's run may take in a file, maxOutputs
	// what those of all runs may, and maxCount how many a run may have there.
	maxCellOutputs = 1 << 20
	maxOutputs     = 40 << 20
	maxCount       = 5_000
	maxCountAll    = 50_000
)

// A RunOutput is one thing that a kernel published. The blob of a run is a list of them:
// outputs as a file has them, and update_display_data and clear_output where they came.
type RunOutput struct {
	Type           string                     `json:"output_type"`
	Name           string                     `json:"name,omitempty"`
	Text           string                     `json:"text,omitempty"`
	Data           map[string]json.RawMessage `json:"data,omitempty"`
	Metadata       json.RawMessage            `json:"metadata,omitempty"`
	ExecutionCount int                        `json:"execution_count,omitempty"`
	EName          string                     `json:"ename,omitempty"`
	EValue         string                     `json:"evalue,omitempty"`
	Traceback      []string                   `json:"traceback,omitempty"`
	DisplayID      string                     `json:"display_id,omitempty"`
	Wait           bool                       `json:"wait,omitempty"` // of clear_output: until something else comes
}

// What a run's list has beside outputs.
const (
	updateDisplay = "update_display_data"
	clearOutput   = "clear_output"
)

// outputs gives each code cell what it shows: what the file had, or what the last run here
// put out. Those of the file are kept whole: they were in one before.
func (m *maker) outputs() error {
	all := &folds{displays: map[string][]display{}}
	var ran []int
	for i, c := range m.n.Cells {
		switch {
		case m.file.Cells[i].Type != ipynb.Code:
		case c.RanSeq > 0:
			ran = append(ran, i)
		case c.SavedOutputs != "":
			size, err := m.saved(i, c.SavedOutputs)
			if err != nil {
				return err
			}
			all.size += size
			all.count += len(m.file.Cells[i].Outputs)
		}
	}
	// In the order in which they ran: a cell may change what one before it displays.
	slices.SortStableFunc(ran, func(a, b int) int { return cmp.Compare(m.n.Cells[a].RanSeq, m.n.Cells[b].RanSeq) })
	folded := make(map[int]*fold, len(ran))
	for _, i := range ran {
		folded[i] = &fold{all: all}
		if err := m.run(m.n.Cells[i], folded[i]); err != nil {
			return err
		}
	}
	for i, f := range folded {
		m.file.Cells[i].Outputs = f.outputs(m.n.Cells[i].OutputBlob)
	}
	return nil
}

func (m *maker) saved(i int, address string) (size int, err error) {
	b, err := m.blob(address)
	if errors.Is(err, ErrMissing) {
		m.file.Cells[i].Outputs = []ipynb.Output{note("The outputs that the file had are not here.")}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	m.file.Cells[i].Outputs, err = ipynb.ReadOutputs(b)
	return len(b), err
}

// run folds what the last run of a cell put out. A run that nobody followed from its
// beginning to its end is told by its messages.
func (m *maker) run(c *core.Cell, f *fold) error {
	if m.Messages != nil && (c.OutputBlob == "" || c.OutputsLost) {
		if len(c.Outputs) == 0 {
			return nil
		}
		return m.fromMessages(c, f)
	}
	if c.OutputBlob == "" {
		return nil
	}
	b, err := m.blob(c.OutputBlob)
	if errors.Is(err, ErrMissing) {
		f.list = []*shown{{o: note("The outputs of this run are not here.")}}
		return nil
	}
	if err != nil {
		return err
	}
	list := json.NewDecoder(bytes.NewReader(b))
	if t, err := list.Token(); err != nil || t != json.Delim('[') {
		return fmt.Errorf("the outputs of cell %s are no list", c.CellID)
	}
	for list.More() {
		var o RunOutput
		if err := list.Decode(&o); err != nil {
			return fmt.Errorf("the outputs of cell %s: %w", c.CellID, err)
		}
		f.add(o)
	}
	return nil
}

// note is an output that says something about outputs.
func note(text string) ipynb.Output {
	return ipynb.Output{Type: ipynb.Stream, Name: "stderr", Text: "[clew] " + text + "\n"}
}

func ignoreMissing(err error) error {
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}
