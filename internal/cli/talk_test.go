package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

// talk runs a program on a terminal and talks with it as a file says: talk FILE
// clew …, or a shell that runs it. A line of the file is one of
//
//	see TEXT     waits until the text is on the terminal, after what was seen before; ^[ is Escape
//	type TEXT    types it, and Enter
//	keys TEXT    types it as it is; ^C is Ctrl-C, ^D Ctrl-D, ^Z Ctrl-Z, ^\ Ctrl-\,
//	             ^[ Escape, ^M Enter and ^J a newline
//	kill, serve  the server
//	go           lets the model go on
//	stop FLAGS   stops the newest session from elsewhere, and calls it STOPPED
//	answer TEXT  answers the oldest question from elsewhere
//	clew WORDS   does something else meanwhile
//	size COLUMNS makes the terminal so wide
//	code N       waits for the end, with this exit code
//	never TEXT   what was written has this nowhere, as a regular expression
//	times N TEXT what was written has this so many times
func talkScript(ts *testscript.TestScript, _ bool, args []string) {
	exe, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(exe, args[2:]...)
	cmd.Args[0] = args[1]  // TestMain runs the program under this name
	if args[1] != "clew" { // a shell, which finds the program
		cmd = exec.Command(args[1], args[2:]...)
	}
	cmd.Dir = filepath.Join(ts.Getenv("WORK"), "project")
	cmd.Env = []string{
		"HOME=" + ts.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), "TERM=" + env.FirstOf(ts.Getenv("TERM"), "xterm-256color"),
		"CLEW_SERVER=" + ts.Getenv("CLEW_SERVER"), "CLEW_DATA=" + ts.Getenv("CLEW_DATA"),
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 80})
	ts.Check(err)
	defer func() { _ = tty.Close() }()
	defer func() { _ = cmd.Process.Kill() }()
	w := &watcher{news: make(chan struct{}, 1), tty: tty, cmd: cmd, ended: make(chan error, 1)}
	go w.read()
	for line := range strings.SplitSeq(strings.TrimSpace(ts.ReadFile(ts.MkAbs(args[0]))), "\n") {
		word, text, _ := strings.Cut(line, " ")
		w.step(ts, word, os.Expand(text, ts.Getenv))
	}
}

// A watcher sees what a program writes on a terminal.
type watcher struct {
	tty   *os.File
	cmd   *exec.Cmd
	news  chan struct{}
	ended chan error

	mu   sync.Mutex
	text []byte
	seen int
}

func (w *watcher) read() {
	b := make([]byte, 4096)
	for {
		n, err := w.tty.Read(b)
		w.mu.Lock()
		w.text = append(w.text, b[:n]...)
		w.mu.Unlock()
		select {
		case w.news <- struct{}{}:
		default:
		}
		if err != nil { // a terminal ends with one
			w.ended <- w.cmd.Wait()
			return
		}
	}
}

func (w *watcher) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

func (w *watcher) step(ts *testscript.TestScript, word, text string) {
	switch word {
	case "see":
		w.see(ts, strings.ReplaceAll(text, "^[", "\x1b"))
	case "type":
		w.write(ts, text+"\r")
	case "keys":
		w.write(ts, strings.NewReplacer("^C", "\x03", "^D", "\x04", "^Z", "\x1a", `^\`, "\x1c", "^[", "\x1b", "^M", "\r", "^J", "\n").Replace(text))
	case "kill":
		killScript(ts, false, nil)
	case "serve":
		serveScript(ts, false, nil)
	case "go":
		goScript(ts, false, nil)
	case "answer":
		questionScript(ts, false, []string{"OPEN"})
		ts.Check(ts.Exec("clew", "answer", ts.Getenv("OPEN"), text))
	case "stop":
		ts.Setenv("STOPPED", newestSession(ts))
		ts.Check(ts.Exec("clew", append([]string{"stop", ts.Getenv("STOPPED")}, strings.Fields(text)...)...))
	case "clew":
		ts.Check(ts.Exec("clew", strings.Fields(text)...))
	case "size":
		n, err := strconv.ParseUint(text, 10, 16)
		ts.Check(err)
		ts.Check(pty.Setsize(w.tty, &pty.Winsize{Rows: 40, Cols: uint16(n)}))
	case "code":
		w.code(ts, text)
	case "never":
		if found := regexp.MustCompile(text).FindString(w.all()); found != "" {
			ts.Fatalf("it wrote %q:\n%s", found, w.all())
		}
	case "times":
		n, what, _ := strings.Cut(text, " ")
		if got := strings.Count(w.all(), what); strconv.Itoa(got) != n {
			ts.Fatalf("%q is there %d times:\n%s", what, got, w.all())
		}
	case "", "#":
	default:
		ts.Fatalf("talk does not know %q", word)
	}
}

func (w *watcher) see(ts *testscript.TestScript, text string) {
	limit := time.After(workWithin)
	for {
		w.mu.Lock()
		at := bytes.Index(w.text[w.seen:], []byte(text))
		if at >= 0 {
			w.seen += at + len(text)
		}
		w.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-w.news:
		case <-limit:
			ts.Fatalf("never saw %q in:\n%s", text, w.all())
		}
	}
}

func (w *watcher) write(ts *testscript.TestScript, text string) {
	_, err := w.tty.WriteString(text)
	ts.Check(err)
}

func (w *watcher) code(ts *testscript.TestScript, want string) {
	select {
	case <-w.ended:
	case <-time.After(workWithin):
		ts.Fatalf("it does not end:\n%s", w.all())
	}
	if got := strconv.Itoa(w.cmd.ProcessState.ExitCode()); got != want {
		ts.Fatalf("exit code %s, want %s:\n%s", got, want, w.all())
	}
	if all := w.all(); strings.LastIndex(all, follow.PasteMarksOn) > strings.LastIndex(all, follow.PasteMarksOff) {
		ts.Fatalf("pastes are still marked:\n%q", all)
	}
}
