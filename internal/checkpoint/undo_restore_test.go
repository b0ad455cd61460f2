package checkpoint_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// tall is a file that cannot be written while smallFiles is in force, though a
// checkpoint of it is small.
var tall = strings.Repeat("0123456789abcdef", 1<<16)

// alone runs the test in a process of its own, for limits that hold for all of a
// process. It reports whether this is not that process.
func alone(t *testing.T) bool {
	t.Helper()
	const mark = "CLEW_CHECKPOINT_ALONE"
	if os.Getenv(mark) != "" {
		return false
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mark+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return true
}

// smallFiles has the system refuse files of more than 100 kB, as a full disk
// would, until the function it gives is called.
func smallFiles(t *testing.T) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var was unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &was))
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100_000, Max: was.Max}))
	lift = func() { must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &was)) }
	t.Cleanup(lift)
	return lift
}

// A restore that fails while it writes is taken back, and does not go on later
// when nobody thinks of it any more.
func TestRestoreWriteError(t *testing.T) {
	if alone(t) {
		return
	}
	p, root := place(t, map[string]string{"a": "old a", "b": tall, "c": "old c", "gone/x": "old x"}, checkpoint.Options{}, checkpoint.Rules{})
	old := save(t, p)
	for _, name := range []string{"a", "b", "c"} {
		put(t, root, name, "new")
	}
	must(t, os.RemoveAll(filepath.Join(root, "gone")))
	want := readTree(t, root, nil)
	lift := smallFiles(t)
	_, err := p.Restore(t.Context(), old.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "rw1"})
	if !errors.Is(err, syscall.EFBIG) || errors.Is(err, checkpoint.ErrUnsettled) || clew.CodeOf(err) != clew.CheckpointFailed {
		t.Errorf("the restore says %v", err)
	}
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Errorf("it was not taken back:\n%s", d)
	}
	save(t, p)
	if _, err := p.List(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if r, err := p.Recover(t.Context(), "sess"); err != nil || r.ID != "" {
		t.Errorf("%+v %v", r, err)
	}
	lift()
	put(t, root, "c", "the person goes on")
	want = readTree(t, root, nil)
	save(t, p)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Errorf("it went on by itself:\n%s", d)
	}
	restore(t, p, old.Hash)
	healthy(t, p)
}

// When it cannot be taken back either, the session whose restore it is hears so,
// others only that they have to wait; it is taken back as soon as that can be, and
// leaves alone what was edited meanwhile.
func TestRestoreUnsettled(t *testing.T) {
	if alone(t) {
		return
	}
	p, root := place(t, map[string]string{"a": "old a", "b": tall, "c": "old c", "d": "old d"}, checkpoint.Options{}, checkpoint.Rules{})
	old := save(t, p)
	put(t, root, "a", tall+"new")
	for _, name := range []string{"b", "c", "d"} {
		put(t, root, name, "new")
	}
	lift := smallFiles(t)
	_, err := p.Restore(t.Context(), old.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "rw1"})
	if !errors.Is(err, checkpoint.ErrUnsettled) || clew.CodeOf(err) != clew.CheckpointFailed || clew.AsError(err).Message != checkpoint.ErrUnsettled.Error() {
		t.Fatalf("the restore says %v", err)
	}
	if _, err := p.Recover(t.Context(), "sess"); !errors.Is(err, checkpoint.ErrUnsettled) {
		t.Error(err)
	}
	if _, err := p.Recover(t.Context(), "other"); err == nil || errors.Is(err, checkpoint.ErrUnsettled) {
		t.Error(err)
	}
	if _, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: "s"}); clew.CodeOf(err) != clew.CheckpointFailed || errors.Is(err, checkpoint.ErrUnsettled) {
		t.Error(err)
	}
	put(t, root, "c", "a day's work")
	lift()
	if r, err := p.Recover(t.Context(), "sess"); err != nil || r.ID != "" {
		t.Errorf("%+v %v", r, err)
	}
	for name, want := range map[string]string{"a": tall + "new", "b": "new", "c": "a day's work", "d": "new"} {
		if b, _ := os.ReadFile(filepath.Join(root, name)); string(b) != want {
			t.Errorf("%s is %.20q", name, b)
		}
	}
	save(t, p)
	restore(t, p, old.Hash)
	healthy(t, p)
}

