package policy

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// A program that the workspace steers is asked about, however it is written and
// whatever lists have it.
//
// Covers: C-56
func TestWaryProgramsAsk(t *testing.T) {
	v := everything()
	v.AllowedCommands = []string{"git log *", "ls *", "git status"}
	for _, c := range []struct {
		line string
		why  string
		want Kind
	}{
		{"git log", "", Allow}, {"git log", "it has a pager", Ask}, {"g\\it log -p", "it has a pager", Ask}, {"ls && git log", "it has a pager", Ask},
		{"git status", "it has a pager", Ask}, {"ls -l", "it has a pager", Allow},
	} {
		d := Decide(Input{
			Spec: commandSpec, Values: v, Trusted: true,
			Action: &tool.Action{Effect: clew.Effect{Command: c.line}, Wary: map[string]string{"git": c.why}},
		})
		if d.Kind != c.want {
			t.Errorf("%q with %q: %s, %s", c.line, c.why, d.Kind, d.Reason)
		}
	}
}
