package nbfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/nbfile"
)

// A notebook whose cells ran notes the session, the task of the agent that ran them, and
// what the kernel knew after each cell, in the notebook and in the cell. Whatever else the
// file says stays.
//
// Covers: JUP-13, JUP-14, JUP-15, C-38, C-80
func TestSavedSessionState(t *testing.T) {
	n := read(t, blank(t, 3))
	n.Metadata["hdsp_agent"] = json.RawMessage(`{"checkpoints":[{"cell_index":2,"hash":"0ld","timestamp":1600000000.0}],"messages":[{"x":1}],"mine":1,"session_id":"before","task_id":"t"}`)
	n.Cells[1].Metadata["hdsp_checkpoint"] = json.RawMessage(`{"hash":"0ld","timestamp":1600000000.0,"mine":2}`)
	n.Cells[1].Metadata["mine"] = json.RawMessage("3")
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.open(file)
	w.run("b", nil, clew.CellFinishedData{ExecutionCount: 1, DurationMS: 20})
	w.checkpoint("b", "deadbeef", `[{"name":"df","type":"DataFrame"},{"name":"x","type":"int"}]`)
	w.run("a", nil, clew.CellFinishedData{ExecutionCount: 2, DurationMS: 30})
	w.checkpoint("a", "00c0ffee", `[{"name":"df"},{"name":"x"},{"name":"y"}]`)
	saved := w.save()
	got := read(t, saved)
	at := func(i int) int64 { c := w.notebook().Cells[i]; return c.StartedMS + c.DurationMS }
	b := ipynb.Checkpoint{TS: at(1), CellIndex: 1, StateHash: "deadbeef", Variables: []string{"df", "x"}}
	a := ipynb.Checkpoint{TS: at(0), CellIndex: 0, StateHash: "00c0ffee", Variables: []string{"df", "x", "y"}}
	old := ipynb.Checkpoint{TS: 1600000000000, CellIndex: 2, StateHash: "0ld", Variables: []string{}}
	want := &ipynb.Agent{TaskID: "task_7", SessionID: "sess_1", Checkpoints: []ipynb.Checkpoint{old, b, a}, Messages: json.RawMessage(`[{"x":1}]`), APIHistory: json.RawMessage("[]")}
	if agent, _ := ipynb.AgentState(got); !reflect.DeepEqual(agent, want) {
		t.Errorf("%+v\nwant %+v", agent, want)
	}
	for i, want := range []string{
		fmt.Sprintf(`{"state_hash":"00c0ffee","ts":%d,"variables":["df","x","y"]}`, at(0)),
		fmt.Sprintf(`{"state_hash":"deadbeef","ts":%d,"variables":["df","x"]}`, at(1)), "",
	} {
		if m := string(got.Cells[i].Metadata["hdsp_checkpoint"]); m != want {
			t.Errorf("cell %d has %s, not %s", i, m, want)
		}
	}
	if string(got.Cells[1].Metadata["mine"]) != "3" || !bytes.Contains(saved, []byte(`"mine": 1`)) || *got.Cells[1].ExecutionCount != 1 {
		t.Errorf("%s", saved)
	}
	// Who opens the file has all of it, and another session adds to it.
	other := newWorld(t)
	other.open(saved)
	if again := other.save(); !bytes.Equal(again, saved) {
		t.Errorf("%s\nwas\n%s", again, saved)
	}
	// A cell that ran and of which nobody knows what the kernel knew then has no old word of it.
	w.run("b", nil, clew.CellFinishedData{})
	if _, ok := ipynb.CellCheckpoint(&read(t, w.save()).Cells[1]); ok {
		t.Error("the checkpoint of an earlier run is still there")
	}
	validate(t, []string{string(saved)})
}

// A notebook without a word of a session has none until something is done with it, and a
// new one is a file like any other.
//
// Covers: JUP-19, JUP-20
func TestNewNotebook(t *testing.T) {
	w := newWorld(t)
	w.record(&clew.NotebookReadData{NotebookID: notebookID, Cells: clew.List[clew.NotebookCell]{{CellID: "c1", Type: clew.CellCode}}})
	from := w.source()
	from.Kernel = "python3"
	file, err := nbfile.Make(w.notebook(), from)
	if err != nil {
		t.Fatal(err)
	}
	n := read(t, file)
	if agent, ok := ipynb.AgentState(n); ok || len(n.Cells) != 1 || string(n.Metadata["kernelspec"]) != `{"display_name":"python3","name":"python3"}` {
		t.Errorf("%+v %s", agent, file)
	}
	source := "x = 1"
	w.record(&clew.NotebookChangedData{NotebookID: notebookID, Version: 2, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "c1", Source: &source}}})
	changed, err := nbfile.Make(w.notebook(), from)
	if err != nil {
		t.Fatal(err)
	}
	agent, ok := ipynb.AgentState(read(t, changed))
	if !ok || !reflect.DeepEqual(agent, &ipynb.Agent{SessionID: "sess_1", Checkpoints: []ipynb.Checkpoint{}, Messages: json.RawMessage("[]"), APIHistory: json.RawMessage("[]")}) {
		t.Errorf("%+v", agent)
	}
	validate(t, []string{string(file), string(changed)})
}

