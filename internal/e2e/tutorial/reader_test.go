//go:build linux

package tutorial

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/tool/shell"
)

//go:embed script.yaml
var script []byte

// within bounds one step: machines are busy.
const within = 3 * time.Minute

// A reader has installed clew, has a model, and nothing else of it.
type reader struct {
	t    *testing.T
	home string
	dir  string // where the last step left the shell
	env  []string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	if kind, reason := shell.Probe(); kind != shell.SandboxBwrap {
		proc.Missing(t, "there is no sandbox: "+reason)
	}
	home, err := os.MkdirTemp("", "clew-home-") // a socket's path has to be short
	proc.Must(t, err)
	clew := proc.Program(t, "")
	r := &reader{t: t, home: home, dir: home, env: append(model(t),
		"HOME="+home, "PATH="+filepath.Dir(clew)+":/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "LC_ALL=C.UTF-8", "SHELL=/bin/sh",
		"CLEW_SECRETS_BACKEND=file", "CLEW_DISK_RESERVE=0",
	)}
	t.Cleanup(func() {
		_, _ = r.plain("clew serve stop") // the last step does, if it was reached
		_ = os.RemoveAll(home)
	})
	return r
}

// model is the environment that names a scripted model, in place of what clew login stores.
func model(t *testing.T) []string {
	t.Helper()
	parsed, err := llmtest.Parse(script)
	proc.Must(t, err)
	m, err := llmtest.Start(parsed, llmtest.Options{})
	proc.Must(t, err)
	t.Cleanup(func() { _ = m.Close() })
	profiles, err := json.Marshal(map[string]any{"anthropic": map[string]any{"provider": "anthropic", "model": "claude-sonnet-4-6", "base_url": m.URL()}})
	proc.Must(t, err)
	return []string{"CLEW_SET_MODEL_PROFILE=anthropic", "CLEW_SET_MODEL_PROFILES=" + string(profiles), "CLEW_SECRET_ANTHROPIC_API_KEY=sk-test-0123456789"}
}

func (r *reader) bash(ctx context.Context, commands string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-c", commands)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

// plain runs commands where there is no terminal.
func (r *reader) plain(commands string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	out, err := r.bash(ctx, commands).CombinedOutput()
	return string(out), err
}

// typed is a line of a page that shows what the reader types: behind › or [y/N].
var typed = regexp.MustCompile(`^(.*(?:›|\[y/N\]) )(\S+)$`)

// at runs a step at a terminal, types what the page says is typed, and gives what was
// printed. Each command has to succeed.
func (r *reader) at(s step) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	where := filepath.Join(r.home, "where")
	cmd := r.bash(ctx, "set -e\ntrap 'pwd >"+where+"' EXIT\n"+s.commands)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // a terminal's programs are a group
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	proc.Must(r.t, err)
	var questions [][]string // each the prompt, and the answer
	for _, line := range s.output {
		if m := typed.FindStringSubmatch(line); m != nil {
			questions = append(questions, m[1:])
		}
	}
	var out bytes.Buffer
	for asked := 0; ; {
		buf := make([]byte, 4096)
		n, err := tty.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break // a terminal ends with an error
		}
		if len(questions) == 0 {
			continue
		}
		if i := strings.Index(out.String()[asked:], strings.TrimSpace(questions[0][0])); i >= 0 {
			asked = out.Len()
			_, err := io.WriteString(tty, questions[0][1]+"\r")
			proc.Must(r.t, err)
			questions = questions[1:]
		}
	}
	err = cmd.Wait()
	_ = tty.Close()
	if err != nil || len(questions) > 0 {
		r.t.Fatalf("%s%v; not asked: %q; it printed\n%s", s.commands, err, questions, out.String())
	}
	b, err := os.ReadFile(where)
	proc.Must(r.t, err)
	r.dir = strings.TrimSpace(string(b))
	return out.String()
}
