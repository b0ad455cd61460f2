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

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"clew": func() {
		os.Exit(Main(context.Background(), os.Args[1:], IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}))
	}})
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

func call(t *testing.T, server backend, environ []string, args ...string) run {
	t.Helper()
	var out, errOut bytes.Buffer
	a := &app{IO: IO{In: strings.NewReader(""), Out: &out, Err: &errOut, Environ: environ}, server: server}
	code := a.main(t.Context(), args)
	return run{code: code, out: out.String(), errOut: errOut.String()}
}

// catch is a backend that keeps the configuration it was given.
func catch(got *config) backend {
	return backend{
		run: func(_ context.Context, cfg config, _ io.Writer, _ *slog.Logger) error {
			*got = cfg
			return nil
		},
		checkup: func(_ context.Context, cfg config) []check {
			*got = cfg
			return nil
		},
		doctor: func(context.Context, config, bool) (examined, error) { return examined{}, nil },
	}
}

// Covers: C-66
func TestServeStopsOnSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		server := backend{run: func(ctx context.Context, _ config, out io.Writer, _ *slog.Logger) error {
			_, _ = io.WriteString(out, "clew: ready http://127.0.0.1:1\n")
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				return err
			}
			<-ctx.Done()
			return nil
		}}
		got := call(t, server, []string{"HOME=" + t.TempDir()}, "serve")
		if got.code != exitOK || got.out != "clew: ready http://127.0.0.1:1\n" {
			t.Errorf("%v: %+v", sig, got)
		}
	}
}
