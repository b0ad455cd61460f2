package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/disk"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/echo"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/settings"
)

// shop is a workshop with settings in memory.
func shop(t *testing.T, environ ...string) *agentDeps {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w := &agentDeps{cfg: DefaultConfig(), log: log}
	w.cfg.Data = t.TempDir()
	var err error
	w.secrets, err = settings.OpenSecrets(t.Context(), settings.SecretsOptions{
		Dir: w.cfg.Data, Environ: append(environ, "CLEW_SECRETS_BACKEND=file"), Redactor: settings.NewRedactor(), Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if w.settings, err = settings.Open(t.Context(), settings.Options{Store: settings.NewMemory(), Secrets: w.secrets}); err != nil {
		t.Fatal(err)
	}
	w.workspaces = disk.NewWorkspaces(w.cfg.ownWorkspaces(), filepath.Join(w.cfg.Data, "usage"), func() int64 { return 0 })
	t.Cleanup(func() { w.settings.Close(); w.close() })
	return w
}

// modelServer notes the keys that calls come with.
func modelServer(t *testing.T) (url string, keys func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		list = append(list, r.Header.Get("X-Api-Key")+r.Header.Get("Authorization")+r.Header.Get("Api-Key"))
		mu.Unlock()
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
	}))
	t.Cleanup(web.Close)
	return web.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string{}, list...)
	}
}

func ask(t *testing.T, p llm.Provider) error {
	t.Helper()
	_, err := p.Stream(t.Context(), llm.Request{Model: "m", MaxTokens: 16, Messages: []clew.ModelMessage{{
		Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "hi"}},
	}}}, func(llm.Delta) error { return nil })
	return err
}

// A profile's provider uses its own key, read anew for each call; the vendor's
// usual one where it names none; and none at a server of one's own.
//
// Covers: SET-12
func TestProviderKeys(t *testing.T) {
	w := shop(t, "CLEW_SECRET_ANTHROPIC_API_KEY=usual")
	url, keys := modelServer(t)
	use := func(p settings.Profile) error {
		provider, err := w.provider(p)
		if err != nil {
			t.Fatal(err)
		}
		return ask(t, provider)
	}
	own := settings.Profile{Provider: "anthropic", BaseURL: url, KeyName: "profile.mine"}
	if err := use(own); err == nil || llm.AsError(err).Kind != llm.KindAuth || !strings.Contains(err.Error(), "profile.mine") {
		t.Errorf("without its key: %v", err)
	}
	provider, err := w.provider(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"first", "second"} {
		if err := w.secrets.Set(t.Context(), "profile.mine", key); err != nil {
			t.Fatal(err)
		}
		_ = ask(t, provider)
	}
	_ = use(settings.Profile{Provider: "anthropic", BaseURL: url})
	_ = use(settings.Profile{Provider: "openai", BaseURL: url + "/v1"})
	got := keys()
	if len(got) != 4 || got[0] != "first" || got[1] != "second" || got[2] != "usual" || strings.Contains(got[3], "usual") {
		t.Errorf("keys %q", got)
	}
	if err := use(settings.Profile{Provider: "openai"}); err == nil || llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("the vendor itself without a key: %v", err)
	}
}

// Without a profile the echo answers, and costs nothing; a provider that is not
// there is an error.
func TestProviders(t *testing.T) {
	w := shop(t)
	for _, name := range []string{"", "echo"} {
		p, err := w.provider(settings.Profile{Provider: name})
		if _, ok := p.(echo.Provider); !ok || err != nil || !w.model(settings.Profile{Provider: name}).Free {
			t.Errorf("provider %q is %T, %v", name, p, err)
		}
	}
	if _, err := w.provider(settings.Profile{Provider: "skynet"}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("no such provider: %v", err)
	}
}

