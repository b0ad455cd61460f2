package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/clew-run/clew/internal/cli/env"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"clew": func() {
		// Without Program: this one would run the tests in the background.
		os.Exit(execute(context.Background(), &env.App{IO: env.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}, Server: env.RealServer}, os.Args[1:]))
	}, "notes": notesServer})
}

// notesServer is a tool server with one tool.
func notesServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_notes", Description: "Lists the notes."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCodeCommand,
		},
	})
}

// exitCodeCommand runs a program and checks its exit code: exitcode 2 clew ….
func exitCodeCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// A run is one call of the program in this process.
type run struct {
	code        int
	out, errOut string
}

func call(t *testing.T, server env.Backend, environ []string, args ...string) run {
	t.Helper()
	var out, errOut bytes.Buffer
	a := &env.App{IO: env.IO{In: strings.NewReader(""), Out: &out, Err: &errOut, Environ: environ}, Server: server}
	code := execute(t.Context(), a, args)
	return run{code: code, out: out.String(), errOut: errOut.String()}
}

// catch is a backend that keeps the configuration it was given.
func catch(got *env.Config) env.Backend {
	return env.Backend{
		Run: func(_ context.Context, cfg env.Config, _ io.Writer, _ *slog.Logger) error {
			*got = cfg
			return nil
		},
		Checkup: func(_ context.Context, cfg env.Config) []env.Check {
			*got = cfg
			return nil
		},
		Doctor: func(context.Context, env.Config, bool) (env.Examined, error) { return env.Examined{}, nil },
	}
}

// Covers: C-66
func TestServeStopsOnSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		server := env.Backend{Run: func(ctx context.Context, _ env.Config, out io.Writer, _ *slog.Logger) error {
			_, _ = io.WriteString(out, "clew: ready http://127.0.0.1:1\n")
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				return err
			}
			<-ctx.Done()
			return nil
		}}
		got := call(t, server, []string{"HOME=" + t.TempDir()}, "serve")
		if got.code != env.ExitOK || got.out != "clew: ready http://127.0.0.1:1\n" {
			t.Errorf("%v: %+v", sig, got)
		}
	}
}
