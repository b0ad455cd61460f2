package notebook

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/supervisor"
)

// behind is a cell that waits behind the one with code.
const behind = "open('behind', 'a').write('x')"

// ends are the ways in which a run can have ended.
var ends = []clew.CellStatus{clew.CellOK, clew.CellError, clew.CellAborted, clew.CellInDoubt}

// A kernel is killed -9 at each place on the way of a cell: while the server stays, together
// with the server, and with its supervisor. No cell runs twice, every run has an end, the
// queue stops, people see why, the next cell runs in a fresh kernel, and no process is left.
func TestKernelKilledAtEveryPoint(t *testing.T) {
	all := []string{"kernel.started", "kernel.attached", "cell.intent", "cell.sent", "cell.output", "cell.reply", "cell.recorded", "input.asked", "input.sent", "notebook.saved"}
	for how, points := range map[string][]string{
		"the server stays": nightly.Size([]string{"cell.sent", "input.asked"}, all),
		"and the server":   nightly.Size([]string{"kernel.attached"}, all),
		"and supervisor":   nightly.Size([]string{"cell.output"}, all),
	} {
		for _, at := range nightly.Third(points) {
			t.Run(at+", "+how, func(t *testing.T) {
				newStory(t).killKernel(at, how)
			})
		}
	}
}

// A server that found a kernel again is killed at once, twice. The third one brings the
// cell to its end.
func TestKilledWhenAttached(t *testing.T) {
	s := newStory(t)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s.Start()
	s.live(ctx, func(t tale) bool { return t.question != "" })
	s.Srv.Kill()
	for range 2 {
		s.diesAt(ctx, "kernel.attached")
	}
	s.Start()
	s.live(ctx, tale.over)
	s.isWhole(ctx)
}

// The kernel is killed while no server runs. The next server is killed when it has recorded
// how the cell ended, and not yet that the kernel has, or when it has not yet removed what
// is left of that; the one after it does the rest.
func TestKilledAfterTheLastWords(t *testing.T) {
	for _, at := range []string{"kernel.lastwords", "kernel.forget"} {
		t.Run(at, func(t *testing.T) {
			s := newStory(t)
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			s.Start()
			s.live(ctx, func(t tale) bool { return t.question != "" })
			before := s.tale(ctx)
			pid := s.kernel().pid
			s.Srv.Kill()
			kill9(t, pid)
			s.diesAt(ctx, at)
			s.Start()
			s.live(ctx, func(t tale) bool { return t.over() && !t.kernel.State.Alive() })
			s.holds(ctx, before)
			if d := s.tale(ctx).finished[before.queued[0]]; d.Status != clew.CellAborted {
				t.Errorf("the cell ended with %+v", d)
			}
			s.goesOn(ctx, before)
		})
	}
}

// diesAt starts a server that is killed at a point.
func (s *story) diesAt(ctx context.Context, at string) {
	s.T.Helper()
	if s.Srv.Start("CLEW_CRASH_AT="+at+":1") == nil { // it may end before it is ready
		s.live(ctx, tale.over)
	}
	select {
	case <-s.Srv.Exited():
	case <-ctx.Done():
		s.T.Fatal("the server was not killed")
	}
}

func newStory(t *testing.T) *story {
	t.Helper()
	python := jupytertest.Python(t)
	s := &story{dirs: map[string]bool{}, Stage: proc.NewStage(t, proc.Setup{
		Program: proc.Program(t, "crashpoints"), Session: "sess_notebook", Files: map[string]string{"readme.txt": "Hello.\n"},
		Env: map[string]string{"PATH": filepath.Dir(python) + ":/usr/bin:/bin"},
	})}
	t.Cleanup(func() { s.endKernels(t) })
	return s
}

