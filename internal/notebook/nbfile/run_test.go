package nbfile_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session/core"
)

// blank is a file of some empty code cells: a, b, c…
func blank(t failer, cells int) []byte {
	n := &ipynb.Notebook{Metadata: ipynb.Metadata{}}
	for i := range cells {
		n.Cells = append(n.Cells, ipynb.Cell{ID: string(rune('a' + i)), Type: ipynb.Code, Source: "1", Metadata: ipynb.Metadata{}})
	}
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// nbclientFolds has Jupyter's own client take the messages of runs, and tells the outputs
// of the cells in the end.
const nbclientFolds = `
import json, sys
import nbclient, nbformat
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
def fold(runs):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1") for _ in range(3)])
    client = nbclient.NotebookClient(nb)
    for at, list in runs:
        cell = nb.cells[at]
        cell.outputs = []
        client.clear_display_id_mapping(at)
        client.clear_before_next_output = False
        for m in list:
            content = {k: v for k, v in m.items() if k not in ("output_type", "display_id")}
            content.setdefault("data", {}); content.setdefault("metadata", {}); content.setdefault("text", ""); content.setdefault("traceback", [])
            for k in ("ename", "evalue", "name"): content.setdefault(k, "")
            if m["output_type"] == "execute_result": content.setdefault("execution_count", None)
            else: content.pop("execution_count", None)
            content["transient"] = {"display_id": m["display_id"]} if "display_id" in m else {}
            client.process_message({"msg_type": m["output_type"], "header": {"msg_type": m["output_type"]}, "parent_header": {"msg_id": "p"}, "content": content}, cell, at)
    for cell in nb.cells:
        joined = []
        for o in cell.outputs:
            if o["output_type"] == "stream" and not o["text"]: continue
            if o["output_type"] == "stream" and joined and joined[-1]["output_type"] == "stream" and joined[-1]["name"] == o["name"]:
                joined[-1]["text"] += o["text"]
            else: joined.append(o)
        cell.outputs = joined
    return [cell.outputs for cell in nb.cells]
print(json.dumps([fold(runs) for runs in json.load(sys.stdin)]))
`

// What a cell shows after any run is what Jupyter's own client makes of the same messages:
// streams grow, displays are changed by later cells, outputs are cleared at once or late.
// Each cell runs once: of a run that another one took the place of nothing is left to fold.
func TestOutputsAsJupyterFoldsThem(t *testing.T) {
	var plays [][][]any
	var got [][3][]ipynb.Output
	nightly.CheckTimes(t, 1, 500, func(rt *rapid.T) {
		w := newWorld(rt)
		w.open(blank(rt, 3))
		var play [][]any
		for _, at := range rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order") {
			list := []nbfile.RunOutput{}
			for range rapid.IntRange(0, 8).Draw(rt, "published") {
				list = append(list, drawPublished(rt))
			}
			w.run(string(rune('a'+at)), list, clew.CellFinishedData{})
			play = append(play, []any{at, list})
		}
		file := read(rt, w.save())
		var outputs [3][]ipynb.Output
		for i := range outputs {
			outputs[i] = file.Cells[i].Outputs
		}
		plays, got = append(plays, play), append(got, outputs)
	})
	in, err := json.Marshal(plays)
	if err != nil {
		t.Fatal(err)
	}
	var want [][3]json.RawMessage
	if err := json.Unmarshal(jupytertest.Run(t, nbclientFolds, in), &want); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i := range want {
		for cell := range want[i] {
			outputs, err := ipynb.ReadOutputs(want[i][cell])
			if err != nil {
				t.Fatal(err)
			}
			if shown += len(outputs); !reflect.DeepEqual(outputs, got[i][cell]) {
				b, _ := json.Marshal(plays[i])
				t.Fatalf("play %d, cell %d of %s\nshows %+v\nfor Jupyter %+v", i, cell, b, got[i][cell], outputs)
			}
		}
	}
	t.Logf("%d plays, %d outputs: as Jupyter's", len(want), shown)
	if shown < 500 {
		t.Error("these are too few to show anything")
	}
}

