package cli

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// diagnosed runs the doctor for programs and gives what it says, by name.
func diagnosed(t *testing.T, server env.Backend, code int, environ []string, args ...string) (checkReport, map[string]env.Check) {
	t.Helper()
	got := call(t, server, environ, append([]string{"doctor", "--json"}, args...)...)
	var d checkReport
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != code || got.errOut != "" {
		t.Fatalf("%v: %+v: %v", args, got, err)
	}
	by := map[string]env.Check{}
	for _, c := range d.Checks {
		by[c.Name] = c
		if !slices.Contains([]string{env.CheckOK, env.CheckNote, env.CheckWarning, env.CheckProblem}, c.Status) || c.Found == "" {
			t.Errorf("a check without a result: %+v", c)
		}
		if c.Do == "" && (c.Status == env.CheckWarning || c.Status == env.CheckProblem) {
			t.Errorf("%s: %s, and nothing to do about it", c.Name, c.Found)
		}
	}
	return d, by
}

// Only problems, of the machine or of the store, fail.
func TestDoctorExitCode(t *testing.T) {
	found := func(status string) env.Backend {
		return env.Backend{
			Checkup: func(context.Context, env.Config) []env.Check {
				return []env.Check{env.CheckOf("thing", status, "it is so", "do this")}
			},
			Doctor: func(context.Context, env.Config, bool) (env.Examined, error) { return env.Examined{}, env.ErrNoStore },
		}
	}
	environ := []string{"HOME=" + t.TempDir()}
	for status, code := range map[string]int{env.CheckOK: env.ExitOK, env.CheckNote: env.ExitOK, env.CheckWarning: env.ExitOK, env.CheckProblem: env.ExitFailure} {
		diagnosed(t, found(status), code, environ)
		got := call(t, found(status), environ, "doctor")
		if got.code != code || !strings.Contains(got.out, "it is so") || !strings.Contains(got.out, "-> do this") {
			t.Errorf("%s: %+v", status, got)
		}
	}
}

// On a machine on which clew was never started, nothing is wrong, and nothing is
// made by looking.
func TestDoctorBeforeAnything(t *testing.T) {
	home := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"HOME=" + home, "CLEW_LISTEN=" + l.Addr().String()}
	_, by := diagnosed(t, env.RealServer, env.ExitOK, environ)
	if c := by["data directory"]; c.Status != env.CheckNote || !strings.Contains(c.Do, "clew serve") {
		t.Errorf("data directory: %+v", c)
	}
	if c := by["server"]; c.Status != env.CheckWarning || !strings.Contains(c.Do, "--listen") {
		t.Errorf("an address that is taken: %+v", c)
	}
	_ = l.Close()
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("the doctor left %v, %v", left, err)
	}
}

func TestDoctorNamesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "clew.yaml")
	if err := os.WriteFile(file, []byte("listen: 127.0.0.1:1\nauth:\n  mode: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"HOME=" + dir}
	d, by := diagnosed(t, env.RealServer, env.ExitFailure, environ, "--config", file)
	if c := by["configuration"]; d.Problems != 1 || c.Status != env.CheckProblem || !strings.Contains(c.Found, "line ") {
		t.Errorf("a file that cannot be read: %+v", c)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, by = diagnosed(t, env.RealServer, env.ExitFailure, environ, "--data", filepath.Join(dir, "file"))
	if c := by["data directory"]; c.Status != env.CheckProblem || !strings.Contains(c.Found, "is no directory") {
		t.Errorf("a file as data directory: %+v", c)
	}
	_, by = diagnosed(t, env.RealServer, env.ExitFailure, append(environ, "CLEW_SERVER=127.0.0.1:1"))
	if c := by["server"]; c.Status != env.CheckProblem || !strings.Contains(c.Found, "no clew answers") {
		t.Errorf("a server that is not there: %+v", c)
	}
}

// Beside a running server the doctor says who runs, and leaves the store alone.
func TestDoctorBesideAServer(t *testing.T) {
	data := t.TempDir()
	address := startServer(t, data)
	environ := []string{"HOME=" + data, "CLEW_DATA=" + data, "CLEW_SERVER=" + address}
	d, by := diagnosed(t, env.RealServer, env.ExitOK, environ)
	if c := by["credentials"]; c.Status != env.CheckOK || !strings.HasSuffix(c.Found, "token") {
		t.Errorf("credentials: %+v", c)
	}
	if c := by["model"]; c.Status != env.CheckWarning || !strings.Contains(c.Found, "none is set up") {
		t.Errorf("model: %+v", c)
	}
	if c := by["store"]; d.Verified || c.Status != env.CheckNote || !strings.Contains(c.Found, "a server runs on it") {
		t.Errorf("store: %+v", c)
	}
	if got := call(t, env.RealServer, environ, "doctor", "--store"); got.code != env.ExitFailure || !strings.Contains(got.errOut, "in use") {
		t.Errorf("--store beside a server: %+v", got)
	}
	if err := os.Chmod(filepath.Join(data, "token"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ); by["credentials"].Status != env.CheckWarning {
		t.Errorf("a token for all to read: %+v", by["credentials"])
	}
	if _, by = diagnosed(t, env.RealServer, env.ExitFailure, append(environ, "CLEW_TOKEN=clew_wrong")); by["credentials"].Status != env.CheckProblem {
		t.Errorf("a wrong token: %+v", by["credentials"])
	}
	set := func(args ...string) {
		t.Helper()
		if got := call(t, env.RealServer, environ, args...); got.code != env.ExitOK {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	set("settings", "set", "allowed_commands", `["git status"]`)
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ); by["rules"].Name != "" {
		t.Errorf("a whole line needs no words: %+v", by["rules"])
	}
	set("settings", "set", "allowed_commands", `["git status", "docker run *", "go test *"]`)
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ); by["rules"].Status != env.CheckNote || !strings.Contains(by["rules"].Found, ": docker run *, go test *") {
		t.Errorf("stars in the settings: %+v", by["rules"])
	}
	set("model", "add", "main", "--provider", "openai", "--model", "m", "--base-url", address)
	set("model", "use", "main")
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ, "--online"); by["model"].Status != env.CheckOK || by["provider"].Status != env.CheckOK {
		t.Errorf("a provider that answers: %+v %+v", by["model"], by["provider"])
	}
	set("model", "add", "main", "--base-url", "http://127.0.0.1:1")
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ, "--online"); by["provider"].Status != env.CheckWarning {
		t.Errorf("a provider that does not: %+v", by["provider"])
	}
	if _, by = diagnosed(t, env.RealServer, env.ExitOK, environ); by["provider"].Name != "" {
		t.Error("a provider was asked though nobody wanted that")
	}
}

// The server's word on its sandbox counts: it may be allowed less than this process.
func TestDoctorAsksForTheServersSandbox(t *testing.T) {
	data := t.TempDir()
	address := startServer(t, data)
	environ := []string{"HOME=" + data, "CLEW_DATA=" + data, "CLEW_SERVER=" + address}
	looked := func(status string) env.Check {
		server := env.RealServer
		server.Checkup = func(context.Context, env.Config) []env.Check {
			return []env.Check{env.CheckOf("sandbox", status, "here it is so", "do this")}
		}
		_, by := diagnosed(t, server, env.ExitOK, environ)
		return by["sandbox"]
	}
	if got := call(t, env.RealServer, environ, "settings", "set", "command_sandbox", "none"); got.code != env.ExitOK {
		t.Fatalf("%+v", got)
	}
	if c := looked(env.CheckOK); c.Status != env.CheckWarning || !strings.Contains(c.Found, "server that runs has none") || !strings.Contains(c.Do, "log") {
		t.Errorf("a server without one: %+v", c)
	}
	if c := looked(env.CheckWarning); c.Found != "here it is so" {
		t.Errorf("neither has one: %+v", c)
	}
}
