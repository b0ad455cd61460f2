package notebook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
)

func realWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, realMachine(t))
	w.begin()
	return w
}

// A notebook lives through its day in the real kernel: results, errors, pictures, an
// interrupt, a restart, and the kernel's own end.
//
// Covers: JUP-02, JUP-03, JUP-04, JUP-12, JUP-16
func TestRealKernel(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	began := time.Now()
	d := w.run("x = 41\nx + 1")
	t.Logf("first cell with the start of the kernel: %v", time.Since(began))
	if d.Status != clew.CellOK || d.ExecutionCount != 1 {
		t.Fatalf("it ended with %+v\n%s", d, w.story())
	}
	result := w.shown(d.RunID)
	if len(result) != 1 || result[0].Say != clew.SayCellExecuted || result[0].Text != "42" {
		t.Fatalf("it shows %+v", result)
	}
	for name, test := range map[string]func(*testing.T, *world){
		"unicode": realUnicode, "error": realError, "picture": realPicture, "interrupt": realInterrupt, "state": realState, "input": realInput,
	} {
		w.T = t
		t.Run(name, func(t *testing.T) {
			w.T = t
			defer func() { w.T = nil }()
			test(t, w)
		})
	}
	w.T = t
	realRestart(t, w)
	realDeath(t, w, "import os; print('bye', flush=True); os._exit(3)", "exit code 3")
	realDeath(t, w, "exit()", "")
	w.do(&clew.KernelShutdownData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	w.untilKernel(clew.KernelStopped)
}

func realUnicode(t *testing.T, w *world) {
	d := w.run(`print("안녕 👩‍🔬 \u202e")`)
	if got := w.text(d.RunID); got != "안녕 👩‍🔬 \u202e\n" {
		t.Errorf("got %q", got)
	}
}

func realError(t *testing.T, w *world) {
	d := w.run("1/0")
	m := w.shown(d.RunID)
	if d.Status != clew.CellError || d.ErrorName != "ZeroDivisionError" || len(m) != 1 || m[0].Say != clew.SayError || !strings.Contains(m[0].Text, "division by zero") {
		t.Errorf("it ended with %+v and shows %+v", d, m)
	}
}

func realPicture(t *testing.T, w *world) {
	d := w.run("import base64\nfrom IPython.display import Image, display\n" +
		`display(Image(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")))`)
	m := w.shown(d.RunID)
	if len(m) != 1 || len(m[0].Images) != 1 || !strings.HasPrefix(m[0].Images[0], blob.Scheme) {
		t.Fatalf("it shows %+v", m)
	}
}

func realInterrupt(t *testing.T, w *world) {
	run := w.start("import time\nprint('begun', flush=True)\ntime.sleep(60)")
	w.until("the first words", func() bool { return strings.Contains(w.text(run), "begun") })
	began := time.Now()
	w.do(&clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	d := w.await(run)
	t.Logf("interrupted after %v", time.Since(began))
	if d.Status != clew.CellError || d.ErrorName != "KeyboardInterrupt" {
		t.Errorf("it ended with %+v", d)
	}
	if k := w.lastKernel(); k.State == clew.KernelDead {
		t.Errorf("the kernel is %+v", k)
	}
}

func realState(t *testing.T, w *world) {
	d := w.run("import numpy as np\na = np.zeros((2, 3))\nname = 'ada'\nn = 7")
	w.until("the checkpoint", func() bool { return len(w.points) > 0 && w.points[len(w.points)-1].RunID == d.RunID })
	p := w.points[len(w.points)-1]
	if p.Kind != clew.CheckpointNotebook || len(p.ToHash) != 8 || p.Variables == "" {
		t.Fatalf("the checkpoint is %+v", p)
	}
	b, err := w.blobs.Blob(t.Context(), p.Variables)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name, Type, Value string
		Shape             []int
	}
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "ndarray", "name": "str", "n": "int", "x": "int"}
	for _, v := range list {
		if want[v.Name] == v.Type {
			delete(want, v.Name)
		}
		if v.Name == "a" && !slices.Equal(v.Shape, []int{2, 3}) || v.Name == "n" && v.Value != "7" {
			t.Errorf("%+v", v)
		}
	}
	if len(want) > 0 {
		t.Errorf("%v are missing in %s", want, b)
	}
	again := w.run("n = 7")
	w.until("the checkpoint", func() bool { return w.points[len(w.points)-1].RunID == again.RunID })
	if same := w.points[len(w.points)-1].ToHash; same != p.ToHash {
		t.Errorf("the same state has the hashes %s and %s", p.ToHash, same)
	}
	other := w.run("n = 8")
	w.until("the checkpoint", func() bool { return w.points[len(w.points)-1].RunID == other.RunID })
	if w.points[len(w.points)-1].ToHash == p.ToHash {
		t.Error("another state has the same hash")
	}
}

func realInput(t *testing.T, w *world) {
	asked := len(w.asked)
	run := w.start("print('hello', input('name? '))")
	w.until("the question", func() bool { return len(w.asked) > asked })
	w.answer("Ada")
	if d := w.await(run); d.Status != clew.CellOK || w.text(run) != "hello Ada\n" {
		t.Errorf("it ended with %+v and printed %q", d, w.text(run))
	}
}

