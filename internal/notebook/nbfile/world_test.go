package nbfile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session/core"
)

// A failer is a test, or one play of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// blobs keeps blobs in memory.
type blobs map[string][]byte

func (b blobs) put(content []byte) (string, error) {
	sum := sha256.Sum256(content)
	address := hex.EncodeToString(sum[:])
	b[address] = append([]byte(nil), content...)
	return address, nil
}

func (b blobs) get(address string) ([]byte, error) {
	if content, ok := b[address]; ok {
		return content, nil
	}
	return nil, fmt.Errorf("no blob %s", address)
}

// A world is a session with one notebook, as records make it.
type world struct {
	t      failer
	blobs  blobs
	head   clew.Head
	folder core.Folder
	runs   int
}

const notebookID = "nb_1"

func newWorld(t failer) *world {
	w := &world{t: t, blobs: blobs{}, folder: core.Folder{State: &core.State{ID: "sess_1"}}}
	w.record(&clew.SessionCreatedData{Owner: "u"})
	w.record(&clew.NotebookOpenedData{NotebookID: notebookID, Path: "a.ipynb"})
	return w
}

func (w *world) record(data any) uint64 {
	w.t.Helper()
	raw, err := clew.MarshalData(data)
	if err != nil {
		w.t.Fatal(err)
	}
	r := w.head.Write("sess_1", 1, 1_700_000_000_000+int64(w.head.Seq), clew.Draft{By: "u", Type: clew.NewEvent(data).Type, Data: raw})
	w.head = r.After()
	if err := w.folder.Add(r); err != nil {
		w.t.Fatal(err)
	}
	return r.Seq
}

// open reads a file as the runner does. The state is written and read, as after a restart.
func (w *world) open(file []byte) {
	w.t.Helper()
	d, err := nbfile.Take(file, w.blobs.put)
	if err != nil {
		w.t.Fatal(err)
	}
	d.NotebookID = notebookID
	w.record(&d)
	b, err := w.folder.State.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	if w.folder.State, err = core.DecodeState("sess_1", b); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) notebook() *core.Notebook {
	n := w.folder.State.Notebook(notebookID)
	if n == nil || n.Status != clew.NotebookReady {
		w.t.Fatalf("%+v", n)
	}
	return n
}

func (w *world) source() nbfile.Source { return nbfile.Source{Session: "sess_1", Blob: w.blobs.get} }

func (w *world) save() []byte {
	w.t.Helper()
	b, err := nbfile.Make(w.notebook(), w.source())
	if err != nil {
		w.t.Fatal(err)
	}
	again, err := nbfile.Make(w.notebook(), w.source())
	if err != nil || string(again) != string(b) {
		w.t.Fatalf("the same notebook gives other bytes, %v", err)
	}
	return b
}

// run has a cell run and put this out.
func (w *world) run(cell string, published []nbfile.RunOutput, end clew.CellFinishedData) {
	w.t.Helper()
	w.begin(cell)
	list, err := json.Marshal(published)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(published) > 0 {
		end.OutputBlob, _ = w.blobs.put(list) // it never fails
	}
	w.end(cell, end)
}

func (w *world) begin(cell string) string {
	w.runs++
	id := "cr_" + strconv.Itoa(w.runs)
	w.record(&clew.CellQueuedData{NotebookID: notebookID, Runs: clew.List[clew.CellRun]{{RunID: id, CellID: cell}}, TaskID: "task_7"})
	w.record(&clew.CellStartedData{NotebookID: notebookID, RunID: id, CellID: cell, KernelID: "k", MsgID: "m" + id})
	return id
}

func (w *world) end(cell string, end clew.CellFinishedData) {
	end.NotebookID, end.RunID, end.CellID, end.Status = notebookID, "cr_"+strconv.Itoa(w.runs), cell, clew.CellOK
	w.record(&end)
}

// checkpoint records what the kernel knew after the last run.
func (w *world) checkpoint(cell, hash, variables string) {
	address, _ := w.blobs.put([]byte(variables)) // it never fails
	w.record(&clew.CheckpointSavedData{
		Kind: clew.CheckpointNotebook, CheckpointID: "cp_" + hash, NotebookID: notebookID, CellID: cell, RunID: "cr_" + strconv.Itoa(w.runs), ToHash: hash, Variables: address,
	})
}

func read(t failer, b []byte) *ipynb.Notebook {
	t.Helper()
	n, err := ipynb.Read(b)
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, b)
	}
	return n
}