func drawPublished(t *rapid.T) nbfile.RunOutput {
	r := nbfile.RunOutput{Type: rapid.SampledFrom([]string{"stream", "stream", "display_data", "display_data", "execute_result", "error", "update_display_data", "update_display_data", "clear_output"}).Draw(t, "type")}
	switch r.Type {
	case "stream":
		r.Name, r.Text = rapid.SampledFrom([]string{"stdout", "stderr"}).Draw(t, "name"), drawText(t)
	case "error":
		r.EName, r.EValue, r.Traceback = "E", drawText(t), []string{drawText(t)}
	case "clear_output":
		r.Wait = rapid.Bool().Draw(t, "wait")
	default:
		r.Data, r.Metadata = drawBundle(t), json.RawMessage(`{"image/png":{"width":3}}`)
		r.DisplayID = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "display")
		if r.Type == "display_data" && rapid.Bool().Draw(t, "nameless") {
			r.DisplayID = ""
		}
		if r.Type == "execute_result" {
			r.ExecutionCount = rapid.IntRange(1, 9).Draw(t, "count")
		}
	}
	return r
}

// What a kernel says that no file has a place for does not keep a notebook from being
// saved.
func TestKernelsKeepToNoSchema(t *testing.T) {
	w := newWorld(t)
	w.open(blank(t, 1))
	deep := json.RawMessage(strings.Repeat("[", 80) + strings.Repeat("]", 80))
	w.run("a", []nbfile.RunOutput{
		{Type: "display_data", Data: map[string]json.RawMessage{"text/plain": json.RawMessage("5"), "application/json": json.RawMessage(`{"a":1,"a":2}`), "a\nb": json.RawMessage(`""`), "x": deep}},
		{Type: "display_data", Metadata: json.RawMessage(`[1]`)},
		{Type: "execute_result", ExecutionCount: -3, Data: map[string]json.RawMessage{"text/html": json.RawMessage(`{"b":null}`)}},
		{Type: "comm_open"}, {Type: "nonsense"},
		{Type: "error", Traceback: make([]string, 5_000)},
	}, clew.CellFinishedData{})
	file := w.save()
	outputs := read(t, file).Cells[0].Outputs
	if len(outputs) != 4 || string(outputs[0].Data["text/plain"]) != `"5"` || len(outputs[0].Data) != 1 || string(outputs[2].Data["text/html"]) != `"{\"b\":null}"` || len(outputs[3].Traceback) != 1000 {
		t.Errorf("%+v", outputs)
	}
	validate(t, []string{string(file)})
}

// What is too much for a file is named by its address. What the file itself had is never
// too much.
func TestLargeOutputs(t *testing.T) {
	png := func(size int) map[string]json.RawMessage {
		b, _ := json.Marshal(base64.StdEncoding.EncodeToString(make([]byte, size)))
		return map[string]json.RawMessage{"image/png": b}
	}
	w := newWorld(t)
	n := read(t, blank(t, 4))
	n.Cells[3].Outputs = []ipynb.Output{{Type: ipynb.DisplayData, Data: png(5 << 20), Metadata: ipynb.Metadata{}}}
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w.open(file)
	w.run("a", []nbfile.RunOutput{
		{Type: "stream", Name: "stdout", Text: "before\n"}, {Type: "display_data", Data: png(2 << 20)}, {Type: "stream", Name: "stdout", Text: "behind\n"},
	}, clew.CellFinishedData{})
	w.run("b", []nbfile.RunOutput{{Type: "stream", Name: "stdout", Text: strings.Repeat("안녕\n", 1<<20)}, {Type: "stream", Name: "stdout", Text: "lost"}}, clew.CellFinishedData{})
	var bar []nbfile.RunOutput // much was said, and in the end it is little
	for i := range 3000 {
		bar = append(bar, nbfile.RunOutput{Type: "clear_output", Wait: true}, nbfile.RunOutput{Type: "stream", Name: "stdout", Text: fmt.Sprintf("%d%s", i, strings.Repeat(".", 1000))})
	}
	w.run("c", bar, clew.CellFinishedData{})
	saved := w.save()
	cells := read(t, saved).Cells
	about := func(o ipynb.Output, cell string) bool {
		return o.Name == "stderr" && strings.Contains(o.Text, "is not in this file") && strings.Contains(o.Text, "blob:"+w.notebook().Cell(cell).OutputBlob)
	}
	if o := cells[0].Outputs; len(o) != 2 || o[0].Text != "before\nbehind\n" || !about(o[1], "a") {
		t.Errorf("%.300v", o)
	}
	if o := cells[1].Outputs; len(o) != 2 || len(o[0].Text) < 100<<10 || len(o[0].Text) > 1<<20 || strings.Contains(o[0].Text, "lost") || !about(o[1], "b") {
		t.Errorf("%.300v", o)
	}
	if o := cells[2].Outputs; len(o) != 1 || !strings.HasPrefix(o[0].Text, "2999.") {
		t.Errorf("%.300v", o)
	}
	if !reflect.DeepEqual(cells[3].Outputs, n.Cells[3].Outputs) {
		t.Error("what the file had was changed")
	}
	if len(saved) > 10<<20 {
		t.Errorf("the file has %d MiB", len(saved)>>20)
	}
}