// Whichever step fails, everything is as it was.
func TestRestoreFailsAtEachStep(t *testing.T) {
	base := memoryDir(t)
	for steps := 0; ; steps++ {
		s := newScene(t, base)
		p := s.open(t)
		failed, err := p.RestoreFailing(t.Context(), s.first, checkpoint.RestoreOptions{Session: "sess", ID: "r"}, steps)
		must(t, err)
		if !failed {
			if steps < 30 {
				t.Errorf("it has only %d steps", steps)
			}
			return
		}
		s.check(t, p, fmt.Sprint("step ", steps), s.two)
	}
}

// Killed at each step of a restore that fails and of its being taken back: it is
// wholly done or wholly not, and Recover says which.
func TestCrashRetreat(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	places := passed(t, bin, base, "retreat", func(*scene) {})
	if len(places) < 20 {
		t.Fatal(places)
	}
	for _, at := range places {
		s := newScene(t, base)
		if !play(t, bin, s.dir, "retreat", s.first, at, "") {
			t.Errorf("%s: not killed", at)
		}
		p := s.open(t)
		r, err := p.Recover(t.Context(), "sess")
		must(t, err)
		want := s.two
		if r.ID == "killed" {
			want = s.one
		}
		s.check(t, p, at, want)
	}
}

// What is edited between two crashes stays as well, and is saved before anything
// is changed.
func TestCrashTwiceThenEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	s, bin := newScene(t, memoryDir(t)), crashBinary(t)
	if !play(t, bin, s.dir, "restore", s.first, "checkpoint.put:3", "") {
		t.Fatal("not killed")
	}
	put(t, s.root, "change", "edited after the first crash")
	if !play(t, bin, s.dir, "recover", "", "checkpoint.put:2", "") {
		t.Fatal("not killed")
	}
	put(t, s.root, "kind2/in", "edited after the second crash")
	put(t, s.root, "gone/y", "edited after the second crash")
	p := s.open(t)
	r, err := p.Recover(t.Context(), "sess")
	must(t, err)
	left := []string{"change", "gone/y", "kind2/in"}
	if !r.Finished || !slices.Equal(r.Left, left) {
		t.Errorf("%+v", r)
	}
	for _, name := range left {
		if b, _ := os.ReadFile(filepath.Join(s.root, name)); !strings.HasPrefix(string(b), "edited") {
			t.Errorf("%s is %q", name, b)
		}
	}
	again, err := p.Recover(t.Context(), "sess") // who comes later hears the same
	if err != nil || again.Finished || again.Cut != r.Cut || !slices.Equal(again.Left, r.Left) {
		t.Errorf("%+v %v", again, err)
	}
	restore(t, p, r.Cut)
	for _, name := range left {
		if b, _ := os.ReadFile(filepath.Join(s.root, name)); !strings.HasPrefix(string(b), "edited") {
			t.Errorf("%s is %q in the checkpoint", name, b)
		}
	}
	healthy(t, p)
}

// When there is no room to save what was edited, it stays all the same.
func TestCrashThenEditWithoutRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	s := newScene(t, memoryDir(t))
	if !play(t, crashBinary(t), s.dir, "restore", s.first, "checkpoint.put:3", "") {
		t.Fatal("not killed")
	}
	edited := string(makeNoise(1, 1<<20))
	put(t, s.root, "change", edited)
	p, err := store(t, filepath.Join(s.dir, "data"), checkpoint.Options{Quota: 1 << 19}).Workspace(t.Context(), s.root, checkpoint.Rules{})
	must(t, err)
	r, err := p.Recover(t.Context(), "sess")
	if err != nil || !r.Finished || r.Cut != "" || !slices.Equal(r.Left, []string{"change"}) {
		t.Errorf("%+v %v", r, err)
	}
	if b, _ := os.ReadFile(filepath.Join(s.root, "change")); string(b) != edited {
		t.Errorf("it is %.20q", b)
	}
}

