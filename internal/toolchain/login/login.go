//go:build unix

// Package login asks a person's login shell for its environment, for sessions
// that did not begin in a terminal.
package login

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/toolchain"
)

// printCommand is the first argument under which this program prints its
// environment. The shell starts it by its full path, so that a broken PATH does
// not matter.
const (
	printCommand = "print-environment"
	markBegin    = "clew-mark-"
)

func init() {
	if len(os.Args) == 3 && os.Args[1] == printCommand && strings.HasPrefix(os.Args[2], markBegin) {
		text, err := json.Marshal(os.Environ())
		if err != nil {
			os.Exit(1) //nolint:forbidigo // this process is no server, and main must not run
		}
		_, _ = fmt.Fprintf(os.Stdout, "%s%s%s", os.Args[2], text, os.Args[2])
		os.Exit(0) //nolint:forbidigo // as above
	}
}

// rest is how long what start-up files left running may hold the output.
const rest = 500 * time.Millisecond

// Environment asks a shell, and gives what commands may have of its answer. The
// answer stands between two random marks, so that what start-up files print does
// not matter.
func Environment(ctx context.Context, shell string, limit time.Duration) (map[string]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	mark := markBegin + rand.Text()
	args, err := arguments(filepath.Base(shell), "'"+strings.ReplaceAll(self, "'", `'\''`)+"' "+printCommand+" "+mark)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Env = append(own(os.Environ()), "CLEW_RESOLVING_ENVIRONMENT=1", "TERM=dumb")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // job control must not touch a terminal
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = rest
	var out bytes.Buffer
	cmd.Stdout = &out
	runErr := cmd.Run()
	if errors.Is(runErr, exec.ErrWaitDelay) { // what is left of its group holds the output
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if part := strings.Split(out.String(), mark); len(part) >= 3 { // it counts even if the shell failed then
		var list []string
		if err := json.Unmarshal([]byte(part[1]), &list); err != nil {
			return nil, err
		}
		return toolchain.Filter(list), nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("your login shell (%s) did not answer within %s", shell, limit)
	}
	if runErr == nil {
		runErr = errors.New("it ended without a word")
	}
	return nil, fmt.Errorf("your login shell (%s) did not answer: %w", shell, runErr)
}

func arguments(name, line string) ([]string, error) {
	switch name {
	case "csh", "tcsh":
		return []string{"-ic", line}, nil
	case "fish":
		return []string{"-l", "-i", "-c", "emit fish_prompt; " + line}, nil
	case "sh", "dash":
		return []string{"-l", "-c", line}, nil
	case "nologin", "false":
		return nil, errors.New("this account has no login shell")
	}
	return []string{"-l", "-i", "-c", line}, nil
}

// own leaves out what is the server's: its keys are not for start-up files.
func own(environ []string) []string {
	var list []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TZ", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME":
			list = append(list, kv)
		}
	}
	return list
}

// Shell is the login shell of whoever runs this program, "" if it is not known.
func Shell() string {
	if shell := os.Getenv("SHELL"); filepath.IsAbs(shell) {
		return shell
	}
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	uid := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 7 && f[2] == uid && filepath.IsAbs(f[6]) {
			return f[6]
		}
	}
	return ""
}