// The kernel that runs the cells is named, and what the file says of its language beside
// that stays.
func TestKernelInTheFile(t *testing.T) {
	w := newWorld(t)
	n := read(t, blank(t, 1))
	n.Metadata["kernelspec"] = json.RawMessage(`{"display_name":"Python 3 (ipykernel)","language":"python","name":"python3"}`)
	n.Metadata["language_info"] = json.RawMessage(`{"codemirror_mode":{"name":"ipython","version":3.0},"name":"python","version":"3.1"}`)
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w.open(file)
	kernel := func(name, language string) map[string]json.RawMessage {
		w.record(&clew.KernelChangedData{NotebookID: notebookID, KernelID: "k", Name: name, State: clew.KernelIdle, Info: &clew.KernelLanguage{Language: language, Version: "3.14", FileExtension: ".x"}})
		return read(t, w.save()).Metadata
	}
	if m := kernel("python3", "python"); string(m["kernelspec"]) != string(n.Metadata["kernelspec"]) || string(m["language_info"]) != `{"codemirror_mode":{"name":"ipython","version":3.0},"file_extension":".x","name":"python","version":"3.14"}` {
		t.Errorf("%s", m)
	}
	if m := kernel("ir", "R"); string(m["kernelspec"]) != `{"display_name":"ir","name":"ir"}` || string(m["language_info"]) != `{"file_extension":".x","name":"R","version":"3.14"}` {
		t.Errorf("%s", m)
	}
}

// Files that cannot be worked with are refused in plain words, and nothing is put away of
// them.
func TestRefusedFiles(t *testing.T) {
	cell := `{"cell_type":"raw","metadata":{},"source":""}`
	many := `{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[` + strings.TrimSuffix(strings.Repeat(cell+",", 1001), ",") + `]}`
	for file, want := range map[string]string{many: "1001 cells; at most 1000", "{}": "nbformat is missing", `{"nbformat":3,"worksheets":[]}`: "old format 3"} {
		kept := blobs{}
		if _, err := nbfile.Take([]byte(file), kept.put); err == nil || !strings.Contains(err.Error(), want) || len(kept) > 0 {
			t.Errorf("%v, %d blobs", err, len(kept))
		}
	}
	full := errors.New("the quota is used up")
	if _, err := nbfile.Take([]byte(`{"nbformat":4,"nbformat_minor":4,"metadata":{"a":1},"cells":[]}`), func([]byte) (string, error) { return "", full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// What fits into no record is put away, and edits have room beside the rest.
func TestLargeNotebook(t *testing.T) {
	n := &ipynb.Notebook{Metadata: ipynb.Metadata{"clew.cells": json.RawMessage(`{"c1":{"stolen":1}}`)}}
	for i := range 1000 {
		c := ipynb.Cell{ID: fmt.Sprint("c", i), Type: ipynb.Markdown, Source: strings.Repeat("s", 4<<10), Metadata: ipynb.Metadata{"m": json.RawMessage(`"` + strings.Repeat("m", 2<<10) + `"`)}}
		n.Cells = append(n.Cells, c)
	}
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.open(file)
	if bytes := w.notebook().Bytes(); bytes > 256<<10 || bytes < 200<<10 {
		t.Errorf("%d bytes are in the record", bytes)
	}
	delete(n.Metadata, "clew.cells") // a name that means nothing in a file
	want, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if saved := w.save(); !bytes.Equal(saved, want) {
		t.Errorf("%d bytes, not %d", len(saved), len(want))
	}
}

// A session that came without its blobs has notes in place of outputs.
func TestMissingBlobs(t *testing.T) {
	w := newWorld(t)
	n := read(t, blank(t, 2))
	n.Cells[0].Outputs = []ipynb.Output{{Type: ipynb.Stream, Name: "stdout", Text: "x"}}
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w.open(file)
	w.run("b", []nbfile.RunOutput{{Type: "stream", Name: "stdout", Text: "y"}}, clew.CellFinishedData{})
	from := w.source()
	from.Blob = func(string) ([]byte, error) { return nil, nbfile.ErrMissing }
	b, err := nbfile.Make(w.notebook(), from)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range read(t, b).Cells {
		if len(c.Outputs) != 1 || !strings.Contains(c.Outputs[0].Text, "are not here") {
			t.Errorf("cell %d: %+v", i, c.Outputs)
		}
	}
	from.Blob = func(string) ([]byte, error) { return nil, errors.New("the disk is gone") }
	if _, err := nbfile.Make(w.notebook(), from); err == nil {
		t.Error("a file was made without what should be in it")
	}
}
