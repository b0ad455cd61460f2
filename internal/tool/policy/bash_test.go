package policy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// harmless is the allow list that the hostile lines are held against.
var harmless = []string{"ls *", "cat *", "echo *", "git log *", "rg *", "find *", "sort *", "true"}

// harmlessNames are the programs behind it.
var harmlessNames = []string{"ls", "cat", "echo", "git", "rg", "find", "sort", "true"}

// stubbed are programs that exist in the harness besides the harmless ones.
// Any other name ends in the handler for unknown commands, which records too.
var stubbed = []string{"rm", "touch", "env", "xargs", "sudo", "nohup", "timeout", "nice", "sh", "bash", "python3", "perl", "awk", "sed", "tee", "curl", "ssh", "evil"}

// stub writes its name and arguments as one line. It is bash itself, so that
// the harness needs nothing on PATH.
const stub = `#!/bin/bash
line=${0##*/}
for a; do line+=" ${a@Q}"; done
printf '%s\n' "$line" >>"$RECORD"
`

const unknownHandler = `() { local line=$1 a; shift; for a; do line+=" ${a@Q}"; done; printf '%s\n' "$line" >>"$RECORD"; return 127; }`

// A shell is real bash in a directory where every program is a stub.
type shell struct{ bin, record, work string }

// An observed run is what bash did with a line.
type observed struct {
	calls []string // sorted: parts of a pipeline start in any order
	out   string
	files []string // left in the working directory
}

func newShell(t testing.TB) *shell {
	t.Helper()
	if _, err := os.Stat("/bin/bash"); err != nil {
		missing(t, "no /bin/bash to compare with")
	}
	dir := t.TempDir()
	s := &shell{bin: filepath.Join(dir, "bin"), record: filepath.Join(dir, "record"), work: filepath.Join(dir, "work")}
	must(t, os.Mkdir(s.bin, 0o755))
	for _, name := range append(slices.Clone(harmlessNames), stubbed...) {
		must(t, os.WriteFile(filepath.Join(s.bin, name), []byte(stub), 0o755))
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run gives a line to bash, just as commands are run.
func (s *shell) run(t testing.TB, line string) observed {
	t.Helper()
	must(t, os.RemoveAll(s.work))
	must(t, os.Mkdir(s.work, 0o755))
	must(t, os.WriteFile(s.record, nil, 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "--noprofile", "--norc", "-c", line)
	cmd.Dir = s.work
	cmd.WaitDelay = time.Second
	cmd.Env = []string{"PATH=" + s.bin, "HOME=" + s.work, "RECORD=" + s.record, "LC_ALL=C.UTF-8",
		"BASH_FUNC_command_not_found_handle%%=" + unknownHandler}
	out, _ := cmd.Output() // the exit code is the line's own business
	record, err := os.ReadFile(s.record)
	must(t, err)
	o := observed{out: string(out), calls: strings.Split(strings.TrimSpace(string(record)), "\n")}
	slices.Sort(o.calls)
	entries, err := os.ReadDir(s.work)
	must(t, err)
	for _, e := range entries {
		o.files = append(o.files, e.Name())
	}
	return o
}

// strayed says what bash did beyond the harmless programs, "" for nothing.
func (o observed) strayed() string {
	if len(o.files) > 0 {
		return "it left " + strings.Join(o.files, ", ")
	}
	for _, c := range o.calls {
		name, _, _ := strings.Cut(c, " ")
		if name != "" && !slices.Contains(harmlessNames, name) {
			return "it ran " + c
		}
	}
	return ""
}

// sameRun checks that a line that was allowed does, as printed, what it would
// have done as written, and nothing else.
func (s *shell) sameRun(t testing.TB, line, script string) {
	t.Helper()
	written, printed := s.run(t, line), s.run(t, script)
	if why := written.strayed(); why != "" {
		t.Errorf("%q was allowed, and %s", line, why)
	}
	if why := printed.strayed(); why != "" {
		t.Errorf("%q, printed for %q: %s", script, line, why)
	}
	if !slices.Equal(written.calls, printed.calls) || written.out != printed.out {
		t.Errorf("%q ran %q and said %q; printed as %q it ran %q and said %q", line, written.calls, written.out, script, printed.calls, printed.out)
	}
}

// missing skips a test for want of a program, except in CI, which installs it.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
