package settings

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Covers: SET-11, SET-12, SET-13, SET-19, C-40
func TestTableAndValuesAgree(t *testing.T) {
	fields := map[string]bool{}
	for name := range jsonNames(reflect.TypeFor[Values]()) {
		fields[name] = true
		k := keyIndex[name]
		if k == nil {
			t.Errorf("%s is a field of Values and not in the table", name)
			continue
		}
		if k.Home != HomeState || k.Passthrough {
			t.Errorf("%s: home %q, pass-through %v", name, k.Home, k.Passthrough)
		}
	}
	seen := map[string]bool{}
	for _, k := range Keys() {
		if seen[k.Name] {
			t.Errorf("%s is there twice", k.Name)
		}
		seen[k.Name] = true
		if k.Home == HomeState != fields[k.Name] {
			t.Errorf("%s: home %q, field %v", k.Name, k.Home, fields[k.Name])
		}
		if k.Doc == "" || !slices.Contains(groups, k.Group) {
			t.Errorf("%s: doc %q, group %q", k.Name, k.Doc, k.Group)
		}
		if k.Home == HomeState && k.Allowed == "" {
			t.Errorf("%s does not say which values it takes", k.Name)
		}
		if k.Home == HomeSecret && (k.Exportable || k.Session != SessionNever) {
			t.Errorf("%s is a secret that could leave", k.Name)
		}
		if (k.Session == SessionTighten) != (k.tighter != nil) {
			t.Errorf("%s: rule %q does not go with its comparison", k.Name, k.Session)
		}
	}
	for _, name := range []string{"anthropic_api_key", "openai_api_key", "openrouter_api_key", "gemini_api_key", "aws_access_key", "aws_secret_key", "gcp_key_file", "api_key"} {
		if k := keyIndex[name]; k == nil || k.Home != HomeSecret || !k.Provider {
			t.Errorf("%s is not a known secret of a provider", name)
		}
	}
}

// Keys with which a session could reach beyond what the operator allows.
func TestSessionCannotWiden(t *testing.T) {
	for _, name := range []string{"mcp_servers", "trusted_workspaces", "model_profiles", "command_share", "fetch_allow", "denied_commands", "command_environment", "exclude_paths", "experiments",
		"command_memory_mb", "command_processes", "command_cpu_weight", "command_file_mb", "command_open_files", "command_user_memory_mb", "command_user_processes", "kernel_memory_mb", "supervisor_orphan_sec"} {
		if !keyIndex[name].Server() {
			t.Errorf("%s can be set by a session", name)
		}
	}
	for _, name := range []string{"command_sandbox", "command_network", "command_toolchains", "budget_usd", "budget_tokens", "mcp_enabled", "browser_tool_enabled"} {
		if keyIndex[name].Session != SessionTighten {
			t.Errorf("%s can be loosened by a session", name)
		}
	}
}

// Covers: SET-14
func TestDefaultsAreValid(t *testing.T) {
	d := Defaults()
	if !d.AutoApproval || !d.AllowReadOnly || d.AllowWrite || d.AllowExecute || d.AllowFetch || d.AllowMcp || d.AllowBrowser {
		t.Errorf("reading, and nothing else, is allowed by default: %+v", d)
	}
	if d.Mode != "code" || len(d.Experiments) != 0 {
		t.Errorf("defaults: mode %q, experiments %v", d.Mode, d.Experiments)
	}
	for _, k := range Keys() {
		if k.Home != HomeState {
			continue
		}
		b, err := json.Marshal(k.Default())
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.decodeStrict(b)
		if err != nil {
			t.Errorf("default of %s: %v", k.Name, err)
		} else if !reflect.DeepEqual(got, k.Default()) {
			t.Errorf("default of %s comes back as %v", k.Name, got)
		}
	}
}

// Covers: SET-09, C-39
func TestEveryKeyChecksItsValues(t *testing.T) {
	s, _ := newTest(t, nil)
	for _, k := range Keys() {
		if k.Home != HomeState {
			continue
		}
		if len(valid[k.Name]) == 0 || len(invalid[k.Name]) == 0 {
			t.Errorf("no samples for %s", k.Name)
		}
		for _, v := range valid[k.Name] {
			if _, err := s.check(map[string]any{k.Name: v}); err != nil {
				t.Errorf("%s = %v: %v", k.Name, v, err)
			}
		}
		for _, v := range invalid[k.Name] {
			_, err := s.check(map[string]any{k.Name: v})
			if clew.CodeOf(err) != clew.SettingsInvalid || !strings.Contains(err.Error(), k.Name) {
				t.Errorf("%s = %v: error %v", k.Name, v, err)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: the error repeats the value: %v", k.Name, err)
			}
		}
	}
}

func TestNamesThatLookSecret(t *testing.T) {
	for _, name := range []string{"api_key", "apiKey", "openAiApiKey", "OPENROUTER_API_KEY", "awsSecretKey", "aws_access_key", "gcpKeyFile", "github_token", "db-password", "Authorization", "X-Api-Key", "clientSecret"} {
		if !looksSecret(name) {
			t.Errorf("%s passes", name)
		}
	}
	for _, name := range []string{"budget_tokens", "max_tokens", "mode", "theme", "key_name", "monkey", "token_count", "LANG"} {
		if looksSecret(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"alwaysAllowReadOnly": "always_allow_read_only", "mode": "mode", "apiModelId": "api_model_id",
		"X-Api-Key": "x_api_key", "GITHUB_TOKEN": "github_token", "openRouterAPIKey": "open_router_api_key", "a1B": "a1_b",
	} {
		if got := snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestReferencePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, Reference()) {
		t.Error("docs/settings.md is stale; run: go run ./internal/settings/gen")
	}
	for _, k := range Keys() {
		if !bytes.Contains(page, []byte("`"+k.Name+"`")) {
			t.Errorf("%s is not on the page", k.Name)
		}
	}
}
