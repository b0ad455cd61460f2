package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// commands lists all commands, those that only have others below them too.
func commands() []*cobra.Command {
	root := rootCommand((&env.App{}))
	list := []*cobra.Command{root}
	for i := 0; i < len(list); i++ {
		list = append(list, list[i].Commands()...)
	}
	return list
}

// words gives a command line with something in every place that must be filled.
func words(cmd *cobra.Command, session clew.SessionID) []string {
	args := strings.Fields(cmd.CommandPath())[1:]
	fill := map[string]string{
		"SESSION": string(session), "SESSION|DIR": string(session), "[MESSAGE]": "0", "HASH": "abcdef1", "KEY": "mode", "VALUE": "code", "ID": "key_none",
		"FILE": "none.json", "FILE|DIR|-": "none.json", "DIR": "none", "REQUEST": "req_none",
		"bash|zsh|fish|powershell": "bash", "--user": "--user=ada",
	}
	for _, place := range strings.Fields(cmd.Use)[1:] {
		if word, ok := fill[place]; ok {
			args = append(args, word)
		}
	}
	return args
}

// Every command says what it does, at length and by example, and stands below a
// heading.
func TestEveryCommandIsExplained(t *testing.T) {
	for _, cmd := range commands() {
		if cmd.Short == "" || cmd.Long == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short %q, long %q", cmd.CommandPath(), cmd.Short, cmd.Long)
		}
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "clew ") {
				t.Errorf("%s: the example %q runs no clew", cmd.CommandPath(), line)
			}
		}
		if parent := cmd.Parent(); parent != nil && !parent.HasParent() && cmd.GroupID == "" && !cmd.Hidden {
			t.Errorf("%s stands below no heading", cmd.CommandPath())
		}
	}
}

// Help is for programs too.
func TestHelpAsJSON(t *testing.T) {
	for _, args := range [][]string{{"help", "--json"}, {"--help", "--json"}, {"--json", "help", "token"}, {"token", "--json"}} {
		got := call(t, env.Backend{}, []string{"HOME=/nonexistent"}, args...)
		var d described
		if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != env.ExitOK || len(d.Commands) == 0 || len(d.Flags) == 0 {
			t.Errorf("%v: %v %+v", args, err, got)
		}
	}
}

// quick ends a command that would serve.
func quick() env.Backend {
	failed := errors.New("it cannot be done here")
	b := env.RealServer
	b.Run = func(context.Context, env.Config, io.Writer, *slog.Logger) error { return failed }
	b.Demo = func(context.Context, env.Config, env.DemoOptions, io.Writer, *slog.Logger) error { return failed }
	return b
}

// With --json all that a command writes is JSON, whether it works or not. Here
// most do not: there is no server.
func TestEveryCommandSpeaksJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	environ := []string{"HOME=" + t.TempDir(), "CLEW_SERVER=127.0.0.1:1", "CLEW_TOKEN=clew_none"}
	for _, cmd := range commands() {
		args := append(words(cmd, "sess_none"), "--json")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var out, errOut bytes.Buffer
		a := &env.App{IO: env.IO{In: strings.NewReader(""), Out: &out, Err: &errOut, Environ: environ}, Server: quick(), Browse: func(string) error { return errors.New("none") }}
		code := execute(ctx, a, args)
		if ctx.Err() != nil {
			t.Errorf("%v did not end", args)
		}
		cancel()
		if out.Len()+errOut.Len() == 0 {
			t.Errorf("%v said nothing, code %d", args, code)
		}
		for _, text := range []string{out.String(), errOut.String()} {
			for dec := json.NewDecoder(strings.NewReader(text)); ; {
				var v any
				err := dec.Decode(&v)
				if errors.Is(err, io.EOF) {
					break
				}
				if _, object := v.(map[string]any); err != nil || !object {
					t.Errorf("%v wrote %q: %v", args, text, err)
					break
				}
			}
		}
		if code != env.ExitOK && !strings.Contains(errOut.String(), `"error"`) && out.Len() == 0 {
			t.Errorf("%v: code %d and no error: %s", args, code, errOut.String())
		}
	}
}

