package notebook

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/supervisor"
)

// What is typed into getpass is nowhere: not in the data directory with journal and blobs,
// not beside the kernel, in no log, in no export and in no file of the workspace, over two
// lives of the server. What is typed into input() is found, so the search finds things.
func TestSecretIsNowhere(t *testing.T) {
	s := newStory(t)
	ctx := t.Context()
	const secret, word = "geheim-7f21c0de", "oeffentlich-7f21c0de"
	s.Start("CLEW_LOG_LEVEL=debug")
	proc.Must(t, s.Create(ctx))
	proc.Must(t, s.Command(ctx, "open", clew.CommandNotebookOpen, &clew.NotebookOpenData{Path: "a.ipynb", New: true}))
	until := func(what string, so func(tale) bool) (got tale) {
		t.Helper()
		proc.Eventually(t, what, within, func() bool { got = s.tale(ctx); return so(got) })
		return got
	}
	run := func(name, code string) {
		t.Helper()
		proc.Must(t, s.Command(ctx, name, clew.CommandKernelExecute, &clew.KernelExecuteData{Code: code}))
	}
	answer := func(name, value string) {
		t.Helper()
		q := until("the question", func(t tale) bool { return t.question != "" }).question
		proc.Must(t, s.Command(ctx, name, clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: q, Value: value}))
		until("the end of the cell", tale.over)
	}
	until("the notebook", func(t tale) bool { return t.read })
	run("asks", "import getpass\nkey = getpass.getpass('key? ')\nname = input('name? ')")
	q := until("the question", func(t tale) bool { return t.question != "" }).question
	s.Srv.Kill() // who answers does so to another server
	s.Start("CLEW_LOG_LEVEL=debug")
	proc.Must(t, s.Command(ctx, "answer", clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: q, Value: secret}))
	until("the next question", func(t tale) bool { return t.question != "" && t.question != q })
	answer("name", word)
	run("uses it", "url = 'https://me:' + key + '@host'\nkeys = {'key': [key]}\nprint(len(key))\n1/0")
	until("the end", tale.over)
	run("knows it", "print(key == 'geheim-' + '7f21c0de' and name == 'oeffentlich-7f21c0de')")
	got := until("the end", tale.over)
	if d := got.finished[got.queued[2]]; d.Status != clew.CellOK {
		t.Errorf("it ended with %+v", d)
	}
	proc.Must(t, s.Command(ctx, "save", clew.CommandNotebookSave, &clew.NotebookSaveData{NotebookID: got.notebook}))
	s.kernel()

	places := map[string][]byte{"the log": []byte(s.Srv.Out.String())}
	for _, format := range []string{"bundle", "task-folder", "session-log", "message-store", "notebook"} {
		resp, err := s.Call("", http.MethodGet, "/api/v1/sessions/"+string(s.Session)+"/export?format="+format, nil)
		proc.Must(t, err)
		b, err := io.ReadAll(resp.Body)
		proc.Must(t, errors.Join(err, resp.Body.Close()))
		if b = unpacked(t, b); resp.StatusCode != http.StatusOK || len(b) == 0 {
			t.Errorf("export as %s: %s %.200s", format, resp.Status, b)
		}
		places["the export as "+format] = b
	}
	for _, root := range []string{s.Dir, supervisor.LookForRoot(filepath.Join(s.Dir, "data"))} {
		proc.Must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			b, _ := os.ReadFile(path)
			places[path] = unpacked(t, b)
			return nil
		}))
	}
	found := 0
	if !bytes.Contains(places["the export as bundle"], []byte(word)) {
		t.Error("the other word is not in the bundle")
	}
	for name, b := range places {
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the secret is in %s", name)
		}
		if bytes.Contains(b, []byte(word)) {
			found++
		}
	}
	t.Logf("%d places were searched, the other word is in %d of them", len(places), found)
	if found == 0 {
		t.Error("the other word was not found: the search sees nothing")
	}
	proc.Must(t, s.Command(ctx, "shut down", clew.CommandKernelShutdown, &clew.KernelShutdownData{}))
	s.nobodyLeft()
}

// unpacked is what a file holds, as it is if it is not packed.
func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	switch {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		r, err := gzip.NewReader(bytes.NewReader(b))
		proc.Must(t, err)
		b, err = io.ReadAll(r)
		proc.Must(t, err)
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		z, err := zstd.NewReader(bytes.NewReader(b))
		proc.Must(t, err)
		defer z.Close()
		b, err = io.ReadAll(z)
		proc.Must(t, err)
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		proc.Must(t, err)
		b = nil
		for _, f := range z.File {
			r, err := f.Open()
			proc.Must(t, err)
			part, err := io.ReadAll(r)
			proc.Must(t, errors.Join(err, r.Close()))
			b = append(b, part...)
		}
	}
	return b
}
