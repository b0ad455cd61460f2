package notebook_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// peak samples the heap until it is stopped.
func peak() (stop func() uint64) {
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() uint64 { close(done); <-ended; return most.Load() }
}

// The first part of much output is in the transcript, all of it in order in a blob, and
// the memory that it takes is bounded.
func TestMuchOutput(t *testing.T) {
	w := realWorld(t)
	w.run("1")
	t.Run("displays", func(t *testing.T) {
		w.T = t
		stop := peak()
		began := time.Now()
		d := w.run("from IPython.display import display\nfor i in range(5000): display(i)")
		t.Logf("5,000 displays in %v, heap at most %d MiB", time.Since(began), stop()>>20)
		var all []string
		for _, o := range w.outputsOf(d.OutputBlob) {
			all = append(all, o["data"].(map[string]any)["text/plain"].(string))
		}
		var want []string
		for i := range 5000 {
			want = append(want, fmt.Sprint(i))
		}
		if !slices.Equal(all, want) {
			t.Errorf("the blob has %d displays", len(all))
		}
		var shown []string
		for _, m := range w.shown(d.RunID) {
			if m.Cell.Output == clew.OutputDisplay {
				shown = append(shown, m.Text)
			}
		}
		if !slices.Equal(shown, want[:1000]) || d.LeftOut != 4000 {
			t.Errorf("%d are shown, %d left out", len(shown), d.LeftOut)
		}
	})
	w.T = t
	t.Run("prints", func(t *testing.T) {
		w.T = t
		const lines = 500_000
		stop := peak()
		began := time.Now()
		run := w.start(fmt.Sprintf("for i in range(%d): print(f'{i:099d}')", lines))
		d := w.await(run)
		took := time.Since(began)
		t.Logf("50 MB of prints in %v, heap at most %d MiB", took, stop()>>20)
		var want strings.Builder
		for i := range lines {
			fmt.Fprintf(&want, "%099d\n", i)
		}
		var got strings.Builder
		for _, o := range w.outputsOf(d.OutputBlob) {
			got.WriteString(o["text"].(string))
		}
		if got.String() != want.String() {
			t.Errorf("the blob has %d bytes that differ from the %d printed", got.Len(), want.Len())
		}
		shown, rest := w.text(run), "… the rest was left out"
		at := strings.Index(shown, rest)
		if at != 10<<20 || shown[:at] != want.String()[:at] || d.LeftOut == 0 {
			t.Errorf("%d bytes are in the transcript, %d outputs left out: %q", at, d.LeftOut, shown[max(at, 0):])
		}
		if n := len(w.shown(run)); n > 1001 {
			t.Errorf("%d messages", n)
		}
	})
	w.T = t
}

// What a trivial cell takes beside the kernel's own time.
func TestOverhead(t *testing.T) {
	w := realWorld(t)
	w.run("import time")
	var whole, first []time.Duration
	for range 20 {
		began := time.Now()
		d := w.run("1")
		whole = append(whole, time.Since(began))
		if d.Status != clew.CellOK {
			t.Fatalf("it ended with %+v", d)
		}
	}
	for range 10 {
		run := w.start("print(time.time_ns(), flush=True); time.sleep(0.3)")
		w.until("the first words", func() bool { return w.text(run) != "" })
		var printed int64
		if _, err := fmt.Sscan(w.text(run), &printed); err != nil {
			t.Fatal(err)
		}
		first = append(first, time.Since(time.Unix(0, printed)))
		w.await(run)
	}
	slices.Sort(whole)
	slices.Sort(first)
	t.Logf("a cell from the command to its end: p50 %v, worst %v; first output on record: p50 %v, worst %v", whole[10], whole[19], first[5], first[9])
}
