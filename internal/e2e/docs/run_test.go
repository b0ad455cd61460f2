//go:build linux

package docs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// within bounds one block; machines are busy.
const within = time.Minute

// Every command in a block is run, page by page, each in a world of its own. A block
// that cannot run here says why in a comment above it.
func TestCommandsWork(t *testing.T) {
	for _, tool := range []string{"bash", "git", "jq", "curl"} {
		if missing(t, tool) {
			t.Skipf("there is no %s", tool)
		}
	}
	var mu sync.Mutex
	ran, left := 0, []string{}
	t.Run("pages", func(t *testing.T) {
		all := pages(t)
		for _, p := range all {
			not, todo := leftOut(t, p, all)
			left = append(left, not...)
			if !todo {
				continue
			}
			t.Run(strings.ReplaceAll(p.name, "/", "_"), func(t *testing.T) {
				t.Parallel()
				n := play(t, p)
				mu.Lock()
				defer mu.Unlock()
				ran += n
			})
		}
	})
	t.Logf("%d blocks were run, %d not:\n%s", ran, len(left), strings.Join(left, "\n"))
}

// leftOut lists the blocks of a page that are not run here, and says whether there are
// others.
func leftOut(t *testing.T, p page, all []page) (not []string, others bool) {
	t.Helper()
	if original, ok := strings.CutPrefix(p.run, "as "); ok { // a translation
		i := slices.IndexFunc(all, func(o page) bool { return o.name == original })
		if i < 0 || !slices.Equal(p.commands(), all[i].commands()) {
			t.Errorf("%s has not the commands of %s", p.name, original)
		}
		return []string{p.name + ": " + p.run}, false
	}
	for _, b := range p.blocks {
		h, err := p.how(b)
		if err != nil {
			t.Errorf("%s:%d: %v", p.name, b.line, err)
		}
		switch {
		case b.shell() && h.not != "":
			not = append(not, fmt.Sprintf("%s:%d: %s", p.name, b.line, h.not))
		case b.shell():
			others = true
		}
	}
	return not, others
}

// remark is a comment at the end of a line of shell, with the space before it.
var remark = regexp.MustCompile(`(?m)\s+# .*$`)

// commands are those of all blocks, without remarks, which are translated.
func (p page) commands() []string {
	var list []string
	for _, b := range p.blocks {
		if b.shell() {
			list = append(list, remark.ReplaceAllString(b.text, ""))
		}
	}
	return list
}

// how says how a block of the page is run.
func (p page) how(b block) (how, error) {
	if b.run == "" && b.before == "" {
		b.run = p.run
	}
	return b.how()
}

// missing says whether a program is not here; with arguments, whether it fails. Where all of them must be, that is a failure.
func missing(t *testing.T, program string) bool {
	t.Helper()
	_, err := exec.LookPath(program)
	if words := strings.Fields(program); len(words) > 1 {
		err = exec.CommandContext(t.Context(), words[0], words[1:]...).Run()
	}
	if err != nil && os.Getenv("CLEW_TEST_TOOLCHAINS") == "required" {
		t.Fatalf("there is no %s, and CLEW_TEST_TOOLCHAINS requires it", program)
	}
	return err != nil
}

// play runs the blocks of a page in order.
func play(t *testing.T, p page) (ran int) {
	t.Helper()
	w := newWorld(t, p)
	if out, code := w.run(begin, how{}); code != 0 {
		t.Fatalf("the world has no beginning: exit code %d\n%s", code, out)
	}
	for _, b := range p.blocks {
		h, err := p.how(b)
		if err != nil || !b.shell() || h.not != "" {
			continue
		}
		where := fmt.Sprintf("%s:%d", p.name, b.line)
		if i := slices.IndexFunc(h.needs, func(program string) bool { return missing(t, program) }); i >= 0 {
			t.Logf("%s: not run, there is no %s", where, h.needs[i])
			continue
		}
		ran++
		if b.before != "" {
			if out, code := w.run(b.before, how{}); code != 0 {
				t.Errorf("%s: what is hidden before it ended with %d\n%s", where, code, out)
			}
		}
		text, want := commandsOf(b.lang, b.text)
		out, code := w.run(w.filled(text, h), h)
		if code != h.code {
			t.Errorf("%s: exit code %d, not %d\n%s\n--- said:\n%s", where, code, h.code, text, out)
		}
		for _, line := range want {
			if !loosely(line).MatchString(out) {
				t.Errorf("%s: %q is not in\n%s", where, line, out)
			}
		}
	}
	return ran
}

