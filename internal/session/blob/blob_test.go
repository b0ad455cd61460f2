package blob

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

var (
	one   = strings.Repeat("1", 64)
	two   = strings.Repeat("2", 64)
	three = strings.Repeat("3", 64)
)

// journal is the records of one session, and how many were read.
type journal struct {
	list []clew.Record
	read int
}

func (j *journal) add(t testing.TB, data any) {
	t.Helper()
	raw, err := clew.MarshalData(data)
	if err != nil {
		t.Fatal(err)
	}
	var head clew.Head
	if n := len(j.list); n > 0 {
		head = j.list[n-1].After()
	}
	j.list = append(j.list, head.Write("s1", 1, int64(len(j.list)+1), clew.Draft{By: "ada", Type: clew.NewEvent(data).Type, Data: raw}))
}

func (j *journal) Read(_ context.Context, _ clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for _, r := range j.list {
			if r.Seq < from || r.Seq > to {
				continue
			}
			if j.read++; !yield(r, nil) {
				return
			}
		}
	}
}

// Only fields for addresses refer to blobs, wherever they stand. What people and
// models write does not, however it looks.
func TestReferences(t *testing.T) {
	for name, c := range map[string]struct {
		data any
		want []string
	}{
		"images": {&clew.MessageCreatedData{Message: clew.Message{Images: []string{Scheme + one, "data:image/png;base64,AA", Scheme + two}}}, []string{one, two}},
		"a notebook's file": {&clew.NotebookReadData{Metadata: three, Cells: clew.List[clew.NotebookCell]{
			{CellID: "a", SavedOutputs: one, Attachments: two, Metadata: json.RawMessage(`{"blob":"` + one + `"}`)},
		}}, []string{one, two, three}},
		"a cell's source":   {&clew.NotebookChangedData{Edits: clew.List[clew.CellEdit]{{Op: clew.EditInsert, SourceBlob: one}}}, []string{one}},
		"a run's output":    {&clew.CellFinishedData{OutputBlob: one, Images: []string{Scheme + two}}, []string{one, two}},
		"a kernel's memory": {&clew.CheckpointSavedData{Kind: clew.CheckpointNotebook, Variables: one}, []string{one}},
		"what a cell put out": {&clew.MessageUpdatedData{Message: clew.Message{
			Cell: &clew.MessageCell{}, Metadata: map[string]any{"data": map[string]any{
				"image/png":        map[string]any{"blob": one, "bytes": 9},
				"application/json": map[string]any{"blob": two},
				"text/plain":       three,
			}},
		}}, []string{one}},
		"what somebody says": {&clew.MessageCreatedData{Message: clew.Message{
			Metadata: map[string]any{"data": map[string]any{"image/png": map[string]any{"blob": one, "bytes": 9}}},
		}}, nil},
		"an output":      {&clew.ToolProgressData{OutputBlob: Scheme + one, Images: []string{Scheme + two}}, []string{two, one}},
		"for the model":  {&clew.ModelMessageData{Message: clew.ModelMessage{Content: clew.List[clew.Part]{{Images: []string{Scheme + one}}}}}, []string{one}},
		"a text":         {&clew.MessageCreatedData{Message: clew.Message{Text: Scheme + one}}, nil},
		"an input":       {&clew.ToolProgressData{Input: json.RawMessage(`{"output_blob":"` + one + `","images":["blob:` + two + `"]}`)}, nil},
		"an output text": {&clew.ToolProgressData{Output: map[string]any{"blob": one}}, nil},
		"metadata":       {&clew.MessageCreatedData{Message: clew.Message{Metadata: map[string]any{"images": []string{Scheme + one}}}}, nil},
		"windows": {&clew.ActionsData{Actions: clew.List[clew.Action]{
			{Type: clew.ActionWindowCreate, WindowID: "a", Params: clew.WindowParams{Content: &clew.WindowContent{Kind: clew.WindowImage, Blob: one}}.AsMap()},
			{Type: clew.ActionWindowUpdate, WindowID: "b", Params: clew.WindowParams{Content: &clew.WindowContent{Root: &clew.Component{Children: []clew.Component{{Type: clew.ComponentImage, Blob: two}}}}}.AsMap()},
		}}, []string{one, two}},
		"what windows say": {&clew.ActionsData{Actions: clew.List[clew.Action]{
			{Type: clew.ActionWindowCreate, Params: map[string]any{"blob": one, "content": map[string]any{"kind": "text", "text": Scheme + one}}},
			{Type: clew.ActionAppCommand, Params: map[string]any{"content": map[string]any{"kind": "image", "blob": one}}},
		}}, nil},
		"a page": {&clew.ActionsData{Actions: clew.List[clew.Action]{
			{Type: clew.ActionWindowCreate, WindowID: "a", Params: clew.WindowParams{Content: &clew.WindowContent{Kind: clew.WindowMCPApp, Blob: one, Data: two}}.AsMap()},
		}}, []string{one, two}},
		"what a page asked for": {&clew.AppCalledData{Arguments: json.RawMessage(`{"blob":"` + one + `"}`)}, nil},
		"what a page gets":      {&clew.ToolProgressData{ResultBlob: one}, []string{one}},
		"no address":            {&clew.ToolProgressData{OutputBlob: "blob:../../token"}, nil},
	} {
		var j journal
		j.add(t, c.data)
		got := References(j.list[0])
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s refers to %q", name, got)
		}
	}
}

func TestFinder(t *testing.T) {
	j := &journal{}
	f := NewFinder(j)
	refers := func(address string) bool {
		t.Helper()
		ok, err := f.Refers(t.Context(), "s1", address)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	say := func(address string) {
		j.add(t, &clew.MessageCreatedData{Message: clew.Message{Images: []string{Scheme + address}}})
	}
	if refers(one) {
		t.Error("a session without records")
	}
	for range 50 {
		say(one)
	}
	if !refers(one) || refers(two) {
		t.Error("the first is there, the second is not")
	}
	j.read = 0
	if !refers(one) || j.read != 0 {
		t.Errorf("%d records were read for what is known", j.read)
	}
	say(two)
	if !refers(two) || j.read > 2 {
		t.Errorf("%d records were read for one that is new", j.read)
	}
	// What did not come along with an import is not the session's, until a record
	// of its own refers to it.
	say(three)
	j.add(t, &clew.SessionImportedData{Owner: "eve", MissingBlobs: []string{three}})
	if refers(three) {
		t.Error("a blob that did not come along")
	}
	say(three)
	if !refers(three) {
		t.Error("a blob of the session's own")
	}
	// Another session under the same name.
	j.list = nil
	say(two)
	if refers(strings.Repeat("4", 64)) || refers(one) || !refers(two) {
		t.Error("another session has the references of the first")
	}
}

// Whatever a record refers to is found by the quick look, too.
func TestMayName(t *testing.T) {
	for _, data := range []any{
		&clew.NotebookReadData{Cells: clew.List[clew.NotebookCell]{{CellID: "a", SavedOutputs: one}}},
		&clew.NotebookReadData{Cells: clew.List[clew.NotebookCell]{{CellID: "a", Attachments: one}}},
		&clew.NotebookReadData{Metadata: one, Cells: clew.List[clew.NotebookCell]{}},
		&clew.CheckpointSavedData{Variables: one},
		&clew.CellFinishedData{OutputBlob: one},
	} {
		raw, err := clew.MarshalData(data)
		if err != nil || !MayName(raw) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if MayName([]byte(`{"title":"` + one + `"}`)) {
		t.Error("any record may name blobs")
	}
}
