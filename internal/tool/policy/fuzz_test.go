package policy

import (
	"testing"
)

// FuzzPolicy looks for a line that is allowed and that real bash reads in
// another way. Bash is started only for lines that are allowed.
func FuzzPolicy(f *testing.F) {
	for _, lines := range [][]string{plainLines, hostile} {
		for _, line := range lines {
			f.Add(line)
		}
	}
	sh := newShell(f)
	f.Fuzz(func(t *testing.T, line string) {
		d := decide(line, harmless, []string{"rm", "touch *"})
		switch d.Kind {
		case Allow:
			sh.sameRun(t, line, d.Run)
		case Ask, Deny:
			if d.Run != "" || d.Reason == "" {
				t.Errorf("%q: %+v", line, d)
			}
		default:
			t.Errorf("%q: %+v", line, d)
		}
	})
}
