package checkpoint_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
)

// The parts that the helper process plays.
const crashPart = "CLEW_CHECKPOINT_PART"

// TestCrashHelper is the process that is killed. It plays a part when the
// environment says so.
func TestCrashHelper(t *testing.T) {
	part := os.Getenv(crashPart)
	if part == "" {
		t.Skip("not the helper")
	}
	dir := os.Getenv("CLEW_CHECKPOINT_DIR")
	s := store(t, filepath.Join(dir, "data"), checkpoint.Options{})
	p, err := s.Workspace(t.Context(), filepath.Join(dir, "work"), checkpoint.Rules{})
	must(t, err)
	switch part {
	case "save":
		_, err = p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: "killed"})
	case "restore":
		_, err = p.Restore(t.Context(), os.Getenv("CLEW_CHECKPOINT_HASH"), checkpoint.RestoreOptions{Session: "sess", ID: "killed"})
	case "recover":
		_, err = p.Recover(t.Context(), "sess")
	case "retreat":
		_, err = p.RestoreFailing(t.Context(), os.Getenv("CLEW_CHECKPOINT_HASH"), checkpoint.RestoreOptions{Session: "sess", ID: "killed"}, 28)
	case "gc":
		_, err = p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.ID != "drop" })
	}
	must(t, err)
}

// crashBinary is this test with places to die in.
func crashBinary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "checkpoint.test")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "crashpoints", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return bin
}

// play runs a part and reports whether it was killed. at is a place and a
// number, log the file that lists the places passed.
func play(t *testing.T, bin, dir, part, hash, at, log string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "-test.run=^TestCrashHelper$")
	cmd.Env = append(os.Environ(), crashPart+"="+part, "CLEW_CHECKPOINT_DIR="+dir, "CLEW_CHECKPOINT_HASH="+hash, "CLEW_CRASH_AT="+at, "CLEW_CRASH_LOG="+log)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%s: %v %s", part, err, out)
	}
	return false
}

// A scene is a workspace with two states, of which the second is on disk.
type scene struct {
	dir, root string
	first     string // hash of the first state
	one, two  tree
}

func newScene(t *testing.T, base string) *scene {
	t.Helper()
	dir, err := os.MkdirTemp(base, "scene")
	must(t, err)
	s := &scene{dir: dir, root: filepath.Join(dir, "work")}
	for name, content := range map[string]string{
		"keep": "same", "change": "one", "gone/deep/x": "one", "gone/y": "one", "kind": "a file", "kind2/in": "one", "link": "->one", "ro/file": "one",
		"node_modules/m": "left alone", "gone/node_modules/m": "left alone",
	} {
		put(t, s.root, name, content)
	}
	must(t, unix.Chmod(filepath.Join(s.root, "ro"), 0o555))
	s.one = readTree(t, s.root, leftAlone)
	p := s.open(t)
	s.first = save(t, p).Hash
	must(t, unix.Chmod(filepath.Join(s.root, "ro"), 0o755))
	for _, name := range []string{"gone/deep", "gone/y", "kind", "kind2", "link", "ro/file"} {
		must(t, os.RemoveAll(filepath.Join(s.root, name)))
	}
	for name, content := range map[string]string{
		"change": "two", "kind/in": "two", "kind2": "a file", "link": "->two", "new/a/b": "two", "new/c": "two", "ro/other": "two",
	} {
		put(t, s.root, name, content)
	}
	must(t, unix.Chmod(filepath.Join(s.root, "ro"), 0o500))
	must(t, unix.Chmod(filepath.Join(s.root, "keep"), 0o600))
	s.two = readTree(t, s.root, leftAlone)
	return s
}

func (s *scene) open(t *testing.T) *checkpoint.Place {
	t.Helper()
	p, err := store(t, filepath.Join(s.dir, "data"), checkpoint.Options{}).Workspace(t.Context(), s.root, checkpoint.Rules{})
	must(t, err)
	return p
}

// passed lists the places that a part goes through.
func passed(t *testing.T, bin, base, part string, prepare func(*scene)) []string {
	t.Helper()
	s := newScene(t, base)
	prepare(s)
	log := filepath.Join(s.dir, "log")
	if play(t, bin, s.dir, part, s.first, "none:1", log) {
		t.Fatal("killed at no place")
	}
	b, err := os.ReadFile(log)
	must(t, err)
	return strings.Fields(string(b))
}

// Killed at each step of a save: the files are as they were, the checkpoint is
// there or is not, and the next one is right.
func TestCrashSave(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	places := passed(t, bin, base, "save", func(*scene) {})
	if len(places) < 4 {
		t.Fatal(places)
	}
	for _, at := range places {
		s := newScene(t, base)
		if !play(t, bin, s.dir, "save", "", at, "") {
			t.Errorf("%s: not killed", at)
		}
		p := s.open(t)
		list, err := p.List(t.Context(), "sess")
		must(t, err)
		there := slices.ContainsFunc(list, func(c checkpoint.Checkpoint) bool { return c.ID == "killed" })
		if named := strings.HasPrefix(at, "checkpoint.named"); there != named {
			t.Errorf("%s: in the list: %v", at, there)
		}
		s.check(t, p, at, s.two)
	}
}

