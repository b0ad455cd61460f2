package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// The help of every command fits a terminal of 80 columns.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, cmd := range commands() {
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimRight(line, "\n"); term.Width(line) > env.HelpWidth {
				t.Errorf("%s --help is too wide: %q", cmd.CommandPath(), line)
			}
		}
	}
}

// clew help COMMAND is clew COMMAND --help.
func TestHelpCommand(t *testing.T) {
	for _, path := range []string{"run", "settings set", "help", "exit-codes"} {
		words := strings.Fields(path)
		a := call(t, env.Backend{}, []string{"HOME=/nonexistent"}, append([]string{"help"}, words...)...)
		b := call(t, env.Backend{}, []string{"HOME=/nonexistent"}, append(words, "--help")...)
		if a.code != env.ExitOK || a.out == "" || a.out != b.out {
			t.Errorf("%s: %+v and %+v", path, a, b)
		}
	}
	got := call(t, env.Backend{}, []string{"HOME=/nonexistent"}, "__complete", "help", "token", "")
	if !strings.Contains(got.out, "revoke\t") {
		t.Errorf("completed: %+v", got)
	}
}

func TestReflow(t *testing.T) {
	text := "One two three\nfour five.\n\nA table:\n  1  one two three four\n\nsix seven eight nine"
	want := "One two three\nfour five.\n\nA table:\n  1  one two three four\n\nsix seven\neight nine"
	if got := env.Reflow(text, 13); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What was probably meant is named, for commands, flags and settings.
func TestDidYouMean(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"lss"}, `clew has no command "lss"; did you mean ls?`},
		{[]string{"settinsg"}, "did you mean settings?"},
		{[]string{"check"}, "did you mean checkpoint?"},
		{[]string{"token", "revok"}, `clew token has no command "revok"; did you mean revoke?`},
		{[]string{"settings", "expotr"}, "did you mean export?"},
		{[]string{"help", "lss"}, "did you mean ls?"},
		{[]string{"help", "token", "revok"}, "did you mean revoke?"},
		{[]string{"nosuchthing"}, "clew --help lists what there is"},
		{[]string{"serve", "--lisen", "x"}, "unknown flag: --lisen; did you mean --listen?"},
		{[]string{"ls", "--jsn"}, "did you mean --json?"},
		{[]string{"ls", "--bogus"}, "unknown flag: --bogus (--help"},
	} {
		got := call(t, env.Backend{}, []string{"HOME=/nonexistent"}, tt.args...)
		if got.code != env.ExitUsage || !strings.Contains(got.errOut, tt.want) {
			t.Errorf("%v: %+v", tt.args, got)
		}
	}
}
