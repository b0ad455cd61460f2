package transfer

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/session/core"
)

const moved clew.SessionID = "sess_moved"

const picture = "\x89PNG\r\n\x1a\nthe rest of a picture"

// lived makes a session with a bit of everything: tools, checkpoints, a blob, a
// summary, a rewind with files and an undo.
func lived(t testing.TB, n *node) {
	t.Helper()
	work := filepath.Join(n.dir, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"notes.txt": "by hand\r\n", "run.sh": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o751); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(work, "run.sh"), 0o751), os.Symlink("notes.txt", filepath.Join(work, "link"))); err != nil {
		t.Fatal(err)
	}
	if _, err := n.api().CreateSession(t.Context(), client.NewSession{SessionID: moved, Title: "Shopping", Workspace: work}); err != nil {
		t.Fatal(err)
	}
	n.say(moved, "Hello", "data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte(picture)))
	n.say(moved, "Start a list")
	n.do(moved, clew.CommandCondenseContext, clew.CondenseContextData{})
	n.say(moved, "Add pears")
	n.run(0, "rewind", string(moved), "-1", "--yes")
	n.files(work, map[string]string{"list.txt": "apples\n"})
	n.say(moved, "Add plums")
	n.files(work, map[string]string{"list.txt": "apples\n", "sub/plums.txt": "plums\n"})
}

// bundle gives the files of one.
func bundle(t testing.TB, name string) map[string][]byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if b, err = z.DecodeAll(b, nil); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// fold gives the state that records come to.
func fold(t testing.TB, id clew.SessionID, lines [][]byte) *core.State {
	t.Helper()
	states := map[uint64][]byte{}
	f := core.Folder{State: &core.State{ID: id}, Past: func(seq uint64) ([]byte, error) { return states[seq], nil }}
	for _, line := range lines {
		r, err := clew.ParseRecord(line)
		if err == nil {
			err = f.Add(r)
		}
		if err == nil {
			states[r.Seq], err = f.State.Encode()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f.State
}

func linesOf(files map[string][]byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(files["records.jsonl"], []byte("\n")), []byte("\n"))
}

func hashOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// same compares what must not differ between a session and its copy.
func same(t testing.TB, a, b *core.State) {
	t.Helper()
	type part struct {
		name    string
		was, is any
	}
	histories := func(s *core.State) map[clew.TaskID]any {
		m := map[clew.TaskID]any{}
		for id, task := range s.Tasks {
			m[id] = []any{task.History, task.Text, task.Status, task.Usage}
		}
		return m
	}
	for _, p := range []part{
		{name: "transcript", was: a.Messages, is: b.Messages}, {name: "model histories", was: histories(a), is: histories(b)},
		{name: "questions", was: a.Questions, is: b.Questions}, {name: "what was taken back", was: a.Removed, is: b.Removed},
		{name: "undo", was: a.Undo, is: b.Undo}, {name: "checkpoint", was: a.Checkpoint, is: b.Checkpoint}, {name: "title", was: a.Title, is: b.Title},
	} {
		if hashOf(t, p.was) != hashOf(t, p.is) {
			x, _ := json.Marshal(p.was)
			y, _ := json.Marshal(p.is)
			t.Errorf("%s differ:\n%.2000s\n%.2000s", p.name, x, y)
		}
	}
}

// A session moves to another server as it is: its records, what was taken back,
// its pictures and its files. There it goes on, and back.
func TestMoveToAnotherServer(t *testing.T) {
	m := model(t)
	a, b := start(t, m), start(t, m)
	lived(t, a)
	file := filepath.Join(t.TempDir(), "session.clew")
	a.has(a.run(0, "export", string(moved), "-o", file), "bundle")
	was := bundle(t, file)
	var missing struct{ Missing, Dropped []string }
	if err := json.Unmarshal(was["sums.json"], &missing); err != nil || len(missing.Missing)+len(missing.Dropped) > 0 {
		t.Errorf("%v: %s", err, was["sums.json"])
	}
	if was["checkpoints.pack"] == nil {
		t.Fatal("the bundle has no checkpoints")
	}

	b.has(b.run(0, "import", file), string(moved))
	b.has(b.run(1, "import", file), "already")
	for _, c := range []struct {
		name string
		id   clew.SessionID
		dir  string
	}{
		{"its own id", moved, filepath.Join(b.Dir, "workspaces", string(moved))},
		{"a new id and a workspace", "", filepath.Join(b.dir, "elsewhere")},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			defer func() { b.t = t }()
			if c.id == "" {
				if err := os.Mkdir(c.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				var got struct {
					SessionID clew.SessionID `json:"session_id"`
				}
				if err := json.Unmarshal([]byte(b.run(0, "import", file, "--new-id", "--workspace", c.dir, "--json")), &got); err != nil {
					t.Fatal(err)
				}
				c.id = got.SessionID
			}
			arrived(t, b, c.id, c.dir, was)
		})
	}
	b.t = t
	if err := errors.Join(a.Stop(), b.Stop()); err != nil {
		t.Fatal(err)
	}
	out, _, _, err := b.Run(t.Context(), "doctor", "--data", b.Dir)
	if err != nil || !strings.Contains(out, "0 damaged") {
		t.Errorf("%v: %s", err, out)
	}
	left, err := os.ReadDir(filepath.Join(b.Dir, "tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// arrived looks at a session that came from elsewhere, and uses it.
func arrived(t *testing.T, b *node, id clew.SessionID, dir string, was map[string][]byte) {
	t.Helper()
	again := filepath.Join(t.TempDir(), "again.clew")
	b.run(0, "export", string(id), "-o", again)
	is := bundle(t, again)
	old, now := linesOf(was), linesOf(is)
	if id == moved && !slices.EqualFunc(old, now[:len(old)], bytes.Equal) {
		t.Error("the records are others")
	}
	same(t, fold(t, moved, old), fold(t, id, now[:len(old)]))
	same(t, fold(t, moved, old), fold(t, id, now))
	for name, content := range was {
		if strings.HasPrefix(name, "blobs/") && !bytes.Equal(is[name], content) {
			t.Errorf("%s is another", name)
		}
	}
	if !bytes.Equal(is["blobs/"+hex.EncodeToString(sum([]byte(picture)))], []byte(picture)) {
		t.Error("the picture did not come along")
	}

	s := string(id)
	b.has(b.run(0, "show", s), "Start a list", "Plums it is.")
	b.run(0, "undo", s) // the rewind on the other server
	b.files(dir, map[string]string{"list.txt": "apples\npears\n", "sub/plums.txt": ""})
	b.has(b.run(0, "show", s), "Pears are on it.")
	b.run(0, "rewind", s, "-1", "--yes")
	b.files(dir, map[string]string{"list.txt": "apples\n"})
	b.say(id, "Add plums")
	if b.run(0, "rewind", s, "-1", "--yes"); t.Failed() {
		return
	}
	b.files(dir, map[string]string{"list.txt": "apples\n", "sub/plums.txt": "", "notes.txt": "by hand\r\n"})
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("%v, %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(dir, "link")); err != nil || target != "notes.txt" {
		t.Errorf("%q, %v", target, err)
	}
	b.run(0, "rewind", s, "0", "--yes") // further back than the summary
	b.files(dir, map[string]string{"list.txt": "", "notes.txt": "by hand\r\n"})
	b.run(0, "undo", s)
	b.files(dir, map[string]string{"list.txt": "apples\n"})
	b.say(id, "Add pears")
	b.files(dir, map[string]string{"list.txt": "apples\npears\n"})
}

func sum(b []byte) []byte {
	s := sha256.Sum256(b)
	return s[:]
}