// Many large runs together make a file that can be read again.
func TestAllOutputsHaveABound(t *testing.T) {
	w := newWorld(t)
	n := &ipynb.Notebook{Metadata: ipynb.Metadata{}}
	for i := range 45 {
		n.Cells = append(n.Cells, ipynb.Cell{ID: fmt.Sprint("c", i), Type: ipynb.Code, Metadata: ipynb.Metadata{}})
	}
	file, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	w.open(file)
	much := []nbfile.RunOutput{{Type: "stream", Name: "stdout", Text: strings.Repeat("\x00\n", 400_000)}}
	for _, c := range n.Cells {
		w.run(c.ID, much, clew.CellFinishedData{})
	}
	b, err := nbfile.Make(w.notebook(), w.source())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("45 cells with %d KiB of output each: a file of %d MiB", 800, len(b)>>20)
	if last := read(t, b).Cells[44].Outputs; len(last) != 1 || !strings.Contains(last[0].Text, "not in this file") {
		t.Errorf("%.200v", last)
	}
}

// A run that nobody followed to its end is shown by its messages.
func TestOutputsFromMessages(t *testing.T) {
	w := newWorld(t)
	w.open(blank(t, 1))
	run := w.begin("a")
	image, _ := w.blobs.put([]byte("\x89PNG"))
	plotly, _ := w.blobs.put([]byte(`{"x":[1.0]}`))
	messages := map[uint64]clew.Message{}
	say := func(m clew.Message, kind clew.OutputKind) {
		m.MessageID, m.Type, m.Role, m.TS = clew.MessageIDOf(w.head.Seq+1), clew.TypeSay, clew.SpeakerSystem, int64(w.head.Seq)+1
		m.Cell = &clew.MessageCell{NotebookID: notebookID, CellID: "a", RunID: run, Output: kind}
		messages[w.record(&clew.MessageCreatedData{Message: m})] = m
	}
	say(clew.Message{Say: clew.SayCommandOutput, Text: "out\n", Metadata: map[string]any{"stream": "stdout"}}, clew.OutputStream)
	say(clew.Message{Say: clew.SayKernelStatus, Text: "busy"}, clew.OutputStatus)
	say(clew.Message{Say: clew.SayText, Text: "fig", Metadata: map[string]any{"data": map[string]any{
		"text/plain": "fig", "image/png": map[string]any{"blob": image, "bytes": 4.0}, "application/vnd.plotly.v1+json": map[string]any{"blob": plotly, "bytes": 11.0},
	}}}, clew.OutputDisplay)
	say(clew.Message{Say: clew.SayCellExecuted, Text: "42", Metadata: map[string]any{"execution_count": 3.0, "data": map[string]any{"text/plain": "42"}}}, clew.OutputResult)
	say(clew.Message{Say: clew.SayError, Text: "Traceback\nE: v", Metadata: map[string]any{"ename": "E", "evalue": "v"}}, clew.OutputError)
	w.end("a", clew.CellFinishedData{OutputsLost: true})
	from := w.source()
	from.Messages = func(records []core.Span) (list []clew.Message, err error) {
		for _, span := range records {
			for seq := span.From; seq <= span.To; seq++ {
				list = append(list, messages[seq])
			}
		}
		return list, nil
	}
	b, err := nbfile.Make(w.notebook(), from)
	if err != nil {
		t.Fatal(err)
	}
	three := 3
	want := []ipynb.Output{
		{Type: ipynb.Stream, Name: "stdout", Text: "out\n"},
		{Type: ipynb.DisplayData, Metadata: ipynb.Metadata{}, Data: map[string]json.RawMessage{
			"text/plain": json.RawMessage(`"fig"`), "image/png": json.RawMessage(`"iVBORw=="`), "application/vnd.plotly.v1+json": json.RawMessage(`{"x":[1.0]}`),
		}},
		{Type: ipynb.ExecuteResult, Metadata: ipynb.Metadata{}, ExecutionCount: &three, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"42"`)}},
		{Type: ipynb.Error, EName: "E", EValue: "v", Traceback: []string{"Traceback", "E: v"}},
	}
	if got := read(t, b).Cells[0].Outputs; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
