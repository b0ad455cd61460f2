// Package ipynb reads and writes Jupyter's notebook files.
//
// Read takes format 4.0 to 4.5, Bytes writes 4.5 exactly as Python's nbformat does, so that
// a file changes only where the notebook did. The package knows no sessions and no kernels:
// a file comes in as bytes and goes out as bytes.
//
// A file is a stranger's. Its size, its depth and the number of its parts are bounded
// (Limits), and what the format's schema refuses is refused here, with two exceptions that
// people's files need:
//
//   - What is missing and can only be empty is empty: metadata, outputs, execution_count.
//   - What is too much is left out: unknown fields of the notebook, of cells and of outputs,
//     and known metadata of a wrong type (nbformat strips those too, if asked).
//
// Unknown metadata is kept, its numbers byte for byte. A key that appears twice, text that
// is not UTF-8, and NaN are refused. A lone surrogate (\ud800) becomes U+FFFD, as no file can
// hold it.
package ipynb

import "encoding/json"

// The format that Bytes writes, and the newest that Read takes.
const (
	major = 4
	minor = 5
)

// A Notebook is what one file holds.
type Notebook struct {
	Cells    []Cell
	Metadata Metadata
	// Minor is the format's minor number as it was read; 4.5 is what is written.
	Minor int
}

// Metadata is what programs keep beside a notebook, a cell or an output, by name. Read
// gives values in their shortest form, with sorted keys.
type Metadata map[string]json.RawMessage

// A CellType says what a cell's source is.
type CellType string

// The types of cells.
const (
	Code     CellType = "code"
	Markdown CellType = "markdown"
	Raw      CellType = "raw"
)

// A Cell is one part of a notebook. What its type does not have is not written: only code
// has outputs and a count, only the others have attachments.
type Cell struct {
	// ID is 1 to 64 letters, digits, dashes and underscores, and no other cell's.
	ID       string
	Type     CellType
	Source   string
	Metadata Metadata
	// Attachments are files by name, each a MIME bundle; nil if there are none.
	Attachments    json.RawMessage
	ExecutionCount *int
	Outputs        []Output
}

// An OutputType says how a cell's code brought an output about.
type OutputType string

// The types of outputs.
const (
	Stream        OutputType = "stream"
	DisplayData   OutputType = "display_data"
	ExecuteResult OutputType = "execute_result"
	Error         OutputType = "error"
)

// An Output is one thing that a cell's code gave. Which fields it has follows from its type.
type Output struct {
	Type OutputType

	// Name and Text are a stream's: stdout or stderr, and what was printed.
	Name, Text string

	// Data has one thing in several forms, by MIME type, and Metadata what to know of each:
	// of display_data and execute_result. The value is a JSON string, for JSON types any.
	Data     map[string]json.RawMessage
	Metadata Metadata
	// ExecutionCount is an execute_result's.
	ExecutionCount *int

	// EName, EValue and Traceback are an error's; the lines have ANSI colours.
	EName, EValue string
	Traceback     []string
}
