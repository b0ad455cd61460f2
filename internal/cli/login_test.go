package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// quiet is an environment in which no key and no local server is found.
func quiet(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
}

// A key is tried before it is stored, and a refused one leaves nothing behind.
func TestLogin(t *testing.T) {
	quiet(t)
	model, err := llmtest.Start(llmtest.MustParse("- times: 0\n  reply: [{text: hello}]\n"), llmtest.Options{Key: "sk-canary-good-key-1"})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	at := "--base-url|" + model.URL()
	steps(t, append(environ, "OPENAI_API_KEY=sk-canary-1234567890"), []step{
		{args: "run|hello", code: env.ExitUsage, want: "\nOPENAI_API_KEY is set in your environment, and the server does not see it. Store it:\n  clew login openai\n"},
	})
	steps(t, environ, []step{
		{args: "model", want: "No model is set up."},
		{args: "model|--json", want: `"why_code":"none"`},
		{args: "model|test", code: env.ExitUsage, want: "No model is set up. Choose one of:\n  clew login "},
		{args: "run|hello", code: env.ExitUsage, want: "No model is set up. Choose one of:\n  clew login "},
		{args: "ls|--json", want: `"sessions":[]`}, // nothing was started
		{args: "run|hello|--model|echo|--workspace||-q", want: "You said: hello"},
		{args: "run|hello|--model|anthropic", code: env.ExitUsage, want: "anthropic"},
		{args: "run|hello|--model|antropic", code: env.ExitUsage, want: "did you mean anthropic"},
		{args: "login", code: env.ExitUsage, want: "name the provider, such as clew login anthropic"},
		{args: "login|antropic", code: env.ExitUsage, want: "did you mean anthropic?"},
		{args: "login|ollama", code: env.ExitUsage, want: "ollama was not found on the server's machine"},
		{args: "login|anthropic", code: env.ExitUsage, want: "with --key-stdin"},
		{args: "login|anthropic|--base-url|ftp://x|--key-stdin", in: "sk-canary-wrong-key-1", code: env.ExitUsage, want: "--base-url is an address that begins with http:// or https://, not \"ftp://x\""},
		{args: "login|anthropic|--key-stdin", in: " \n", code: env.ExitUsage, want: "the key is empty, and nothing was saved"},
		{args: "login|azure|--key-stdin", in: "sk-canary-wrong-key-1", code: env.ExitUsage, want: "needs the address of your resource"},
		{args: "login|anthropic|--key-stdin|" + at, in: "sk-canary-wrong-key-1\n", code: env.ExitFailure, want: "refused the key: the key is not valid (HTTP 401). Nothing was saved"},
		{args: "secret|ls|--json", want: `{"names":[]}`},
		{args: "settings|get|model_profiles", want: "{}\n"},
		{args: "model", want: "No model is set up."},
		{args: "login|anthropic|--key-stdin|" + at, in: "sk-canary-good-key-1\n", want: "Saved as profile \"anthropic\" and used from now on: claude-"},
		{args: "secret|ls", want: "profile.anthropic\n"},
		{args: "model", want: "\nUsed because: model_profile is \"anthropic\" (set on this server)\n"},
		{args: "model|test", want: " answered in "},
		{args: "run|hi|--workspace||-q", want: "hello"},
		{args: "run|hi|--model|anthropic|--workspace||-q", want: "hello"},
		{args: "run|hi|--model|anthropic/claude-sonnet-4-6|--workspace||-q", want: "hello"},
		{args: "run|hi|--model|claude-sonnet-4-6|--workspace||-q", want: "hello"},
		{args: "run|hi|--model|anthropic/claude-sonet-4-6", code: env.ExitUsage, want: "did you mean"},
		{args: "login|openai|--key-stdin|--name|anthropic", in: "sk-canary-good-key-1", code: env.ExitUsage, want: "is of another provider"},
		{args: "login|openai|--key-stdin|--no-test|--name|later|--json", in: "sk-canary-other-key-1", want: `{"profile":"later","in_use":true,"provider":"openai"`},
		{args: "__complete|run|--model|", want: "later"},
		{args: "__complete|model|rm|", want: "anthropic\tclaude-"},
	})
}

