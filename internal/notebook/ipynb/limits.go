package ipynb

import (
	"errors"
	"fmt"

	"github.com/clew-run/clew"
)

// Limits bounds what is read and written, so that a small file cannot ask for much memory.
type Limits struct {
	Bytes   int // of the file
	Depth   int // of objects and lists in each other
	Cells   int
	Outputs int // of one cell; of all cells ten times as many
	Parts   int // keys of metadata and MIME bundles, and lines of tracebacks, in all
}

// Default is what Read and Bytes keep to.
var Default = Limits{Bytes: 64 << 20, Depth: 64, Cells: 10_000, Outputs: 10_000, Parts: 1_000_000}

// tooMuch is an error about a limit.
type tooMuch string

func (t tooMuch) Error() string { return string(t) }

func over(format string, args ...any) error { return tooMuch(fmt.Sprintf(format, args...)) }

// explain makes the package's own errors those of clew.
func explain(err error, doing string) error {
	if err == nil {
		return nil
	}
	code := clew.InvalidMessage
	if errors.As(err, new(tooMuch)) {
		code = clew.MessageTooLarge
	}
	return clew.Errorf(code, "%s: %v", doing, err)
}

// A tally counts what is bounded over all cells.
type tally struct {
	Limits
	outputs, parts int
}

func (t *tally) part() error {
	if t.parts++; t.parts > t.Parts {
		return over("more than %d keys of metadata and lines of tracebacks", t.Parts)
	}
	return nil
}

// output counts one output, the n-th of its cell.
func (t *tally) output(n int) error {
	if t.outputs++; n > t.Outputs || t.outputs > 10*t.Outputs {
		return over("more than %d outputs in a cell, or %d in all", t.Outputs, 10*t.Outputs)
	}
	return nil
}