// The API of a profile chooses the wire, and a key goes to its own vendor only.
func TestWires(t *testing.T) {
	w := shop(t, "CLEW_SECRET_OPENAI_API_KEY=stored", "CLEW_SECRET_AZURE_API_KEY=stored", "CLEW_SECRET_GEMINI_API_KEY=stored")
	t.Setenv("AWS_ACCESS_KEY_ID", "stored")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	model, err := llmtest.Start(llmtest.MustParse("- times: 0\n  reply: [{text: hello}]\n"), llmtest.Options{Key: "stored"})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	for _, c := range []struct {
		profile settings.Profile
		want    llmtest.Vendor
	}{
		{settings.Profile{Provider: "openai", BaseURL: model.URL() + "/v1"}, llmtest.OpenAI},
		{settings.Profile{Provider: "openai", API: "responses", BaseURL: model.URL() + "/v1"}, llmtest.Responses},
		{settings.Profile{Provider: "openai", API: "messages", BaseURL: model.URL()}, llmtest.Anthropic},
		{settings.Profile{Provider: "azure", BaseURL: model.URL() + "/openai/v1"}, llmtest.Responses},
		{settings.Profile{Provider: "azure", API: "chat", BaseURL: model.URL() + "/openai/v1/"}, llmtest.OpenAI},
		{settings.Profile{Provider: "openrouter", KeyName: "openai_api_key", BaseURL: model.URL() + "/v1"}, llmtest.OpenAI},
		{settings.Profile{Provider: "gemini", BaseURL: model.URL()}, llmtest.Gemini},
		{settings.Profile{Provider: "bedrock", Region: "eu-west-1", BaseURL: model.URL()}, llmtest.Bedrock},
		{settings.Profile{Provider: "vertex", KeyName: "openai_api_key", Project: "p", BaseURL: model.URL()}, llmtest.Vertex},
	} {
		p, err := w.provider(c.profile)
		if err == nil {
			err = ask(t, p)
		}
		list := model.Requests()
		if err != nil || len(list) == 0 || list[len(list)-1].Vendor != c.want {
			t.Errorf("%+v: %v", c.profile, err)
		}
	}
	for _, c := range []struct {
		profile settings.Profile
		want    string
	}{
		{settings.Profile{Provider: "azure"}, "the provider azure needs a base_url in its profile for the API responses"},
		{settings.Profile{Provider: "openai", API: "messages"}, "needs a base_url"},
		{settings.Profile{Provider: "anthropic", API: "chat"}, "needs a base_url"},
		{settings.Profile{Provider: "openai", API: "gemini"}, "needs a base_url"},
		{settings.Profile{Provider: "anthropic", API: "bedrock"}, "needs a base_url"},
	} {
		if _, err := w.provider(c.profile); clew.CodeOf(err) != clew.SettingsInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.profile, err)
		}
	}
	if got, want := w.cfg.providers(), []string{"echo", "anthropic", "openai", "gemini", "openrouter", "azure", "bedrock", "vertex"}; !slices.Equal(got, want) {
		t.Errorf("providers %q", got)
	}
}

// The variable of a vendor counts for the vendor's own addresses only. Azure has
// one for each customer.
func TestKeysOfTheEnvironment(t *testing.T) {
	w := shop(t, "AZURE_OPENAI_API_KEY=az", "OPENROUTER_API_KEY=or", "OPENAI_API_KEY=oa")
	for _, c := range []struct {
		profile settings.Profile
		want    string
		missing bool
	}{
		{settings.Profile{Provider: "openrouter"}, "or", false},
		{settings.Profile{Provider: "openrouter", BaseURL: "https://proxy.test/v1"}, "", false},
		{settings.Profile{Provider: "azure", BaseURL: "https://me.openai.azure.com"}, "az", false},
		{settings.Profile{Provider: "azure", BaseURL: "http://me.openai.azure.com"}, "", true},
		{settings.Profile{Provider: "azure", BaseURL: "https://azure.com.test"}, "", true},
		{settings.Profile{Provider: "azure", BaseURL: "https://me.openai.azure.com", KeyName: "openai_api_key"}, "", true},
		{settings.Profile{Provider: "openai"}, "oa", false},
	} {
		got, err := w.modelKey(c.profile)(t.Context())
		if got != c.want || (err != nil) != c.missing {
			t.Errorf("%+v: %q %v", c.profile, got, err)
		}
	}
}

