package notebook_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/process"
)

// poll waits for what is on no record.
func poll(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if is() {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

// waitFile waits for a file that a cell writes.
func waitFile(t *testing.T, name string) {
	t.Helper()
	poll(t, name, func() bool { _, err := os.Stat(name); return err == nil })
}

func touch(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The server is killed while a cell runs, and the next one goes on with it: the cell is
// not sent again, its reply arrives, and what it knows is still there.
func TestServerDiesDuringACell(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import time, os\ncount = 0")
	run := w.start("count += 1\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)\nprint('done')\n'end'")
	w.until("the first words", func() bool { return strings.Contains(w.text(run), "begun\n") })
	began := time.Now()
	w.crash()
	poll(t, "the kernel", func() bool { return w.runner.Joined() == 1 })
	t.Logf("attached again %v after the crash", time.Since(began))
	touch(t, filepath.Join(w.dir, "go"))
	d := w.await(run)
	if d.Status != clew.CellOK || d.OutputsLost || d.ExecutionCount != 2 {
		t.Errorf("it ended with %+v\n%s", d, w.story())
	}
	if got := w.text(run); got != "begun\ndone\n" {
		t.Errorf("it printed %q", got)
	}
	if shown := w.shown(run); len(shown) != 2 { // what it printed, and 'end'
		t.Errorf("that is %d messages: %+v", len(shown), shown)
	}
	kept := ""
	for _, o := range w.outputsOf(d.OutputBlob) { // the file is written from it
		text, _ := o["text"].(string)
		kept += text
	}
	if kept != "begun\ndone\n" {
		t.Errorf("kept is %q", kept)
	}
	status := 0
	for _, m := range w.message {
		if m.Cell != nil && m.Cell.RunID == run && m.Say == clew.SayKernelStatus {
			if status++; m.Text != "idle" {
				t.Errorf("the status is %q", m.Text)
			}
		}
	}
	if status != 1 {
		t.Errorf("there are %d status messages", status)
	}
	if d := w.run("print(count)"); w.text(d.RunID) != "1\n" || d.OutputsLost {
		t.Errorf("the cell ran %q times, and %+v", w.text(d.RunID), d)
	}
}

// The cell ends while there is no server. How it ended is known all the same.
func TestCellEndsWithoutAServer(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import time, os\ncount = 0")
	for code, want := range map[string]clew.CellStatus{"count += 1": clew.CellOK, "count += 1; print('last'); 1/0": clew.CellError} {
		_ = os.Remove(filepath.Join(w.dir, "go"))
		run := w.start("print('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)\nos.remove('go')\nprint('meanwhile')\nopen('done', 'w').close()\n" + code)
		w.until("the first words", func() bool { return strings.Contains(w.text(run), "begun") })
		w.close()
		touch(t, filepath.Join(w.dir, "go"))
		waitFile(t, filepath.Join(w.dir, "done"))
		_ = os.Remove(filepath.Join(w.dir, "done"))
		w.again()
		if d := w.await(run); d.Status != want || d.OutputsLost {
			t.Errorf("%s: it ended with %+v", code, d)
		}
		if text := w.text(run); !strings.HasPrefix(text, "begun\nmeanwhile\n") || strings.Contains(code, "last") != strings.Contains(text, "last\n") {
			t.Errorf("%s: it printed %q", code, text)
		}
	}
	if d := w.run("print(count)"); w.text(d.RunID) != "2\n" {
		t.Errorf("the cells ran %q times", w.text(d.RunID))
	}
}

// again starts another server after close.
func (w *world) again() {
	w.Helper()
	w.mem.Down("node" + string(rune('0'+w.hosts)))
	w.open()
	if err := w.host.Wake(w.Context(), w.id); err != nil {
		w.Fatal(err)
	}
}

// The kernel dies while there is no server. What it published until then is not lost, how
// its cell ended is known as far as it said so, and nothing is run again.
func TestKernelDiesWithoutAServer(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	const lastWords = `print('last ' + 'words\n', end='', flush=True)` // in one message
	const ended, lost = "it was ended", "nobody saw how"
	for i, c := range []struct {
		then, last string // what the cell does without a server, and how that is seen
		want       clew.CellFinishedData
		text       string
		how        string // the supervisor is killed, too, if nobody saw how
	}{
		{lastWords + "; time.sleep(60)", `last words\n`, clew.CellFinishedData{Status: clew.CellAborted, OutputsLost: true}, "begun\nlast words\n", ended},
		{lastWords, `"idle"`, clew.CellFinishedData{Status: clew.CellOK, ExecutionCount: 1}, "begun\nlast words\n", ended},
		{"1/0", `"idle"`, clew.CellFinishedData{Status: clew.CellError, ExecutionCount: 1, ErrorName: "ZeroDivisionError", ErrorValue: "division by zero"}, "begun\n", ended},
		{lastWords + "; time.sleep(60)", `"stdout"`, clew.CellFinishedData{Status: clew.CellInDoubt, OutputsLost: true}, "begun\n", ended},
		{lastWords + "; time.sleep(60)", `last words\n`, clew.CellFinishedData{Status: clew.CellInDoubt, OutputsLost: true}, "begun\nlast words\n", lost},
		{lastWords, `"idle"`, clew.CellFinishedData{Status: clew.CellOK, ExecutionCount: 1}, "begun\nlast words\n", lost},
	} {
		stays := filepath.Join(w.dir, fmt.Sprint("go", i))
		run := w.start(fmt.Sprintf("import time, os\nprint('begun\\n', end='', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\n%s", stays, c.then))
		w.until("the first words", func() bool { return w.text(run) == "begun\n" })
		w.close()
		k, err := realOf(w).Starter.Find(t.Context(), w.lastKernelID())
		if err != nil {
			t.Fatal(err)
		}
		touch(t, stays)
		poll(t, "its last words", func() bool { return strings.Contains(recordedOf(t, k, w.started[len(w.started)-1].MsgID), c.last) })
		if c.last == `"stdout"` {
			emptied(t, k.Recording()) // of what came first
		}
		if c.how == lost {
			err = syscall.Kill(realOf(w).Starter.All()[0].Supervisor, syscall.SIGKILL)
		} else {
			err = k.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		<-k.Done()
		k.Release()
		w.again()
		d := w.await(run)
		if d.Reason == "" && d.ExecutionCount == 0 || c.want.ExecutionCount == 0 && !strings.Contains(d.Reason, c.how) {
			t.Errorf("%s: the reason is %q", c.then, d.Reason)
		}
		got := clew.CellFinishedData{Status: d.Status, ExecutionCount: d.ExecutionCount, ErrorName: d.ErrorName, ErrorValue: d.ErrorValue, OutputsLost: d.OutputsLost}
		if !reflect.DeepEqual(got, c.want) || w.text(run) != c.text {
			t.Errorf("%s: it ended with %+v and printed %q", c.then, d, w.text(run))
		}
		if end := w.untilKernel(clew.KernelDead); !strings.Contains(end.Reason, c.how) {
			t.Errorf("the kernel is %+v", end)
		}
		poll(t, "an empty directory", func() bool { return len(realOf(w).Starter.All()) == 0 })
		if d := w.run("1"); d.Status != clew.CellOK || d.ExecutionCount != 1 {
			t.Errorf("the next cell: %+v", d)
		}
		w.do(&clew.KernelShutdownData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
		w.untilKernel(clew.KernelStopped)
	}
}

// A silent run that came to its end without a server is in doubt if its kernel is gone then:
// nothing on record tells how it ended, and it must not look as if it never ran.
func TestSilentRunOfAKernelThatDies(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import os, time")
	stays := filepath.Join(w.dir, "go")
	w.do(&clew.KernelExecuteData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}, Silent: true, Code: fmt.Sprintf("while not os.path.exists(%q): time.sleep(0.01)", stays)})
	w.until("the run", func() bool { return len(w.started) == 2 })
	run := w.started[1]
	w.close()
	k, err := realOf(w).Starter.Find(t.Context(), w.lastKernelID())
	if err != nil {
		t.Fatal(err)
	}
	poll(t, "that it runs", func() bool { return strings.Contains(recordedOf(t, k, run.MsgID), `"busy"`) })
	touch(t, stays)
	poll(t, "its end", func() bool { return strings.Contains(recordedOf(t, k, run.MsgID), `"idle"`) })
	if err := k.Kill(); err != nil {
		t.Fatal(err)
	}
	<-k.Done()
	k.Release()
	w.again()
	if d := w.await(run.RunID); d.Status != clew.CellInDoubt {
		t.Errorf("it ended with %+v", d)
	}
}

// recordedOf is the content of all messages of a run that its supervisor has written down.
func recordedOf(t *testing.T, k *process.Kernel, msgID string) (all string) {
	t.Helper()
	at, err := kernel.ReadConnection(k.ConnectionFile())
	if err != nil {
		t.Fatal(err)
	}
	r, err := kernel.OpenRecording(k.Recording(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.ParentID == msgID {
			all += string(m.Content)
		}
	}
}

// A question that a cell asks stays open while the server is away; whoever comes next
// hands the answer over. A password is on no record.
//
// Covers: C-61
func TestQuestionOutlivesTheServer(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	run := w.start("print('hello', input('name? '))")
	w.until("the question", func() bool { return len(w.asked) == 1 })
	if w.asked[0].Question != "name? " {
		t.Errorf("the question is %+v", w.asked[0])
	}
	w.crash()
	w.answer("Ada")
	if d := w.await(run); d.Status != clew.CellOK || w.text(run) != "hello Ada\n" {
		t.Errorf("it ended with %+v and printed %q", d, w.text(run))
	}
	run = w.start("import getpass\nkey = getpass.getpass('key? ')\nurl = b'https://me:' + key.encode() + b'@host'\nprint(len(key))")
	w.until("the question", func() bool { return len(w.asked) == 2 })
	w.answer("geheim-xyzzy")
	if d := w.await(run); d.Status != clew.CellOK || w.text(run) != "12\n" {
		t.Errorf("it ended with %+v and printed %q", d, w.text(run))
	}
	w.crash() // the next server never knew it
	if d := w.run("kept = key == 'geheim-' + 'xyz' + 'zy'\nprint(kept)"); w.text(d.RunID) != "True\n" {
		t.Errorf("the kernel forgot it: %q", w.text(d.RunID))
	}
	for _, r := range w.records {
		if strings.Contains(string(r.Data()), "xyzzy") {
			t.Errorf("the password is in %s", r.Data())
		}
	}
	for address, b := range w.blobs.all {
		if strings.Contains(string(b), "xyzzy") {
			t.Errorf("the password is in the blob %s", address)
		}
	}
}

// An idle kernel outlives the server with all that it knows.
func TestIdleKernelOutlivesTheServer(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("x = 'kept'")
	before := w.lastKernelID()
	w.crash()
	// The next server joins it as soon as the session is loaded, so that it can be asked.
	poll(t, "a completion", func() bool {
		return slices.Contains(w.runner.Complete(t.Context(), w.id, w.notebook, "x.up", 4).Matches, "upper")
	})
	if d := w.run("print(x)"); w.text(d.RunID) != "kept\n" || w.lastKernelID() != before || d.OutputsLost {
		t.Errorf("it printed %q: %+v", w.text(d.RunID), d)
	}
	w.do(&clew.NotebookCloseData{NotebookID: w.notebook})
	poll(t, "the kernel's end", func() bool { return len(realOf(w).Left()) == 0 })
}

// A kernel that is alive and does not answer is shown as such, and can be restarted.
func TestWedgedKernel(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("x = 1")
	before := w.lastKernelID()
	run := w.start("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)")
	w.until("the kernel's silence", func() bool {
		k := w.lastKernel()
		return k.State == clew.KernelBusy && strings.Contains(k.Reason, "does not answer")
	})
	w.do(&clew.KernelRestartData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	if d := w.await(run); d.Status != clew.CellAborted {
		t.Errorf("it ended with %+v", d)
	}
	w.until("another kernel", func() bool { return w.lastKernel().State == clew.KernelIdle && w.lastKernelID() != before })
	if d := w.run("x"); d.ErrorName != "NameError" {
		t.Errorf("after the restart: %+v", d)
	}
}

// A cell prints while servers come and go. Its kernel's supervisor writes down what it
// publishes, so that nothing is missing in the end, and nothing is there twice.
func TestNothingIsLostThroughCrashes(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import time, os\nfrom IPython.display import display, clear_output")
	run := w.start(`for i in range(600):
    print(i, flush=True)
    if i % 20 == 0: display({'text/plain': f'display {i}'}, raw=True)
    if i == 100: open('first', 'w').close()
    if i == 300:
        open('second', 'w').close()
        while not os.path.exists('go'): time.sleep(0.01)
    time.sleep(0.003)`)
	waitFile(t, filepath.Join(w.dir, "first"))
	for range 3 {
		w.crash()
		poll(t, "the kernel", func() bool { return w.runner.Joined() == 1 })
	}
	w.close()
	waitFile(t, filepath.Join(w.dir, "second")) // the rest is printed without a server
	w.again()
	touch(t, filepath.Join(w.dir, "go"))
	d := w.await(run)
	if d.Status != clew.CellOK || d.OutputsLost {
		t.Errorf("it ended with %+v", d)
	}
	var text, displays, wantText, wantDisplays strings.Builder
	for i := range 600 {
		fmt.Fprintln(&wantText, i)
		if i%20 == 0 {
			fmt.Fprintln(&wantDisplays, "display", i)
		}
	}
	for _, m := range w.shown(run) {
		if m.Cell.Output == clew.OutputDisplay {
			fmt.Fprintln(&displays, m.Text)
		}
	}
	if w.text(run) != wantText.String() || displays.String() != wantDisplays.String() {
		t.Errorf("it shows %q and %q", w.text(run), displays.String())
	}
	displays.Reset()
	for _, o := range w.outputsOf(d.OutputBlob) {
		switch o["output_type"] {
		case "stream":
			text.WriteString(o["text"].(string))
		case "display_data":
			fmt.Fprintln(&displays, o["data"].(map[string]any)["text/plain"])
		}
	}
	if text.String() != wantText.String() || displays.String() != wantDisplays.String() {
		t.Errorf("kept is %q and %q", text.String(), displays.String())
	}
	poll(t, "an empty recording", func() bool { // all of it is on record
		info, err := os.Stat(w.recording())
		return err == nil && info.Size() < 4<<10
	})
}

// A recording that does not have all of a run is not taken for the whole of it, at once or
// while it is followed: the rest comes from the kernel itself, and that output may be
// missing is said.
func TestRecordingIsCutOff(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("import time, os")
	for _, followed := range []bool{false, true} {
		_ = os.Remove(filepath.Join(w.dir, "go"))
		run := w.start("print('begun', flush=True)\nwhile not os.path.exists('go'):\n  time.sleep(0.02)\n  print('.', end='', flush=True)\nprint('done')")
		w.until("the first words", func() bool { return strings.Contains(w.text(run), "begun\n") })
		w.close()
		if !followed {
			poll(t, "its words in the recording", func() bool { return strings.Contains(readFile(t, w.recording()), "stdout") })
			emptied(t, w.recording())
		}
		w.again()
		poll(t, "the kernel", func() bool { return w.runner.Joined() == 1 })
		was := len(w.text(run))
		w.until("more words", func() bool { return len(w.text(run)) > was })
		if followed {
			emptied(t, w.recording())
			was = len(w.text(run))
			w.until("more words", func() bool { return len(w.text(run)) > was })
		}
		touch(t, filepath.Join(w.dir, "go"))
		d := w.await(run)
		if text := w.text(run); d.Status != clew.CellOK || !d.OutputsLost || !strings.HasPrefix(text, "begun\n.") || !strings.HasSuffix(text, ".done\n") {
			t.Errorf("it ended with %+v and printed %q", d, text)
		}
	}
	if d := w.run("print(1)"); w.text(d.RunID) != "1\n" || d.OutputsLost {
		t.Errorf("the next cell: %+v", d)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func emptied(t *testing.T, name string) {
	t.Helper()
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
}
