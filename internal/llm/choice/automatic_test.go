package choice_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/anthropic"
	"github.com/clew-run/clew/internal/llm/call"
	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/settings"
)

// A key in the environment makes a profile that is used until somebody chooses another,
// and that is not stored.
func TestAutomatic(t *testing.T) {
	m := open(t, "OPENAI_API_KEY=sk-canary-0123456789", "ANTHROPIC_API_KEY=sk-canary-9876543210", "GEMINI_API_KEY=sk-canary-5555555555")
	use := inUse(t, m)
	if use.Profile != "anthropic" || use.WhyCode != choice.WhyKey || use.Why != "ANTHROPIC_API_KEY is set in the server's environment" ||
		!use.Usable || !use.InUse || use.Name == "" || use.KeyVariable != "ANTHROPIC_API_KEY" {
		t.Errorf("%+v", use)
	}
	s := m.Settings.(*settings.Settings)
	if stored, _, err := s.Get(t.Context(), "model_profiles"); err != nil || len(stored.(map[string]settings.Profile)) != 0 {
		t.Errorf("stored: %+v %v", stored, err)
	}
	if n, err := s.NamedProfile("openai"); err != nil || n.Variable != "OPENAI_API_KEY" || n.API != "responses" {
		t.Errorf("%+v %v", n, err)
	}
	if err := s.DeleteProfile(t.Context(), "openai"); err == nil {
		t.Error("it is not stored, and was deleted")
	}
	if use, err := m.Use(t.Context(), "openai"); err != nil || use.Profile != "openai" || use.WhyCode != "server" {
		t.Errorf("%+v %v", use, err)
	}
	put(t, m, "anthropic", map[string]any{"provider": "anthropic", "model": "m"})
	if list := s.Profiles(); len(list) != 2 || list[0].Model != "m" || list[0].Variable != "" {
		t.Errorf("%+v", list)
	}
	if use, err := m.Use(t.Context(), settings.Echo); err != nil || use.Provider != "echo" || !use.Usable || use.WhyCode != "server" {
		t.Errorf("%+v %v", use, err)
	}
}

// A stored profile of the vendor's name is the one that its key is for, unless it
// belongs to another server.
func TestAutomaticTakesTheStoredProfile(t *testing.T) {
	m := open(t, "ANTHROPIC_API_KEY=sk-canary-9876543210", "OPENAI_API_KEY=sk-canary-0123456789")
	put(t, m, "anthropic", map[string]any{"provider": "anthropic", "model": "mine"})
	if use := inUse(t, m); use.Profile != "anthropic" || use.Name != "mine" || use.WhyCode != choice.WhyKey {
		t.Errorf("%+v", use)
	}
	put(t, m, "anthropic", map[string]any{"provider": "anthropic", "model": "mine", "base_url": "https://models.example"})
	if use := inUse(t, m); use.Profile != "openai" {
		t.Errorf("%+v", use)
	}
}

