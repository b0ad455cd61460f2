package checkpoint_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// A file that is written to all the time is never saved torn, or it is named.
func TestMovingFile(t *testing.T) {
	p, root := place(t, map[string]string{"calm": "x"}, checkpoint.Options{}, checkpoint.Rules{})
	name := filepath.Join(root, "busy")
	const size = 1 << 20
	write := func(c byte) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
		must(t, err)
		_, err = f.Write(bytes.Repeat([]byte{c}, size))
		must(t, errors.Join(err, f.Close()))
	}
	write('a')
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := byte(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				write('a' + i%26)
			}
		}
	})
	type result struct {
		hash   string
		moving bool
	}
	var results []result
	for range 20 {
		s, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID(), AllowEmpty: true})
		must(t, err)
		results = append(results, result{s.Hash, slices.Contains(s.Moving, "busy")})
	}
	close(stop)
	wait.Wait()
	for _, r := range results {
		restore(t, p, r.hash)
		b, err := os.ReadFile(name)
		must(t, err)
		if torn := len(b) != size || len(bytes.Trim(b, string(b[:1]))) > 0; torn && !r.moving {
			t.Error("a torn file was saved as if it were whole")
		}
	}
	write('z')
	s := save(t, p)
	if len(s.Moving) > 0 {
		t.Errorf("%+v", s)
	}
}

// A file that changes and keeps its size and time is seen, at once and later.
func TestSameStamp(t *testing.T) {
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	name := filepath.Join(root, "f")
	old := time.Unix(1_000_000_000, 0)
	seen := map[string]bool{}
	for i := range 100 {
		put(t, root, "f", fmt.Sprintf("%03d", i))
		if i%2 == 0 {
			must(t, os.Chtimes(name, old, old))
		}
		s := save(t, p)
		if !s.Changed || seen[s.Hash] {
			t.Fatalf("change %d was not seen", i)
		}
		seen[s.Hash] = true
	}
}

