// Package nbfile is the one place between a session's notebook and a notebook file.
//
// Take makes of a file what goes on record of it, Make makes the file of what is on
// record. Neither touches a disk: blobs come and go through functions, so that a runner and
// an import use the same code. The same notebook gives the same bytes each time.
package nbfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/session/core"
)

const (
	// maxInline bounds the sources and metadata of all cells that are in one record, so
	// that edits have room beside them.
	maxInline       = core.CellSourcesMax / 2
	maxCellMetadata = 16 << 10
	maxKernelName   = 256
)

// cellsKey is where the blob of the notebook's metadata keeps the metadata of cells that
// are too large for a record. In a file the name means nothing.
const cellsKey = "clew.cells"

// Put stores what is too large for a record and gives its address.
type Put func(b []byte) (address string, err error)

// Hash names the content of a file.
func Hash(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// Take makes of a file what goes on record of it: what is large is put away. The caller
// adds the notebook's id.
func Take(file []byte, put Put) (clew.NotebookReadData, error) {
	n, err := ipynb.Read(file)
	if err != nil {
		return clew.NotebookReadData{}, err
	}
	d, err := TakeNotebook(n, put)
	d.Hash = Hash(file)
	return d, err
}

// TakeNotebook is Take for a file that was read already; the hash is the caller's to add.
func TakeNotebook(n *ipynb.Notebook, put Put) (clew.NotebookReadData, error) {
	d := clew.NotebookReadData{Cells: clew.List[clew.NotebookCell]{}}
	if len(n.Cells) > core.CellsMax {
		return d, clew.Errorf(clew.MessageTooLarge, "the notebook has %d cells; at most %d can be worked with", len(n.Cells), core.CellsMax)
	}
	d.KernelName = kernelName(n.Metadata)
	t := taker{put: put, large: map[string]json.RawMessage{}}
	for i := range n.Cells {
		c, err := t.cell(&n.Cells[i])
		if err != nil {
			return d, err
		}
		d.Cells = append(d.Cells, c)
	}
	var err error
	d.Metadata, err = t.metadata(n.Metadata)
	return d, err
}

func kernelName(m ipynb.Metadata) string {
	var spec struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(m["kernelspec"], &spec) // it may have none
	if len(spec.Name) > maxKernelName || strings.ContainsFunc(spec.Name, unprintable) {
		return "" // no kernel is called that
	}
	return spec.Name
}

func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }

// taker puts away what has no place in the record.
type taker struct {
	put    Put
	inline int
	large  map[string]json.RawMessage // metadata, by cell
}

// fits says whether something of this size goes into the record.
func (t *taker) fits(size, most int) bool {
	if size > most || t.inline+size > maxInline {
		return false
	}
	t.inline += size
	return true
}

func (t *taker) cell(c *ipynb.Cell) (out clew.NotebookCell, err error) {
	out = clew.NotebookCell{CellID: c.ID, Type: clew.CellType(c.Type)}
	if t.fits(len(c.Source), core.CellSourceMax) {
		out.Source = c.Source
	} else if out.SourceBlob, err = t.put([]byte(c.Source)); err != nil {
		return out, err
	}
	if c.ExecutionCount != nil {
		out.ExecutionCount = *c.ExecutionCount
	}
	if len(c.Metadata) > 0 {
		b, err := clew.MarshalData(c.Metadata)
		if err != nil {
			return out, err
		}
		if t.fits(len(b), maxCellMetadata) {
			out.Metadata = b
		} else {
			t.large[c.ID] = b
		}
	}
	if c.Attachments != nil {
		if out.Attachments, err = t.put(c.Attachments); err != nil {
			return out, err
		}
	}
	if len(c.Outputs) > 0 {
		b, err := ipynb.WriteOutputs(c.Outputs)
		if err != nil {
			return out, err
		}
		out.SavedOutputs, err = t.put(b)
		return out, err
	}
	return out, nil
}

// metadata puts the notebook's metadata away, with that of cells that is too large.
func (t *taker) metadata(m ipynb.Metadata) (string, error) {
	all := make(map[string]json.RawMessage, len(m)+1)
	for key, value := range m {
		all[key] = value
	}
	delete(all, cellsKey) // a stranger's is none of ours
	if len(t.large) > 0 {
		b, err := clew.MarshalData(t.large)
		if err != nil {
			return "", err
		}
		all[cellsKey] = b
	}
	if len(all) == 0 {
		return "", nil
	}
	b, err := clew.MarshalData(all)
	if err != nil {
		return "", err
	}
	return t.put(b)
}
