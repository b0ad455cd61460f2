package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Idle programs cost the server next to nothing.
func TestCostOfTwenty(t *testing.T) {
	const programs = 20
	root := t.TempDir()
	measure := func() (heap uint64, goroutines, files int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		open, _ := os.ReadDir("/proc/self/fd")
		return m.HeapAlloc + m.StackInuse, runtime.NumGoroutine(), len(open)
	}
	heap, goroutines, files := measure()
	var held []*Held
	for i := range programs {
		h, err := Start(t.Context(), Dir(root, fmt.Sprint(i)), script("exec sleep 1000", time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, h)
	}
	heap2, goroutines2, files2 := measure()
	t.Logf("%d idle programs: %d KiB, %d goroutines and %d files more in the server; a supervisor has %s",
		programs, (int64(heap2)-int64(heap))>>10, goroutines2-goroutines, files2-files, resident(held[0].state.Supervisor))
	if grown := int64(heap2) - int64(heap); grown > 4<<20 || goroutines2-goroutines > 2*programs {
		t.Errorf("they cost %d bytes and %d goroutines", grown, goroutines2-goroutines)
	}
	for _, h := range held {
		if err := h.Kill(); err != nil {
			t.Error(err)
		}
		ended(t, h)
		if err := h.Forget(); err != nil {
			t.Error(err)
		}
		if left := leftovers(h.Dir()); len(left) > 0 {
			t.Error("left:", left)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*")); len(left) > 0 {
		t.Error("left:", left)
	}
}

// resident is the memory of a process, as the kernel says it.
func resident(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	var first string
	var rss, private int
	for _, line := range strings.Split(string(b), "\n") {
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &rss); n == 1 {
			first = fmt.Sprintf("%d KiB resident", rss)
		}
		var kb int
		for _, name := range []string{"Private_Clean", "Private_Dirty"} {
			if n, _ := fmt.Sscanf(line, name+": %d kB", &kb); n == 1 {
				private += kb
			}
		}
	}
	return fmt.Sprintf("%s, %d KiB its own", first, private)
}
