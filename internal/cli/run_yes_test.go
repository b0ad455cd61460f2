package cli

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

// What was named is allowed, and nothing that lay switched off until then.
func TestAllowance(t *testing.T) {
	const off, serverOff = `{"settings":{}}`, `{"always_allow_write":true,"always_allow_execute":true,"settings":{"allowed_commands":["rm *"]}}`
	none := func(set map[string]any) map[string]any {
		all := map[string]any{
			"auto_approval_enabled": true, "always_allow_read_only": false, "always_allow_write": false, "always_allow_execute": false,
			"always_allow_browser": false, "always_allow_mcp": false, "always_allow_fetch": false,
		}
		for k, v := range set {
			all[k] = v
		}
		return all
	}
	for name, c := range map[string]struct {
		kinds, patterns string
		now             string
		want            map[string]any
	}{
		"nothing":                        {"", "", serverOff, map[string]any{}},
		"reading":                        {"read", "", off, none(map[string]any{"always_allow_read_only": true})},
		"reading, with flags that sleep": {"read", "", serverOff, none(map[string]any{"always_allow_read_only": true})},
		"reading, where approval is on":  {"read", "", `{"auto_approval_enabled":true,"always_allow_write":true}`, map[string]any{"auto_approval_enabled": true, "always_allow_read_only": true}},
		"a command": {"", "go test *", serverOff, none(map[string]any{
			"always_allow_execute": true, "allowed_commands": []string{}, "remembered_commands": []string{"go test *"}})},
		"a command where only reading is on": {"", "go test *", `{"auto_approval_enabled":true,"settings":{"allowed_commands":["rm *"]}}`, map[string]any{
			"auto_approval_enabled": true, "always_allow_execute": true, "allowed_commands": []string{}, "remembered_commands": []string{"go test *"}}},
		"one more command": {"", "go vet *", `{"auto_approval_enabled":true,"always_allow_execute":true,"settings":{"allowed_commands":["ls"],"remembered_commands":["go test *"]}}`, map[string]any{
			"auto_approval_enabled": true, "always_allow_execute": true, "remembered_commands": []string{"go test *", "go vet *"}}},
		"commands of the server": {"execute", "", serverOff, none(map[string]any{"always_allow_execute": true})},
		"commands of the server after one by name": {"execute", "", `{"auto_approval_enabled":true,"always_allow_execute":true,"settings":{"allowed_commands":[]}}`, map[string]any{
			"auto_approval_enabled": true, "always_allow_execute": true, "allowed_commands": nil}},
		"both": {"execute,fetch", "x", serverOff, none(map[string]any{
			"always_allow_execute": true, "always_allow_fetch": true, "remembered_commands": []string{"x"}})},
	} {
		var now follow.Approvals
		if err := json.Unmarshal([]byte(c.now), &now); err != nil {
			t.Fatal(err)
		}
		w, err := follow.NewAllowance(parted(c.kinds), parted(c.patterns))
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Settings(now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func parted(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// This directory is meant where the server sees it, and nowhere else.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct {
		address       string
		local, placed bool
		dir, want     string
		wrong         bool
	}{
		{address: "http://127.0.0.1:8000", dir: ".", want: dir},
		{address: "http://192.168.1.5:8000", local: true, dir: ".", want: dir},
		{address: "http://192.168.1.5:8000", dir: "."},
		{address: "https://127.0.0.1", dir: "."},
		{address: "https://127.0.0.1", placed: true, dir: "/srv/x", want: "/srv/x"},
		{address: "https://clew.example.org", placed: true, dir: ".", wrong: true},
		{address: "http://127.0.0.1:8000", placed: true, dir: ""},
		{address: "http://127.0.0.1:8000", placed: true, dir: "/nosuch/directory", wrong: true},
	} {
		base, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := place((&env.Rest{Base: base, Local: c.local}), c.dir, c.placed)
		if got != c.want || (err != nil) != c.wrong {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
