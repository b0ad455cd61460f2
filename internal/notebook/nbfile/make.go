package nbfile

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/session/core"
)

// blobScheme begins an address where others than addresses may stand.
const blobScheme = "blob:"

// ErrMissing says that a blob is not here and will not come: the session was imported
// without it. Outputs are left out with a note then.
var ErrMissing = errors.New("the blob is not here")

// A Source is where Make finds what is not in the notebook itself.
type Source struct {
	Session clew.SessionID
	// Kernel is the kernel of a notebook that names none; "" leaves that open.
	Kernel string
	// Blob gives what an address stands for, or ErrMissing.
	Blob func(address string) ([]byte, error)
	// Messages gives the messages of records as they are now. Runs whose outputs were not
	// kept as a whole are shown by them; nil shows what was kept.
	Messages func(records []core.Span) ([]clew.Message, error)
	// Talk is what an export adds: what was said in the session. A save adds nothing.
	Talk *Talk
}

// A Talk is what was said in a session, for where the session does not exist.
type Talk struct {
	TaskID               clew.TaskID
	Messages, APIHistory json.RawMessage // lists
}

// Make makes the file of a notebook. What was read of a file and not changed comes out as
// it was.
func Make(n *core.Notebook, from Source) ([]byte, error) {
	file, err := MakeNotebook(n, from)
	if err != nil {
		return nil, err
	}
	return file.Bytes()
}

// MakeNotebook is Make for who goes on with the notebook.
func MakeNotebook(n *core.Notebook, from Source) (*ipynb.Notebook, error) {
	m := maker{Source: from, n: n, file: &ipynb.Notebook{Metadata: ipynb.Metadata{}, Cells: make([]ipynb.Cell, 0, len(n.Cells))}}
	if err := m.metadata(); err != nil {
		return nil, err
	}
	for _, c := range n.Cells {
		cell, err := m.cell(c)
		if err != nil {
			return nil, err
		}
		m.file.Cells = append(m.file.Cells, cell)
	}
	if err := m.outputs(); err != nil {
		return nil, err
	}
	if err := m.noteSession(); err != nil {
		return nil, err
	}
	m.file.Fit()
	return m.file, nil
}

// maker is one notebook file in the making.
type maker struct {
	Source
	n    *core.Notebook
	file *ipynb.Notebook
	// large is the metadata of cells that the record had no place for.
	large map[string]json.RawMessage
}

func (m *maker) blob(address string) ([]byte, error) {
	return m.Blob(strings.TrimPrefix(address, blobScheme))
}

// metadata takes the file's own over, and names the kernel as it is now.
func (m *maker) metadata() error {
	if m.n.Metadata != "" {
		b, err := m.blob(m.n.Metadata)
		if err == nil {
			err = json.Unmarshal(b, &m.file.Metadata)
		}
		if err != nil && !errors.Is(err, ErrMissing) {
			return err
		}
	}
	if large, ok := m.file.Metadata[cellsKey]; ok {
		delete(m.file.Metadata, cellsKey)
		if err := json.Unmarshal(large, &m.large); err != nil {
			return err
		}
	}
	return m.kernel()
}

func (m *maker) kernel() error {
	k := &m.n.Kernel
	name := k.Name
	if name == "" && m.file.Metadata["kernelspec"] == nil {
		name = m.Kernel
	}
	if name != "" && name != kernelName(m.file.Metadata) {
		if err := m.set("kernelspec", map[string]string{"name": name, "display_name": name}); err != nil {
			return err
		}
	}
	if k.Info == nil || k.Info.Language == "" {
		return nil
	}
	return m.language(k.Info)
}

// language says what the kernel speaks. What else the file says of the same language stays.
func (m *maker) language(info *clew.KernelLanguage) error {
	var name string
	was := map[string]json.RawMessage{}
	_ = json.Unmarshal(m.file.Metadata["language_info"], &was) // it may have none
	_ = json.Unmarshal(was["name"], &name)
	if name != info.Language {
		was = map[string]json.RawMessage{}
	}
	for key, value := range map[string]string{"name": info.Language, "version": info.Version, "file_extension": info.FileExtension} {
		if value == "" {
			continue
		}
		b, err := clew.MarshalData(value)
		if err != nil {
			return err
		}
		was[key] = b
	}
	return m.set("language_info", was)
}

func (m *maker) set(key string, value any) error {
	b, err := clew.MarshalData(value)
	m.file.Metadata[key] = b
	return err
}

// cell makes a cell without its outputs.
func (m *maker) cell(c *core.Cell) (out ipynb.Cell, err error) {
	out = ipynb.Cell{ID: c.CellID, Type: ipynb.CellType(c.Type), Source: c.Source, Metadata: ipynb.Metadata{}}
	metadata := c.Metadata
	if len(metadata) == 0 {
		metadata = m.large[c.CellID]
	}
	if len(metadata) > 0 {
		if err := json.Unmarshal(metadata, &out.Metadata); err != nil {
			return out, err
		}
	}
	if c.SourceBlob != "" {
		b, err := m.blob(c.SourceBlob)
		if err != nil {
			return out, clew.WrapError(clew.ExecutionFailed, err, "the source of cell %s cannot be had: %v", c.CellID, err)
		}
		out.Source = string(b)
	}
	if c.Attachments != "" {
		if out.Attachments, err = m.blob(c.Attachments); err != nil && !errors.Is(err, ErrMissing) {
			return out, err
		}
	}
	if out.Type == ipynb.Code && c.ExecutionCount > 0 {
		count := c.ExecutionCount
		out.ExecutionCount = &count
	}
	return out, nil
}
