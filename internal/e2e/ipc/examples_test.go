package ipc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// The examples do what they say: they ask, pass the question on, end with the
// answer, and print nothing that steers a terminal. Without a server they say so.
func TestExamples(t *testing.T) {
	s := newStage(t, asks, nil).start()
	dir := filepath.Join(proc.Root(), "examples", "local-socket")
	for _, example := range []struct {
		name  string
		needs []string
		args  []string
	}{
		{"go", []string{"go"}, []string{"go", "run", "./go"}},
		{"python", []string{"python3"}, []string{"python3", "python/ask.py"}},
		{"typescript", []string{"node"}, nil},
		{"bash", []string{"bash", "socat", "jq"}, []string{"bash/ask.sh"}},
	} {
		t.Run(example.name, func(t *testing.T) {
			for _, tool := range example.needs {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skipf("%s is not installed", tool)
				}
			}
			if example.name == "typescript" {
				example.args = runTypeScript(t, filepath.Join(dir, "typescript", "ask.mts"))
			}
			data := s.Srv.Dir
			run := func(words, keys string) (string, error) {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, example.args[0], append(example.args[1:len(example.args):len(example.args)], words)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "CLEW_DATA="+data, "CLEW_SOCKET=")
				cmd.Stdin = strings.NewReader(keys)
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			out, err := run("Choose a colour", "green\n")
			if err != nil || !strings.Contains(out, "I need to know[2J one thing.") || !strings.Contains(out, "Which colour?") || !strings.Contains(out, "Green it is.") {
				t.Errorf("%v\n%q", err, out)
			}
			if out, err := run("Choose a colour", ""); err == nil || !strings.Contains(out, "ask: nobody answers\n") {
				t.Errorf("without an answer: %v\n%s", err, out)
			}
			if out, err := run("", ""); err == nil || !strings.Contains(out, "ask: ") {
				t.Errorf("a task without words: %v\n%s", err, out)
			}
			data = t.TempDir()
			var exit *exec.ExitError
			if out, err := run("Choose a colour", ""); !errors.As(err, &exit) || exit.ExitCode() != 1 || !plainRefusal(out) {
				t.Errorf("without a server: %v\n%s", err, out)
			}
		})
	}
}

// plainRefusal reports whether a program has said in one line that there is no
// server. What runs Go programs adds a line of its own.
func plainRefusal(out string) bool {
	out = strings.TrimSuffix(out, "exit status 1\n")
	return strings.HasPrefix(out, "ask: no server at ") && strings.HasSuffix(out, "; clew serve starts one\n") && strings.Count(out, "\n") == 1
}

// runTypeScript gives the command line of a TypeScript program: Node's own way, or
// by way of the tool that builds the web UI.
func runTypeScript(t *testing.T, file string) []string {
	t.Helper()
	if exec.Command("node", "--experimental-strip-types", "--eval", "0").Run() == nil {
		return []string{"node", "--no-warnings", "--experimental-strip-types", file}
	}
	for _, folder := range []string{"web", "sdk/typescript"} {
		tool := filepath.Join(proc.Root(), folder, "node_modules", ".bin", "esbuild")
		if _, err := os.Stat(tool); err != nil {
			continue
		}
		built := filepath.Join(t.TempDir(), "ask.mjs")
		if out, err := exec.Command(tool, file, "--format=esm", "--outfile="+built).CombinedOutput(); err != nil {
			t.Fatalf("esbuild: %v %s", err, out)
		}
		return []string{"node", built}
	}
	t.Skip("this Node cannot run TypeScript, and there is no esbuild")
	return nil
}
