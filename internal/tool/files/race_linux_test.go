package files

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool"
)

// swap makes a directory and a link change places, in one step each time, until
// told to stop.
func swap(t *testing.T, dir, to string) (stop func()) {
	t.Helper()
	d, link := filepath.Join(dir, "d"), filepath.Join(dir, "link")
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, d, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("swap: %v", err)
				return
			}
		}
	})
	stop = sync.OnceFunc(func() { close(end); swapper.Wait() })
	t.Cleanup(stop)
	return stop
}

// tries is shared by the kinds of calls below.
const tries = 100_000

func TestSwappedDirectory(t *testing.T) {
	n := nightly.Size(tries/5, tries)
	ws, beside := newWorkspace(t, map[string]string{"d/secret.txt": "inside\n"})
	stop := swap(t, ws.Dir, "../beside")
	// Most tries aim at the place where the race is: the opening of a path that
	// was judged before. The rest go through whole calls.
	opened := race(t, n*8/10, func(_ int) string {
		f, _, err := open(ws.Root, "d/secret.txt")
		if err != nil {
			return ""
		}
		defer func() { _ = f.Close() }()
		b := make([]byte, 16)
		k, _ := f.Read(b)
		return string(b[:k])
	})
	read := race(t, n/10, func(_ int) string {
		r, err := do(t, readFile{}, ws, in{"path": "d/secret.txt"})
		if err != nil {
			return ""
		}
		return r.Text
	})
	listed := race(t, n*9/100, func(_ int) string {
		r, err := do(t, listFiles{}, ws, in{"path": "d"})
		if err != nil {
			return ""
		}
		return r.Text
	})
	wrote := race(t, n/100, func(i int) string { return raceWrite(t, ws, i) })
	stop()
	t.Logf("succeeded: %d opens, %d reads, %d lists, %d writes", opened, read, listed, wrote)
	untouched(t, beside)
}

// race tries something and counts how often it succeeds. It must never come by
// what lies outside.
func race(t *testing.T, n int, try func(i int) string) (succeeded int) {
	t.Helper()
	for i := range n {
		got := try(i)
		if strings.Contains(got, "outside") {
			t.Fatalf("try %d reached the outside: %q", i, got)
		}
		if got != "" {
			succeeded++
		}
	}
	return succeeded
}

func raceWrite(t *testing.T, ws *tool.Workspace, i int) string {
	content := "inside " + strings.Repeat("x", i%7) + "\n"
	input := in{"path": "d/secret.txt", "content": content}
	var tl tool.Tool = writeFile{}
	switch i % 3 {
	case 1:
		input["path"] = "d/new/file.txt"
	case 2:
		tl, input = edit{}, in{"path": "d/secret.txt", "old": "side", "new": "Side", "replace_all": true}
	}
	r, err := do(t, tl, ws, input)
	if err != nil {
		return ""
	}
	return r.Text
}

// A link that is put in place after a path was judged does not lead past
// .clewignore either, though it stays inside.
func TestSwappedForHidden(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"d/secret.txt": "inside\n", "private/secret.txt": "outside\n", ".clewignore": "private/\n"})
	stop := swap(t, ws.Dir, "private")
	succeeded := race(t, tries/20, func(i int) string {
		if i%10 == 0 {
			return raceWrite(t, ws, i/10)
		}
		r, err := do(t, readFile{}, ws, in{"path": "d/secret.txt"})
		if err != nil {
			return ""
		}
		return r.Text
	})
	stop()
	entries, err := os.ReadDir(filepath.Join(ws.Dir, "private"))
	if err != nil || len(entries) != 1 || get(t, filepath.Join(ws.Dir, "private/secret.txt")) != "outside\n" {
		t.Errorf("the hidden directory was touched: %v %v", entries, err)
	}
	t.Logf("succeeded: %d", succeeded)
}

// ripgrep walks by names, so a swap can lead it outside. Nothing it finds there
// is shown.
func TestSwappedDirectoryWhileSearching(t *testing.T) {
	for way, s := range searches() {
		ws, beside := newWorkspace(t, map[string]string{"d/secret.txt": "inside\n"})
		stop := swap(t, ws.Dir, "../beside")
		for range 100 {
			r, err := do(t, s, ws, in{"pattern": "side", "path": "d"})
			if err == nil && strings.Contains(r.Text, "outside") {
				t.Errorf("%s: %s", way, r.Text)
			}
		}
		stop()
		untouched(t, beside)
	}
}

// A made-up answer of the search program shows nothing that the root does not
// have.
func TestSearchResultsAreVerified(t *testing.T) {
	ws, beside := newWorkspace(t, map[string]string{"a.txt": "one\ntwo\n"})
	hostileLinks(t, ws.Dir, beside)
	found := &findings{limit: 10}
	v := &verifier{ws: ws, found: found}
	answer := ""
	for _, path := range []string{"./a.txt", "./out/secret.txt", "../beside/secret.txt", "/etc/hostname", "./file-out", ""} {
		answer += `{"type":"match","data":{"path":{"text":"` + path + `"},"lines":{"text":"outside\n"},"line_number":1,"absolute_offset":0}}` + "\n"
	}
	answer += `{"type":"match","data":{"path":{"text":"./a.txt"},"lines":{"bytes":"dHdvCg=="},"line_number":2,"absolute_offset":4}}` + "\n" +
		`{"type":"match","data":{"path":{"text":"./a.txt"},"lines":{"text":"one\n"},"line_number":1,"absolute_offset":-4}}` + "\n"
	if _, err := v.readAll(strings.NewReader(answer)); err != nil {
		t.Fatal(err)
	}
	v.close()
	if got := found.text(); got != "a.txt\n     2: two\n" {
		t.Errorf("shown: %q", got)
	}
}

// No call leaves a file open, whether it works, fails or is refused.
func TestNothingStaysOpen(t *testing.T) {
	ws, beside := newWorkspace(t, map[string]string{"a/b.txt": "outside\n", "private/x": "", ".clewignore": "private/\n", "bin": "\x00"})
	hostileLinks(t, ws.Dir, beside)
	all := func() {
		for _, path := range []string{"a/b.txt", "a", ".", "none/x", "private/x", "bin", "out/secret.txt", "a/b.txt/c", "new/d/e"} {
			for tl, input := range calls(path) {
				_, _ = do(t, tl, ws, input)
			}
			for _, s := range searches() {
				_, _ = do(t, s, ws, in{"pattern": "o", "path": path, "limit": 1})
			}
		}
	}
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc here: ", err)
		}
		return len(entries)
	}
	all() // what is opened once and kept
	before := count()
	for range 5 {
		all()
	}
	if after := count(); after > before {
		t.Errorf("%d files open, then %d", before, after)
	}
}
