// Package notebookfigures measures notebooks with the real program and a real kernel: how
// much of a cell's time is clew's, how soon its output is seen, and what kernels cost.
// docs/capacity.md has the figures; make bench-notebooks prints them.
package notebookfigures

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// within bounds every wait.
const within = 3 * time.Minute

// A stage is a server whose kernels are real.
type stage struct {
	*proc.Stage
	ctx context.Context
}

func newStage(t testing.TB) *stage {
	t.Helper()
	python := jupytertest.Python(t)
	s := &stage{Stage: proc.NewStage(t, proc.Setup{
		Session: "sess_1", Files: map[string]string{"work/readme.txt": ""},
		Env: map[string]string{"PATH": filepath.Dir(python) + ":/usr/bin:/bin"},
	})}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	t.Cleanup(cancel)
	s.ctx = ctx
	t.Cleanup(s.endKernels)
	s.Start()
	return s
}

// endKernels leaves nothing running.
func (s *stage) endKernels() {
	s.Srv.Kill()
	proc.EndKernels(s.T, filepath.Join(s.Dir, "data"))
}

func (s *stage) kernels() []supervisor.Found {
	return supervisor.List(supervisor.LookForRoot(filepath.Join(s.Dir, "data")))
}

// alone joins the only kernel beside the server, to measure what it does by itself.
func (s *stage) alone() *alone {
	s.T.Helper()
	found := s.kernels()
	if len(found) != 1 {
		s.T.Fatalf("there are %d kernels", len(found))
	}
	at, err := kernel.ReadConnection(filepath.Join(found[0].Dir, "k", "connection.json"))
	proc.Must(s.T, err)
	return dial(s.T, at)
}

// An alone is a kernel without a server.
type alone struct {
	*kernel.Client
	n int
}

func dial(t testing.TB, at kernel.Connection) *alone {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	c, err := kernel.Dial(ctx, at, kernel.Options{Identity: "alone", Starting: true})
	proc.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &alone{Client: c}
}

// run gives the time from a request until both its reply and the status idle are there.
func (a *alone) run(t testing.TB, code string) time.Duration {
	t.Helper()
	a.n++
	id := fmt.Sprint("alone-", a.n)
	began := time.Now()
	proc.Must(t, a.Execute(t.Context(), kernel.Execute{MsgID: id, Code: code}))
	timeout := time.After(within)
	for reply, idle := false, false; !reply || !idle; {
		select {
		case m, ok := <-a.Messages():
			if !ok {
				t.Fatal(a.Err())
			}
			reply = reply || m.ParentID == id && m.Type == "execute_reply"
			idle = idle || m.ParentID == id && m.Type == "status" && strings.Contains(string(m.Content), `"idle"`)
		case <-timeout:
			t.Fatal("the kernel did not answer")
		}
	}
	return time.Since(began)
}

// A seen is what a client got, and when.
type seen struct {
	wire.Envelope
	at time.Time
}

// A viewer is a connection of a person.
type viewer struct {
	*client.Client
	t      testing.TB
	events chan seen
	stop   context.CancelFunc
}

// view connects; from is where in the session, "" the present.
func (s *stage) view(session clew.SessionID, from string) *viewer {
	s.T.Helper()
	c, err := client.Dial(s.ctx, client.Options{URL: s.Srv.URL(), Session: session, Token: s.Token(), ClientID: clew.NewClientID(), ResumeFrom: from})
	proc.Must(s.T, err)
	ctx, stop := context.WithCancel(s.ctx)
	v := &viewer{c, s.T, make(chan seen, 100_000), stop}
	s.T.Cleanup(v.leave)
	go func() {
		defer close(v.events)
		for env, err := range c.Follow(ctx) {
			if err != nil {
				return
			}
			v.events <- seen{env, time.Now()}
		}
	}()
	return v
}

func (v *viewer) leave() {
	v.stop()
	v.Close()
}

