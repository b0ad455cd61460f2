package ipynb

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// with makes a notebook with this agent metadata, and one cell with this checkpoint.
func with(t *testing.T, agent, checkpoint string) *Notebook {
	t.Helper()
	return mustRead(t, []byte(`{"nbformat":4,"nbformat_minor":4,"metadata":{`+agent+`},"cells":[{"cell_type":"code","source":"","metadata":{`+checkpoint+`}}]}`))
}

// Without agent metadata there is no state; what is missing is "" or an empty list.
//
// The rules are JUP-13, JUP-19 and C-80.
func TestAgentState(t *testing.T) {
	empty := Agent{Checkpoints: []Checkpoint{}, Messages: []byte("[]"), APIHistory: []byte("[]")}
	task := empty
	task.TaskID = "task-001"
	full := task
	full.SessionID, full.Messages, full.APIHistory = "sess_1", []byte(`[{"a":1}]`), []byte(`["x"]`)
	for _, c := range []struct {
		name, metadata string
		want           *Agent
	}{
		{"none", ``, nil},
		{"empty", `"hdsp_agent":{}`, nil},
		{"not an object", `"hdsp_agent":[1]`, nil},
		{"a task only", `"hdsp_agent":{"task_id":"task-001"}`, &task},
		{"unknown fields only", `"hdsp_agent":{"other":1}`, &empty},
		{"wrong types", `"hdsp_agent":{"task_id":1,"session_id":[],"checkpoints":{},"messages":"x","api_history":null}`, &empty},
		{"all", `"hdsp_agent":{"task_id":"task-001","session_id":"sess_1","messages":[{"a":1}],"api_history":["x"],"checkpoints":[]}`, &full},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := AgentState(with(t, c.metadata, ""))
			if ok != (c.want != nil) || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v", got, ok)
			}
		})
	}
	if got, ok := AgentState(&Notebook{}); ok || got != nil {
		t.Errorf("a new notebook has %+v", got)
	}
}

// Both forms that were ever written are read, of times in seconds, in milliseconds and as
// text; both in a list and in a cell.
//
// The rules are JUP-14, JUP-15 and C-38.
func TestFormsOfCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        Checkpoint
	}{
		{"as drawn", `{"ts":1234567890,"cell_index":5,"hash":"abc"}`, Checkpoint{1234567890000, 5, "abc", nil}},
		{"as in code", `{"timestamp":1731940000.123,"cell_index":2,"state_hash":"deadbeef","variables":["df","model"]}`, Checkpoint{1731940000123, 2, "deadbeef", []string{"df", "model"}}},
		{"milliseconds", `{"ts":1731940000123,"cell_index":0,"state_hash":"x"}`, Checkpoint{1731940000123, 0, "x", nil}},
		{"milliseconds as a float", `{"timestamp":1731940000123.7}`, Checkpoint{TS: 1731940000123}},
		{"text in UTC", `{"timestamp":"2026-11-18T14:30:02.5Z"}`, Checkpoint{TS: 1795012202500}},
		{"text of a zone", `{"ts":"2026-11-18T23:30:02.5+09:00"}`, Checkpoint{TS: 1795012202500}},
		{"text without a zone", `{"ts":"2026-11-18T14:30:02.500000"}`, Checkpoint{TS: 1795012202500}},
		{"the new names count", `{"ts":1731940000123,"timestamp":1,"hash":"old","state_hash":"new"}`, Checkpoint{1731940000123, 0, "new", nil}},
		{"nothing of use", `{"ts":"yesterday","cell_index":-1,"hash":7,"variables":[1]}`, Checkpoint{}},
		{"times that are none", `{"ts":1e300,"cell_index":1.5}`, Checkpoint{}},
		{"before all time", `{"ts":-5}`, Checkpoint{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.Variables == nil {
				c.want.Variables = []string{}
			}
			n := with(t, `"hdsp_agent":{"checkpoints":[`+c.entry+`,3]}`, `"hdsp_checkpoint":`+c.entry)
			a, _ := AgentState(n)
			if !reflect.DeepEqual(a.Checkpoints, []Checkpoint{c.want}) {
				t.Errorf("in the list: %+v", a.Checkpoints)
			}
			if got, ok := CellCheckpoint(&n.Cells[0]); !ok || !reflect.DeepEqual(got, c.want) {
				t.Errorf("in the cell: %+v, %v", got, ok)
			}
		})
	}
	for _, none := range []string{``, `"hdsp_checkpoint":{}`, `"hdsp_checkpoint":1`} {
		if got, ok := CellCheckpoint(&with(t, "", none).Cells[0]); ok {
			t.Errorf("%s gives %+v", none, got)
		}
	}
}

