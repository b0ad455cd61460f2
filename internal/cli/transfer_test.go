package cli

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// transferServer hands out one file and remembers what it is sent.
type transferServer struct {
	query string
	body  []byte
	file  []byte // what an export gives
	name  string
	cut   bool
}

func (s *transferServer) start(t *testing.T) []string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"session_id":"`+r.PathValue("id")+`"}`)
	})
	mux.HandleFunc("GET /api/v1/sessions/{id}/export", func(w http.ResponseWriter, r *http.Request) {
		s.query = r.URL.RawQuery
		if r.PathValue("id") == "sess_0" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"code":"SESSION_NOT_FOUND","message":"no such session"}}`)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+s.name+`"`)
		_, _ = w.Write(s.file)
		if s.cut {
			panic(http.ErrAbortHandler)
		}
	})
	mux.HandleFunc("POST /api/v1/sessions/import", func(w http.ResponseWriter, r *http.Request) {
		s.query = r.URL.RawQuery
		s.body, _ = io.ReadAll(r.Body)
		if bytes.HasPrefix(s.body, []byte("bad")) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"error":{"code":"INVALID_MESSAGE","message":"line 7: not a record"}}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"session_id":"sess_2","format":"bundle","records":9}`)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return []string{"CLEW_SERVER=" + srv.URL, "CLEW_TOKEN=t"}
}

func TestExportFile(t *testing.T) {
	s := &transferServer{file: []byte("the bundle"), name: "../../sess_1.clew"}
	environ := s.start(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "out.clew")
	got := call(t, env.Backend{}, environ, "export", "sess_1", "-o", name, "--json")
	var done exported
	if err := json.Unmarshal([]byte(got.out), &done); err != nil || done != (exported{"sess_1", "bundle", name, 10}) || s.query != "format=bundle" {
		t.Errorf("%+v, %+v, %s", got, done, s.query)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "the bundle" {
		t.Errorf("%q, %v", b, err)
	}
	got = call(t, env.Backend{}, environ, "export", "sess_1", "-o", "-", "--format", "message-store", "--all")
	if got.out != "the bundle" || s.query != "all=true&format=message-store" {
		t.Errorf("%+v, %s", got, s.query)
	}
	got = call(t, env.Backend{}, environ, "export", "sess_1", "-o", dir+"/new/", "--format", "session-log", "--agent", "main")
	if b, err := os.ReadFile(dir + "/new/sess_1.clew"); got.code != env.ExitOK || err != nil || string(b) != "the bundle" || s.query != "agent_id=main&format=session-log" {
		t.Errorf("%+v, %q, %v, %s", got, b, err, s.query)
	}
	for _, args := range [][]string{{"export", "a", "b"}, {"export", "a b"}, {"export", "sess_1", "--format", "zip"}} {
		if got := call(t, env.Backend{}, environ, args...); got.code != env.ExitUsage {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := call(t, env.Backend{}, environ, "export", "sess_0"); got.code != env.ExitFailure || !strings.Contains(got.errOut, "no such session") {
		t.Errorf("%+v", got)
	}
}

// A download that breaks off leaves the former file whole, and nothing beside.
//
// Covers: STO-04, STO-07
func TestExportCutOff(t *testing.T) {
	s := &transferServer{file: bytes.Repeat([]byte("half"), 10_000), name: "sess_1.clew", cut: true}
	environ := s.start(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "out.clew")
	if err := os.WriteFile(name, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, env.Backend{}, environ, "export", "sess_1", "-o", name, "--force"); got.code != env.ExitNoServer || !strings.Contains(got.errOut, "did not come through") {
		t.Errorf("%+v", got)
	}
	entries, err := os.ReadDir(dir)
	if b, _ := os.ReadFile(name); err != nil || len(entries) != 1 || string(b) != "before" {
		t.Errorf("%v, %q", entries, b)
	}
}

func tarOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, files[i+1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// In a directory the list of tasks is added to, whatever else is in it.
//
// Covers: STO-05, STO-06
func TestExportIntoDirectory(t *testing.T) {
	s := &transferServer{name: "sess_1.task-folder.tar"}
	environ := s.start(t)
	dir := t.TempDir() + "/store"
	run := func() {
		t.Helper()
		if got := call(t, env.Backend{}, environ, "export", "sess_1", "--format", "task-folder", "-o", dir+"/"); got.code != env.ExitOK {
			t.Fatalf("%+v", got)
		}
	}
	s.file = tarOf(t, "task_history.json", `[{"id":"t1","ts":1,"task":"하나","size":7}]`, "tasks/t1/ui_messages.json", "[]")
	run()
	s.file = tarOf(t, "task_history.json", `[{"id":"t2","ts":2},{"id":"t1","ts":3,"totalCost":0.123456789012345678}]`, "tasks/t2/ui_messages.json", "[1]")
	run()
	b, err := os.ReadFile(dir + "/task_history.json")
	var list []map[string]any
	if json.Unmarshal(b, &list) != nil || err != nil || len(list) != 2 || list[0]["size"] != 7.0 || list[0]["ts"] != 3.0 || list[1]["id"] != "t2" ||
		!strings.Contains(string(b), "하나") || !strings.Contains(string(b), "0.123456789012345678") {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := os.ReadFile(dir + "/tasks/t2/ui_messages.json"); err != nil || string(b) != "[1]" {
		t.Errorf("%s, %v", b, err)
	}
	for _, name := range []string{"../x", "/etc/x", "tasks/../../x"} {
		s.file = tarOf(t, name, "x")
		if got := call(t, env.Backend{}, environ, "export", "sess_1", "-o", dir+"/"); got.code != env.ExitFailure {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if err := os.Symlink(t.TempDir(), dir+"/out"); err != nil {
		t.Fatal(err)
	}
	s.file = tarOf(t, "out/x", "x")
	if got := call(t, env.Backend{}, environ, "export", "sess_1", "-o", dir+"/"); got.code != env.ExitFailure {
		t.Errorf("through a link: %+v", got)
	}
}

func TestImportFile(t *testing.T) {
	s := &transferServer{}
	environ := s.start(t)
	name := filepath.Join(t.TempDir(), "in.clew")
	if err := os.WriteFile(name, []byte("a bundle"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := call(t, env.Backend{}, environ, "import", name, "--new-id", "--workspace", "/w", "--title", "T", "--no-checkpoints", "--format", "bundle")
	if got.code != env.ExitOK || got.out != "sess_2: 9 records from a bundle\n" || string(s.body) != "a bundle" ||
		s.query != "checkpoints=false&format=bundle&new_id=true&title=T&workspace=%2Fw" {
		t.Errorf("%+v, %q, %s", got, s.body, s.query)
	}
	if got := call(t, env.Backend{}, environ, "import", name, "--json"); !strings.Contains(got.out, `"session_id":"sess_2"`) || s.query != "" {
		t.Errorf("%+v, %s", got, s.query)
	}
	if err := os.WriteFile(name, []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, env.Backend{}, environ, "import", name); got.code != env.ExitFailure || !strings.Contains(got.errOut, "line 7: not a record") {
		t.Errorf("%+v", got)
	}
	if got := call(t, env.Backend{}, environ, "import", name+"x"); got.code != env.ExitFailure {
		t.Errorf("%+v", got)
	}
	if got := call(t, env.Backend{}, environ, "import", name, "--format", "zip"); got.code != env.ExitUsage {
		t.Errorf("%+v", got)
	}
}

// A directory is sent as an archive of what is wanted. The legacy file is renamed
// after the session is safe, and not before.
//
// Covers: STO-03, C-36
func TestImportDirectory(t *testing.T) {
	s := &transferServer{}
	environ := s.start(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"task_history.json": "[]", "tasks/t1/ui_messages.json": "[]", "tasks/t1/claude_messages.json": "[]", "tasks/t1/secret.key": "no",
		"tasks/t2/claude_messages.json": "[]", "tasks/t2/api_conversation.json": "[]", "tasks/t1/checkpoints/.git/metadata.json": "no",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(dir, "tasks/t1/claude_messages.json")
	closed := append(slices.Clone(environ), "CLEW_SERVER=http://127.0.0.1:1")
	if got := call(t, env.Backend{}, closed, "import", dir); got.code != env.ExitNoServer {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("the file is gone, and no session was made")
	}
	if got := call(t, env.Backend{}, environ, "import", dir); got.code != env.ExitOK {
		t.Fatalf("%+v", got)
	}
	want := []string{"task_history.json", "tasks/t1/claude_messages.json", "tasks/t1/ui_messages.json", "tasks/t2/api_conversation.json", "tasks/t2/claude_messages.json"}
	if names := namesIn(t, s.body); !slices.Equal(names, want) {
		t.Errorf("sent %v", names)
	}
	if _, err := os.Stat(old + ".imported"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "tasks/t2/claude_messages.json")); err != nil {
		t.Error("a file that was not read is renamed")
	}
	if got := call(t, env.Backend{}, environ, "import", filepath.Join(dir, "tasks/t2")); got.code != env.ExitOK {
		t.Fatalf("%+v", got)
	}
	if names := namesIn(t, s.body); !slices.Equal(names, []string{"tasks/t2/api_conversation.json", "tasks/t2/claude_messages.json"}) {
		t.Errorf("sent %v", names)
	}
	if got := call(t, env.Backend{}, environ, "import", t.TempDir()); got.code != env.ExitFailure || !strings.Contains(got.errOut, "no task and no session log") {
		t.Errorf("%+v", got)
	}
}

func namesIn(t *testing.T, b []byte) []string {
	t.Helper()
	var names []string
	r := tar.NewReader(bytes.NewReader(b))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// A notebook goes by the name of its file, in both directions.
func TestNotebookFiles(t *testing.T) {
	s := &transferServer{file: []byte("{}"), name: "analysis.ipynb"}
	environ := s.start(t)
	dir := t.TempDir()
	got := call(t, env.Backend{}, environ, "export", "sess_1", "-o", dir+"/", "--format", "notebook", "--notebook", "nb_2")
	if b, err := os.ReadFile(filepath.Join(dir, "analysis.ipynb")); got.code != env.ExitOK || err != nil || string(b) != "{}" || s.query != "format=notebook&notebook_id=nb_2" {
		t.Errorf("%+v, %q, %v, %s", got, b, err, s.query)
	}
	if got := call(t, env.Backend{}, environ, "export", "sess_1", "--notebook", "nb_2"); got.code != env.ExitUsage || !strings.Contains(got.errOut, "--notebook is for --format notebook") {
		t.Errorf("%+v", got)
	}
	got = call(t, env.Backend{}, environ, "import", filepath.Join(dir, "analysis.ipynb"))
	if got.code != env.ExitOK || s.query != "format=notebook&name=analysis.ipynb" || string(s.body) != "{}" {
		t.Errorf("%+v, %s", got, s.query)
	}
}
