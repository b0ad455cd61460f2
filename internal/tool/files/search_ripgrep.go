package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/tool"
)

// findRipgrep looks for the program once. It is used on Linux, where a process
// can be started in a directory that is open already; elsewhere the directory
// would have to be named by a path that may have come to mean another one.
var findRipgrep = sync.OnceValue(func() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	rg, err := exec.LookPath("rg")
	if err != nil {
		return ""
	}
	return rg
})

// ripgrep has the program find lines, and shows those that the workspace's root
// has too: each one is read again through it. So the program's answer is a hint
// only, and links swapped while it runs show nothing from elsewhere.
func ripgrep(ctx context.Context, rg string, ws *tool.Workspace, p place, in searchInput, found *findings) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	home, err := ws.Root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = home.Close() }()
	cmd := exec.CommandContext(ctx, rg, ripgrepArgs(ws, p, in)...)
	cmd.Dir = "/proc/self/fd/" + strconv.Itoa(int(home.Fd()))
	cmd.Env = []string{}
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &bounded{w: &complaint, left: 2000}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ripgrep did not start: %w", err)
	}
	v := &verifier{ws: ws, asked: p.real, found: found}
	complete, err := v.readAll(out)
	v.close()
	if !complete {
		cancel() // enough is found
	}
	failed := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err != nil:
		return err
	case complete && errors.As(failed, &exit) && exit.ExitCode() == 2 && found.matches == 0 && complaint.Len() > 0:
		return invalid("%s", strings.TrimSpace(strings.ToValidUTF8(complaint.String(), "\uFFFD")))
	}
	return nil
}

func ripgrepArgs(ws *tool.Workspace, p place, in searchInput) []string {
	args := []string{
		"--json", "--no-config", "--no-follow", "--hidden", "--no-require-git", "--no-ignore-global",
		"--no-ignore-messages", "--no-messages", "--encoding=none", "--crlf", "--sort=path",
		"--max-filesize=" + strconv.Itoa(maxSearchFile), "--context=" + strconv.Itoa(in.Context),
	}
	if in.Glob != "" {
		args = append(args, "--glob="+in.Glob)
	}
	if path.Base(p.real) != ".git" && !strings.Contains("/"+p.real+"/", "/.git/") {
		args = append(args, "--glob=!.git")
	}
	for _, name := range hidden(ws) {
		args = append(args, "--glob=!/"+escapeGlob(name))
	}
	return append(args, "--regexp="+in.Pattern, "--", "./"+p.real)
}

// hidden lists what the agent does not get to see at the top of the workspace,
// so that ripgrep does not search it in vain. What lies deeper is dropped from
// the results.
func hidden(ws *tool.Workspace) []string {
	entries, err := entriesOf(ws.Root)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if len(names) < maxSearchGlobs && ws.Ignored(e.Name(), e.IsDir()) {
			names = append(names, e.Name())
		}
	}
	return names
}

var globEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, "!", `\!`)

func escapeGlob(s string) string { return globEscaper.Replace(s) }

// A line is one line of ripgrep's results, as far as it is used.
type line struct {
	Type string `json:"type"`
	Data struct {
		Path   text  `json:"path"`
		Lines  text  `json:"lines"`
		Number int   `json:"line_number"`
		Offset int64 `json:"absolute_offset"`
	} `json:"data"`
}

// A text is given as a string, or as bytes where it is not UTF-8.
type text struct {
	Text  *string `json:"text"`
	Bytes []byte  `json:"bytes"`
}

func (t text) bytes() []byte {
	if t.Text != nil {
		return []byte(*t.Text)
	}
	return t.Bytes
}

// A verifier reads results and keeps those that are true.
type verifier struct {
	ws    *tool.Workspace
	asked string // where the search begins
	found *findings
	name  string
	file  *os.File // nil if name is not to be shown
}

// readAll reads results to their end, or until enough is found.
func (v *verifier) readAll(r io.Reader) (complete bool, err error) {
	in := bufio.NewReaderSize(r, maxResultLine)
	for {
		b, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			v.found.skipped++
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			continue
		case err != nil: // the end, or the program was stopped
			return true, nil
		}
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			return false, fmt.Errorf("ripgrep's answer cannot be read: %w", err)
		}
		if l.Type != "match" && l.Type != "context" {
			continue
		}
		if !v.take(l) {
			return false, nil
		}
	}
}

func (v *verifier) take(l line) bool {
	name := path.Clean(string(l.Data.Path.bytes()))
	if name != v.name {
		v.turnTo(name)
	}
	want := l.Data.Lines.bytes()
	if v.file == nil {
		return true
	}
	have := make([]byte, len(want))
	if n, err := v.file.ReadAt(have, l.Data.Offset); n < len(have) && err != nil || !bytes.Equal(have, want) {
		return true
	}
	return v.found.add(name, l.Data.Number, want, l.Type == "match")
}

func (v *verifier) turnTo(name string) {
	v.close()
	v.name = name
	if v.ws.Ignored(name, false) || name != v.asked && holdsSecrets(name) {
		return // what holds secrets is shown only to who asked for that very file
	}
	f, _, err := open(v.ws.Root, name)
	if err == nil {
		v.file = f
	}
}

func (v *verifier) close() {
	if v.file != nil {
		_ = v.file.Close()
		v.file = nil
	}
}

// bounded drops what is too much.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if n := min(len(p), b.left); n > 0 {
		b.left -= n
		if _, err := b.w.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
