package notebook_test

import (
	"context"
	"errors"
	"fmt"
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