// Azure needs an address, which its own programs have in the environment, too.
func TestAutomaticAzure(t *testing.T) {
	keys := variables{"azure_api_key": "AZURE_OPENAI_API_KEY"}
	if list := choice.Automatic(keys, nil, []string{"azure"}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	list := choice.Automatic(keys, []string{"AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com/"}, []string{"azure"})
	if len(list) != 1 || list[0].BaseURL != "https://me.openai.azure.com/openai/v1/" || !list[0].VendorKeyCounts() {
		t.Errorf("%+v", list)
	}
}

type variables map[string]string

func (v variables) Variable(name string) (string, bool) { variable, ok := v[name]; return variable, ok }

// The one model on this machine is used if nothing else is there, and costs nothing.
func TestLocalIsUsedAndFree(t *testing.T) {
	m := open(t)
	put(t, m, "ollama", map[string]any{"provider": "openai", "model": "gpt-5", "base_url": "http://127.0.0.1:11434/v1"})
	use := inUse(t, m)
	if use.Profile != "ollama" || use.WhyCode != choice.WhyLocal || !use.Local || !use.Priced || use.PriceIn != 0 || use.PriceOut != 0 || !use.Usable {
		t.Errorf("%+v", use)
	}
	put(t, m, "vllm", map[string]any{"provider": "openai", "model": "gpt-5", "base_url": "http://[::1]:8000/v1", "price_in": 2.0})
	if use := inUse(t, m); use.WhyCode != choice.WhyNone {
		t.Errorf("one of two was taken: %+v", use)
	}
	if info, known := choice.Info(settings.Profile{Provider: "openai", BaseURL: "http://localhost:1/v1", PriceIn: 2}); info.PriceIn != 2 || !known {
		t.Errorf("one's own price does not hold: %+v", info)
	}
	m = open(t, "OPENAI_API_KEY=sk-canary-0123456789")
	put(t, m, "ollama", map[string]any{"provider": "openai", "model": "gpt-5", "base_url": "http://127.0.0.1:11434/v1"})
	if use := inUse(t, m); use.Profile != "openai" {
		t.Errorf("the key does not come first: %+v", use)
	}
}

// A draft is tested with its own key and not stored; a refused key says so.
func TestTest(t *testing.T) {
	script := llmtest.MustParse("- times: 0\n  reply: [{text: OK}]\n")
	server := httptest.NewServer(llmtest.Handler(script, llmtest.Options{Key: "sk-canary-good-key-1", Fast: true}))
	t.Cleanup(server.Close)
	m := open(t)
	m.Open = func(p settings.Profile, key string) (llm.Provider, error) {
		return anthropic.New(call.Options{BaseURL: p.BaseURL, Key: func(context.Context) (string, error) { return key, nil }}), nil
	}
	fields := map[string]any{"provider": "anthropic", "model": "m", "base_url": server.URL, "api_key": "sk-canary-good-key-1"}
	got, err := m.Test(t.Context(), "new", fields)
	if err != nil || !got.OK || got.Error != nil || got.Model == "" {
		t.Errorf("%+v %v", got, err)
	}
	fields["api_key"] = "sk-canary-wrong-key-1"
	got, err = m.Test(t.Context(), "new", fields)
	if err != nil || got.OK || got.Error == nil || got.Error.Kind != llm.KindAuth || got.Error.Next == "" {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := m.Settings.NamedProfile("new"); err == nil {
		t.Error("it was stored")
	}
	if _, err := m.Test(t.Context(), "new", nil); err == nil {
		t.Error("a profile was tested that is not there")
	}
}

// Credentials of a cloud that somebody put into the environment make a profile, after the
// keys of providers; the files of other programs do not, and nobody is called.
func TestAutomaticClouds(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(".aws/config", "[default]\nregion = us-east-2\n[profile work]\noutput = json\nregion=us-west-2\n[profile bare]\noutput=text\n")
	write(".aws/credentials", "[default]\naws_access_key_id = x\n[old]\naws_access_key_id = x\n")
	account := write("account.json", `{"type": "service_account", "project_id": "mine"}`)
	person := write("person.json", `{"type": "authorized_user"}`)
	broken := write("broken.json", `{`)
	for name, c := range map[string]struct {
		environ []string
		want    string // provider, region, project, variable
	}{
		"nothing":                  {nil, ""},
		"a key, no region":         {[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}, ""},
		"half a key":               {[]string{"AWS_ACCESS_KEY_ID=a", "AWS_REGION=us-east-1"}, ""},
		"a region alone":           {[]string{"AWS_REGION=us-east-1"}, ""},
		"a key":                    {[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_REGION=us-east-1"}, "bedrock us-east-1  AWS_ACCESS_KEY_ID"},
		"the older name":           {[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_DEFAULT_REGION=us-west-1"}, "bedrock us-west-1  AWS_ACCESS_KEY_ID"},
		"a key of Bedrock's":       {[]string{"AWS_BEARER_TOKEN_BEDROCK=a", "AWS_REGION=us-east-1"}, "bedrock us-east-1  AWS_BEARER_TOKEN_BEDROCK"},
		"names of other regions":   {[]string{"AWS_BEARER_TOKEN_BEDROCK=a", "AWS_REGION=eu-west-1"}, ""},
		"the government's":         {[]string{"AWS_BEARER_TOKEN_BEDROCK=a", "AWS_REGION=us-gov-west-1"}, ""},
		"a profile":                {[]string{"AWS_PROFILE=work"}, "bedrock us-west-2  AWS_PROFILE"},
		"the default profile":      {[]string{"AWS_PROFILE=default"}, "bedrock us-east-2  AWS_PROFILE"},
		"a profile without region": {[]string{"AWS_PROFILE=bare"}, ""},
		"with a region":            {[]string{"AWS_PROFILE=old", "AWS_REGION=us-east-1"}, "bedrock us-east-1  AWS_PROFILE"},
		"no such profile":          {[]string{"AWS_PROFILE=gone", "AWS_REGION=us-east-1"}, ""},
		"an account":               {[]string{"GOOGLE_APPLICATION_CREDENTIALS=" + account}, "vertex  mine GOOGLE_APPLICATION_CREDENTIALS"},
		"another project":          {[]string{"GOOGLE_APPLICATION_CREDENTIALS=" + account, "GOOGLE_CLOUD_PROJECT=p", "CLOUD_ML_REGION=r"}, "vertex r p GOOGLE_APPLICATION_CREDENTIALS"},
		"no project":               {[]string{"GOOGLE_APPLICATION_CREDENTIALS=" + person}, ""},
		"a broken file":            {[]string{"GOOGLE_APPLICATION_CREDENTIALS=" + broken, "GOOGLE_CLOUD_PROJECT=p"}, ""},
		"no file":                  {[]string{"GOOGLE_APPLICATION_CREDENTIALS=" + home + "/gone", "GOOGLE_CLOUD_PROJECT=p"}, ""},
		"a project alone":          {[]string{"GOOGLE_CLOUD_PROJECT=p"}, ""},
	} {
		environ := append([]string{"HOME=" + home}, c.environ...)
		var got []string
		for _, a := range choice.Automatic(variables{}, environ, []string{"bedrock", "vertex"}) {
			got = append(got, fmt.Sprintf("%s %s %s %s", a.Name, a.Region, a.Project, a.Variable))
			if !strings.Contains(a.Model, "claude-") {
				t.Errorf("%s: the model is %s", name, a.Model)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if choice.Clouds(environ) != (c.want != "") {
			t.Errorf("%s: whether there are any is said wrongly", name)
		}
	}
	m := open(t, "HOME="+home, "AWS_PROFILE=work")
	if use := inUse(t, m); use.Profile != "bedrock" || use.WhyCode != choice.WhyKey || use.Why != "AWS_PROFILE is set in the server's environment" || !use.Usable || use.KeyVariable != "AWS_PROFILE" {
		t.Errorf("%+v", use)
	}
	m = open(t, "HOME="+home, "AWS_PROFILE=work", "OPENAI_API_KEY=sk-canary-0123456789")
	if use := inUse(t, m); use.Profile != "openai" {
		t.Errorf("the key does not come first: %+v", use)
	}
}