// A how says how a block is run.
type how struct {
	not    string   // why it is not run here
	code   int      // that it ends with
	needs  []string // programs
	typed  []typing // at a terminal
	values [][2]string
}

// A typing is a line, or ^C, that is typed when a text shows; nothing, if it is only seen.
type typing struct{ text, at string }

var (
	byTest  = regexp.MustCompile(`^by (make ([a-z0-9-]+)|Test\w+ in (\S+))`)
	exits   = regexp.MustCompile(`^exits (\d+)$`)
	needs   = regexp.MustCompile(`^needs (.+)$`)
	sees    = regexp.MustCompile(`^sees "(.+)"$`)
	types   = regexp.MustCompile(`^types "(.*)" at "(.+)"$`)
	meaning = regexp.MustCompile(`^(\S+) is (.+)$`)
)

// how reads the comment above a block. Parts are separated by semicolons.
func (b block) how() (h how, err error) {
	if reason, no := strings.CutPrefix(b.run, "no, "); no {
		h.not = reason
		return h, nil
	}
	if m := byTest.FindStringSubmatch(b.run); m != nil {
		h.not = b.run
		return h, testExists(m)
	}
	for part := range strings.SplitSeq(b.run, ";") {
		part = strings.TrimSpace(part)
		if m := exits.FindStringSubmatch(part); m != nil {
			_, err = fmt.Sscan(m[1], &h.code)
		} else if m := types.FindStringSubmatch(part); m != nil {
			h.typed = append(h.typed, typing{m[1], m[2]})
		} else if m := needs.FindStringSubmatch(part); m != nil {
			h.needs = append(h.needs, m[1])
		} else if m := sees.FindStringSubmatch(part); m != nil {
			h.typed = append(h.typed, typing{"", m[1]})
		} else if m := meaning.FindStringSubmatch(part); m != nil {
			h.values = append(h.values, [2]string{m[1], m[2]})
		} else if part != "" {
			return h, fmt.Errorf("nobody understands run: %s", part)
		}
	}
	return h, err
}

// testExists looks for the test that a comment names instead.
func testExists(m []string) error {
	if target := m[2]; target != "" {
		b, err := os.ReadFile(filepath.Join(proc.Root(), "Makefile"))
		if err == nil && !strings.Contains(string(b), "\n"+target+":") {
			err = fmt.Errorf("there is no make %s", target)
		}
		return err
	}
	name, _, _ := strings.Cut(m[1], " ")
	files, err := filepath.Glob(filepath.Join(proc.Root(), strings.TrimSuffix(m[3], ","), "*_test.go"))
	for _, file := range files {
		if b, _ := os.ReadFile(file); bytes.Contains(b, []byte("func "+name+"(")) {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("there is no %s", m[1]))
}

// commandsOf are the commands of a block, and the lines of output that it shows.
func commandsOf(lang, text string) (commands string, output []string) {
	if lang != "console" {
		return text, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if command, is := strings.CutPrefix(line, "$ "); is {
			commands += command + "\n"
		} else if strings.TrimSpace(line) != "" {
			output = append(output, line)
		}
	}
	return commands, output
}

var digits = regexp.MustCompile(`\d[\d.,]*`)

// loosely finds a line that a page shows: numbers and spaces may differ, and … stands
// for anything.
func loosely(line string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.Join(strings.Fields(line), " "))
	text = digits.ReplaceAllString(strings.ReplaceAll(text, `\.`, "."), `[\d.,]+`)
	return regexp.MustCompile(strings.ReplaceAll(strings.ReplaceAll(text, "…", ".*"), " ", `\s+`))
}

