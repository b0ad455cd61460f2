package notebookfigures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

// serverVariable names the Python of the Jupyter server that clew is compared with.
const serverVariable = "CLEW_TEST_JUPYTER_SERVER"

const jupyterToken = "a-token-of-the-test"

// A jupyter is a Jupyter server whose kernels are the same as clew's.
type jupyter struct {
	t      testing.TB
	python string
	dir    string
	work   string
	port   int
	cmd    *exec.Cmd
	gone   chan struct{}
	said   proc.Output
}

func newJupyter(t testing.TB) *jupyter {
	t.Helper()
	j := &jupyter{t: t, python: os.Getenv(serverVariable), dir: t.TempDir()}
	if j.python == "" {
		t.Skip(serverVariable + " names no Python with jupyter_server; make bench-notebooks does")
	}
	j.work = filepath.Join(j.dir, "work")
	spec := filepath.Join(j.dir, "data", "kernels", "python3")
	proc.Must(t, errors.Join(os.Mkdir(j.work, 0o700), os.MkdirAll(spec, 0o700)))
	b, err := json.Marshal(map[string]any{
		"argv": []string{jupytertest.Python(t), "-m", "ipykernel_launcher", "-f", "{connection_file}"}, "display_name": "Python 3", "language": "python",
	})
	proc.Must(t, err)
	proc.Must(t, os.WriteFile(filepath.Join(spec, "kernel.json"), b, 0o600))
	j.port, err = proc.FreePort()
	proc.Must(t, err)
	t.Cleanup(j.stop)
	j.start()
	return j
}

func (j *jupyter) start() {
	j.t.Helper()
	j.cmd = exec.Command(j.python, "-m", "jupyter_server", "--ServerApp.ip=127.0.0.1", fmt.Sprint("--ServerApp.port=", j.port), "--ServerApp.port_retries=0",
		"--ServerApp.root_dir="+j.work, "--IdentityProvider.token="+jupyterToken, "--ServerApp.open_browser=False", "--ServerApp.allow_root=True")
	j.cmd.Env = append(os.Environ(), "HOME="+j.dir, "JUPYTER_DATA_DIR="+filepath.Join(j.dir, "data"), "JUPYTER_CONFIG_DIR="+filepath.Join(j.dir, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(j.dir, "runtime"), "IPYTHONDIR="+filepath.Join(j.dir, "ipython"), "JUPYTER_PLATFORM_DIRS=1")
	j.cmd.Dir, j.cmd.Stdout, j.cmd.Stderr = j.work, &j.said, &j.said
	proc.Must(j.t, j.cmd.Start())
	cmd, gone := j.cmd, make(chan struct{})
	j.gone = gone
	go func() {
		_ = cmd.Wait() // killed
		close(gone)
	}()
	proc.Eventually(j.t, "the Jupyter server", within, func() bool {
		_, err := j.call(http.MethodGet, "/api/status", nil)
		return err == nil
	})
}

func (j *jupyter) kill() {
	_ = j.cmd.Process.Kill()
	<-j.gone
}

// stop leaves no kernel behind.
func (j *jupyter) stop() {
	_ = j.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-j.gone:
	case <-time.After(30 * time.Second):
		j.kill()
	}
	if j.t.Failed() {
		j.t.Logf("the Jupyter server said:\n%s", j.said.Tail(3000))
	}
}

func (j *jupyter) call(method, path string, body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(j.t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", j.port, path), bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "token "+jupyterToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if b, err = io.ReadAll(resp.Body); err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", resp.Status, b)
	}
	return b, err
}

// kernels are the ids of those that the server knows.
func (j *jupyter) kernels() []string {
	j.t.Helper()
	b, err := j.call(http.MethodGet, "/api/kernels", nil)
	proc.Must(j.t, err)
	var list []struct {
		ID string `json:"id"`
	}
	proc.Must(j.t, json.Unmarshal(b, &list))
	ids := []string{}
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids
}

func (j *jupyter) startKernel() string {
	j.t.Helper()
	b, err := j.call(http.MethodPost, "/api/kernels", map[string]string{"name": "python3"})
	proc.Must(j.t, err)
	var k struct {
		ID string `json:"id"`
	}
	proc.Must(j.t, json.Unmarshal(b, &k))
	return k.ID
}

// alone joins a kernel beside its server.
func (j *jupyter) alone(id string) *alone {
	j.t.Helper()
	at, err := kernel.ReadConnection(filepath.Join(j.dir, "runtime", "kernel-"+id+".json"))
	proc.Must(j.t, err)
	return dial(j.t, at)
}

// A jupyterMessage is one of a kernel, as the server hands it on.
type jupyterMessage struct {
	Header struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
	} `json:"header"`
	Parent struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
	Content struct {
		State string `json:"execution_state"`
		Text  string `json:"text"`
	} `json:"content"`
	at time.Time
}

// A jupyterViewer is a browser's connection to a kernel, as far as the server can tell.
type jupyterViewer struct {
	t       testing.TB
	conn    *websocket.Conn
	session string
	heard   chan jupyterMessage
	n       int
}

// view connects to a kernel. The server knows who comes back by the session.
func (j *jupyter) view(kernel, session string) *jupyterViewer {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.t.Context(), within)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, fmt.Sprintf("ws://127.0.0.1:%d/api/kernels/%s/channels?session_id=%s", j.port, kernel, session),
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"token " + jupyterToken}}})
	proc.Must(j.t, err)
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	conn.SetReadLimit(-1)
	v := &jupyterViewer{t: j.t, conn: conn, session: session, heard: make(chan jupyterMessage, 1_000_000)}
	go func() {
		defer close(v.heard)
		for {
			_, b, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			var m jupyterMessage
			if json.Unmarshal(b, &m) == nil {
				m.at = time.Now()
				v.heard <- m
			}
		}
	}()
	j.t.Cleanup(v.leave)
	return v
}

func (v *jupyterViewer) leave() { _ = v.conn.CloseNow() }

// send sends code to run and gives the id of the request.
func (v *jupyterViewer) send(code string) string {
	v.t.Helper()
	v.n++
	id := fmt.Sprint(v.session, "-", v.n)
	b, err := json.Marshal(map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{},
		"header":  map[string]any{"msg_id": id, "msg_type": "execute_request", "session": v.session, "username": "", "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339Nano)},
		"content": map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": true},
	})
	proc.Must(v.t, err)
	proc.Must(v.t, v.conn.Write(v.t.Context(), websocket.MessageText, b))
	return id
}

// await takes messages until one fits.
func (v *jupyterViewer) await(what string, fits func(jupyterMessage) bool) jupyterMessage {
	v.t.Helper()
	timeout := time.After(within)
	for {
		select {
		case m, ok := <-v.heard:
			if !ok {
				v.t.Fatalf("%s: the connection ended", what)
			}
			if fits(m) {
				return m
			}
		case <-timeout:
			v.t.Fatalf("%s: it did not come", what)
		}
	}
}

// finish waits for the reply to a request and the status idle, and gives the time of the
// later one; each message before is shown to see.
func (v *jupyterViewer) finish(id string, see func(jupyterMessage)) time.Time {
	v.t.Helper()
	reply, idle := false, false
	return v.await("the end of the cell", func(m jupyterMessage) bool {
		see(m)
		reply = reply || m.Parent.ID == id && m.Header.Type == "execute_reply"
		idle = idle || m.Parent.ID == id && m.Header.Type == "status" && m.Content.State == "idle"
		return reply && idle
	}).at
}

func nobody(jupyterMessage) {}