// answer answers the last question.
func (w *world) answer(value string) {
	w.Helper()
	q := w.asked[len(w.asked)-1]
	w.do(&clew.HitlInputResponseData{RequestID: q.RequestID, Value: value})
}

func realRestart(t *testing.T, w *world) {
	before := w.lastKernelID()
	w.do(&clew.KernelRestartData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	w.until("another kernel", func() bool { return w.lastKernel().State == clew.KernelIdle && w.lastKernelID() != before })
	if d := w.run("x"); d.Status != clew.CellError || d.ErrorName != "NameError" || d.ExecutionCount != 1 {
		t.Errorf("after a restart: %+v", d)
	}
}

func (w *world) lastKernelID() string {
	for _, k := range slices.Backward(w.kernel) {
		if k.KernelID != "" {
			return k.KernelID
		}
	}
	return ""
}

// realDeath runs code that ends the kernel. The next cell has another one.
func realDeath(t *testing.T, w *world, code, how string) {
	d := w.run(code)
	k := w.untilKernel(clew.KernelDead)
	if !strings.Contains(k.Reason, how) || how != "" && d.Status != clew.CellAborted {
		t.Errorf("%q: the cell ended with %+v, the kernel with %+v", code, d, k)
	}
	if d := w.run("1"); d.Status != clew.CellOK || d.ExecutionCount != 1 {
		t.Errorf("after %q: %+v", code, d)
	}
}

// A notebook's file is read and written; what others changed is left alone.
func TestFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &played{t: t})
	file := filepath.Join(w.dir, "a.ipynb")
	if err := os.WriteFile(file, []byte(`{"cells":[{"cell_type":"code","id":"one","metadata":{},"source":["print hi\n","7"],"outputs":[],"execution_count":null},`+
		`{"cell_type":"markdown","id":"two","metadata":{},"source":"# Title"}],"metadata":{"kernelspec":{"name":"python3","display_name":"Python 3"}},"nbformat":4,"nbformat_minor":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.do(&clew.NotebookOpenData{Path: "a.ipynb"})
	w.until("the notebook", func() bool { return w.opened != nil })
	if w.opened.Problem != "" || len(w.opened.Cells) != 2 || w.opened.Cells[0].Source != "print hi\n7" {
		t.Fatalf("it was read as %+v", w.opened)
	}
	w.do(&clew.NotebookRunData{NotebookID: w.notebook, All: true})
	w.until("the file", func() bool { return len(w.saved) > 0 })
	b, err := os.ReadFile(file)
	if err != nil || w.saved[0].Problem != "" || w.saved[0].Conflict {
		t.Fatal(err, w.saved)
	}
	if last := w.order[len(w.order)-1]; w.saved[0].AsOf < last { // or it would count as not saved for ever
		t.Errorf("the file is as of %s, and has %s", w.saved[0].AsOf, last)
	}
	for _, want := range []string{`"text/plain": [`, `"hi\n"`, `"# Title"`, `"execution_count": 1`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the file has no %s:\n%s", want, b)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	foreign := strings.Replace(string(b), "# Title", "# Other", 1)
	if err := os.WriteFile(file, []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	save := func(on clew.OnConflict) clew.NotebookSavedData {
		before := len(w.saved)
		w.do(&clew.NotebookSaveData{NotebookID: w.notebook, Conflict: on})
		w.until("the file", func() bool { return len(w.saved) > before })
		return w.saved[len(w.saved)-1]
	}
	if d := save(""); !d.Conflict || d.Problem != "" {
		t.Errorf("saved over another's change: %+v", d)
	}
	if b, _ := os.ReadFile(file); string(b) != foreign {
		t.Error("the file was touched")
	}
	if d := save(clew.ConflictOverwrite); d.Conflict || d.Problem != "" {
		t.Errorf("not overwritten: %+v", d)
	}
	if got, _ := os.ReadFile(file); string(got) != string(b) {
		t.Errorf("overwritten with\n%s\nwant\n%s", got, b)
	}
	left, err := os.ReadDir(w.dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	if err := os.WriteFile(file, []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	w.do(&clew.NotebookSaveData{NotebookID: w.notebook, Conflict: clew.ConflictTake})
	w.until("the other's cells", func() bool { return w.opened.Cells[1].Source == "# Other" })
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	beside := save(clew.ConflictBeside)
	if got, _ := os.ReadFile(filepath.Join(w.dir, beside.Path)); !strings.Contains(string(got), "# Other") || beside.Path == "a.ipynb" {
		t.Errorf("written beside it as %+v:\n%s", beside, got)
	}
}

// What ran and was not written when the server died is written by the next one.
func TestFileAfterTheServerDied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &played{t: t})
	w.do(&clew.NotebookOpenData{Path: "new.ipynb", New: true})
	w.until("the notebook", func() bool { return w.opened != nil })
	w.run("print first")
	w.until("the file", func() bool { return len(w.saved) > 0 })
	w.run("print second") // the file is written every few seconds at most
	if b, _ := os.ReadFile(filepath.Join(w.dir, "new.ipynb")); strings.Contains(string(b), "second") {
		t.Fatal("it is written already")
	}
	w.crash()
	w.until("the file", func() bool { return len(w.saved) > 1 })
	if b, _ := os.ReadFile(filepath.Join(w.dir, "new.ipynb")); !strings.Contains(string(b), `"second\n"`) {
		t.Errorf("the file has\n%s", b)
	}
}
