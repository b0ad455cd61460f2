//go:build !windows

package env

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Whether a server may be started. Nothing is started without a program.
func TestMayStart(t *testing.T) {
	home := t.TempDir()
	for name, tt := range map[string]struct {
		r       Remote
		environ []string
		may     bool
	}{
		"usual":            {Remote{Start: true}, nil, true},
		"not this command": {Remote{}, nil, false},
		"switched off":     {Remote{Start: true}, []string{"CLEW_AUTOSTART=0"}, false},
		"no socket":        {Remote{Start: true}, []string{"CLEW_SOCKET=off"}, false},
		"CI":               {Remote{Start: true}, []string{"CI=true"}, false},
		"CI is off":        {Remote{Start: true}, []string{"CI=false"}, true},
		"own in CI":        {Remote{Start: true, Own: true}, []string{"CI=true"}, true},
		"sudo":             {Remote{Start: true}, []string{"SUDO_USER=ada"}, os.Geteuid() != 0},
		"sudo, named":      {Remote{Start: true, Data: "/srv/clew"}, []string{"SUDO_USER=ada"}, true},
	} {
		a := &App{Program: "/bin/clew", IO: IO{Environ: append([]string{"HOME=" + home}, tt.environ...)}}
		if may := a.MayStart(tt.r); may != tt.may {
			t.Errorf("%s: %v", name, may)
		}
		if a.Program = ""; a.MayStart(tt.r) {
			t.Errorf("%s: without a program", name)
		}
	}
}

// The server in the background has clew's own variables, with paths that hold
// everywhere, and no other secrets than keys of models.
func TestBackgroundEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	a := &App{IO: IO{Environ: []string{
		"HOME=/home/ada", "GITHUB_TOKEN=x", "OPENAI_API_KEY=sk", "AWS_SECRET_ACCESS_KEY=canary", "CLEW_TOKEN=t", "CLEW_SERVER=s", "CLEW_SETTINGS=my.json", "CLEW_SET_MODE=ask", "LC_ALL=C", "PWD=/x",
	}}}
	got := a.backgroundEnviron()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"HOME=/home/ada", "OPENAI_API_KEY=sk", "CLEW_SETTINGS=" + here + "/my.json", "CLEW_SET_MODE=ask", "LC_ALL=C"}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	a.Environ = []string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_REGION=eu-west-1", "AWS_OTHER=c", "GOOGLE_CLOUD_PROJECT=p"}
	if got := a.backgroundEnviron(); !slices.Equal(got, a.Environ[:3]) {
		t.Errorf("of a cloud that can be called: %s", strings.Join(got, "\n"))
	}
}
