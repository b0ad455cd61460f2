package ipynb

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// The names under which agents keep their state in a notebook and in its cells.
const (
	agentKey      = "hdsp_agent"
	checkpointKey = "hdsp_checkpoint"
)

// maxCheckpoints bounds what is read and written of a list of checkpoints: the last ones.
const maxCheckpoints = 10_000

// An Agent is what a notebook holds of a session: who it is, and its checkpoints. The
// session's own record is the truth, this is a note of it in the file.
type Agent struct {
	TaskID      string
	SessionID   string
	Checkpoints []Checkpoint
	// Messages and APIHistory are lists that an export left, for where the session does not
	// exist. They are read only: SetAgent leaves in the file what is there.
	Messages, APIHistory json.RawMessage
}

// A Checkpoint is the state of the kernel after a cell ran.
type Checkpoint struct {
	TS        int64 // milliseconds since 1970
	CellIndex int   // not kept in the cell itself
	StateHash string
	Variables []string
}

// AgentState gives what the notebook holds of a session; false if it holds nothing. What is
// missing or of a wrong type is "" or an empty list. Checkpoints may be in any of the forms
// that were ever written.
func AgentState(n *Notebook) (*Agent, bool) {
	value := canonicalObject(n.Metadata[agentKey])
	if value == nil || string(value) == "{}" {
		return nil, false
	}
	has := fields(value, "task_id", "session_id", "checkpoints", "messages", "api_history")
	return &Agent{
		TaskID:      textOr(has["task_id"]),
		SessionID:   textOr(has["session_id"]),
		Checkpoints: checkpoints(has["checkpoints"]),
		Messages:    listOr(has["messages"]),
		APIHistory:  listOr(has["api_history"]),
	}, true
}

// SetAgent notes a session in the notebook: its ids and its checkpoints, of which the last
// 10,000 are kept. Whatever else stands under the same name stays.
func SetAgent(n *Notebook, a Agent) {
	object := map[string]json.RawMessage{}
	if was := canonicalObject(n.Metadata[agentKey]); was != nil {
		for key, value := range members(was) {
			object[key] = value
		}
	}
	list := []byte("[")
	for i, c := range a.Checkpoints[max(0, len(a.Checkpoints)-maxCheckpoints):] {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, `{"cell_index":`...)
		list = strconv.AppendInt(list, int64(c.CellIndex), 10)
		list = append(c.appendRest(append(list, ',')), '}')
	}
	object["task_id"], object["session_id"] = quote(nil, a.TaskID), quote(nil, a.SessionID)
	object["checkpoints"] = append(list, ']')
	n.Metadata = n.Metadata.with(agentKey, appendObject(nil, object))
}

// CellCheckpoint gives the checkpoint that was made after the cell ran; false if none was.
func CellCheckpoint(c *Cell) (Checkpoint, bool) {
	value := canonicalObject(c.Metadata[checkpointKey])
	if value == nil || string(value) == "{}" {
		return Checkpoint{}, false
	}
	return checkpoint(value), true
}

// SetCellCheckpoint notes the checkpoint in the cell, without the cell's index.
func SetCellCheckpoint(c *Cell, p Checkpoint) {
	c.Metadata = c.Metadata.with(checkpointKey, append(p.appendRest([]byte("{")), '}'))
}

// appendRest writes the fields that checkpoints have everywhere.
func (c Checkpoint) appendRest(out []byte) []byte {
	out = quote(append(out, `"state_hash":`...), c.StateHash)
	out = strconv.AppendInt(append(out, `,"ts":`...), c.TS, 10)
	out = append(out, `,"variables":[`...)
	for i, name := range c.Variables {
		if i > 0 {
			out = append(out, ',')
		}
		out = quote(out, name)
	}
	return append(out, ']')
}

func (m Metadata) with(key string, value json.RawMessage) Metadata {
	if m == nil {
		m = Metadata{}
	}
	m[key] = value
	return m
}

// CheckpointsAfter gives the checkpoints of a list that are later than t, in milliseconds.
func CheckpointsAfter(list []Checkpoint, t int64) []Checkpoint {
	var after []Checkpoint
	for _, c := range list {
		if c.TS > t {
			after = append(after, c)
		}
	}
	return after
}

func checkpoints(value []byte) []Checkpoint {
	list := []Checkpoint{}
	if !isList(value) {
		return list
	}
	entries := 0
	for v := range elements(value) {
		if isObject(v) {
			entries++
		}
	}
	for v := range elements(value) {
		if !isObject(v) {
			continue
		}
		if entries--; entries < maxCheckpoints {
			list = append(list, checkpoint(v))
		}
	}
	return list
}

// checkpoint reads one of any form: the time is ts or timestamp, the hash state_hash or
// hash.
func checkpoint(object []byte) Checkpoint {
	has := fields(object, "ts", "timestamp", "cell_index", "state_hash", "hash", "variables")
	c := Checkpoint{TS: milliseconds(has["ts"]), StateHash: textOr(has["state_hash"]), Variables: []string{}}
	if has["ts"] == nil {
		c.TS = milliseconds(has["timestamp"])
	}
	if has["state_hash"] == nil {
		c.StateHash = textOr(has["hash"])
	}
	if index, err := count(has["cell_index"], ""); err == nil && index != nil {
		c.CellIndex = *index
	}
	if isTexts(has["variables"]) {
		for v := range elements(has["variables"]) {
			if len(c.Variables) == maxVariables {
				break
			}
			c.Variables = append(c.Variables, string(unquote(v)))
		}
	}
	return c
}

// maxVariables bounds what is read of one checkpoint.
const maxVariables = 1_000

// milliseconds reads a time: milliseconds or, up to the year 5138, seconds since 1970, or
// a text of ISO 8601, in UTC if it names no zone. 0 if it is none of these.
func milliseconds(value []byte) int64 {
	if isText(value) {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
			if t, err := time.Parse(layout, string(unquote(value))); err == nil {
				return max(0, t.UnixMilli())
			}
		}
		return 0
	}
	n, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil || n < 0 || n >= 1<<53:
		return 0
	case n < secondsEnd:
		return int64(n*1000 + 0.5)
	}
	return int64(n)
}

// secondsEnd parts seconds from milliseconds: as the latter it is a day in 1973.
const secondsEnd = 100_000_000_000

func canonicalObject(value json.RawMessage) []byte {
	object, err := canonical(value, Default, 0)
	if err != nil || !isObject(object) {
		return nil
	}
	return object
}

func textOr(value []byte) string {
	if !isText(value) {
		return ""
	}
	return string(unquote(value))
}

func listOr(value []byte) json.RawMessage {
	if !isList(value) {
		return json.RawMessage("[]")
	}
	return bytes.Clone(value)
}