// killKernel plays until the server is at a place, kills there, and looks at what is left.
func (s *story) killKernel(at, how string) {
	ctx, cancel := context.WithTimeout(s.T.Context(), within)
	defer cancel()
	if at == "kernel.attached" { // by the next server
		s.Start()
		s.live(ctx, func(t tale) bool { return t.question != "" })
		s.Srv.Kill()
	}
	place := newPlace(s.T)
	s.Start("CLEW_CRASH_AT="+at+":1", "CLEW_CRASH_HOW=hold", "CLEW_CRASH_HOLD="+place.fifo)
	lives, leave := context.WithCancel(ctx)
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.live(lives, tale.over)
	}()
	place.await(ctx)
	leave()
	<-left // the records have one reader at a time
	v := s.kernel()
	before := s.tale(ctx)
	if how == "and supervisor" {
		proc.Must(s.T, syscall.Kill(v.supervisor, syscall.SIGKILL))
	}
	if how == "and the server" {
		s.Srv.Kill()
	}
	if how == "and supervisor" { // which takes the kernel with it
		s.nobodyLeft()
	} else {
		kill9(s.T, v.pid)
	}
	place.leave()
	if how == "and the server" {
		s.Start()
	}
	// A kernel that was not there yet is started again, and nothing is lost.
	again := at == "kernel.started" && how == "and the server"
	s.live(ctx, func(t tale) bool { return t.over() && (again || !t.kernel.State.Alive()) })
	if again {
		s.isWhole(ctx)
		return
	}
	s.holds(ctx, before)
	s.goesOn(ctx, before)
}

// holds looks at what the first kernel left.
func (s *story) holds(ctx context.Context, before tale) {
	s.T.Helper()
	t := s.tale(ctx)
	for i, file := range []string{"ran", "behind"} {
		marks := strings.Count(s.File(file), "x")
		if i >= len(t.queued) { // nobody came to it
			continue
		}
		run := t.queued[i]
		d, finished := t.finished[run]
		dropped := slices.Contains(t.dropped, run)
		if t.started[run] > 1 || marks > 1 || finished == dropped {
			s.T.Errorf("run %d: started %d times, ran %d times, finished %v, dropped %v", i, t.started[run], marks, finished, dropped)
		}
		if dropped && (marks > 0 || t.started[run] > 0) || d.Status == clew.CellOK && marks != 1 {
			s.T.Errorf("run %d: ran %d times, %+v", i, marks, d)
		}
		if finished && (!slices.Contains(ends, d.Status) || d.Status != clew.CellOK && d.Reason == "") {
			s.T.Errorf("run %d ended with %+v", i, d)
		}
	}
	s.T.Logf("the kernel is %s: %s; %d runs ended, %d were dropped; the first: %+v", t.kernel.State, t.kernel.Reason, len(t.finished), len(t.dropped), t.finished[t.queued[0]])
	if t.question != "" {
		s.T.Errorf("question %s is still asked", t.question)
	}
	if t.kernel.Reason == "" || t.kernel.KernelID != before.kernel.KernelID {
		s.T.Errorf("the kernel %s ended as %+v", before.kernel.KernelID, t.kernel)
	}
	// What a person sees says so, too.
	seen := s.seen(ctx)
	if n := seen.Notebooks[0]; n.Kernel.State != t.kernel.State || n.Kernel.Reason != t.kernel.Reason || n.Run != nil || len(n.Queue) > 0 {
		s.T.Errorf("people see %+v", n)
	}
	for _, c := range seen.Cells {
		if d, ok := t.finished[c.RunID]; ok && (c.Status != d.Status || c.Reason != d.Reason) {
			s.T.Errorf("people see %+v", c)
		}
	}
}

// isWhole wants all cells to have run, once, and ends the kernel.
func (s *story) isWhole(ctx context.Context) {
	s.T.Helper()
	t := s.tale(ctx)
	for i, file := range []string{"ran", "behind"} {
		if d := t.finished[t.queued[i]]; d.Status != clew.CellOK || s.File(file) != "x" {
			s.T.Errorf("run %d ran %q and ended with %+v", i, s.File(file), d)
		}
	}
	s.shutsDown(ctx)
}

// shutsDown ends the kernel. Nothing of it or of any other one is left.
func (s *story) shutsDown(ctx context.Context) {
	s.T.Helper()
	s.kernel()
	proc.Must(s.T, s.Command(ctx, "shut down", clew.CommandKernelShutdown, &clew.KernelShutdownData{}))
	s.nobodyLeft()
	proc.Eventually(s.T, "an empty directory of kernels", within, func() bool {
		return len(supervisor.List(supervisor.LookForRoot(filepath.Join(s.Dir, "data")))) == 0
	})
}

