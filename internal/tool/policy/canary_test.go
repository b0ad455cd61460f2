package policy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/nightly"
)

// lineLimit bounds a line that is executed, in seconds: one that waits for somebody would
// wait for ever. What compiles for the first time has longer.
const (
	lineLimit = 20
	warmLimit = 300
)

// A cage executes lines in a sandbox and sees what they did. A program of the workspace
// that starts, and one on PATH that must not, leave a mark; a file of the workspace that
// comes up or changes is seen by comparing. Lines share a cage until one of them leaves
// something behind.
type cage struct {
	t        testing.TB
	template string // the workspace as it is made
	bin      string // programs on PATH that must not run
	cache    string // what go built before
	dir      string // of the running sandbox: the workspace and the report
	before   map[string]string
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	stop     context.CancelFunc
}

// newCage makes the workspace, and checks that the cage sees what it is for: two lines
// that do harm are seen, and one that does none is not.
func newCage(t testing.TB) *cage {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		missing(t, "no bwrap to execute lines in")
	}
	dir := t.TempDir()
	c := &cage{t: t, template: filepath.Join(dir, "template"), bin: filepath.Join(dir, "bin"), cache: filepath.Join(dir, "cache")}
	if nightly.On() { // what takes a minute to compile is kept for the next night
		c.cache = filepath.Join(os.TempDir(), "clew-canaries")
	}
	for _, d := range []string{c.template, c.bin, c.cache} {
		must(t, os.MkdirAll(d, 0o755))
	}
	script, err := filepath.Abs("testdata/canary/workspace.sh")
	must(t, err)
	build := exec.CommandContext(t.Context(), "bash", script, c.bin)
	build.Dir = c.template
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(c.close)
	for _, check := range []struct{ line, want string }{{"git clone -u ./evil . y", "ran evil"}, {"less a.txt", "ran less"}, {"git diff --output=WROTE HEAD~1", "wrote WROTE"}, {"git status", ""}} {
		if got := c.execute(check.line); got != check.want {
			t.Fatalf("the cage is blind: %q gives %q, want %q", check.line, got, check.want)
		}
	}
	return c
}

// open starts a sandbox with a new workspace.
func (c *cage) open() {
	c.t.Helper()
	dir, err := os.MkdirTemp("", "cage")
	must(c.t, err)
	c.dir = dir
	must(c.t, os.Mkdir(filepath.Join(dir, "report"), 0o755))
	if out, err := exec.CommandContext(c.t.Context(), "cp", "-a", c.template, filepath.Join(dir, "w")).CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	c.before = c.files()
	ctx, stop := context.WithCancel(context.WithoutCancel(c.t.Context()))
	c.stop = stop
	c.cmd = exec.CommandContext(ctx, "bwrap", c.arguments()...)
	c.in, err = c.cmd.StdinPipe()
	must(c.t, err)
	out, err := c.cmd.StdoutPipe()
	must(c.t, err)
	c.out = bufio.NewReader(out)
	must(c.t, c.cmd.Start())
}

// loop reads lines and runs each by bash, as clew does.
const loop = `while IFS=' ' read -r limit line; do timeout -k 1 "$limit" bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1; echo "done $?"; done`

func (c *cage) arguments() []string {
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
		"--bind", filepath.Join(c.dir, "w"), "/tmp/w", "--bind", filepath.Join(c.dir, "report"), "/tmp/report", "--ro-bind", c.bin, "/tmp/bin", "--bind", c.cache, "/tmp/cache",
		"--dir", "/tmp/home", "--chdir", "/tmp/w", "--clearenv"}
	for name, value := range map[string]string{
		"PATH": "/tmp/bin:" + strings.Join(toolDirs(), ":"), "HOME": "/tmp/home", "GOCACHE": "/tmp/cache/go", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-buildvcs=false",
		"CARGO_HOME": "/tmp/home/cargo", "CARGO_TARGET_DIR": "/tmp/cache/cargo", "CARGO_NET_OFFLINE": "true", "RUSTUP_HOME": home(".rustup"), "npm_config_update_notifier": "false", "npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0",
		"GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "EDITOR": "false", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
		"KUBECONFIG": "/nonexistent", "DOCKER_HOST": "unix:///nonexistent",
	} {
		args = append(args, "--setenv", name, value)
	}
	return append(args, "bash", "--noprofile", "--norc", "-c", loop)
}

func home(name string) string {
	dir, _ := os.UserHomeDir()
	return filepath.Join(dir, name)
}

// toolDirs are where the programs of the table, and of the search, are on this machine.
func toolDirs() []string {
	dirs := []string{}
	for _, name := range append([]string{"bash", "git", "go", "npm", "cargo", "docker", "kubectl", "rg", "jq", "python3", "tree"}, "ls") {
		if path, err := exec.LookPath(name); err == nil && !slices.Contains(dirs, filepath.Dir(path)) {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return dirs
}

// execute runs a line and says what it did that it must not, "" if nothing.
func (c *cage) execute(line string) string {
	c.t.Helper()
	return c.within(lineLimit, line)
}

// warm compiles what lines that build and test need, once.
func (c *cage) warm() {
	c.t.Helper()
	for _, line := range []string{"go vet ./... && go test ./p && go build -trimpath ./... && go test -cover ./p", "cargo test --offline && cargo clippy --offline"} {
		if did := c.within(warmLimit, line); did != "" {
			c.t.Fatalf("%q: %s", line, did)
		}
	}
}

func (c *cage) within(seconds int, line string) string {
	c.t.Helper()
	if strings.Contains(line, "\n") {
		c.t.Fatalf("%q has more than one line", line)
	}
	if c.cmd == nil {
		c.open()
	}
	if _, err := fmt.Fprintln(c.in, seconds, line); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	if answer, err := c.out.ReadString('\n'); err != nil || !strings.HasPrefix(answer, "done ") {
		c.t.Fatalf("%q: the sandbox says %q (%v)", line, answer, err)
	}
	did := c.did()
	if did != "" {
		c.close()
	}
	return did
}

func (c *cage) did() string {
	marks, err := os.ReadDir(filepath.Join(c.dir, "report"))
	must(c.t, err)
	if len(marks) > 0 {
		return "ran " + marks[0].Name()
	}
	after := c.files()
	var wrote []string
	for name, state := range after {
		if c.before[name] != state {
			wrote = append(wrote, name)
		}
	}
	if len(wrote) > 0 {
		return "wrote " + slices.Min(wrote) // in capitals comes first
	}
	for name := range c.before {
		if _, ok := after[name]; !ok {
			return "removed " + name
		}
	}
	return ""
}

// files gives size and time of everything in the workspace but git's index, which git
// brings up to date when it looks at files.
func (c *cage) files() map[string]string {
	all := map[string]string{}
	root := filepath.Join(c.dir, "w")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".git/index") {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all[name] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return nil
	})
	return all
}

// close ends the sandbox and takes its workspace away.
func (c *cage) close() {
	if c.cmd == nil {
		return
	}
	_ = c.in.Close()
	ended := time.AfterFunc(5*time.Second, c.stop) // bwrap ends with its shell
	_ = c.cmd.Wait()
	ended.Stop()
	c.stop()
	_ = os.RemoveAll(c.dir)
	c.cmd = nil
}
