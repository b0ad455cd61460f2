package follow

import (
	"testing"

	"github.com/clew-run/clew"
)

// A command that a rule covers runs with each word in quotes; a person sees those
// that are needed, and never another command.
func TestCoveredCommandIsReadable(t *testing.T) {
	for command, want := range map[string]string{
		`'sh' 'check.sh'`:                        `$ sh check.sh`,
		`'go' 'test' './...' 2>&1 | 'tail' '-1'`: `$ go test ./... 2>&1 | tail -1`,
		`'echo' 'a b' '$x' ''`:                   `$ echo 'a b' '$x' ''`,
		`'echo' 'it'\''s' 'a '\''b'\'' c'`:       `$ echo 'it'\''s' 'a '\''b'\'' c'`,
		`'echo' 'x '\'' '\''ls'\'' y'`:           `$ echo 'x '\'' '\''ls'\'' y'`,
	} {
		d := &clew.MessageTool{Command: command, AllowedBy: &clew.AllowedBy{}}
		if got := callTitle(d); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
		d.AllowedBy = nil
		if got := callTitle(d); got != "$ "+command {
			t.Errorf("what somebody approved is changed: %s", got)
		}
	}
}
