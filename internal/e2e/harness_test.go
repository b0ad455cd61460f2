// Package e2e runs the real program: it builds clew, starts it as a process of
// its own, and looks at it from outside.
package e2e

import (
	"context"
	"os"
	"testing"
	"time"

	procs "github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(procs.Main(m)) }

// options say how a server is started. Rates are off unless env sets them.
type options struct {
	dir string            // data directory; "" makes one
	env map[string]string // settings, without the prefix CLEW_
}

// A proc is the program as a process of a test.
type proc struct {
	*procs.Proc
	t testing.TB
}

func newProc(t testing.TB, o options) *proc {
	t.Helper()
	if o.dir == "" {
		o.dir = t.TempDir()
	}
	return &proc{procs.New(t, procs.Program(t, ""), o.dir, prefixed(o.env)), t}
}

// prefixed gives settings the names that the environment has for them.
func prefixed(settings map[string]string) map[string]string {
	env := map[string]string{}
	for k, v := range settings {
		env["CLEW_"+k] = v
	}
	return env
}

// startServer starts a server and waits until it is ready.
func startServer(t testing.TB, o options) *proc {
	t.Helper()
	p := newProc(t, o)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// dump ends the server with all its goroutines on record, in the file that
// CLEW_E2E_DUMP names.
func (p *proc) dump() {
	path := os.Getenv("CLEW_E2E_DUMP")
	if path == "" {
		return
	}
	_ = p.Quit() // it may be gone already
	if err := os.WriteFile(path, []byte(p.Out.String()), 0o600); err != nil {
		p.t.Log(err)
	}
}

// Kill, Restart, URL and Token make a proc the server of transcripts.
func (p *proc) Kill() error { p.Proc.Kill(); return nil }

func (p *proc) Restart() error { return p.Start() }

// kill is kill -9.
func (p *proc) kill() { p.Proc.Kill() }

// ownerToken reads the token that the first start made.
func (p *proc) ownerToken() string {
	token, err := p.Proc.Token()
	if err != nil {
		p.t.Fatal(err)
	}
	return token
}

// clew runs another command of the program to its end.
func (p *proc) clew(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	stdout, stderr, code, err := p.Run(ctx, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return stdout, stderr, code
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := procs.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
