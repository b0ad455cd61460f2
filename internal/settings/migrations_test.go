package settings

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// memorySecrets is a secret store for tests. A secret with the value stuck
// cannot be deleted.
type memorySecrets map[string]string

const stuckValue = "cannot be deleted"

func (m memorySecrets) stuck(name string) { m[name] = stuckValue }

func (m memorySecrets) Get(_ context.Context, name string) (string, bool, error) {
	v, ok := m[name]
	return v, ok, nil
}

func (m memorySecrets) Set(_ context.Context, name, value string) error {
	m[name] = value
	return nil
}

func (m memorySecrets) Delete(_ context.Context, name string) error {
	if m[name] == stuckValue {
		return errors.New("stuck")
	}
	delete(m, name)
	return nil
}

func (m memorySecrets) Names(context.Context) ([]string, error) {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names, nil
}

const oldFile = `{
	"apiProvider": "openai",
	"apiModelId": "some-model",
	"apiKey": "sk-canary-old1",
	"openRouterApiKey": "sk-canary-old2",
	"customInstructions": "Be brief.",
	"autoApprovalEnabled": true,
	"alwaysAllowReadOnly": true,
	"allowedMaxRequests": 9,
	"browserToolEnabled": true,
	"mcpEnabled": false,
	"mode": "docs",
	"experiments": {"x": true},
	"taskHistory": [{"id": 1}],
	"customModes": [{
		"slug": "docs", "name": "Docs", "roleDefinition": "You write.", "customInstructions": "Well.",
		"groups": ["read", "browser", ["edit", {"fileRegex": "\\.md$"}]], "source": "global"
	}, {
		"slug": "odd", "name": "Odd", "roleDefinition": "r", "groups": [["edit", {"fileRegex": "^a(b|c)$"}]], "source": "project"
	}],
	"openRouterImageGenerationSettings": {"openRouterApiKey": "sk-canary-image", "selectedModel": "painter"}
}`

func wantMigrated() Values {
	want := Defaults()
	want.Profiles = map[string]Profile{"default": {Provider: "openai", Model: "some-model", KeyName: "api_key"}}
	want.ModelProfile = "default"
	want.Instructions = "Be brief."
	want.AutoApproval, want.AllowReadOnly, want.BrowserToolEnabled = true, true, true
	want.AutoApprovalMaxReq = 9
	want.McpEnabled = false
	want.Mode = "docs"
	want.Experiments = map[string]bool{"x": true}
	want.CustomModes = []Mode{
		{Slug: "docs", Name: "Docs", Prompt: "You write.\n\nWell.", Groups: []string{"read", "fetch", "edit"}, EditPattern: "**/*.md", Source: "global"},
		{Slug: "odd", Name: "Odd", Prompt: "r", Source: "workspace"},
	}
	return want
}

// Covers: SET-04, SET-11, SET-12, SET-13, C-40
func TestOldFileIsUnderstood(t *testing.T) {
	secrets := memorySecrets{"openrouter_api_key": "newer than the file"}
	redactor := NewRedactor()
	s, err := Open(t.Context(), Options{Store: NewMemory(), File: writeFile(t, "old.json", oldFile), Secrets: secrets, Redactor: redactor, Providers: []string{"openai"}})
	if err != nil {
		t.Fatal(err)
	}
	v, problems := s.For(nil)
	if want := wantMigrated(); !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v", v, want)
	}
	if secrets["api_key"] != "sk-canary-old1" || secrets["openrouter_api_key"] != "newer than the file" {
		t.Errorf("%d secrets", len(secrets))
	}
	if model, _, _ := s.Get(t.Context(), "image_generation_model"); model != "painter" {
		t.Errorf("image model %v", model)
	}
	for _, name := range []string{"taskHistory", "task_history"} {
		if _, found, _ := s.Get(t.Context(), name); found {
			t.Errorf("%s is a setting", name)
		}
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
		if strings.Contains(p.Message, "canary") {
			t.Errorf("problem shows a secret: %v", p.Key)
		}
	}
	slices.Sort(keys)
	if want := []string{"apiKey", "openRouterApiKey", "openRouterImageGenerationSettings"}; !slices.Equal(keys, want) {
		t.Errorf("problems with %v", keys)
	}
	for _, canary := range []string{"sk-canary-old1", "sk-canary-old2", "sk-canary-image"} {
		if redactor.Redact(canary) != hidden {
			t.Errorf("%s can be logged", canary)
		}
		if strings.Contains(string(encoded(t, s.Export())), canary) {
			t.Errorf("%s is exported", canary)
		}
	}
}

// Covers: SET-04
func TestStoredSettingsAreMigratedOnce(t *testing.T) {
	m := NewMemory()
	old, err := parseFile([]byte(oldFile), false)
	if err != nil {
		t.Fatal(err)
	}
	m.values = old
	secrets := memorySecrets{}
	opts := Options{Store: m, Secrets: secrets, Providers: []string{"openai"}}
	if _, err := Open(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if secrets["openrouter_api_key"] == "" || secrets["api_key"] == "" {
		t.Errorf("%d secrets", len(secrets))
	}
	for name, value := range m.values {
		if name != snake(name) || strings.Contains(string(value), "canary") {
			t.Errorf("%s is still stored", name)
		}
	}
	if layerVersion(m.values) != len(migrations) {
		t.Errorf("version %d", layerVersion(m.values))
	}
	s, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if v, problems := s.For(nil); !reflect.DeepEqual(v, wantMigrated()) || len(problems) > 0 {
		t.Errorf("the second time: %+v, %v", v, problems)
	}
}

// Covers: SET-04, SET-10
func TestOldInvalidProvider(t *testing.T) {
	s, err := Open(t.Context(), Options{Store: NewMemory(), File: writeFile(t, "old.yaml", "apiProvider: gone\napiModelId: m\n"), Providers: []string{"openai"}})
	if err != nil {
		t.Fatal(err)
	}
	v, problems := s.For(nil)
	if p := v.Profiles["default"]; p.Provider != "" || p.Model != "m" {
		t.Errorf("profile %+v", p)
	}
	if len(problems) != 1 || problems[0].Key != "apiProvider" || problems[0].Layer != LayerFile {
		t.Errorf("problems %v", problems)
	}
}

func TestMigrationRespectsTheVersion(t *testing.T) {
	m := migrate(raw{versionKey: presentVersion(), "customInstructions": encoded(t, "x")}, nil)
	if m.values["customInstructions"] == nil {
		t.Error("a layer of this version was migrated")
	}
	m = migrate(raw{versionKey: encoded(t, -4), "customInstructions": encoded(t, "old"), "custom_instructions": encoded(t, "new")}, nil)
	if string(m.values["custom_instructions"]) != `"new"` || m.values["customInstructions"] != nil {
		t.Errorf("%s", m.values)
	}
	if got := migrate(nil, nil).values; len(got) != 0 {
		t.Errorf("an empty layer became %v", got)
	}
}

// The profile that wrote summaries does all small jobs now.
func TestMigrateModelSmall(t *testing.T) {
	for _, c := range []struct {
		stored raw
		want   string
	}{
		{raw{"condense_profile": quote("cheap"), versionKey: []byte("3")}, `"cheap"`},
		{raw{"condense_profile": quote("cheap"), "model_small": quote("newer"), versionKey: []byte("3")}, `"newer"`},
		{raw{"mode": quote("ask"), versionKey: []byte("3")}, ""},
	} {
		m := migrate(c.stored, nil)
		if got := string(m.values["model_small"]); got != c.want || m.values["condense_profile"] != nil {
			t.Errorf("%v became %v", c.stored, m.values)
		}
	}
}
