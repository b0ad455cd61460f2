package notebookfigures

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

const (
	ticking = 400 // lines that the long cell of the comparison prints, one each 20 ms
	away    = 4 * time.Second
	prints  = 50_000_000 // bytes
)

// A long cell says each time when it printed, and leaves a sign of life in a file.
var longCell = fmt.Sprintf("import time\nfor i in range(%d):\n    %s\n    print('x', end='', file=open('ticks', 'a'))\n    time.sleep(0.02)", ticking, stamp)

var printing = fmt.Sprintf("for i in range(%d): print(f'{i:099d}')", prints/100)

// A table has what clew and a Jupyter server did in the same run.
type table struct{ rows [][3]string }

func (l *table) add(what, clew, jupyter string) {
	l.rows = append(l.rows, [3]string{what, clew, jupyter})
}

func (l *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range l.rows {
		_, _ = fmt.Fprintf(w, "| %s\t| %s\t| %s\t|\n", r[0], r[1], r[2])
	}
	_ = w.Flush()
	return b.String()
}

// clew beside a Jupyter server, each with a kernel of the same Python, on the same machine:
// what a cell takes, what the server needs, and what is there after somebody was away and
// after kill -9. It prints one table.
func TestBesideJupyter(t *testing.T) {
	j := newJupyter(t)
	s := newStage(t)
	l := &table{}
	defer func() { t.Logf("\n%s", l) }()
	l.add("", "clew", "Jupyter server")
	l.add("---", "---", "---")
	atRest := [2]string{mib(memory(t, s.Srv.Pid(), "VmRSS")), mib(memory(t, j.cmd.Process.Pid, "VmRSS"))}
	v, notebook := s.open("sess_1", "a.ipynb", "1", "import time\n"+stamp+"\ntime.sleep(0.1)", longCell, longCell, printing)
	direct := s.warm(v, notebook)
	id := j.startKernel()
	jv := j.view(id, "browser-1")
	jv.finish(jv.send("1"), nobody)
	jdirect := j.alone(id)
	for range 5 {
		jdirect.run(t, "1")
	}

	compareCells(l, v, notebook, direct, jv, jdirect)
	l.add("memory of the server before the first kernel", atRest[0], atRest[1])
	l.add("with one kernel", mib(memory(t, s.Srv.Pid(), "VmRSS")), mib(memory(t, j.cmd.Process.Pid, "VmRSS")))
	jv = compareAway(l, s, v, notebook, j, id, jv)
	compareVolume(l, s, notebook, j, jv)
	compareKill(l, s, notebook, j, jv)
}

// compareCells: each in turn, so that the machine is the same for both.
func compareCells(l *table, v *viewer, notebook string, direct *alone, jv *jupyterViewer, jdirect *alone) {
	v.t.Helper()
	var whole, more, first, jwhole, jmore, jfirst times
	for range 200 {
		began := time.Now()
		v.run(notebook, cellID(0))
		_, at := v.finished()
		v.awaitType(clew.EventCheckpointSaved)
		whole = append(whole, at.Sub(began))
		more = append(more, at.Sub(began)-direct.run(v.t, "1"))
		began = time.Now()
		took := jv.finish(jv.send("1"), nobody).Sub(began)
		jwhole = append(jwhole, took)
		jmore = append(jmore, took-jdirect.run(v.t, "1"))
	}
	for range 50 {
		v.run(notebook, cellID(1))
		e := v.await("output", func(e seen) bool { return len(stampsOf(e)) > 0 })
		first = append(first, e.at.Sub(stampsOf(e)[0]))
		v.finished()
		v.awaitType(clew.EventCheckpointSaved)
		var once times
		jv.finish(jv.send("import time\n"+stamp+"\ntime.sleep(0.1)"), func(m jupyterMessage) {
			if list := stampsIn(m.Content.Text); len(list) > 0 {
				once = append(once, m.at.Sub(list[0]))
			}
		})
		jfirst = append(jfirst, once[0])
	}
	short := func(l times) string {
		return fmt.Sprintf("%.1f ms, p95 %.1f ms", float64(l.at(50).Microseconds())/1000, float64(l.at(95).Microseconds())/1000)
	}
	l.add("a cell `1`, from the client and back", short(whole), short(jwhole))
	l.add("of that beside the kernel's own time", short(more), short(jmore))
	l.add("from `print` to the client", short(first), short(jfirst))
}