// await takes events until one fits.
func (v *viewer) await(what string, fits func(seen) bool) seen {
	v.t.Helper()
	timeout := time.After(within)
	for {
		select {
		case e, ok := <-v.events:
			if !ok {
				v.t.Fatalf("%s: the connection ended: %v", what, v.Err())
			}
			if fits(e) {
				return e
			}
		case <-timeout:
			v.t.Fatalf("%s: it did not come", what)
		}
	}
}

func (v *viewer) awaitType(typ clew.EventType) seen {
	v.t.Helper()
	return v.await(string(typ), func(e seen) bool { return e.Type == string(typ) })
}

func (v *viewer) send(typ clew.CommandType, data any) {
	v.t.Helper()
	_, err := v.Send(v.t.Context(), typ, data)
	proc.Must(v.t, err)
}

// finished waits for the end of a cell, which has to be a good one.
func (v *viewer) finished() (clew.CellFinishedData, time.Time) {
	v.t.Helper()
	e := v.awaitType(clew.EventCellFinished)
	var d clew.CellFinishedData
	proc.Must(v.t, json.Unmarshal(e.Data, &d))
	if d.Status != clew.CellOK {
		v.t.Fatalf("the cell ended with %+v", d)
	}
	return d, e.at
}

// open begins a notebook with these cells, c0 and on.
func (s *stage) open(session clew.SessionID, path string, cells ...string) (v *viewer, notebook string) {
	s.T.Helper()
	if _, err := s.API().GetSession(s.ctx, session); err != nil {
		_, err := s.API().CreateSession(s.ctx, client.NewSession{SessionID: session, Workspace: s.Work})
		proc.Must(s.T, err)
	}
	v = s.view(session, "")
	v.awaitType(clew.EventSyncComplete)
	v.send(clew.CommandNotebookOpen, &clew.NotebookOpenData{Path: path, New: true})
	var d clew.NotebookReadData
	proc.Must(s.T, json.Unmarshal(v.awaitType(clew.EventNotebookRead).Data, &d))
	edits := make(clew.List[clew.CellEdit], len(cells))
	for i, source := range cells {
		edits[i] = clew.CellEdit{Op: clew.EditInsert, CellID: cellID(i), Type: clew.CellCode, Source: &source}
		if i > 0 {
			edits[i].After = cellID(i - 1)
		}
	}
	v.send(clew.CommandNotebookEdit, &clew.NotebookEditData{NotebookID: d.NotebookID, Edits: edits})
	v.awaitType(clew.EventNotebookChanged)
	return v, d.NotebookID
}

func cellID(i int) string { return fmt.Sprint("c", i) }

// run runs cells, by their ids.
func (v *viewer) run(notebook string, cells ...string) {
	v.t.Helper()
	v.send(clew.CommandNotebookRun, &clew.NotebookRunData{NotebookID: notebook, Cells: cells})
}

// stamp is what the cells of these tests print: when it was.
const stamp = "print('at', time.time_ns(), flush=True)"

var stamps = regexp.MustCompile(`at (\d{19})`)

// stampsOf gives the times that an event tells of.
func stampsOf(e seen) []time.Time { return stampsIn(string(e.Data)) }

func stampsIn(text string) []time.Time {
	var list []time.Time
	for _, m := range stamps.FindAllStringSubmatch(text, -1) {
		var ns int64
		_, _ = fmt.Sscan(m[1], &ns) // digits, as the expression says
		list = append(list, time.Unix(0, ns))
	}
	return list
}

// Times are of one thing, measured again and again.
type times []time.Duration

// at gives the time that so many of a hundred had at most.
func (l times) at(percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(l))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func (l times) String() string {
	tenth := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	return fmt.Sprintf("p50 %v, p95 %v, worst %v of %d", tenth(l.at(50)), tenth(l.at(95)), tenth(l.at(100)), len(l))
}
