package clew

// What a notebook's commands may ask for.
const (
	CellSourceMax = 1 << 20 // bytes of one source
	cellEditsMax  = 1000
	cellIDMax     = 64
)

// Check looks at the edits as far as that can be done without the notebook.
func (d *NotebookEditData) Check() error {
	switch {
	case d.NotebookID == "":
		return Errorf(InvalidMessage, "notebook_id is missing")
	case len(d.Edits) == 0:
		return Errorf(InvalidMessage, "there are no edits")
	case len(d.Edits) > cellEditsMax:
		return Errorf(InvalidMessage, "%d edits at once are too many: at most %d", len(d.Edits), cellEditsMax)
	}
	for i := range d.Edits {
		if err := d.Edits[i].Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check looks at one edit.
func (e *CellEdit) Check() error {
	switch {
	case e.CellID != "" && !ValidCellID(e.CellID):
		return Errorf(InvalidMessage, "%q is not the id of a cell", Clip(e.CellID, cellIDMax))
	case e.CellID == "" && e.Op != EditInsert && e.Op != EditClear:
		return Errorf(InvalidMessage, "%s without a cell_id", e.Op)
	case e.Op == EditReplace && e.Source == nil && e.Type == "":
		return Errorf(InvalidMessage, "replace without a source or a type")
	case e.Source != nil && len(*e.Source) > CellSourceMax:
		return Errorf(InvalidMessage, "a source has at most %d KiB", CellSourceMax>>10)
	case e.SourceBlob != "": // a command has the source itself
		return Errorf(InvalidMessage, "source_blob is not for commands")
	}
	return nil
}

// ValidCellID reports whether a file may have a cell with this id.
func ValidCellID(id string) bool {
	if id == "" || len(id) > cellIDMax {
		return false
	}
	for _, r := range id {
		if r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// Check wants cells in one way.
func (d *NotebookRunData) Check() error {
	switch {
	case d.NotebookID == "":
		return Errorf(InvalidMessage, "notebook_id is missing")
	case len(d.Cells) > 0 && (d.All || d.From != "" || d.To != ""), len(d.Cells) == 0 && !d.All:
		return Errorf(InvalidMessage, "either cells or all is given")
	case len(d.Cells) > cellEditsMax:
		return Errorf(InvalidMessage, "at most %d cells at once", cellEditsMax)
	}
	return nil
}

// Check bounds the code.
func (d *KernelExecuteData) Check() error {
	switch {
	case len(d.Code) > CellSourceMax:
		return Errorf(InvalidMessage, "code has at most %d KiB", CellSourceMax>>10)
	case d.Silent && d.CellIndex != nil:
		return Errorf(InvalidMessage, "silent code is not a cell's")
	}
	return nil
}
