package session

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A NotebookReading is a notebook as an agent reads it. Nothing in it is ever changed.
type NotebookReading struct {
	Notebook core.Notebook
	// Outputs are the messages that cells show, by the cells' ids. Those that are long
	// past are left out.
	Outputs map[string][]clew.Message
}

// ReadNotebook gives an open notebook and what its cells show.
func (d *TurnContext) ReadNotebook(id string) (NotebookReading, error) {
	r := NotebookReading{Outputs: map[string][]clew.Message{}}
	found := false
	err := d.s.read(d.ctx, func(s *Session) {
		n := s.state.Notebook(id)
		if n == nil {
			return
		}
		found, r.Notebook = true, *n
		for _, c := range n.Cells {
			for _, span := range c.Outputs {
				for seq := span.From; seq <= span.To; seq++ {
					if m := s.state.Message(clew.MessageIDOf(seq)); m != nil && m.Cell != nil {
						r.Outputs[c.CellID] = append(r.Outputs[c.CellID], *m)
					}
				}
			}
		}
	})
	if err == nil && !found {
		err = clew.Errorf(clew.SessionInvalidState, "the notebook is not open any more")
	}
	return r, err
}
