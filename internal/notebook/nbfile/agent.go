package nbfile

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
)

// agentKey is where a notebook holds what it knows of a session.
const agentKey = "hdsp_agent"

// checkpointKey is where a cell holds its checkpoint.
const checkpointKey = "hdsp_checkpoint"

// maxNames bounds the names of variables in a checkpoint.
const maxNames = 200

// noteSession notes the session and its checkpoints, in the notebook and in its cells. A
// file that nothing was done with is not changed by being saved.
func (m *maker) noteSession() error {
	var made []ipynb.Checkpoint
	for i, c := range m.n.Cells {
		if c.RanSeq == 0 || m.file.Cells[i].Type != ipynb.Code {
			continue
		}
		if c.StateHash == "" { // what the file says is of an earlier run
			delete(m.file.Cells[i].Metadata, checkpointKey)
			continue
		}
		names, err := m.variables(c.Variables)
		if err != nil {
			return err
		}
		p := ipynb.Checkpoint{TS: c.StartedMS + c.DurationMS, CellIndex: i, StateHash: c.StateHash, Variables: names}
		ipynb.SetCellCheckpoint(&m.file.Cells[i], p)
		made = append(made, p)
	}
	if m.Talk == nil && m.n.Version <= 1 && !m.ran() {
		return nil
	}
	note := ipynb.Agent{TaskID: string(m.task()), SessionID: string(m.Session)}
	was, noted := ipynb.AgentState(m.file)
	if noted {
		note.Checkpoints = was.Checkpoints
		note.TaskID = cmp.Or(note.TaskID, was.TaskID)
	}
	for _, p := range made {
		if !slices.ContainsFunc(note.Checkpoints, func(o ipynb.Checkpoint) bool { return o.TS == p.TS && o.StateHash == p.StateHash }) {
			note.Checkpoints = append(note.Checkpoints, p)
		}
	}
	slices.SortStableFunc(note.Checkpoints, func(a, b ipynb.Checkpoint) int { return cmp.Compare(a.TS, b.TS) })
	if err := m.addTalk(); err != nil {
		return err
	}
	ipynb.SetAgent(m.file, note)
	return nil
}

// addTalk takes what an export says of the session in place of what the file has.
func (m *maker) addTalk() error {
	if m.Talk == nil {
		return nil
	}
	object := map[string]json.RawMessage{}
	_ = json.Unmarshal(m.file.Metadata[agentKey], &object) // what is no object is replaced
	if object == nil {
		object = map[string]json.RawMessage{}
	}
	object["messages"], object["api_history"] = m.Talk.Messages, m.Talk.APIHistory
	return m.set(agentKey, object)
}

func (m *maker) ran() bool {
	for _, c := range m.n.Cells {
		if c.RanSeq > 0 {
			return true
		}
	}
	return false
}

// task is the one that the notebook is noted with: that of the export, or of the agent that
// ran a cell last.
func (m *maker) task() clew.TaskID {
	if m.Talk != nil && m.Talk.TaskID != "" {
		return m.Talk.TaskID
	}
	last, task := uint64(0), clew.TaskID("")
	for _, c := range m.n.Cells {
		if c.TaskID != "" && c.RanSeq > last {
			last, task = c.RanSeq, c.TaskID
		}
	}
	return task
}

// variables gives the names of what the kernel knew.
func (m *maker) variables(address string) ([]string, error) {
	names := []string{}
	if address == "" {
		return names, nil
	}
	b, err := m.blob(address)
	if err != nil {
		return names, ignoreMissing(err)
	}
	var list []struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(b, &list) != nil { // of another program
		return names, nil
	}
	for _, v := range list[:min(len(list), maxNames)] {
		names = append(names, v.Name)
	}
	return names, nil
}
