package notebookfigures

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// memory gives a field of a process's status, in bytes: VmRSS is what it has in memory,
// VmHWM what it had at most.
func memory(t testing.TB, pid int, field string) int64 {
	t.Helper()
	for line := range strings.Lines(proc.ReadFile(t, "/proc", fmt.Sprint(pid), "status")) {
		var kb int64
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	t.Fatalf("process %d has no %s", pid, field)
	return 0
}

// resting is the least memory that a process has during a while: the runtime gives back
// little by little what it does not need any more.
func resting(t testing.TB, pid int, while time.Duration) int64 {
	t.Helper()
	least := memory(t, pid, "VmRSS")
	for until := time.Now().Add(while); time.Now().Before(until); {
		time.Sleep(time.Second)
		least = min(least, memory(t, pid, "VmRSS"))
	}
	return least
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

// Twenty kernels that have nothing to do cost the server at most this.
const idleKernelsWithin = 20 << 20

func TestIdleKernels(t *testing.T) {
	if !nightly.On() {
		t.Skip("make bench-notebooks runs it")
	}
	s := newStage(t)
	const kernels, each = 20, 7
	type open struct {
		*viewer
		notebook string
	}
	var all []open
	for i := range kernels {
		v, notebook := s.open(clew.SessionID(fmt.Sprint("sess_", 1+i/each)), fmt.Sprintf("%d.ipynb", i), "1")
		all = append(all, open{v, notebook})
	}
	const rest = 20 * time.Second
	before := resting(t, s.Srv.Pid(), rest)
	for some := range slices.Chunk(all, 4) {
		for _, o := range some {
			o.run(o.notebook, cellID(0))
		}
		for _, o := range some {
			o.await("its end", func(e seen) bool {
				var d clew.CellFinishedData
				return e.Type == string(clew.EventCellFinished) && json.Unmarshal(e.Data, &d) == nil && d.NotebookID == o.notebook && d.Status == clew.CellOK
			})
		}
	}
	right := memory(t, s.Srv.Pid(), "VmRSS")
	after := resting(t, s.Srv.Pid(), rest)
	var beside int64 // of the supervisors, without what they share with the server and each other
	for _, f := range s.kernels() {
		beside += own(t, f.Supervisor)
	}
	t.Logf("the server with %d open notebooks: %s without kernels, %s right after each had started one and run a cell, %s at rest; at most %s more",
		kernels, mib(before), mib(right), mib(after), mib(idleKernelsWithin))
	t.Logf("%d kernels cost the server %s; each has a supervisor of %s beside it", kernels, mib(after-before), mib(beside/kernels))
	if n := len(s.kernels()); n != kernels || after-before > idleKernelsWithin {
		t.Errorf("%d kernels cost %s", n, mib(after-before))
	}
}

// own is the memory of a process that no other one has.
func own(t testing.TB, pid int) (sum int64) {
	t.Helper()
	for line := range strings.Lines(proc.ReadFile(t, "/proc", fmt.Sprint(pid), "smaps_rollup")) {
		var kb int64
		for _, name := range []string{"Private_Clean", "Private_Dirty"} {
			if n, _ := fmt.Sscanf(line, name+": %d kB", &kb); n == 1 {
				sum += kb << 10
			}
		}
	}
	return sum
}

// Much output of one cell: the first part of it is in the transcript, all of it in order in
// the blob of the run, byte for byte, and the memory of the server is bounded. It never
// takes more than volumeWithin for it: a blob has up to 100 MiB, and is in memory when it is stored.
const volumeWithin = 256 << 20

func TestVolume(t *testing.T) {
	if !nightly.On() {
		t.Skip("make bench-notebooks runs it; the runner of notebooks has the same test in each run")
	}
	const displays, lines = 5_000, 500_000
	s := newStage(t)
	v, notebook := s.open("sess_1", "a.ipynb", "1",
		fmt.Sprintf("from IPython.display import display\nfor i in range(%d): display(i)", displays),
		fmt.Sprintf("for i in range(%d): print(f'{i:099d}')", lines))
	v.run(notebook, cellID(0))
	v.finished()
	v.awaitType(clew.EventCheckpointSaved)
	kernel := s.alone()
	directly := []time.Duration{
		0, kernel.run(t, fmt.Sprintf("from IPython.display import display\nfor i in range(%d): display(i)", displays)),
		kernel.run(t, fmt.Sprintf("for i in range(%d): print(f'{i:099d}')", lines)),
	}
	proc.Must(t, kernel.Close())
	var want [3]strings.Builder
	for i := range displays {
		fmt.Fprintln(&want[1], i)
	}
	for i := range lines {
		fmt.Fprintf(&want[2], "%099d\n", i)
	}
	for i, what := range []string{"", "5,000 displays", "50 MB of prints"} {
		if i == 0 {
			continue
		}
		rest := memory(t, s.Srv.Pid(), "VmRSS")
		proc.Must(t, os.WriteFile(filepath.Join("/proc", fmt.Sprint(s.Srv.Pid()), "clear_refs"), []byte("5"), 0)) // VmHWM begins anew
		began := time.Now()
		v.run(notebook, cellID(i))
		d, at := v.finished()
		v.awaitType(clew.EventCheckpointSaved)
		most := memory(t, s.Srv.Pid(), "VmHWM")
		var kept strings.Builder
		for _, o := range s.outputs(d.OutputBlob) {
			kept.WriteString(o.Text)
			if o.Type == "display_data" {
				fmt.Fprintln(&kept, o.Data["text/plain"])
			}
		}
		if kept.String() != want[i].String() {
			t.Errorf("%s: the blob has %d bytes, which are not the %d that were put out", what, kept.Len(), want[i].Len())
		}
		shown, messages := s.shown(d.RunID)
		switch i {
		case 1:
			if messages != 1000 || !strings.HasPrefix(want[i].String(), shown) || d.LeftOut != displays-1000 {
				t.Errorf("%s: %d are shown, %d left out", what, messages, d.LeftOut)
			}
		case 2:
			if len(shown) != 10<<20 || !strings.HasPrefix(want[i].String(), shown) || d.LeftOut == 0 {
				t.Errorf("%s: %d bytes are shown, %d outputs left out", what, len(shown), d.LeftOut)
			}
		}
		t.Logf("%s in %v, directly in %v: the server had %s before and %s at most; %d bytes kept as they came, %d messages with %d bytes in the transcript",
			what, at.Sub(began).Round(time.Millisecond), directly[i].Round(time.Millisecond), mib(rest), mib(most), kept.Len(), messages, len(shown))
		if most-rest > volumeWithin {
			t.Errorf("%s took %s of memory", what, mib(most-rest))
		}
	}
}

// An output is one as a notebook file has it.
type output struct {
	Type string         `json:"output_type"`
	Text string         `json:"text"`
	Data map[string]any `json:"data"`
}

// outputs gives all that a run put out.
func (s *stage) outputs(address string) []output {
	s.T.Helper()
	resp, err := s.Call("", http.MethodGet, "/api/v1/sessions/"+string(s.Session)+"/blobs/"+address, nil)
	proc.Must(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	proc.Must(s.T, err)
	var list []output
	if err := json.Unmarshal(b, &list); err != nil {
		s.T.Fatalf("%v: %.200s", err, b)
	}
	return list
}

// shown gives what the transcript has of a run, without the status and the word that the
// rest was left out.
func (s *stage) shown(run string) (text string, messages int) {
	s.T.Helper()
	list, _, err := s.Replay(s.ctx, s.Session)
	proc.Must(s.T, err)
	now, order := map[clew.MessageID]clew.Message{}, []clew.MessageID{}
	take := func(m clew.Message) {
		if m.Cell == nil || m.Cell.RunID != run || m.Cell.Output == clew.OutputStatus {
			return
		}
		if _, known := now[m.MessageID]; !known {
			order = append(order, m.MessageID)
		}
		now[m.MessageID] = m
	}
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.MessageCreatedData:
			take(d.Message)
		case *clew.MessageUpdatedData:
			take(d.Message)
		}
	}
	var b strings.Builder
	for _, id := range order {
		m := now[id]
		if strings.HasPrefix(m.Text, "… the rest was left out") {
			continue
		}
		messages++
		b.WriteString(m.Text)
		if m.Cell.Output == clew.OutputDisplay {
			b.WriteString("\n")
		}
	}
	return b.String(), messages
}
