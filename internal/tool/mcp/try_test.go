package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// A trial tells what the server offers, keeps nothing and leaves alone what runs.
func TestTry(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.Tools(t.Context())
	running := f.pids()[0]
	conf := f.servers()["peer"]
	got := f.Try(t.Context(), "new", conf)
	if !got.OK || !slices.Contains(got.Tools, "echo") || got.Error != "" {
		t.Errorf("%+v", got)
	}
	pids := f.pids()
	gone(t, pids[1])
	if len(f.List()) != 1 || f.List()[0].Status != statusConnected || pids[0] != running || len(pids) != 2 {
		t.Errorf("%+v, started %v", f.List(), pids)
	}
	if stored, err := f.TryStored(t.Context(), "peer"); err != nil || !stored.OK {
		t.Errorf("%+v %v", stored, err)
	}
	if _, err := f.TryStored(t.Context(), "nobody"); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Error(err)
	}
}

// A trial that fails says why, in words without secrets.
func TestTryFails(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct {
		conf settings.McpServer
		want string
	}{
		{settings.McpServer{Command: "/no/such/program"}, "it could not be started"},
		{settings.McpServer{}, "neither a command nor a url"},
		{settings.McpServer{Command: "/bin/sh", Args: []string{"-c", "echo key $KEY is wrong >&2; exit 3"}, Env: map[string]string{"KEY": "$SECRET:key"}}, "key [secret] is wrong"},
		{settings.McpServer{Command: "/bin/sh", Env: map[string]string{"KEY": "$SECRET:none"}}, `the secret "none"`},
	} {
		got := f.Try(t.Context(), "new", c.conf)
		if got.OK || !strings.Contains(got.Error, c.want) || strings.Contains(got.Error, canary) {
			t.Errorf("%+v, want %q", got, c.want)
		}
	}
}

// What a program writes beside the protocol can be read, without secrets.
func TestLog(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{
		"broken": {Command: "/bin/sh", Args: []string{"-c", "echo no good: $KEY >&2; exit 3"}, Env: map[string]string{"KEY": "$SECRET:key"}},
		"away":   {URL: "http://127.0.0.1:1/"},
		"off":    {Command: "/bin/sh", Disabled: true},
	})
	f.Tools(t.Context())
	if text, err := f.Log("broken"); err != nil || text != "no good: [secret]" {
		t.Errorf("%q %v", text, err)
	}
	for _, name := range []string{"away", "off"} {
		if text, err := f.Log(name); err != nil || text != "" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	if _, err := f.Log("nobody"); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Error(err)
	}
}
