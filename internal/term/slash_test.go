package term

import "testing"

func TestSlash(t *testing.T) {
	for text, want := range map[string][2]string{
		"/model": {"model", ""}, "/review the  tests\n": {"review", "the  tests"}, "/git:commit now": {"git:commit", "now"}, "/도움말": {"도움말", ""},
		"/etc/hosts is broken": {}, " /help": {}, "//help": {}, "/": {}, "/*": {}, "say /help": {}, "": {},
	} {
		name, arguments, ok := Slash(text)
		if name != want[0] || arguments != want[1] || ok != (want[0] != "") {
			t.Errorf("%q calls %q with %q, %v", text, name, arguments, ok)
		}
	}
}

func TestNoCommand(t *testing.T) {
	for name, want := range map[string]string{
		"hlep":  "There is no command /hlep. Did you mean /help? Nothing was sent.",
		"bogus": "There is no command /bogus. Nothing was sent.",
	} {
		if got := NoCommand(name, []string{"help", "rewind"}); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
