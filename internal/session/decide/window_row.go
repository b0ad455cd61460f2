package decide

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// chosenRow is what choosing a row of a table tells the window's agent: the row's place
// in the table as it is stored, from 0, and its cells by the names of their columns. Rows
// that the window has itself are taken from there, those of a file as the sender read
// them.
func chosenRow(w *core.Window, d *clew.ComponentActionData) (label string, form map[string]any, err error) {
	c := w.Content
	if c.RowAction == "" || c.RowAction != d.Action {
		return "", nil, clew.Errorf(clew.SessionInvalidState, "rows of window %s cannot be chosen with the action %s; it may have changed", w.ID, d.Action)
	}
	index, ok := d.FormData["index"].(float64)
	total := max(c.Total, len(c.Rows))
	if c.Blob == "" {
		total = len(c.Rows)
	}
	if !ok || index < 0 || index >= float64(total) || index != float64(int(index)) {
		return "", nil, clew.Errorf(clew.SessionInvalidState, "form_data.index is the row of window %s that was chosen, from 0 to %d", w.ID, total-1)
	}
	row := map[string]any{}
	sent, _ := d.FormData["row"].(map[string]any)
	for i, column := range c.Columns {
		switch {
		case c.Blob != "":
			row[column.Name] = sent[column.Name]
		case i < len(c.Rows[int(index)]):
			row[column.Name] = c.Rows[int(index)][i]
		}
	}
	return rowLabel(c, row, d.Action), map[string]any{"index": index, "row": row}, nil
}

// rowLabel is how a row is called in the transcript: as its first cell that has words.
func rowLabel(c *clew.WindowContent, row map[string]any, otherwise string) string {
	for _, column := range c.Columns {
		if v := row[column.Name]; v != nil && v != "" {
			return core.PlainLine(fmt.Sprint(v), core.TitleRunes-1)
		}
	}
	return otherwise
}
