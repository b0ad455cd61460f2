package files

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		"a.txt": "one\ntwo\nthree", "crlf": "a\r\nb\r\n", "empty": "", "bad": "a\xff\xfeb\n",
		"hostile": "\x1b[31mred\u202egnp.exe\x07\n",
	})
	for _, c := range []struct {
		input in
		want  string
	}{
		{in{"path": "a.txt"}, "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{in{"path": "a.txt", "offset": 2, "limit": 1}, "     2\ttwo\n(more lines follow; continue with offset 3)\n"},
		{in{"path": "a.txt", "offset": 3, "limit": 5}, "     3\tthree\n"},
		{in{"path": "crlf"}, "     1\ta\n     2\tb\n(lines end in CR LF)\n"},
		{in{"path": "empty"}, "(the file is empty)\n"},
		{in{"path": "bad"}, "     1\ta\uFFFDb\n(bytes that are not UTF-8 are shown as \uFFFD)\n"},
		{in{"path": "hostile"}, "     1\t\x1b[31mred\u202egnp.exe\x07\n"},
	} {
		if got := must(t, readFile{}, ws, c.input); got != c.want {
			t.Errorf("%v: %q", c.input, got)
		}
	}
	if _, err := do(t, readFile{}, ws, in{"path": "a.txt", "offset": 4}); err == nil || !strings.Contains(err.Error(), "3 lines") {
		t.Error(err)
	}
}

func TestReadImages(t *testing.T) {
	images := map[string]string{
		"image/png":  "\x89PNG\r\n\x1a\n\x00\x00",
		"image/jpeg": "\xff\xd8\xff\xe0\x00",
		"image/gif":  "GIF89a\x01\x00",
		"image/webp": "RIFF\x04\x00\x00\x00WEBPVP8 ",
	}
	for kind, data := range images {
		ws, _ := newWorkspace(t, map[string]string{"picture": data})
		r, err := do(t, readFile{}, ws, in{"path": "picture"})
		want := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
		if err != nil || len(r.Images) != 1 || r.Images[0] != want {
			t.Errorf("%s: %+v %v", kind, r, err)
		}
	}
	ws, _ := newWorkspace(t, map[string]string{"big.png": images["image/png"] + strings.Repeat("x", maxReadImage), "a.bin": "\x7fELF\x00\x00", "svg.txt": "<svg/>"})
	for _, name := range []string{"big.png", "a.bin"} {
		if _, err := do(t, readFile{}, ws, in{"path": name}); err == nil || !strings.Contains(err.Error(), "bytes, ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file of a terabyte costs no more than what is shown of it.
func TestReadGiant(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		"giant": strings.Repeat("line\n", 100_000),
		"long":  strings.Repeat("ä", 100_000) + "\nnext\n",
		"text":  strings.Repeat(strings.Repeat("y", 1999)+"\n", 1000),
	})
	if err := os.Truncate(filepath.Join(ws.Dir, "giant"), 1<<40); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := must(t, readFile{}, ws, in{"path": "giant"})
	far := must(t, readFile{}, ws, in{"path": "giant", "offset": 100_002})
	runtime.ReadMemStats(&after)
	if !strings.HasPrefix(got, "     1\tline\n") || !strings.HasSuffix(got, "  2000\tline\n(more lines follow; continue with offset 2001)\n") {
		t.Errorf("%.80q … %.80q", got, got[len(got)-80:])
	}
	if !strings.Contains(far, "stopped after 64 MiB") {
		t.Errorf("%.200q", far)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes used", used)
	}
	want := "     1\t" + strings.Repeat("ä", 2000) + " … (cut; the line has 200001 bytes)\n     2\tnext\n"
	if got := must(t, readFile{}, ws, in{"path": "long"}); got != want {
		t.Errorf("%.100q … %.100q", got, got[len(got)-100:])
	}
	if got := must(t, readFile{}, ws, in{"path": "text"}); len(got) > maxReadText+5000 || !strings.Contains(got, "continue with offset") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestList(t *testing.T) {
	ws, beside := newWorkspace(t, map[string]string{
		"b.txt": "", "a/x": "", "a/y/z": "", ".git/HEAD": "", "evil\x1b[2J\n.txt": "", "bidi\u202etxt": "",
	})
	if err := os.Symlink(beside, filepath.Join(ws.Dir, "l")); err != nil {
		t.Fatal(err)
	}
	if got, want := must(t, listFiles{}, ws, in{"path": "."}),
		"\"bidi\\u202etxt\"\n\"evil\\x1b[2J\\n.txt\"\n.git/\na/\nb.txt\nl -> "+beside+"\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got := must(t, listFiles{}, ws, in{"path": ".", "recursive": true})
	if !strings.Contains(got, "\na/\na/x\na/y/\na/y/z\n") || strings.Contains(got, "HEAD") || strings.Contains(got, "secret") {
		t.Errorf("%q", got)
	}
	if got := must(t, listFiles{}, ws, in{"path": ".git"}); got != ".git/HEAD\n" {
		t.Errorf("%q", got)
	}
}

func TestListLimits(t *testing.T) {
	files := map[string]string{}
	for i := range 1100 {
		files[fmt.Sprintf("d/%04d", i)] = ""
	}
	ws, _ := newWorkspace(t, files)
	if err := os.Mkdir(filepath.Join(ws.Dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := must(t, listFiles{}, ws, in{"path": "d"})
	if strings.Count(got, "\n") != 1001 || !strings.HasSuffix(got, "d/0999\n(only the first 1000 entries; list a directory further down)\n") {
		t.Errorf("%.100q", got[len(got)-100:])
	}
	if got := must(t, listFiles{}, ws, in{"path": "d", "limit": 2}); !strings.HasPrefix(got, "d/0000\nd/0001\n(only") {
		t.Errorf("%q", got)
	}
	if got := must(t, listFiles{}, ws, in{"path": "none"}); got != "(nothing there)\n" {
		t.Errorf("%q", got)
	}
}

// Hundreds of levels need no more open files than one.
func TestListDeep(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	deep := strings.TrimSuffix(strings.Repeat("d/", 150), "/")
	if err := ws.Root.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := must(t, listFiles{}, ws, in{"path": ".", "recursive": true}); strings.Count(got, "\n") != 150 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
