package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// On a terminal nothing but text is written: no question to the terminal, which
// some never answer.
func TestNothingIsAskedOfTheTerminal(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"bogus"}, {"show"}, {"ls", "--server", "ftp://x"}, {"rewind", "--help"}, {}} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, exe, args...)
		cmd.Args[0] = "clew" // TestMain runs the program under this name
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(tty) // a terminal ends with an error
		_ = cmd.Wait()
		_ = tty.Close()
		if len(out) == 0 || bytes.ContainsRune(out, '\x1b') {
			t.Errorf("%v wrote %q", args, out)
		}
	}
}

// callAt is call for somebody at a terminal, who answers.
func callAt(t *testing.T, answer string, environ []string, args ...string) run {
	t.Helper()
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Close(); _ = tty.Close() }()
	if _, err := io.WriteString(person, answer+"\n"); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	a := &env.App{IO: env.IO{In: tty, Out: &out, Err: &errOut, Environ: environ}, Server: env.RealServer}
	code := execute(t.Context(), a, args)
	return run{code: code, out: out.String(), errOut: errOut.String()}
}

// A traveller is a session with a workspace on a real server, and somebody who
// names both by flags.
type traveller struct {
	*testing.T
	id                   clew.SessionID
	work, address, token string
	where                []string // the flags
}

func newTraveller(t *testing.T) *traveller {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	x := &traveller{T: t, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(x.work, 0o755); err != nil {
		t.Fatal(err)
	}
	x.address = strings.TrimPrefix(startServer(t, data), "http://") // as serve takes it
	x.where = []string{"--server", x.address, "--data", data}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	x.token = strings.TrimSpace(string(token))
	if x.id, err = client.NewAPI("http://"+x.address, x.token).CreateSession(t.Context(), client.NewSession{Workspace: x.work}); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *traveller) write(text string) {
	x.Helper()
	if err := os.WriteFile(filepath.Join(x.work, "a.txt"), []byte(text), 0o600); err != nil {
		x.Fatal(err)
	}
}

// say says something and waits until the agent is done with it.
func (x *traveller) say(text string) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.Context(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, client.Options{URL: "http://" + x.address, Token: x.token, Session: x.id})
	if err != nil {
		x.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Send(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: text}); err != nil {
		x.Fatal(err)
	}
	for environ, err := range c.Follow(ctx) {
		if err != nil {
			x.Fatal(err)
		}
		if clew.EventType(environ.Type) == clew.EventTaskIdle {
			return
		}
	}
	x.Fatal("the agent did not come to rest")
}

func (x *traveller) read() string {
	b, _ := os.ReadFile(filepath.Join(x.work, "a.txt"))
	return string(b)
}

// do runs a command; an answer puts it on a terminal.
func (x *traveller) do(code int, answer string, args ...string) string {
	x.Helper()
	args = append(args, x.where...)
	got := run{}
	if answer == "" {
		got = call(x.T, env.RealServer, nil, args...)
	} else {
		got = callAt(x.T, answer, nil, args...)
	}
	if got.code != code {
		x.Fatalf("%v: %+v", args, got)
	}
	return got.out + got.errOut
}

func (x *traveller) has(out string, want ...string) {
	x.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			x.Errorf("no %q in:\n%s", w, out)
		}
	}
}

// Undo and redo show at a terminal what would change, and ask; elsewhere they
// name it afterwards. What they suggest can be pasted.
func TestUndoShowsAndAsks(t *testing.T) {
	x := newTraveller(t)
	id := string(x.id)
	pasted := " --server " + x.address + " --data "
	x.has(x.do(env.ExitOK, "", "show", id), "nothing was said yet", "clew undo "+id+pasted)
	x.write("one\n")
	x.say("hello")
	x.write("two\n")
	x.has(x.do(env.ExitOK, "", "show", id), "0  msg_", "user  hello")
	x.has(x.do(env.ExitOK, "", "rewind", id), "clew rewind "+id+" -1"+pasted)
	x.has(x.do(env.ExitOK, "", "rewind", id, "-1", "--yes"), "clew undo "+id+pasted)

	shown := x.do(env.ExitFailure, "n", "undo", id)
	x.has(shown, "Undo the rewind of ", " to before msg_", "come back", "1 file changes", "a.txt changes", "Undo it? [y/N]", "Nothing was changed.")
	if x.read() != "one\n" {
		t.Errorf("a no left the file as %q", x.read())
	}
	x.has(x.do(env.ExitOK, "y", "undo", id), "Done: the rewind of ", "clew redo "+id+pasted)
	x.has(x.do(env.ExitOK, "y", "redo", id), "Do again the rewind to ", "a.txt changes", "is done again")
	if x.read() != "one\n" {
		t.Errorf("the redo left the file as %q", x.read())
	}
	x.has(x.do(env.ExitOK, "", "undo", id), "Done: the rewind of ", "Files: 1 written, 0 removed.\n    a.txt changes, +1 -1")
	if x.read() != "two\n" {
		t.Errorf("the undo left the file as %q", x.read())
	}
	x.has(x.do(env.ExitFailure, "y", "undo", id), "there is no rewind to undo")
	x.has(x.do(env.ExitOK, "", "fork", id, "--workspace", filepath.Join(x.work, "inside")), "That is inside the workspace of "+id)
	if out := x.do(env.ExitOK, "", "fork", id, "--workspace", x.work+"-beside"); strings.Contains(out, "inside") {
		t.Errorf("a fork beside:\n%s", out)
	}
}

// A session that is there already can be had twice, in a directory that is made.
func TestImportTwice(t *testing.T) {
	x := newTraveller(t)
	t.Chdir(filepath.Dir(x.work))
	x.do(env.ExitOK, "", "export", string(x.id), "-o", "x.clew")
	x.has(x.do(env.ExitFailure, "", "import", "x.clew", "--workspace", "new"), "--new-id")
	if _, err := os.Stat("new"); err == nil {
		t.Error("an import that failed left a directory")
	}
	x.do(env.ExitOK, "", "import", "x.clew", "--workspace", "new", "--new-id")
	if info, err := os.Stat("new"); err != nil || !info.IsDir() {
		t.Errorf("the directory: %v", err)
	}
	x.has(x.do(env.ExitUsage, "", "export", string(x.id), "-o", "missing/x.clew"), "there is no directory missing to write to")
	x.has(x.do(env.ExitUsage, "", "export", string(x.id), "--agent", "main"), "--agent is for --format session-log")
	x.has(x.do(env.ExitUsage, "", "export", string(x.id), "--all"), "--all is for --format message-store")
}