// goesOn runs a cell in another kernel, and ends that.
func (s *story) goesOn(ctx context.Context, before tale) {
	s.T.Helper()
	proc.Must(s.T, s.Command(ctx, "go on", clew.CommandKernelExecute, &clew.KernelExecuteData{Code: "open('on', 'a').write('x')"}))
	var t tale
	proc.Eventually(s.T, "the end of the next cell", within, func() bool { t = s.tale(ctx); return t.over() })
	d := t.finished[t.queued[len(t.queued)-1]]
	if d.Status != clew.CellOK || d.ExecutionCount != 1 || s.File("on") != "x" || t.kernel.KernelID == before.kernel.KernelID {
		s.T.Errorf("the next cell ended with %+v in %+v, and ran %q", d, t.kernel, s.File("on"))
	}
	s.shutsDown(ctx)
}

// live does what people do until something is so, or the server is gone.
func (s *story) live(ctx context.Context, so func(tale) bool) {
	if s.Create(ctx) != nil || s.Command(ctx, "open", clew.CommandNotebookOpen, &clew.NotebookOpenData{Path: "a.ipynb", New: true}) != nil {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		t := s.tale(ctx)
		if so(t) {
			return
		}
		if t.read && t.kernel.KernelID == "" {
			_ = s.Command(ctx, "run", clew.CommandKernelExecute, &clew.KernelExecuteData{Code: code})
			_ = s.Command(ctx, "run behind", clew.CommandKernelExecute, &clew.KernelExecuteData{Code: behind})
		}
		if t.question != "" {
			_ = s.Command(ctx, "answer "+string(t.question), clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: t.question, Value: "Ada"})
		}
		select {
		case <-tick.C:
		case <-s.Srv.Exited():
			return
		case <-ctx.Done():
			return
		}
	}
}

// A tale is what the records tell of all runs.
type tale struct {
	notebook string
	read     bool
	queued   []string
	started  map[string]int
	finished map[string]clew.CellFinishedData
	dropped  []string
	kernel   clew.KernelChangedData // the last one
	question clew.RequestID         // that is open
}

// over says that every run has an end.
func (t tale) over() bool {
	return len(t.queued) > 0 && len(t.finished)+len(t.dropped) >= len(t.queued)
}

func (s *story) tale(ctx context.Context) tale {
	t := tale{started: map[string]int{}, finished: map[string]clew.CellFinishedData{}}
	list, _, _ := s.Replay(ctx, s.Session) // a server that is being killed tells nothing
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.NotebookReadData:
			t.notebook, t.read = d.NotebookID, true
		case *clew.CellQueuedData:
			for _, run := range d.Runs {
				t.queued = append(t.queued, run.RunID)
			}
		case *clew.CellStartedData:
			t.started[d.RunID]++
		case *clew.CellFinishedData:
			t.finished[d.RunID] = *d
			t.dropped = append(t.dropped, d.Dropped...)
		case *clew.KernelChangedData:
			d.KernelID = cmp.Or(d.KernelID, t.kernel.KernelID)
			t.kernel = *d
			t.dropped = append(t.dropped, d.Dropped...)
		case *clew.HitlInputRequestData:
			t.question = d.RequestID
		case *clew.HitlResolvedData:
			t.question = ""
		}
	}
	return t
}

// seen is what a client of the state shows.
func (s *story) seen(ctx context.Context) *client.Replica {
	s.T.Helper()
	cl, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Session: s.Session, Token: s.Token(), View: clew.ViewState})
	proc.Must(s.T, err)
	defer cl.Close()
	r := new(client.Replica)
	for env, err := range cl.Follow(ctx) {
		proc.Must(s.T, err)
		if _, err := r.Take(env); err != nil {
			s.T.Fatal(err)
		}
		if r.Known() {
			break
		}
	}
	return r
}

// A place is where the server waits for the test, see package crash.
type place struct {
	t    testing.TB
	fifo string
	open *os.File
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{t: t, fifo: filepath.Join(t.TempDir(), "hold")}
	proc.Must(t, syscall.Mkfifo(p.fifo, 0o600))
	return p
}

// await waits until the server is there.
func (p *place) await(ctx context.Context) {
	p.t.Helper()
	there := make(chan error, 1)
	go func() {
		var err error
		p.open, err = os.OpenFile(p.fifo, os.O_WRONLY, 0)
		there <- err
	}()
	select {
	case err := <-there:
		proc.Must(p.t, err)
	case <-ctx.Done():
		if r, err := os.OpenFile(p.fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil { // who waits, waits no more
			defer func() { _ = r.Close() }()
		}
		<-there
		p.t.Fatal("the server was not there")
	}
}

// leave lets the server go on.
func (p *place) leave() { _ = p.open.Close() }