// compareAway: a cell prints while nobody is there. Then the same client comes back, or
// another one.
func compareAway(l *table, s *stage, v *viewer, notebook string, j *jupyter, id string, jv *jupyterViewer) *jupyterViewer {
	s.T.Helper()
	began := time.Now()
	v.run(notebook, cellID(2))
	v.await("output", func(e seen) bool { return len(stampsOf(e)) > 0 })
	cursor, _ := v.Cursor()
	v.leave()
	time.Sleep(away)
	again := linesUntilEnd(s.view("sess_1", string(cursor)), began)
	other := linesUntilEnd(s.view("sess_1", client.FromStart), began)

	var jlines [2]map[int64]bool
	for i, session := range []string{jv.session, "browser-2"} {
		lines := map[int64]bool{}
		see := func(m jupyterMessage) {
			for _, at := range stampsIn(m.Content.Text) {
				lines[at.UnixNano()] = true
			}
		}
		request := jv.send(longCell)
		jv.await("output", func(m jupyterMessage) bool { see(m); return len(lines) > 0 })
		jv.leave()
		for m := range jv.heard { // what had arrived
			see(m)
		}
		time.Sleep(away)
		if session != jv.session { // it has what it is told
			clear(lines)
		}
		jv = j.view(id, session)
		jv.await("the end of the cell", func(m jupyterMessage) bool { // another client gets no reply
			see(m)
			return m.Parent.ID == request && m.Header.Type == "status" && m.Content.State == "idle"
		})
		jlines[i] = lines
	}
	of := func(lines map[int64]bool) string { return fmt.Sprintf("%d of %d", len(lines), ticking) }
	l.add(fmt.Sprintf("lines of a cell that a client has which was away for %v of it", away), of(again), of(jlines[0]))
	l.add("the same, another client: another browser, or the page reloaded", of(other), of(jlines[1]))
	return jv
}

// linesUntilEnd gives the lines that a client has of a cell when it is over. It gets whole
// messages, and pieces of those that grow.
func linesUntilEnd(v *viewer, began time.Time) map[int64]bool {
	v.t.Helper()
	lines := map[int64]bool{}
	v.await("the end of the cell", func(e seen) bool {
		for _, at := range stampsOf(e) {
			if at.After(began) {
				lines[at.UnixNano()] = true
			}
		}
		return e.Type == string(clew.EventCellFinished) && len(lines) > 0
	})
	v.leave()
	return lines
}

