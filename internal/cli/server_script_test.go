package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts of the commands that look after sessions, as a person would type them.
// Each has a server of its own, with $SESSION, in which hello was said when the
// workspace $PROJECT had a.txt with "one", and which says "two" now.
func TestServerScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/server/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			x := newTraveller(t)
			x.write("one\n")
			x.say("hello")
			x.write("two\n")
			testscript.Run(t, testscript.Params{
				Files: []string{file},
				Setup: func(environ *testscript.Env) error {
					environ.Setenv("HOME", environ.WorkDir)
					environ.Setenv("CLEW_SERVER", x.address)
					environ.Setenv("CLEW_DATA", x.where[3])
					environ.Setenv("SESSION", string(x.id))
					environ.Setenv("PROJECT", x.work)
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"exitcode": exitCodeCommand,
					"keep":     keepCommand,
				},
			})
		})
	}
}

// keepCommand puts the last word of stdout into a variable: keep NAME.
func keepCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], lastWord(ts.ReadFile("stdout")))
}

func lastWord(out string) string {
	words := strings.Fields(out)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
