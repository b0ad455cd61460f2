package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// callWith is call with something on standard input.
func callWith(t *testing.T, in string, environ []string, args ...string) run {
	t.Helper()
	var out, errOut bytes.Buffer
	a := &env.App{IO: env.IO{In: strings.NewReader(in), Out: &out, Err: &errOut, Environ: environ}}
	code := execute(t.Context(), a, args)
	return run{code: code, out: out.String(), errOut: errOut.String()}
}

// A step is one call of the program and what it says.
type step struct {
	args string // separated by |
	in   string
	code int
	want string // in stdout, or in stderr if it fails
}

func steps(t *testing.T, environ []string, list []step) {
	t.Helper()
	for _, s := range list {
		got := callWith(t, s.in, environ, strings.Split(s.args, "|")...)
		output := got.out
		if s.code != env.ExitOK {
			output = got.errOut
		}
		if got.code != s.code || !strings.Contains(output, s.want) {
			t.Errorf("clew %s: %+v, want code %d and %q", s.args, got, s.code, s.want)
		}
		if strings.Contains(got.out+got.errOut, "canary") {
			t.Errorf("clew %s shows a secret: %+v", s.args, got)
		}
	}
}

// The commands against a whole server, so that they and REST cannot drift apart.
func TestSettingsCommands(t *testing.T) {
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	file := filepath.Join(data, "export.json")
	steps(t, environ, []step{
		{args: "settings", want: "\nModels\n  model_profile                  default      \"\"\n"},
		{args: "settings|list|--json", want: `{"settings":[{"key":"model_profile","value":"","layer":"default"`},
		{args: "settings|get|mode", want: "code\n"},
		{args: "settings|get|mode|--json", want: `{"key":"mode","value":"code","layer":"default"`},
		{args: "settings|get|mdoe", code: env.ExitUsage, want: "did you mean mode?"},
		{args: "settings|get|zzzzzz", code: env.ExitUsage, want: "clew settings lists them all"},
		{args: "settings|set|mode|ask", want: "mode is ask (server)\n"},
		{args: "settings|set|mode|No Slug", code: env.ExitFailure, want: "mode"},
		{args: "settings|set|model_retries|5", want: "model_retries is 5 (server)"},
		{args: "settings|set|model_retries|lots", code: env.ExitUsage, want: `model_retries does not take "lots": it takes 0 to 20`},
		{args: "settings|set|model_retries|99", code: env.ExitFailure, want: "between 0 and 20"},
		{args: `settings|set|allowed_commands|["go test *"]|--json`, want: `{"changed":["allowed_commands"]}`},
		{args: "settings|set|x_colour|blue", code: env.ExitUsage, want: "there is no setting"},
		{args: "settings|import|-", in: `{"x_colour":"blue"}`, want: "x_colour"}, // from a newer server
		{args: "settings|set|x_colour|red", code: env.ExitUsage, want: "there is no setting"},
		{args: "settings|reset|x_colour", want: "x_colour is not set any more"},
		{args: "settings|reset|mode", want: "mode is code (default)"},
		{args: "settings|reset|mdoe", code: env.ExitUsage, want: "did you mean mode?"},
		{args: "settings|set|openai_api_key|sk-can4ry", code: env.ExitUsage, want: "clew secret set openai_api_key"},
		{args: "settings|export", want: `"model_retries": 5`},
		{args: "settings|export|-o|" + file},
		{args: "settings|set|model_retries|6", want: "6"},
		{args: "settings|import|" + file, want: "changed model_retries\n"},
		{args: "settings|import|-", in: `{"model_retries":5}`, want: "nothing changed"},
		{args: "settings|import|-", in: `[]`, code: env.ExitUsage, want: "not an export of settings"},
		{args: "settings|import|" + filepath.Join(data, "none"), code: env.ExitUsage, want: "cannot read the export"},
		{args: "settings|set|mode|ask|--session|no/id", code: env.ExitUsage, want: "not a session id"},
		{args: "settings|set|mode|ask|--session|sess_none", code: env.ExitFailure, want: "sess_none"},
		{args: "settings|set", code: env.ExitUsage, want: "clew settings set KEY VALUE"},
	})
	if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte(`"go test *"`)) {
		t.Errorf("%s, %v", b, err)
	}
}

// A session has settings of its own.
func TestSessionSettings(t *testing.T) {
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	data := t.TempDir()
	address := startServer(t, data)
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := client.NewAPI(address, strings.TrimSpace(string(token))).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	steps(t, []string{"HOME=" + data, "CLEW_SERVER=" + address, "CLEW_DATA=" + data}, []step{
		{args: "settings|set|mode|ask|--session|" + string(id), want: "set mode for session " + string(id)},
		{args: "settings|get|mode", want: "code\n"},
		{args: "settings|reset|mode|--session|" + string(id) + "|--json", want: `"changed":["mode"]`},
		{args: "settings|set|command_sandbox|none|--session|" + string(id), code: env.ExitFailure, want: "command_sandbox"},
	})
}

// A secret goes in by standard input and never comes out.
//
// Covers: SET-16
func TestSecretCommands(t *testing.T) {
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	steps(t, environ, []step{
		{args: "secret|set|my_key", in: "sk-canary-1234567890\n", want: "stored my_key\n"},
		{args: "secret|ls", want: "my_key\n"},
		{args: "settings|export", want: "settings_version"},
		{args: "secret|ls|--json", want: `{"names":["my_key"]}`},
		{args: "secret|set|my_key|sk-canary", code: env.ExitUsage, want: "read from standard input"},
		{args: "secret|set", code: env.ExitUsage, want: "name is missing"},
		{args: "secret|set|my_key", in: " \n", code: env.ExitUsage, want: "the value is empty"},
		{args: "secret|set|my_key", in: strings.Repeat("x", maxSecret+1), code: env.ExitUsage, want: "longer than"},
		{args: "secret|set|no good", in: "sk-canary-1234567890", code: env.ExitFailure, want: "name"},
		{args: "secret|rm|my_key|--json", want: `{"removed":"my_key"}`},
		{args: "secret|rm|my_key", code: env.ExitFailure, want: "no such secret"},
	})
	_ = filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte("sk-canary")) {
			t.Errorf("the secret is in %s", path)
		}
		return nil
	})
}

// Trust is given to a folder as it is, and can be taken back.
func TestTrust(t *testing.T) {
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	data, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place, bad := filepath.Join(data, "place"), filepath.Join(data, "bad")
	for dir, modes := range map[string]string{place: "modes:\n- {slug: review, name: Review, groups: [read]}\n", bad: "modes: 7\n"} {
		if err := os.MkdirAll(filepath.Join(dir, ".clew"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".clew", "modes.yaml"), []byte(modes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	steps(t, environ, []step{
		{args: "settings|trust|" + place, want: place + " is trusted as it is now; it brings the modes review\n"},
		{args: "settings|get|trusted_workspaces", want: `{"` + place + `":"`},
		{args: "settings|trust|" + bad, code: env.ExitUsage, want: "cannot be trusted: .clew/modes.yaml"},
		{args: "settings|trust|" + filepath.Join(data, "none"), code: env.ExitUsage, want: "cannot be trusted"},
		{args: "settings|trust|--remove|" + place, want: "not trusted any more"},
		{args: "settings|get|trusted_workspaces", want: "{}\n"},
	})
}
