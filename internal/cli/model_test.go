package cli

import (
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// The model is shown and chosen, against a whole server.
func TestModelCommands(t *testing.T) {
	t.Setenv("CLEW_SECRETS_BACKEND", "file")
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("OPENAI_API_KEY", "sk-canary-1234567890")
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	steps(t, environ, []step{
		{args: "model", want: "Used because: OPENAI_API_KEY is set in the server's environment\n"},
		{args: "model|--json", want: `"why_code":"key"`},
		{args: "model|ls", want: "no key: clew login anthropic\n"},
		{args: "model|ls", want: "yes, OPENAI_API_KEY in the server's environment\n"},
		{args: "model|ls", want: "All models of a provider: clew model ls openai\n"},
		{args: "model|ls|openai", want: "gpt-5.5 "},
		{args: "model|ls|gemini", want: "no key: clew login gemini\n"},
		{args: "model|ls|opnai", code: env.ExitUsage, want: "did you mean openai?"},
		{args: "model|ls|zzzzzz", code: env.ExitUsage, want: "there are openai, anthropic,"},
		{args: "model|use|anthropic", want: "profile \"anthropic\".\nNo key: clew login anthropic\n"},
		{args: "secret|set|anthropic_api_key", in: "sk-canary-of-anthropic", want: "stored"},
		{args: "model|use|anthropic/claude-sonnet-4-5-20250929", want: "Using claude-sonnet-4-5-20250929, profile \"anthropic\".\n"},
		{args: "model", want: "anthropic   claude-sonnet-4-5-20250929   200,000 tokens   $3.00 in, $15.00 out per million\n" +
			"Used because: model_profile is \"anthropic\" (set on this server)\n"},
		{args: "model|ls", want: "* anthropic   claude-sonnet-4-5-20250929"},
		{args: "model|use|gpt-5.5|--json", want: `{"profile":"openai","in_use":true,"provider":"openai","model":"gpt-5.5",`},
		{args: "settings|get|model_profile", want: "openai\n"},
		{args: "settings|get|model_profiles", want: `"api":"responses"`},
		{args: "model|use|azure", code: env.ExitUsage, want: "azure needs a profile with the address of your resource"},
		{args: "model|use|openai/gpt-5", want: "Using gpt-5, profile \"openai\"."},
		{args: "model|use|opnai", code: env.ExitUsage, want: "did you mean openai?"},
		{args: "model|use|zzzzzz", code: env.ExitUsage, want: `there is no model or profile "zzzzzz"; clew model ls lists what there is`},
		{args: "model|use|openai/gpt-77", code: env.ExitUsage, want: "clew model use openai && clew settings set model gpt-77"},
		{args: "model|use|gemini", want: "No key: clew login gemini\n"},
		{args: "model|use|echo", want: "Using echo, profile \"echo\".\n"},
		{args: "model", want: "echo   free\n"},
		{args: "model|use", code: env.ExitUsage, want: "clew model use NAME|PROVIDER/MODEL"},
		{args: `settings|set|model_profiles|{"spare":{"provider":"echo"}}`, code: env.ExitUsage, want: "use clew model add, clew model rm or clew login"},
		{args: "model|add|main|--provider|openai|--model|gpt-5.5", want: "Saved the profile \"main\". Use it: clew model use main\n"},
		{args: "model|add|half|--provider|openai", code: env.ExitFailure, want: "model is missing"},
		{args: "settings|import|-", in: `{"model_profiles":{"openai":{"provider":"openai","model":"m","base_url":"http://192.0.2.1/v1"},"spare":{"provider":"echo"},"main":{"provider":"openai","model":"gpt-5.5","fallback":["spare"]}}}`, want: "model_profiles"},
		{args: "model|use|openai/gpt-5", code: env.ExitUsage, want: `the profile "openai" does not belong to openai itself`},
		{args: "model|use|main", want: "Using gpt-5.5, profile \"main\".\n"},
		{args: "model", want: "If it is at its limit: spare (fallback)\n"},
		{args: "model|rm|main", code: env.ExitFailure, want: `The profile "main" is in use; choose another first: clew model use NAME`},
		{args: "model|rm|spare", code: env.ExitFailure, want: "is a fallback of"},
		{args: "settings|import|-", in: `{"model_profiles":{}}`, code: env.ExitFailure, want: `The profile "main" is in use`},
		{args: "model|rm|nothing", code: env.ExitFailure, want: "there is no model profile"},
		{args: "model|test|spare", want: "echo answered in "},
		{args: "model|add|spare2|--provider|echo", want: "Saved"},
		{args: "model|rm|spare2", want: "Deleted the profile \"spare2\".\n"},
	})
}

// A model's name that several providers have is not guessed.
func TestChosen(t *testing.T) {
	all := []model{
		{Profile: "work", Provider: "a", Name: "m"},
		{Provider: "a", Name: "m", Usable: true}, {Provider: "b", Name: "m", Usable: true}, {Provider: "c", Name: "m"},
		{Provider: "c", Name: "n", Default: true}, {Provider: "c", Name: "o"},
	}
	for word, want := range map[string]string{
		"work": "work", "a/m": "a/m", "c/o": "c/o", "c": "c/n",
		"m": "choose one of a/m, b/m", "o": "there is no model or profile", "a": "there is no model or profile",
	} {
		m, err := chosen(all, word)
		if got := m.choice(); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", word, got, err)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 200000: "200,000", 1048576: "1,048,576"} {
		if got := thousands(n); got != want {
			t.Error(got)
		}
	}
}
