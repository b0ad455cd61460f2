package notebook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/rewind"
)

// stand is a workspace of which every checkpoint is another one. What it is taken to before
// cells run again goes wrong.
type stand struct {
	rewind.Files
	wrong  func() error
	living func() int

	mu    sync.Mutex
	saved int
	after []int // kernels that lived each time that it was taken back after a rerun
}

func (s *stand) Save(context.Context, rewind.Workspace, string) (core.SavedFiles, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved++
	return core.SavedFiles{ID: fmt.Sprint("cp_", s.saved), Hash: fmt.Sprintf("%064d", s.saved)}, nil
}

func (s *stand) Restore(_ context.Context, _ rewind.Workspace, id, _ string) (rewind.RestoredFiles, error) {
	if strings.HasSuffix(id, "_before") {
		return rewind.RestoredFiles{}, s.wrong()
	}
	if strings.HasSuffix(id, "_after") {
		n := s.living()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.after = append(s.after, n)
	}
	return rewind.RestoredFiles{Before: strings.Repeat("f", 64)}, nil
}

// A rerun with which nobody can go on leaves the files as they were before it, whatever
// went wrong, and no kernel that would write into them.
func TestRerunThatFails(t *testing.T) {
	for name, wrong := range map[string]func() error{
		"error": func() error { return errors.New("the disk is full") },
		"panic": func() error { panic("a fault") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &played{t: t}
			files := &stand{wrong: wrong, living: func() int { return len(p.living()) }}
			w := newWorld(t, p)
			w.files = files
			w.crash() // the next server has them
			w.begin()
			first := w.run("print one")
			w.run("print two")
			w.do(&clew.RewindData{Target: clew.Target{MessageID: w.shown(first.RunID)[0].MessageID}, KeepTarget: true, RestoreCheckpoint: true})
			w.until("the question", func() bool { return len(w.asked) > 0 })
			w.answer(string(clew.KernelRerun))
			w.untilKernel(clew.KernelLost)
			poll(t, "the kernel's end", func() bool { return len(p.living()) == 0 })
			files.mu.Lock()
			defer files.mu.Unlock()
			if len(files.after) != 1 || files.after[0] != 0 {
				t.Errorf("files went back while so many kernels lived: %v\n%s", files.after, w.story())
			}
		})
	}
}

// A rerun names the variables that came out otherwise, each with the cell that changed it,
// also if the server dies in between. A cell is not named for what an earlier one changed.
func TestRerunNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.saying = patience
	w.crash()
	gate, began := filepath.Join(w.dir, "go"), filepath.Join(w.dir, "began")
	touch(t, gate)
	for _, code := range []string{
		"import os, time; now, same = time.time_ns(), 1", "x = 1; print(now)",
		fmt.Sprintf("open(%q, 'w').close()\nwhile not os.path.exists(%q): time.sleep(0.01)\ny = 2", began, gate), "later = now // 2; z = 3",
	} {
		w.run(code)
	}
	last := w.run("print('end')")
	w.run("gone = 1")
	w.until("six checkpoints", func() bool { return len(w.points) == 6 })
	if err := errors.Join(os.Remove(gate), os.Remove(began)); err != nil {
		t.Fatal(err)
	}
	w.do(&clew.RewindData{Target: clew.Target{MessageID: w.shown(last.RunID)[0].MessageID}, KeepTarget: true})
	w.until("the question", func() bool { return len(w.asked) > 0 })
	w.answer(string(clew.KernelRerun))
	poll(t, "the third cell", func() bool { _, err := os.Stat(began); return err == nil })
	w.crash()
	touch(t, gate)
	said := func() (text string) {
		for _, id := range w.order {
			if m := w.message[id]; m.Say == clew.SayKernelStatus && m.Cell == nil {
				text = m.Text
			}
		}
		return text
	}
	w.until("the end", func() bool { return said() != "" })
	if want := "The notebook: all 5 cells ran again in a fresh kernel. Cells 2 (now) and 5 (later) had different results."; said() != want {
		t.Errorf("it says\n%s\nwant\n%s", said(), want)
	}
	var got []string
	for _, p := range w.points[6:] {
		got = append(got, fmt.Sprint(p.Same, p.Differing))
	}
	if want := []string{"false [now]", "true []", "true []", "false [later]", "true []"}; !slices.Equal(got, want) {
		t.Errorf("the checkpoints say %q, want %q", got, want)
	}
}