// What a restore took out of its place goes back if the process died before it
// saw that it is somebody's work; also if the restore was to be taken back then.
func TestCrashExchanged(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	for _, back := range []bool{false, true} {
		s := newScene(t, base)
		if !play(t, bin, s.dir, "restore", s.first, "checkpoint.exchanged:1", "") {
			t.Fatal("not killed")
		}
		out, _ := filepath.Glob(filepath.Join(s.root, ".clew-restore-*"))
		if b, _ := os.ReadFile(filepath.Join(s.root, "change")); len(out) != 1 || string(b) != "one" {
			t.Fatalf("%v %q", out, b)
		}
		must(t, os.WriteFile(out[0], []byte("somebody's work"), 0o644))
		want := maps.Clone(s.one)
		if back {
			s.turnBack(t)
			want = maps.Clone(s.two)
		}
		p := s.open(t)
		r, err := p.Recover(t.Context(), "sess")
		if err != nil || r.Finished == back || !back && !slices.Equal(r.Left, []string{"change"}) {
			t.Errorf("%+v %v", r, err)
		}
		if b, _ := os.ReadFile(filepath.Join(s.root, "change")); string(b) != "somebody's work" {
			t.Errorf("it is %q", b)
		}
		is := readTree(t, s.root, leftAlone) // has nothing left over either
		want["change"] = is["change"]
		if d := differ(want, is); d != "" {
			t.Error(d)
		}
	}
}

// Half a file is not taken for somebody's work, also where the right bytes are in
// place: only the permissions of this one change, and it has a second name.
func TestCrashHalfWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	for n := 1; n < 10; n++ {
		s := newScene(t, base)
		must(t, os.Link(filepath.Join(s.root, "keep"), filepath.Join(s.dir, "second name")))
		if !play(t, bin, s.dir, "restore", s.first, fmt.Sprint("checkpoint.written:", n), "") {
			break
		}
		out, _ := filepath.Glob(filepath.Join(s.root, ".clew-restore-*"))
		if len(out) != 1 {
			continue
		}
		must(t, os.Chmod(out[0], 0o600)) // it has none
		if b, err := os.ReadFile(out[0]); err != nil || string(b) != "same" {
			continue
		}
		must(t, os.Truncate(out[0], 2))
		must(t, os.Chmod(out[0], 0))
		p := s.open(t)
		r, err := p.Recover(t.Context(), "sess")
		if err != nil || !r.Finished || len(r.Left) > 0 {
			t.Errorf("%+v %v", r, err)
		}
		s.check(t, p, "half written", s.one)
		return
	}
	t.Error("it never died while it wrote that file")
}

// turnBack has the note of a restore say that it is being taken back.
func (s *scene) turnBack(t *testing.T) {
	t.Helper()
	notes, _ := filepath.Glob(filepath.Join(s.dir, "data", "*", "restore"))
	if len(notes) != 1 {
		t.Fatal(notes)
	}
	b, err := os.ReadFile(notes[0])
	must(t, err)
	b[0] = 'r'
	must(t, os.WriteFile(notes[0], b, 0o600))
}

// A restore that was cut off and whose checkpoints are gone is given up, so that
// the place can be used; the session hears of it.
func TestCrashThenDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	s := newScene(t, memoryDir(t))
	if !play(t, crashBinary(t), s.dir, "restore", s.first, "checkpoint.put:3", "") {
		t.Fatal("not killed")
	}
	files, _ := filepath.Glob(filepath.Join(s.dir, "data", "*", "repo", "objects", "pack", "*"))
	for _, name := range files {
		must(t, os.Remove(name))
	}
	p := s.open(t)
	if _, err := p.Recover(t.Context(), "sess"); clew.CodeOf(err) != clew.CheckpointFailed || errors.Is(err, checkpoint.ErrUnsettled) {
		t.Error(err)
	}
	if r, err := p.Recover(t.Context(), "sess"); err != nil || r.ID != "" {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := p.List(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// What somebody saves while the restore writes the old file is not lost, whenever
// in that time it is.
func TestSavedWhileRestoring(t *testing.T) {
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	put(t, root, "data", strings.Repeat(tall, 32))
	old := save(t, p)
	put(t, root, "data", "second")
	save(t, p)
	const work = "what a person saved just now"
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			if m, _ := filepath.Glob(filepath.Join(root, ".clew-restore-*")); len(m) > 0 {
				done <- os.WriteFile(filepath.Join(root, "data"), []byte(work), 0o644)
				return
			}
			select {
			case <-stop:
				done <- errors.New("the restore was never seen to write")
				return
			default:
			}
		}
	}()
	_, err := p.Restore(t.Context(), old.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "r"})
	must(t, err)
	close(stop)
	must(t, <-done)
	if b, _ := os.ReadFile(filepath.Join(root, "data")); string(b) != work {
		t.Errorf("it is %.20q", b)
	}
}