// Prices and sizes come from the profile where it has them.
//
// Covers: TSK-11
func TestModelOfAProfile(t *testing.T) {
	w := shop(t)
	m := w.model(settings.Profile{Provider: "openai", Model: "own-1", BaseURL: "http://127.0.0.1:1/v1", PriceIn: 2, PriceOut: 10, ContextWindow: 4096})
	if got := m.Cost(clew.Usage{TokensIn: 1e6, TokensOut: 1e5}); got < 2.999999 || got > 3.000001 || m.ContextWindow != 4096 || m.Free {
		t.Errorf("cost %v, window %d", got, m.ContextWindow)
	}
	if got := w.model(settings.Profile{Provider: "openai", Model: "own-1", BaseURL: "http://127.0.0.1:1/v1"}).Cost(clew.Usage{TokensIn: 1e6}); got != 0 {
		t.Errorf("a model that nobody knows costs %v", got)
	}
}

// A session without a workspace gets a directory of its own.
func TestWorkspaces(t *testing.T) {
	w := shop(t)
	v := settings.Defaults()
	ws, err := w.workspace("sess_1", "ann", "", v)
	if err != nil || !strings.HasSuffix(ws.Dir, filepath.Join("workspaces", "sess_1")) {
		t.Fatalf("workspace %+v, %v", ws, err)
	}
	hidden := v
	hidden.ExcludePaths = []string{"*.key"}
	if other, err := w.workspace("sess_1", "ann", "", hidden); err != nil || other == ws || !other.Ignored("a.key", false) || ws.Ignored("a.key", false) {
		t.Errorf("other rules: %v", err)
	}
	if err := os.RemoveAll(ws.Dir); err != nil {
		t.Fatal(err)
	}
	fresh, err := w.workspace("sess_1", "ann", "", v)
	if err != nil || fresh == ws {
		t.Errorf("after it was made anew: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "gone")
	if _, err := w.workspace("sess_1", "ann", dir, v); err == nil {
		t.Error("a workspace that is not there is opened")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a workspace that somebody named is made")
	}
}

// What stands for a secret is no part of what people see of a command.
func TestPlainEnvironment(t *testing.T) {
	got := plain(map[string]string{"A": "b", "TOKEN": "$SECRET:x", "T2": "Bearer $SECRET:x"})
	if len(got) != 1 || got["A"] != "b" {
		t.Errorf("environment %v", got)
	}
}

// The whole server takes settings from its file and its environment, and a
// change of the tool servers reaches them.
//
// Covers: SET-02
func TestWorkshopReadsSettings(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Listen, cfg.Data = "127.0.0.1:0", t.TempDir()
	cfg.Settings = filepath.Join(t.TempDir(), "settings.yaml")
	cfg.Environ = []string{"CLEW_SECRETS_BACKEND=file", "CLEW_SET_MISTAKE_LIMIT=9"}
	if err := os.WriteFile(cfg.Settings, []byte("mode: ask\nmistake_limit: 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(context.Background())
	if v, _ := s.shop.settings.For(nil); v.Mode != "ask" || v.MistakeLimit != 9 {
		t.Errorf("mode %s, limit %d", v.Mode, v.MistakeLimit)
	}
	change := map[string]any{"mcp_servers": map[string]any{"off": map[string]any{"command": "/bin/false", "disabled": true}}}
	if _, err := s.shop.settings.Update(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if list := s.shop.mcp.List(); len(list) != 1 || list[0].Name != "off" {
		t.Errorf("servers %+v", list)
	}
}