// The one model server on this machine is used if there is nothing else.
func TestRunFindsOllama(t *testing.T) {
	quiet(t)
	script := llmtest.Handler(llmtest.MustParse("- times: 0\n  reply: [{text: hello}]\n"), llmtest.Options{})
	mux := http.NewServeMux()
	for path, answer := range map[string]string{
		"/api/version": `{"version":"0.12.6"}`, "/api/tags": `{"models":[{"name":"qwen3:8b"}]}`, "/api/ps": `{"models":[]}`,
		"/api/show": `{"capabilities":["completion","tools"],"model_info":{"qwen3.context_length":40960}}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a key was sent to a server that has none")
		}
		r.Header.Set("Authorization", "Bearer any") // the script wants one
		script.ServeHTTP(w, r)
	})
	ollama := httptest.NewServer(mux)
	defer ollama.Close()
	t.Setenv("OLLAMA_HOST", ollama.URL)
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	steps(t, environ, []step{{args: "model|ls", want: "Found on this machine: Ollama at "}})
	got := callWith(t, "", environ, "run", "hi", "--workspace", "", "-q")
	if got.code != env.ExitOK || !strings.Contains(got.out, "hello") || !strings.Contains(got.errOut, "Using qwen3:8b from Ollama at ") {
		t.Errorf("%+v", got)
	}
	steps(t, environ, []step{
		{args: "model", want: "ollama   qwen3:8b   40,960 tokens   local, free\nUsed because: it is the one model on this machine"},
		{args: "model|ls", want: "local   free  yes\n"},
		{args: "settings|get|model_profile", want: "\n"}, // a key in the environment would come first
		{args: "login|ollama|--model|nothing", code: env.ExitUsage, want: "has no model nothing"},
		{args: "login|ollama", want: "Saved as profile \"ollama\" and used from now on: qwen3:8b."},
	})
}

// A key in the environment is used, and that is said once.
func TestKeyInTheEnvironmentIsSaidOnce(t *testing.T) {
	quiet(t)
	t.Setenv("OPENAI_API_KEY", "sk-canary-1234567890")
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	var said bytes.Buffer
	a := &env.App{IO: env.IO{In: strings.NewReader(""), Out: &said, Err: &said, Environ: environ}, Server: env.RealServer}
	c, err := a.Connect(env.Remote{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := checkModel(t.Context(), a, env.Remote{}, c); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(said.String(), " from openai: OPENAI_API_KEY is set in your environment."); n != 1 {
		t.Errorf("said %d times: %s", n, said.String())
	}
	if _, err := os.Stat(filepath.Join(data, "model-told")); err != nil {
		t.Error(err)
	}
}

func TestChooseProvider(t *testing.T) {
	all := []modelProvider{{ID: "anthropic", Title: "Anthropic"}, {ID: "openai", Title: "OpenAI"}}
	found := []localServer{{Name: "ollama", Title: "Ollama", Address: "127.0.0.1:11434", Models: []localModel{{Name: "m"}}}}
	for in, want := range map[string]string{"2\nsk": "openai", "3\n": compatible, "4\n": "ollama", "anthropic": "anthropic", "\n": "", "9\n2\n": "openai", "sk-pasted-too-early\n1\n": "anthropic", "9\n": ""} {
		var out bytes.Buffer
		got, err := chooseProvider(strings.NewReader(in), &out, all, found)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
		if !strings.Contains(out.String(), "  4 Ollama  127.0.0.1:11434  (1 model)\n") {
			t.Error(out.String())
		}
	}
}

// What is no address is asked for again, before the key: the test call would fail last.
func TestAskCompatible(t *testing.T) {
	var out bytes.Buffer
	a := &env.App{IO: env.IO{In: strings.NewReader("127.0.0.1:9000\nhttp://127.0.0.1:9000/v1\nm\nmine\n"), Out: &out, Err: &out}}
	f, err := askCompatible(a, loginFlags{})
	if err != nil || f.address != "http://127.0.0.1:9000/v1" || f.model != "m" || f.name != "mine" || !strings.Contains(out.String(), "It begins with http:// or https://.\n") {
		t.Errorf("%+v, %v: %s", f, err, out.String())
	}
	a.In = strings.NewReader("\n")
	if _, err := askCompatible(a, loginFlags{}); err == nil {
		t.Error("nothing was entered, and it went on")
	}
}

// Nobody is asked for OpenAI's key for a server of their own.
func TestKeyPrompt(t *testing.T) {
	p := modelProvider{Title: "OpenAI", KeyPage: "https://keys"}
	if got := keyPrompt(p, ""); got != "Paste your OpenAI API key (https://keys); it is not shown: " {
		t.Error(got)
	}
	if got := keyPrompt(p, "http://127.0.0.1:9000/v1"); got != "Paste the API key for 127.0.0.1:9000, or press Enter if it needs none; it is not shown: " {
		t.Error(got)
	}
}

// --model is never guessed.
func TestPick(t *testing.T) {
	all := []model{
		{Profile: "a", Provider: "a", Name: "m", Usable: true}, {Profile: "b", Provider: "b", Name: "x", Usable: true}, {Profile: "c", Provider: "c", Name: "z", WhyNot: "no key"},
		{Profile: "home", Provider: "openai", Name: "q", Usable: true, Local: true},
		{Provider: "a", Name: "m", Usable: true}, {Provider: "a", Name: "n", Usable: true}, {Provider: "b", Name: "n", Usable: true}, {Provider: "b", Name: "o/p", Usable: true},
		{Provider: "c", Name: "z"}, {Provider: "d", Name: "w", WhyNot: "no key: clew login d"}, {Provider: "openai", Name: "gpt", Usable: true},
	}
	for word, want := range map[string]string{
		"a": "a ", "m": "a ", "a/n": "a n", "o/p": "b o/p", "b/o/p": "b o/p", "q": "home ", "home/other": "home other",
		"n": "choose one of a/n, b/n", "c": "no key", "d/w": "clew login d", "openai/gpt": "clew model use openai/gpt", "zzzzzz": "there is no model or profile", "a/zzz": "that clew knows",
	} {
		profile, name, err := pick(all, word)
		if got := profile + " " + name; err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", word, got, err)
		}
	}
}