// capitals are what readers replace; variables of the same names have the values here.
var capitals = regexp.MustCompile(`(?m)(^|[\s/])(SESSION|REQUEST|HASH|DIR|KEY_ID|PID|OTHER)([\s./]|$)`)

// filled puts values where a reader would.
func (w *world) filled(text string, h how) string {
	for range 2 { // two in a row have one space between them
		text = capitals.ReplaceAllString(text, `$1"$$$2"$3`)
	}
	for _, v := range h.values {
		text = strings.ReplaceAll(text, v[0], v[1])
	}
	return strings.ReplaceAll(text, "127.0.0.1:8000", w.listen)
}

// shellWith keeps directory, variables and functions from block to block. A command that
// fails ends the block, as with set -e, except by a Ctrl-C that was typed.
const shellWith = `[ -e $STATE/vars ] && . $STATE/vars 2>/dev/null
[ -e $STATE/cwd ] && cd "$(cat $STATE/cwd)" || cd ~
trap 'code=$?; { declare -p | grep -vE "^declare -[a-zA-Z]*r"; declare -f; } >$STATE/vars; pwd >$STATE/cwd; exit $code' EXIT
trap 'code=$?; if [ $code != 130 ]; then echo "line $LINENO failed: $BASH_COMMAND" >&2; exit $code; fi' ERR
set -Eu -o pipefail
. $STATE/block
`

// run runs commands in the world's shell and gives what they said.
func (w *world) run(text string, h how) (out string, code int) {
	w.t.Helper()
	proc.Must(w.t, os.WriteFile(filepath.Join(w.state(), "block"), []byte(text), 0o600))
	ctx, cancel := context.WithTimeout(w.t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", shellWith)
	cmd.Dir, cmd.Env = w.home, w.env
	if len(h.typed) > 0 {
		return w.terminal(ctx, cmd, h)
	}
	file, err := os.Create(filepath.Join(w.state(), "output")) // not a pipe, which background jobs would keep open
	proc.Must(w.t, err)
	defer func() { _ = file.Close() }()
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	proc.Must(w.t, cmd.Start())
	w.groups = append(w.groups, cmd.Process.Pid)
	err = cmd.Wait()
	return proc.ReadFile(w.t, file.Name()) + tooLong(ctx, err), cmd.ProcessState.ExitCode()
}

func tooLong(ctx context.Context, err error) string {
	if err != nil && ctx.Err() != nil {
		return fmt.Sprintf("\n(it did not end within %s)", within)
	}
	return ""
}

func keys(text string) string {
	switch text {
	case "", "Enter":
		return strings.Repeat("\r", min(1, len(text)))
	case "^C":
		return "\x03"
	case "^D":
		return "\x04"
	}
	return text + "\r"
}

// terminal runs commands at a terminal, types what is to be typed when its prompt
// shows.
func (w *world) terminal(ctx context.Context, cmd *exec.Cmd, h how) (out string, code int) {
	w.t.Helper()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	proc.Must(w.t, err)
	defer func() { _ = tty.Close() }()
	w.groups = append(w.groups, cmd.Process.Pid)
	var all, unseen bytes.Buffer
	typed := h.typed
	for buf := make([]byte, 4096); ; {
		n, err := tty.Read(buf)
		all.Write(buf[:n])
		unseen.Write(buf[:n])
		for len(typed) > 0 {
			i := bytes.Index(unseen.Bytes(), []byte(typed[0].at))
			if i < 0 {
				break
			}
			unseen.Next(i + len(typed[0].at))
			_, _ = tty.WriteString(keys(typed[0].text)) // it may be gone
			typed = typed[1:]
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	code = cmd.ProcessState.ExitCode()
	out = all.String() + tooLong(ctx, err)
	if len(typed) > 0 {
		return out + fmt.Sprintf("\n(%q did not show)", typed[0].at), -1
	}
	return out, code
}