// One form is written, and comes back. What others left under the same name stays, the
// lists of messages too.
//
// The rules are JUP-13, JUP-14, JUP-15, C-38 and C-80.
func TestSetAgent(t *testing.T) {
	n := with(t, `"hdsp_agent":{"messages":[1],"task_id":"old","x":{"n":1.0}}`, `"hdsp_checkpoint":{"timestamp":1,"hash":"old"},"tags":["a"]`)
	p := Checkpoint{TS: 1731940000123, CellIndex: 3, StateHash: "0123abcd", Variables: []string{"df", "<b>\""}}
	SetAgent(n, Agent{TaskID: "task_1", SessionID: "sess_1", Checkpoints: []Checkpoint{p, {TS: 5}}})
	SetCellCheckpoint(&n.Cells[0], p)
	wantAgent := `{"checkpoints":[{"cell_index":3,"state_hash":"0123abcd","ts":1731940000123,"variables":["df","<b>\""]},` +
		`{"cell_index":0,"state_hash":"","ts":5,"variables":[]}],"messages":[1],"session_id":"sess_1","task_id":"task_1","x":{"n":1.0}}`
	if got := string(n.Metadata["hdsp_agent"]); got != wantAgent {
		t.Errorf("%s", got)
	}
	if got := string(n.Cells[0].Metadata["hdsp_checkpoint"]); got != `{"state_hash":"0123abcd","ts":1731940000123,"variables":["df","<b>\""]}` {
		t.Errorf("%s", got)
	}
	n = mustRead(t, mustWrite(t, n))
	a, ok := AgentState(n)
	if !ok || a.TaskID != "task_1" || a.SessionID != "sess_1" || !reflect.DeepEqual(a.Checkpoints[0], p) || string(a.Messages) != "[1]" {
		t.Errorf("%+v", a)
	}
	p.CellIndex = 0
	if got, ok := CellCheckpoint(&n.Cells[0]); !ok || !reflect.DeepEqual(got, p) {
		t.Errorf("%+v", got)
	}
}

// A new notebook takes the state too.
//
// The rule is JUP-20.
func TestSetAgentInANewNotebook(t *testing.T) {
	n := &Notebook{Cells: []Cell{{ID: "a", Type: Code}}}
	SetAgent(n, Agent{TaskID: "task_1"})
	SetCellCheckpoint(&n.Cells[0], Checkpoint{TS: 7})
	file := mustWrite(t, n)
	if a, ok := AgentState(mustRead(t, file)); !ok || a.TaskID != "task_1" || !bytes.Contains(file, []byte(`"nbformat": 4`)) {
		t.Errorf("%+v\n%s", a, file)
	}
}

// Only the last checkpoints of a long list are kept.
func TestManyCheckpoints(t *testing.T) {
	list := make([]Checkpoint, maxCheckpoints+5)
	for i := range list {
		list[i].TS = int64(secondsEnd + i)
	}
	n := &Notebook{}
	SetAgent(n, Agent{Checkpoints: list})
	a, _ := AgentState(n)
	if len(a.Checkpoints) != maxCheckpoints || a.Checkpoints[0].TS != secondsEnd+5 {
		t.Errorf("written: %d, from %d", len(a.Checkpoints), a.Checkpoints[0].TS)
	}
	n.Metadata["hdsp_agent"] = []byte(`{"checkpoints":[{"ts":1}` + strings.Repeat(`,{"ts":2}`, maxCheckpoints) + `]}`)
	a, _ = AgentState(n)
	if len(a.Checkpoints) != maxCheckpoints || a.Checkpoints[0].TS != 2000 {
		t.Errorf("read: %d, from %d", len(a.Checkpoints), a.Checkpoints[0].TS)
	}
}

// Later means strictly later: the rule is JUP-18.
func TestCheckpointsAfter(t *testing.T) {
	list := []Checkpoint{{TS: 3}, {TS: 1}, {TS: 2, CellIndex: 1}, {TS: 2, CellIndex: 2}}
	for after, want := range map[int64][]Checkpoint{0: list, 1: {list[0], list[2], list[3]}, 2: {list[0]}, 3: nil} {
		if got := CheckpointsAfter(list, after); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d: %+v", after, got)
		}
	}
}
