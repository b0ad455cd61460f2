package kernel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

// patience is how long a step of a test may take on a busy machine.
const patience = 60 * time.Second

// shortDir is a directory whose name leaves room for sockets: those of t.TempDir
// have the test's name in them.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "k")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startReal starts ipykernel and ends it with the test.
func startReal(t testing.TB) (kernel.Connection, *os.Process) {
	t.Helper()
	python, dir := jupytertest.Python(t), shortDir(t)
	conn := kernel.Connection{
		Transport: "ipc", IP: filepath.Join(dir, "k"),
		ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HBPort: 5,
		Key: "a key of the test", SignatureScheme: "hmac-sha256", KernelName: "python3",
	}
	file := filepath.Join(dir, "c.json")
	if err := conn.Write(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "ipykernel_launcher", "-f", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "IPYTHONDIR="+filepath.Join(dir, "i"), "JUPYTER_RUNTIME_DIR="+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the kernel said: %s", said.String())
		}
	})
	read, err := kernel.ReadConnection(file)
	if err != nil || read != conn {
		t.Fatalf("read %+v: %v", read, err)
	}
	return read, cmd.Process
}

func dial(t testing.TB, at kernel.Connection, o kernel.Options) *kernel.Client {
	t.Helper()
	c, err := kernel.Dial(within(t), at, o)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// next gives the next message, which must come.
func next(t testing.TB, c *kernel.Client) kernel.Message {
	t.Helper()
	select {
	case m, ok := <-c.Messages():
		if !ok {
			t.Fatalf("the client has ended: %v", c.Err())
		}
		return m
	case <-time.After(patience):
		t.Fatal("no message came")
	}
	return kernel.Message{}
}

// until gives the messages of a request up to the first that fits.
func until(t testing.TB, c *kernel.Client, id string, fits func(kernel.Message) bool) []kernel.Message {
	t.Helper()
	var all []kernel.Message
	for {
		m := next(t, c)
		if m.ParentID != id {
			continue
		}
		all = append(all, m)
		if fits(m) {
			return all
		}
	}
}

// toEnd gives the messages of a request up to its reply and the status idle.
func toEnd(t testing.TB, c *kernel.Client, id string) []kernel.Message {
	t.Helper()
	return of(collect(t, c, id), id)
}

// collect gives all messages until each of some requests has its reply and the
// status idle.
func collect(t testing.TB, c *kernel.Client, ids ...string) []kernel.Message {
	t.Helper()
	var all []kernel.Message
	open := map[string]bool{}
	for _, id := range ids {
		open[id+" reply"], open[id+" idle"] = true, true
	}
	for len(open) > 0 {
		m := next(t, c)
		all = append(all, m)
		switch {
		case m.Type == "execute_reply":
			delete(open, m.ParentID+" reply")
		case isStatus(m, "idle"):
			delete(open, m.ParentID+" idle")
		}
	}
	return all
}

// of gives the messages of a request.
func of(all []kernel.Message, id string) []kernel.Message {
	var some []kernel.Message
	for _, m := range all {
		if m.ParentID == id {
			some = append(some, m)
		}
	}
	return some
}

func isStatus(m kernel.Message, state string) bool {
	return m.Type == "status" && field(m, "execution_state") == state
}

func isType(kind string) func(kernel.Message) bool {
	return func(m kernel.Message) bool { return m.Type == kind }
}

// field gives a part of a message's content as text: names with dots between.
func field(m kernel.Message, path string) string {
	var v any
	if json.Unmarshal(m.Content, &v) != nil {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		o, _ := v.(map[string]any)
		v = o[name]
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// only gives the messages of a type.
func only(all []kernel.Message, kind string) []kernel.Message {
	var some []kernel.Message
	for _, m := range all {
		if m.Type == kind {
			some = append(some, m)
		}
	}
	return some
}

// printed joins what was printed to a stream.
func printed(all []kernel.Message, name string) string {
	var b strings.Builder
	for _, m := range only(all, "stream") {
		if field(m, "name") == name {
			b.WriteString(field(m, "text"))
		}
	}
	return b.String()
}

// run executes code and gives all that belongs to it.
func run(t testing.TB, c *kernel.Client, id, code string) []kernel.Message {
	t.Helper()
	execute(t, c, id, code)
	return toEnd(t, c, id)
}

func execute(t testing.TB, c *kernel.Client, id, code string) {
	t.Helper()
	err := c.Execute(within(t), kernel.Execute{MsgID: id, Code: code, StoreHistory: true, AllowStdin: true, StopOnError: true})
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
}