// compareVolume: 50 MB of prints, with somebody there.
func compareVolume(l *table, s *stage, notebook string, j *jupyter, jv *jupyterViewer) {
	s.T.Helper()
	anew := func(pid int) { // VmHWM
		proc.Must(s.T, os.WriteFile(filepath.Join("/proc", fmt.Sprint(pid), "clear_refs"), []byte("5"), 0))
	}
	mb := func(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
	anew(s.Srv.Pid())
	v := s.view("sess_1", "")
	v.awaitType(clew.EventSyncComplete)
	began := time.Now()
	v.run(notebook, cellID(4))
	d, at := v.finished()
	took, most := at.Sub(began), memory(s.T, s.Srv.Pid(), "VmHWM")
	kept := 0
	for _, o := range s.outputs(d.OutputBlob) {
		kept += len(o.Text)
	}
	shown, _ := s.shown(d.RunID)
	v.leave()

	anew(j.cmd.Process.Pid)
	began = time.Now()
	got := 0
	jtook := jv.finish(jv.send(printing), func(m jupyterMessage) {
		if m.Header.Type == "stream" {
			got += len(m.Content.Text)
		}
	}).Sub(began)
	jmost := memory(s.T, j.cmd.Process.Pid, "VmHWM")
	l.add("50 MB of prints in one cell: what a client can read of it",
		fmt.Sprintf("%s in the transcript, %s kept beside it", mb(len(shown)), mb(kept)), mb(got)+"; it has a limit of 1 MB a second")
	l.add("how long that took", fmt.Sprintf("%.1f s", took.Seconds()), fmt.Sprintf("%.1f s", jtook.Seconds()))
	l.add("memory of the server at most during it", mib(most), mib(jmost))
}

// compareKill: both servers are killed during a cell, and started again.
func compareKill(l *table, s *stage, notebook string, j *jupyter, jv *jupyterViewer) {
	s.T.Helper()
	v := s.view("sess_1", "")
	v.awaitType(clew.EventSyncComplete)
	proc.Must(s.T, os.Remove(filepath.Join(s.Work, "ticks")))
	began := time.Now()
	v.run(notebook, cellID(3))
	v.await("output", func(e seen) bool { return len(stampsOf(e)) > 0 })
	time.Sleep(time.Second)
	s.Srv.Kill()
	v.leave()
	before := ticks(s.T, s.Work)
	alive := ticksOn(s.T, s.Work)
	s.Start()
	meanwhile := ticks(s.T, s.Work) - before
	v = s.view("sess_1", client.FromStart)
	var end clew.CellFinishedData
	v.await("the end of the cell", func(e seen) bool {
		return e.Type == string(clew.EventCellFinished) && json.Unmarshal(e.Data, &end) == nil && end.CellID == cellID(3)
	})
	shown, _ := s.shown(end.RunID)
	proc.Must(s.T, s.Command(s.ctx, "save", clew.CommandNotebookSave, &clew.NotebookSaveData{NotebookID: notebook}))
	v.await("the file", func(e seen) bool { return e.Type == string(clew.EventNotebookSaved) })
	file := 0
	for _, at := range stampsIn(s.File("a.ipynb")) {
		if at.After(began) {
			file++
		}
	}

	proc.Must(s.T, os.Remove(filepath.Join(j.work, "ticks")))
	jv.send(longCell)
	jv.await("output", func(m jupyterMessage) bool { return len(stampsIn(m.Content.Text)) > 0 })
	time.Sleep(time.Second)
	j.kill()
	jalive := ticksOn(s.T, j.work)
	jall := ticks(s.T, j.work)
	j.start()
	files, err := filepath.Glob(filepath.Join(j.work, "*.ipynb"))
	proc.Must(s.T, err)
	yes := map[bool]string{true: "yes", false: "no"}
	l.add("server killed with kill -9 during a cell: does the kernel keep running?", yes[alive], yes[jalive])
	l.add("how far the cell came", fmt.Sprintf("%d of %d lines, ended %s", ticks(s.T, s.Work), ticking, end.Status), fmt.Sprintf("%d of %d lines", jall, ticking))
	l.add("is the kernel known after the restart?", "yes", yes[len(j.kernels()) > 0])
	l.add("lines that a new client is given after the restart",
		fmt.Sprintf("%d of %d; %d were printed while no server ran", len(stampsIn(shown)), ticking, meanwhile), fmt.Sprintf("0 of %d", ticking))
	if len(stampsIn(shown)) != ticking || file != ticking || end.OutputsLost {
		s.T.Errorf("of %d lines %d are shown and %d in the file: %+v", ticking, len(stampsIn(shown)), file, end)
	}
	l.add("lines in the file", fmt.Sprint(file), fmt.Sprintf("%d files: a client has to write them", len(files)))
}

// ticks are the signs of life that a cell left so far.
func ticks(t testing.TB, dir string) int {
	t.Helper()
	return len(proc.ReadFile(t, dir, "ticks"))
}

// ticksOn says whether a cell still runs some seconds after its server was killed.
func ticksOn(t testing.TB, dir string) bool {
	t.Helper()
	time.Sleep(3 * time.Second) // kernels look for their parent each second
	before := ticks(t, dir)
	time.Sleep(500 * time.Millisecond)
	return ticks(t, dir) > before
}
