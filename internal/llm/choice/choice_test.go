package choice_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/settings"
)

var providers = []string{"anthropic", "openai", "bedrock", "echo", "own"}

func open(t *testing.T, environ ...string) *choice.Models {
	t.Helper()
	environ = append(environ, settings.EnvSecretsBackend+"=file")
	secrets, err := settings.OpenSecrets(t.Context(), settings.SecretsOptions{Dir: t.TempDir(), Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	s, err := settings.Open(t.Context(), settings.Options{Store: settings.NewMemory(), Secrets: secrets, Redactor: secrets.Redactor(), Environ: environ, Providers: providers, Automatic: choice.Automatic(secrets, environ, providers)})
	if err != nil {
		t.Fatal(err)
	}
	return &choice.Models{Settings: s, Keys: secrets, Providers: providers, Environ: environ}
}

func put(t *testing.T, m *choice.Models, name string, profile map[string]any) {
	t.Helper()
	if err := m.Settings.(*settings.Settings).PutProfile(t.Context(), name, profile); err != nil {
		t.Fatal(err)
	}
}

func inUse(t *testing.T, m *choice.Models) choice.InUse {
	t.Helper()
	use, err := m.InUse(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return use
}

func TestInUse(t *testing.T) {
	m := open(t)
	if use := inUse(t, m); use.Provider != "echo" || use.WhyCode != choice.WhyNone || !use.Usable || use.InUse || use.Why == "" {
		t.Errorf("%+v", use)
	}
	put(t, m, "work", map[string]any{"provider": "anthropic", "model": "claude-sonnet-4-5", "price_in": 7.0})
	if _, err := m.Use(t.Context(), "none"); !errors.Is(err, settings.ErrNoProfile) {
		t.Error(err)
	}
	if _, err := m.Settings.Update(t.Context(), map[string]any{"model": "of the one before"}); err != nil {
		t.Fatal(err)
	}
	use, err := m.Use(t.Context(), "work")
	if err != nil || use.Name != "claude-sonnet-4-5" || use.ContextWindow < 100_000 || use.PriceIn != 7 || use.PriceOut < 7 || !use.Priced || !use.InUse ||
		use.Why != `model_profile is "work" (set on this server)` || use.WhyCode != "server" ||
		use.Usable || use.WhyNotCode != choice.NoKey || use.WhyNot != "no key: clew login anthropic --name work" {
		t.Errorf("%+v %v", use, err)
	}
	if _, err := m.Settings.Update(t.Context(), map[string]any{"model": "claude-new"}); err != nil {
		t.Fatal(err)
	}
	if use := inUse(t, m); use.Name != "claude-new" || !strings.HasSuffix(use.Why, `; the setting model says "claude-new"`) {
		t.Errorf("%+v", use)
	}
}

func TestInUseByTheEnvironment(t *testing.T) {
	m := open(t, "CLEW_SET_MODEL_PROFILE=gone", "OPENAI_API_KEY=sk-canary-0123456789")
	if use := inUse(t, m); use.WhyCode != choice.WhyMissing || use.Usable || use.Profile != "gone" {
		t.Errorf("%+v", use)
	}
	put(t, m, "gone", map[string]any{"provider": "openai", "model": "nobody-knows-it"})
	use := inUse(t, m)
	if use.WhyCode != "environment" || !strings.Contains(use.Why, "CLEW_SET_MODEL_PROFILE") || !use.Usable || use.KeyVariable != "OPENAI_API_KEY" || use.Priced {
		t.Errorf("%+v", use)
	}
}

// Which profiles can be used goes by the rules that calls go by.
func TestUsable(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		t.Setenv(name, "")
	}
	m := open(t, "ANTHROPIC_API_KEY=sk-canary-0123456789", "CLEW_SECRET_THIRD=sk-canary-9876543210")
	for name, p := range map[string]map[string]any{
		"env":       {"provider": "anthropic", "model": "m"},
		"elsewhere": {"provider": "anthropic", "model": "m", "base_url": "https://models.example"}, // the vendor's key is not for it
		"local":     {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:11434/v1"},
		"locked":    {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:11434/v1", "key_name": "none"},
		"named":     {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:11434/v1", "key_name": "third"},
		"openai":    {"provider": "openai", "model": "m"},
		"own":       {"provider": "own"},
		"echo":      {"provider": "echo"},
	} {
		put(t, m, name, p)
	}
	list, err := m.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var usable []string
	vendors := map[string]choice.Model{}
	for _, model := range list {
		switch {
		case model.Profile != "" && model.Usable:
			usable = append(usable, model.Profile)
		case model.Default:
			vendors[model.Provider] = model
		}
	}
	if !slices.Equal(usable, []string{"anthropic", "echo", "env", "local", "named", "own"}) {
		t.Error(usable)
	}
	if v := vendors["anthropic"]; !v.Usable || v.KeyVariable != "ANTHROPIC_API_KEY" || v.ContextWindow == 0 || v.PriceIn == 0 {
		t.Errorf("%+v", v)
	}
	if v := vendors["openai"]; v.Usable || v.WhyNotCode != choice.NoKey {
		t.Errorf("%+v", v)
	}
	if v := vendors["gemini"]; v.Usable || v.WhyNotCode != choice.NotSupported || v.WhyNot != "this server cannot use gemini" {
		t.Errorf("%+v", v)
	}
	if v := vendors["bedrock"]; v.Usable || v.WhyNotCode != choice.NoKey || v.WhyNot != "no AWS credentials found: aws configure" {
		t.Errorf("%+v", v)
	}
	put(t, m, "openai", map[string]any{"provider": "openai", "model": "m", "api_key": "sk-canary-1111111111"})
	put(t, m, "pasted", map[string]any{"provider": "openai", "model": "sk-canary-2222222222"})
	put(t, m, "other", map[string]any{"provider": "echo", "api_key": "sk-canary-2222222222"})
	list, err = m.List(t.Context(), "openai")
	if slices.ContainsFunc(list, func(model choice.Model) bool { return strings.Contains(model.Name, "canary") }) {
		t.Errorf("%+v", list)
	}
	if err != nil || slices.ContainsFunc(list, func(model choice.Model) bool {
		return model.Provider != "openai" || model.Profile == "" && !model.Usable
	}) {
		t.Errorf("%+v %v", list, err)
	}
	if list, err := m.List(t.Context(), "own"); err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := m.List(t.Context(), "nobody"); !errors.Is(err, choice.ErrNoProvider) {
		t.Error(err)
	}
}
