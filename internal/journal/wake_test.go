package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
)

// sleeper hears the wake-ups of a journal.
type sleeper struct {
	t     *testing.T
	heard chan clew.SessionID
	stop  func()
	mu    sync.Mutex
	count map[clew.SessionID]int
}

func listen(t *testing.T, j *journal.Journal, fail func(clew.SessionID) error) *sleeper {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sleeper{t: t, heard: make(chan clew.SessionID, 100), count: map[clew.SessionID]int{}}
	done := make(chan error, 1)
	go func() {
		done <- j.Wakes(ctx, func(_ context.Context, id clew.SessionID) error {
			s.mu.Lock()
			s.count[id]++
			s.mu.Unlock()
			err := fail(id)
			s.heard <- id
			return err
		})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

func never(clew.SessionID) error { return nil }

// await waits until the session is woken and gives the others that were before.
func (s *sleeper) await(id clew.SessionID) {
	s.t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case got := <-s.heard:
			if got == id {
				return
			}
		case <-limit:
			s.t.Fatalf("%s was not woken", id)
		}
	}
}

func (s *sleeper) times(id clew.SessionID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[id]
}

func wakeIn(t *testing.T, j *journal.Journal, id clew.SessionID, d time.Duration) {
	t.Helper()
	if err := j.Wake(t.Context(), id, time.Now().Add(d).UnixMilli()); err != nil {
		t.Fatal(err)
	}
}

// inTime changes wake-ups before they fall due: each try is of another session, and one
// that the machine was too slow for is woken, as it should be, and does not count.
func inTime(t *testing.T, j *journal.Journal, name string, d time.Duration, change func(clew.SessionID)) clew.SessionID {
	t.Helper()
	for try := 0; ; try++ {
		id, due := clew.SessionID(fmt.Sprint(name, try)), time.Now().Add(d)
		wakeIn(t, j, id, d)
		change(id)
		if time.Now().Before(due) {
			return id
		}
	}
}

func TestWakes(t *testing.T) {
	j := openLax(t, t.TempDir())
	var failed sync.Once
	s := listen(t, j, func(id clew.SessionID) (err error) {
		if id == "flaky" {
			failed.Do(func() { err = errors.New("not now") })
		}
		return err
	})
	began := time.Now()
	wakeIn(t, j, "due", 300*time.Millisecond)
	wakeIn(t, j, "flaky", 300*time.Millisecond)
	wakeIn(t, j, "sooner", time.Hour)
	wakeIn(t, j, "sooner", 300*time.Millisecond)
	later := inTime(t, j, "later", 300*time.Millisecond, func(id clew.SessionID) { wakeIn(t, j, id, time.Hour) })
	off := inTime(t, j, "off", 300*time.Millisecond, func(id clew.SessionID) {
		if err := j.Wake(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
	})
	if err := j.Wake(t.Context(), "never set", 0); err != nil {
		t.Errorf("taking back what was not set: %v", err)
	}
	s.await("due")
	if time.Since(began) < 300*time.Millisecond {
		t.Error("woken too early")
	}
	s.await("flaky") // the second time, or both times
	for s.times("flaky") < 2 {
		s.await("flaky")
	}
	wakeIn(t, j, "marker", 300*time.Millisecond)
	s.await("marker")
	for id, want := range map[clew.SessionID]int{"due": 1, "sooner": 1, later: 0, off: 0, "never set": 0, "flaky": 2} {
		if got := s.times(id); got != want {
			t.Errorf("%s was woken %d times, want %d", id, got, want)
		}
	}
}

// Wake-ups are kept over a restart, also those that fell due meanwhile.
func TestWakesSurviveRestart(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	wakeIn(t, j, "meanwhile", 50*time.Millisecond)
	wakeIn(t, j, "after", 3*time.Second)
	off := inTime(t, j, "off", time.Second, func(id clew.SessionID) {
		if err := j.Wake(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
	})
	j.Close(context.Background())
	j = openDir(t, dir)
	defer j.Close(context.Background())
	s := listen(t, j, never)
	s.await("meanwhile")
	if s.times("after") == 0 {
		s.await("after")
	}
	s.stop()
	if s.times(off) != 0 {
		t.Error("a wake-up that was taken back came after the restart")
	}
}

func TestOneProcessPerDirectory(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	if _, err := journal.Open(t.Context(), journal.Config{Dir: dir}, quiet()); !errors.Is(err, journal.ErrDirInUse) {
		t.Errorf("a second journal on the directory: %v", err)
	}
	if err := j.Ready(t.Context()); err != nil { // and the first is none the worse
		t.Error(err)
	}
	node := j.Node()
	j.Close(context.Background())
	j = openDir(t, dir)
	defer j.Close(context.Background())
	if j.Node() != node {
		t.Errorf("the node was %s and is now %s", node, j.Node())
	}
}