// Two stores on one directory, as two processes would have them, and several
// sessions at once: every checkpoint is whole and in the list.
func TestShared(t *testing.T) {
	dir := memoryDir(t)
	root, data := filepath.Join(dir, "work"), filepath.Join(dir, "data")
	put(t, root, "shared", "x")
	var places []*checkpoint.Place
	for range 2 {
		p, err := store(t, data, checkpoint.Options{RepackAfter: 10}).Workspace(t.Context(), root, checkpoint.Rules{})
		must(t, err)
		places = append(places, p)
	}
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			session := fmt.Sprint("s", i)
			for j := range 10 {
				if err := os.WriteFile(filepath.Join(root, session), fmt.Append(nil, j), 0o644); err != nil {
					t.Error(err)
				}
				if _, err := places[i%2].Save(context.WithoutCancel(t.Context()), checkpoint.Ref{Session: session, ID: fmt.Sprint(j)}); err != nil {
					t.Error(err)
				}
				if j == 5 && i == 0 {
					if _, err := places[1].GC(context.WithoutCancel(t.Context()), nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Wait()
	for i, p := range places {
		list, err := p.List(t.Context(), "")
		must(t, err)
		if len(list) != 40+i { // the restore below adds one
			t.Errorf("store %d lists %d checkpoints", i, len(list))
		}
		own, err := p.List(t.Context(), "s1")
		must(t, err)
		restore(t, p, own[3].Hash)
		if b, _ := os.ReadFile(filepath.Join(root, "s1")); string(b) != "3" {
			t.Errorf("store %d: %q", i, b)
		}
		healthy(t, p)
	}
}

// The index only saves time: without it, with a damaged one, and after other
// changes, the next checkpoint is right.
func TestDamagedIndex(t *testing.T) {
	dir := memoryDir(t)
	root, data := filepath.Join(dir, "work"), filepath.Join(dir, "data")
	put(t, root, "a", "1")
	put(t, root, "d/b", "1")
	for round, harm := range []func(string){
		func(string) {},
		func(name string) { must(t, os.Remove(name)) },
		func(name string) { must(t, os.Truncate(name, 50)) },
		func(name string) {
			b, err := os.ReadFile(name)
			must(t, err)
			b[len(b)/2] ^= 1
			must(t, os.WriteFile(name, b, 0o600))
		},
		func(name string) { must(t, os.WriteFile(name, []byte("clew index 1\n"), 0o600)) },
	} {
		s, err := checkpoint.Open(data, checkpoint.Options{})
		must(t, err)
		p, err := s.Workspace(t.Context(), root, checkpoint.Rules{})
		must(t, err)
		put(t, root, "a", fmt.Sprint("round ", round))
		sv := save(t, p)
		put(t, root, "a", "else")
		restore(t, p, sv.Hash)
		if b, _ := os.ReadFile(filepath.Join(root, "a")); string(b) != fmt.Sprint("round ", round) {
			t.Errorf("round %d: %q", round, b)
		}
		must(t, s.Close())
		found, _ := filepath.Glob(filepath.Join(data, "*", "index"))
		if len(found) != 1 {
			t.Fatal(found)
		}
		harm(found[0])
	}
}

// Damage to what is stored is found, said, and never restored: what was changed
// by then is taken back, and the place stays usable.
func TestDamagedPack(t *testing.T) {
	content := strings.Repeat("content ", 1000)
	p, root := place(t, map[string]string{"a": "fine", "b": content, "gone/x": "fine"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	packs, _ := filepath.Glob(filepath.Join(filepath.Dir(root), "data", "*", "repo", "objects", "pack", "*.pack"))
	if len(packs) != 1 {
		t.Fatal(packs)
	}
	b, err := os.ReadFile(packs[0])
	must(t, err)
	at := bytes.Index(b, deflated(content))
	if at < 0 {
		t.Fatal("the file is not in the pack")
	}
	b[at+20] ^= 4
	must(t, os.Chmod(packs[0], 0o600))
	must(t, os.WriteFile(packs[0], b, 0o600))
	problems, err := p.Fsck(t.Context())
	if err != nil || len(problems) == 0 {
		t.Errorf("%v %v", problems, err)
	}
	put(t, root, "a", "now")
	put(t, root, "b", "now")
	must(t, os.RemoveAll(filepath.Join(root, "gone")))
	put(t, root, "new/y", "now")
	want := readTree(t, root, nil)
	if _, err := p.Restore(t.Context(), s.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "r"}); err == nil {
		t.Error("a damaged checkpoint was restored")
	}
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	if r, err := p.Recover(t.Context(), "sess"); err != nil || r.ID != "" {
		t.Errorf("%+v %v", r, err)
	}
	put(t, root, "a", "later")
	good := save(t, p)
	put(t, root, "a", "even later")
	restore(t, p, good.Hash)
	restore(t, p, s.Hash, "a", "gone")
	if b, _ := os.ReadFile(filepath.Join(root, "a")); string(b) != "fine" || !exists(root, "gone/x") {
		t.Errorf("%q", b)
	}
}

func deflated(s string) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

// As an ordinary user: directories and files that may not be written or read
// are restored, or left alone and named.
func TestPermissions(t *testing.T) {
	if os.Getenv("CLEW_CHECKPOINT_USER") == "" && os.Getuid() == 0 {
		dir, err := os.MkdirTemp("", "clew")
		must(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		must(t, os.Chmod(dir, 0o777))
		exe := filepath.Join(dir, "test")
		self, err := os.ReadFile(os.Args[0])
		must(t, err)
		must(t, os.WriteFile(exe, self, 0o755))
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestPermissions$", "-test.v")
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "HOME=" + dir, "CLEW_CHECKPOINT_USER=1"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	p, root := place(t, map[string]string{"ro/file": "1", "ro/deep/file": "1", "wo": "1", "none/file": "1", "nox/file": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	mode := func(name string, m uint32) { must(t, unix.Chmod(filepath.Join(root, name), m)) }
	mode("ro/file", 0o400)
	mode("ro/deep", 0o500)
	mode("ro", 0o555)
	mode("wo", 0o200)
	mode("none", 0)
	mode("nox", 0o600)
	s := save(t, p)
	for _, name := range []string{"wo", "none", "nox"} {
		if !slices.Contains(s.Left, name) {
			t.Errorf("%s is not named: %+v", name, s)
		}
	}
	skip := func(rel string) bool { return rel == "wo" || rel == "none" || rel == "nox" }
	want := readTree(t, root, skip)
	mode("ro", 0o755)
	mode("ro/deep", 0o755)
	put(t, root, "ro/deep/file", "2")
	put(t, root, "ro/new/file", "2")
	must(t, os.Remove(filepath.Join(root, "ro/file")))
	mode("ro/new", 0o555)
	mode("ro/deep", 0o500)
	mode("ro", 0o500)
	before := readTree(t, root, skip)
	r := restore(t, p, s.Hash)
	if d := differ(want, readTree(t, root, skip)); d != "" || len(r.Left) > 0 {
		t.Errorf("%+v\n%s", r, d)
	}
	restore(t, p, r.Before.Hash)
	if d := differ(before, readTree(t, root, skip)); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"ro", "ro/deep", "ro/new", "none", "nox"} {
		mode(name, 0o755) // so that the test can be cleaned up
	}
}

// What changes between the saving of the present state and the restore is not
// overwritten: it is in no checkpoint.
func TestChangedMeanwhile(t *testing.T) {
	meanwhile := func() {}
	p, root := place(t, map[string]string{"a": "1", "b": "1", "c": "1", "made": "1"}, checkpoint.Options{}, checkpoint.Rules{
		// The rules are asked about a file that is to be made after the present
		// state was saved and before anything is changed.
		Ignore: func(path string, _ bool) bool {
			if path == "made" {
				meanwhile()
			}
			return false
		},
	})
	s := save(t, p)
	must(t, os.Remove(filepath.Join(root, "made")))
	must(t, os.Remove(filepath.Join(root, "c")))
	for _, name := range []string{"a", "b", "new", "new2"} {
		put(t, root, name, "22")
	}
	meanwhile = func() {
		put(t, root, "b", "another")
		put(t, root, "new", "another")
		put(t, root, "c", "another")
	}
	r := restore(t, p, s.Hash)
	for name, want := range map[string]string{"a": "1", "made": "1", "b": "another", "new": "another", "c": "another", "new2": ""} {
		if b, _ := os.ReadFile(filepath.Join(root, name)); string(b) != want {
			t.Errorf("%s is %q", name, b)
		}
	}
	if !slices.Equal(r.Left, []string{"b", "c", "new"}) {
		t.Errorf("%+v", r)
	}
	meanwhile = func() {}
	r = restore(t, p, s.Hash)
	if b, _ := os.ReadFile(filepath.Join(root, "b")); string(b) != "1" || exists(root, "new") || len(r.Left) > 0 {
		t.Errorf("%q %+v", b, r)
	}
}

// Each session hears of its own last restore, also if another one had one since.
func TestRecoverBySession(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	for i := range 3 {
		for _, session := range []string{"one", "two"} {
			put(t, root, "a", fmt.Sprint(session, i))
			if i == 2 {
				put(t, root, "b", "so that it is not a single rename")
			}
			_, err := p.Restore(t.Context(), s.Hash, checkpoint.RestoreOptions{Session: session, ID: fmt.Sprint("r", i)})
			must(t, err)
		}
		for session, want := range map[string]string{"one": "r", "two": "r", "": "r", "sess": ""} {
			if want != "" {
				want += fmt.Sprint(i)
			}
			r, err := p.Recover(t.Context(), session)
			if err != nil || r.ID != want || r.Finished || want != "" && r.To != s.Hash {
				t.Errorf("%q: %+v %v", session, r, err)
			}
		}
	}
	if _, err := p.Recover(t.Context(), "../x"); clew.CodeOf(err) != clew.InvalidMessage {
		t.Error(err)
	}
	_, err := p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Session != "one" })
	must(t, err)
	if r, err := p.Recover(t.Context(), "one"); err != nil || r.ID != "" {
		t.Errorf("%+v %v", r, err)
	}
}

// A cancelled save changes nothing, and the next one is right.
func TestCancelled(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	for i := range 200 {
		put(t, root, fmt.Sprintf("d%d/f", i), "x")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Save(ctx, checkpoint.Ref{Session: "sess", ID: "x"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := p.Restore(ctx, s.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "y"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := save(t, p); s.Files != 201 {
		t.Errorf("%+v", s)
	}
}

// A power cut that leaves the name of a repository and empty files in it costs what
// was in it, and not all that would be saved from then on.
func TestHollowRepository(t *testing.T) {
	p, root := place(t, map[string]string{"a": "x"}, checkpoint.Options{}, checkpoint.Rules{})
	save(t, p)
	repos, err := filepath.Glob(filepath.Join(filepath.Dir(root), "data", "*", "repo"))
	must(t, err)
	if len(repos) != 1 {
		t.Fatalf("repositories: %v", repos)
	}
	must(t, os.RemoveAll(repos[0]))
	must(t, os.MkdirAll(filepath.Join(repos[0], "objects", "pack"), 0o700))
	for _, name := range []string{"HEAD", "config"} {
		must(t, os.WriteFile(filepath.Join(repos[0], name), nil, 0o600))
	}
	again := store(t, filepath.Join(filepath.Dir(root), "data"), checkpoint.Options{})
	other, err := again.Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	saved := save(t, other)
	healthy(t, other)
	put(t, root, "a", "changed")
	restore(t, other, saved.Hash)
	if b, err := os.ReadFile(filepath.Join(root, "a")); err != nil || string(b) != "x" {
		t.Errorf("restored %q, %v", b, err)
	}
}

// A repository that cannot be looked at is left alone, with what is remembered beside
// it: the disk may be back in a moment.
func TestRepositoryOutOfReach(t *testing.T) {
	p, root := place(t, map[string]string{"a": "x"}, checkpoint.Options{}, checkpoint.Rules{})
	saved := save(t, p)
	data := filepath.Join(filepath.Dir(root), "data")
	repos, err := filepath.Glob(filepath.Join(data, "*", "repo"))
	must(t, err)
	must(t, os.Rename(repos[0], repos[0]+".away"))
	must(t, os.Symlink("repo", repos[0])) // too many levels of links
	open := func() (*checkpoint.Place, error) {
		return store(t, data, checkpoint.Options{}).Workspace(t.Context(), root, checkpoint.Rules{})
	}
	if w, err := open(); err == nil {
		if _, err = w.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()}); err == nil {
			t.Error("another repository was made")
		}
	}
	must(t, os.Remove(repos[0]))
	must(t, os.Rename(repos[0]+".away", repos[0]))
	back, err := open()
	must(t, err)
	put(t, root, "a", "changed")
	restore(t, back, saved.Hash)
	if b, err := os.ReadFile(filepath.Join(root, "a")); err != nil || string(b) != "x" {
		t.Errorf("restored %q, %v", b, err)
	}
}