// Nobody is asked who is not there: no command waits for standard input, be it
// closed or empty. The session has something to take back.
func TestNoCommandPromptsNobody(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := newTraveller(t)
	x.say("hello")
	t.Chdir(t.TempDir())
	environ := append(os.Environ(), "HOME="+t.TempDir(), "CLEW_SERVER="+x.address, "CLEW_TOKEN="+x.token, "BROWSER=false")
	for _, cmd := range commands() {
		if slices.Contains([]string{"clew serve", "clew demo", "clew attach"}, cmd.CommandPath()) {
			continue // they are made to stay, and ask nothing
		}
		for _, stdin := range []string{"</dev/null", "<&-"} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			args := append([]string{"-c", `exe=$1; shift; exec -a clew "$exe" "$@" ` + stdin, "-", exe}, words(cmd, x.id)...)
			run := exec.CommandContext(ctx, "bash", args...)
			run.Env = environ
			out, _ := run.CombinedOutput()
			if ctx.Err() != nil {
				t.Errorf("%v %s waits: %s", args[4:], stdin, out)
			}
			cancel()
			if bytes.ContainsRune(out, '\x1b') {
				t.Errorf("%v writes for a terminal that is not there: %q", args[4:], out)
			}
			for _, prompt := range []string{"[y/N]", "Value of", "(not shown)"} {
				if bytes.Contains(out, []byte(prompt)) {
					t.Errorf("%v asks nobody: %s", args[4:], out)
				}
			}
		}
	}
}

// For every kind of error somebody has thought about what to do next.
func TestErrorsSayWhatToDo(t *testing.T) {
	for _, info := range clew.Codes {
		do, ok := env.Next[info.Code]
		if !ok {
			t.Errorf("%s: nobody thought of what to do about it", info.Code)
		}
		err := clew.Errorf(info.Code, "it failed")
		var out bytes.Buffer
		(&env.App{}).PrintError(&out, err)
		if want := "clew: it failed\n"; !strings.HasPrefix(out.String(), want) || do != "" && !strings.Contains(out.String(), do) {
			t.Errorf("%s: %q", info.Code, out.String())
		}
	}
	if do := env.Advice(clew.Errorf(clew.SessionNotFound, "gone; clew ls lists others").Advised()); do != "" {
		t.Errorf("what was said already is said again: %s", do)
	}
	for _, err := range []error{&env.NoTokenError{File: "x"}, env.Usagef("this is wrong")} {
		var out bytes.Buffer
		(&env.App{}).PrintError(&out, err)
		if text := out.String(); !strings.Contains(text, "CLEW_TOKEN") && !strings.Contains(text, "--help") {
			t.Errorf("nothing to do: %s", text)
		}
	}
}

// The table says the same as the code.
func TestExitCodes(t *testing.T) {
	for err, want := range map[error]int{
		errors.New("x"):                          env.ExitFailure,
		env.Usagef("x"):                          env.ExitUsage,
		clew.Errorf(clew.ConnectionFailed, "x"):  env.ExitNoServer,
		clew.Errorf(clew.ConnectionTimeout, "x"): env.ExitNoServer,
		clew.Errorf(clew.AuthFailed, "x"):        env.ExitRefused,
		clew.Errorf(clew.AuthRequired, "x"):      env.ExitRefused,
		clew.Errorf(clew.TokenExpired, "x"):      env.ExitRefused,
		clew.Errorf(clew.Forbidden, "x"):         env.ExitRefused,
		clew.Errorf(clew.BudgetExceeded, "x"):    env.ExitBudget,
		clew.Errorf(clew.SessionNotFound, "x"):   env.ExitFailure,
		&env.NoTokenError{File: "x"}:             env.ExitRefused,
		env.ExitWith(env.ExitQuestion):           env.ExitQuestion,
	} {
		if got := env.ExitCode(err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
	docs, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, e := range env.Exits {
		if seen[e.Code] || e.Name == "" || e.Meaning == "" {
			t.Errorf("%+v", e)
		}
		seen[e.Code] = true
		if !strings.Contains(string(docs), "| "+strconv.Itoa(e.Code)+" |") {
			t.Errorf("docs/cli.md does not name exit code %d", e.Code)
		}
	}
}
