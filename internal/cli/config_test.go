package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/cli/env"
)

// Covers: C-27
func TestDefaults(t *testing.T) {
	var got env.Config
	if r := call(t, catch(&got), []string{"HOME=/home/ada"}, "serve"); r.code != env.ExitOK {
		t.Fatal(r)
	}
	if got.Listen != "127.0.0.1:8000" || got.Engine != "embedded" || got.Auth.Mode != "on" {
		t.Errorf("got %+v", got)
	}
	if want := "/home/ada/.local/share/clew"; got.Data != want {
		t.Errorf("data: got %s, want %s", got.Data, want)
	}
}

// Each layer sets listen; the last one given counts, and what a layer leaves
// out is kept from the one before.
func TestLayers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clew.yaml")
	yaml := "listen: file:1\ndata: /file\nauth:\n  mode: off\n  query_token: true\norigins: [https://a.example, https://b.example]\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"HOME=/h", "CLEW_LISTEN=env:1", "CLEW_AUTH_QUERY_TOKEN=false", "CLEW_AUTH_HMAC_SECRET_FILE=/secret", "CLEW_NOT_OURS=x"}
	tests := []struct {
		name    string
		environ []string
		args    []string
		check   func(c env.Config) bool
	}{
		{"file", environ[:1], []string{"--config", file}, func(c env.Config) bool {
			return c.Listen == "file:1" && c.Data == "/file" && c.Auth.Mode == "off" && c.Auth.QueryToken && len(c.Origins) == 2 && c.Engine == "embedded"
		}},
		{"file named by the environment", []string{"HOME=/h", "CLEW_CONFIG=" + file}, nil, func(c env.Config) bool { return c.Listen == "file:1" }},
		{"environment over file", environ, []string{"--config", file}, func(c env.Config) bool {
			return c.Listen == "env:1" && c.Data == "/file" && !c.Auth.QueryToken && c.Auth.HMACSecretFile == "/secret"
		}},
		{"flag over environment", environ, []string{"--config", file, "--listen", "flag:1", "--auth", "on"}, func(c env.Config) bool {
			return c.Listen == "flag:1" && c.Auth.Mode == "on" && c.Data == "/file"
		}},
		{"data by environment", []string{"CLEW_DATA=/env"}, nil, func(c env.Config) bool { return c.Data == "/env" }},
		{"data as somebody types it", nil, []string{"--data", "x/../y"}, func(c env.Config) bool { return c.Data == filepath.Join(here, "y") }},
		{"short name for auth", []string{"HOME=/h", "CLEW_AUTH=off"}, nil, func(c env.Config) bool { return c.Auth.Mode == "off" }},
		{"list by environment", []string{"HOME=/h", "CLEW_ORIGINS=https://a.example,https://b.example"}, nil, func(c env.Config) bool { return len(c.Origins) == 2 }},
		{"number by environment", []string{"HOME=/h", "CLEW_JOURNAL_REPLICAS=3"}, nil, func(c env.Config) bool { return c.Journal.Replicas == 3 }},
		{"duration by environment", []string{"HOME=/h", "CLEW_JOURNAL_SYNC_INTERVAL=1s"}, nil, func(c env.Config) bool { return c.Journal.SyncInterval == time.Second }},
		{"json means json logs", []string{"HOME=/h", "CLEW_LOG_FORMAT=text"}, []string{"--json"}, func(c env.Config) bool { return c.Log.Format == "json" }},
		{"XDG", []string{"HOME=/h", "XDG_DATA_HOME=/x"}, nil, func(c env.Config) bool { return c.Data == "/x/clew" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got env.Config
			if r := call(t, catch(&got), tt.environ, append([]string{"serve"}, tt.args...)...); r.code != env.ExitOK {
				t.Fatal(r)
			}
			if !tt.check(got) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	for _, environ := range [][]string{{"CLEW_JOURNAL_REPLICAS=many"}, {"CLEW_LOG_LEVEL=loud"}, {"CLEW_LOG_FORMAT=xml"}} {
		var got env.Config
		if r := call(t, catch(&got), append(environ, "HOME=/h"), "serve"); r.code != env.ExitUsage {
			t.Errorf("%v: %+v", environ, r)
		}
	}
}