// check saves, goes to the first state and back, and looks at both.
func (s *scene) check(t *testing.T, p *checkpoint.Place, at string, now tree) {
	t.Helper()
	if d := differ(now, readTree(t, s.root, leftAlone)); d != "" {
		t.Errorf("%s: the files are not as they should be\n%s", at, d)
	}
	saved := save(t, p)
	restore(t, p, s.first)
	if d := differ(s.one, readTree(t, s.root, leftAlone)); d != "" {
		t.Errorf("%s: the first state is another\n%s", at, d)
	}
	restore(t, p, saved.Hash)
	if d := differ(now, readTree(t, s.root, leftAlone)); d != "" {
		t.Errorf("%s: the state after the crash is another\n%s", at, d)
	}
	healthy(t, p)
	for _, name := range []string{".", "ro", "gone", "new"} {
		if left, _ := filepath.Glob(filepath.Join(s.root, name, ".clew-restore-*")); len(left) > 0 {
			t.Errorf("%s: %v is left over", at, left)
		}
	}
}

// Killed at each step of a restore: afterwards it is wholly done or wholly not,
// and Recover says which.
func TestCrashRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	places := passed(t, bin, base, "restore", func(*scene) {})
	if len(places) < 20 {
		t.Fatal(places)
	}
	done := 0
	for _, at := range places {
		s := newScene(t, base)
		if !play(t, bin, s.dir, "restore", s.first, at, "") {
			t.Errorf("%s: not killed", at)
		}
		p := s.open(t)
		r, err := p.Recover(t.Context(), "sess")
		must(t, err)
		again, err := p.Recover(t.Context(), "sess")
		if err != nil || again.Finished || again.ID != r.ID {
			t.Errorf("%s: told otherwise the second time: %+v %v", at, again, err)
		}
		want := s.two
		if r.ID == "killed" {
			done++
			want = s.one
			if r.To != s.first || r.Finished == strings.HasPrefix(at, "checkpoint.restored") {
				t.Errorf("%s: %+v", at, r)
			}
			s.checkBefore(t, p, at, r)
		} else if r.ID != "" || r.Finished {
			t.Errorf("%s: %+v", at, r)
		}
		s.check(t, p, at, want)
	}
	if done < 10 || done == len(places) {
		t.Errorf("%d of %d were done", done, len(places))
	}
}

// What somebody changes between the crash and its repair is saved, and left as
// it is when the restore is finished.
func TestCrashThenEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	s := newScene(t, memoryDir(t))
	if !play(t, crashBinary(t), s.dir, "restore", s.first, "checkpoint.put:3", "") {
		t.Fatal("not killed")
	}
	put(t, s.root, "change", "edited meanwhile")
	edited := readTree(t, s.root, leftAlone)
	p := s.open(t)
	r, err := p.Recover(t.Context(), "sess")
	must(t, err)
	want := maps.Clone(s.one)
	want["change"] = edited["change"]
	if d := differ(want, readTree(t, s.root, leftAlone)); d != "" || !r.Finished || r.Cut == "" || !slices.Equal(r.Left, []string{"change"}) {
		t.Errorf("%+v\n%s", r, d)
	}
	restore(t, p, r.Cut)
	if d := differ(edited, readTree(t, s.root, leftAlone)); d != "" {
		t.Error(d)
	}
}

// checkBefore undoes the restore and does it again.
func (s *scene) checkBefore(t *testing.T, p *checkpoint.Place, at string, r checkpoint.Recovered) {
	t.Helper()
	undo := restore(t, p, r.From)
	if d := differ(s.two, readTree(t, s.root, leftAlone)); d != "" {
		t.Errorf("%s: undone to another state\n%s", at, d)
	}
	restore(t, p, undo.Before.Hash)
}

// Killed at each step of a collection: no checkpoint that was kept is harmed,
// and the index tells no lies.
func TestCrashGC(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	bin, base := crashBinary(t), memoryDir(t)
	prepare := func(s *scene) {
		p := s.open(t)
		for i := range 3 {
			put(t, s.root, "change", fmt.Sprint("version ", i))
			id := "drop"
			if i > 0 {
				id = fmt.Sprint("stay-", i)
			}
			_, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: id})
			must(t, err)
		}
		s.two = readTree(t, s.root, leftAlone)
	}
	for _, at := range passed(t, bin, base, "gc", prepare) {
		s := newScene(t, base)
		prepare(s)
		if !play(t, bin, s.dir, "gc", "", at, "") {
			t.Errorf("%s: not killed", at)
		}
		s.check(t, s.open(t), at, s.two)
	}
}
