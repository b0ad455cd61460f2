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
)

// diagnosed runs the doctor for programs and gives what it says, by name.
func diagnosed(t *testing.T, server backend, code int, environ []string, args ...string) (diagnosis, map[string]check) {
	t.Helper()
	got := call(t, server, environ, append([]string{"doctor", "--json"}, args...)...)
	var d diagnosis
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != code || got.errOut != "" {
		t.Fatalf("%v: %+v: %v", args, got, err)
	}
	by := map[string]check{}
	for _, c := range d.Checks {
		by[c.Name] = c
		if !slices.Contains([]string{checkOK, checkNote, checkWarning, checkProblem}, c.Status) || c.Found == "" {
			t.Errorf("a check without a result: %+v", c)
		}
		if c.Do == "" && (c.Status == checkWarning || c.Status == checkProblem) {
			t.Errorf("%s: %s, and nothing to do about it", c.Name, c.Found)
		}
	}
	return d, by
}

// Only problems, of the machine or of the store, fail.
func TestDoctorExitCode(t *testing.T) {
	found := func(status string) backend {
		return backend{
			checkup: func(context.Context, config) []check { return []check{checkOf("thing", status, "it is so", "do this")} },
			doctor:  func(context.Context, config, bool) (examined, error) { return examined{}, errNoStore },
		}
	}
	environ := []string{"HOME=" + t.TempDir()}
	for status, code := range map[string]int{checkOK: exitOK, checkNote: exitOK, checkWarning: exitOK, checkProblem: exitFailure} {
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
	_, by := diagnosed(t, realServer, exitOK, environ)
	if c := by["data directory"]; c.Status != checkNote || !strings.Contains(c.Do, "clew serve") {
		t.Errorf("data directory: %+v", c)
	}
	if c := by["server"]; c.Status != checkWarning || !strings.Contains(c.Do, "--listen") {
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
	d, by := diagnosed(t, realServer, exitFailure, environ, "--config", file)
	if c := by["configuration"]; d.Problems != 1 || c.Status != checkProblem || !strings.Contains(c.Found, "line ") {
		t.Errorf("a file that cannot be read: %+v", c)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, by = diagnosed(t, realServer, exitFailure, environ, "--data", filepath.Join(dir, "file"))
	if c := by["data directory"]; c.Status != checkProblem || !strings.Contains(c.Found, "is no directory") {
		t.Errorf("a file as data directory: %+v", c)
	}
	_, by = diagnosed(t, realServer, exitFailure, append(environ, "CLEW_SERVER=127.0.0.1:1"))
	if c := by["server"]; c.Status != checkProblem || !strings.Contains(c.Found, "no clew answers") {
		t.Errorf("a server that is not there: %+v", c)
	}
}

// Beside a running server the doctor says who runs, and leaves the store alone.
func TestDoctorBesideAServer(t *testing.T) {
	data := t.TempDir()
	address := startServer(t, data)
	environ := []string{"HOME=" + data, "CLEW_DATA=" + data, "CLEW_SERVER=" + address}
	d, by := diagnosed(t, realServer, exitOK, environ)
	if c := by["credentials"]; c.Status != checkOK || !strings.HasSuffix(c.Found, "token") {
		t.Errorf("credentials: %+v", c)
	}
	if c := by["model"]; c.Status != checkWarning || !strings.Contains(c.Found, "echo") {
		t.Errorf("model: %+v", c)
	}
	if c := by["store"]; d.Verified || c.Status != checkNote || !strings.Contains(c.Found, "a server runs on it") {
		t.Errorf("store: %+v", c)
	}
	if got := call(t, realServer, environ, "doctor", "--store"); got.code != exitFailure || !strings.Contains(got.errOut, "in use") {
		t.Errorf("--store beside a server: %+v", got)
	}
	if err := os.Chmod(filepath.Join(data, "token"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, by = diagnosed(t, realServer, exitOK, environ); by["credentials"].Status != checkWarning {
		t.Errorf("a token for all to read: %+v", by["credentials"])
	}
	if _, by = diagnosed(t, realServer, exitFailure, append(environ, "CLEW_TOKEN=clew_wrong")); by["credentials"].Status != checkProblem {
		t.Errorf("a wrong token: %+v", by["credentials"])
	}
	set := func(args ...string) {
		t.Helper()
		if got := call(t, realServer, environ, args...); got.code != exitOK {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	set("settings", "set", "model_profiles", `{"main":{"provider":"openai","model":"m","base_url":"`+address+`"}}`)
	set("settings", "set", "model_profile", "main")
	if _, by = diagnosed(t, realServer, exitOK, environ, "--online"); by["model"].Status != checkOK || by["provider"].Status != checkOK {
		t.Errorf("a provider that answers: %+v %+v", by["model"], by["provider"])
	}
	set("settings", "set", "model_profiles", `{"main":{"provider":"openai","model":"m","base_url":"http://127.0.0.1:1"}}`)
	if _, by = diagnosed(t, realServer, exitOK, environ, "--online"); by["provider"].Status != checkWarning {
		t.Errorf("a provider that does not: %+v", by["provider"])
	}
	if _, by = diagnosed(t, realServer, exitOK, environ); by["provider"].Name != "" {
		t.Error("a provider was asked though nobody wanted that")
	}
}

// The server's word on its sandbox counts: it may be allowed less than this process.
func TestDoctorAsksForTheServersSandbox(t *testing.T) {
	data := t.TempDir()
	address := startServer(t, data)
	environ := []string{"HOME=" + data, "CLEW_DATA=" + data, "CLEW_SERVER=" + address}
	looked := func(status string) check {
		server := realServer
		server.checkup = func(context.Context, config) []check {
			return []check{checkOf("sandbox", status, "here it is so", "do this")}
		}
		_, by := diagnosed(t, server, exitOK, environ)
		return by["sandbox"]
	}
	if got := call(t, realServer, environ, "settings", "set", "command_sandbox", "none"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if c := looked(checkOK); c.Status != checkWarning || !strings.Contains(c.Found, "server that runs has none") || !strings.Contains(c.Do, "log") {
		t.Errorf("a server without one: %+v", c)
	}
	if c := looked(checkWarning); c.Found != "here it is so" {
		t.Errorf("neither has one: %+v", c)
	}
}
