//go:build linux

package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/shell"
)

// The doctor runs what it finds inside the sandbox, and says what is hidden.
func TestToolchainsAreTried(t *testing.T) {
	if kind, reason := shell.Probe(); kind != shell.SandboxBwrap {
		t.Skip(reason)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	node, broken, deno := filepath.Join(home, ".nvm/versions/node/v99/bin"), filepath.Join(home, "sdk/go/bin"), filepath.Join(home, ".deno/bin")
	for path, text := range map[string]string{
		node + "/node": "#!/bin/sh\necho v99.1.0\n", broken + "/go": "#!/bin/sh\necho it is broken >&2\nexit 1\n", deno + "/deno": "#!/bin/sh\n",
		filepath.Join(home, "sdk/go/VERSION"): "go1.26\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]Check{}
	for _, c := range toolChecks(t.Context(), []string{"PATH=" + strings.Join([]string{node, broken, deno, "/usr/bin"}, ":")}) {
		got[c.Name] = c
	}
	if c := got["node"]; c.Status != CheckOK || !strings.HasPrefix(c.Found, "99.1.0 in the sandbox: ~/.nvm/versions/node/v99") {
		t.Errorf("node: %+v", c)
	}
	if c := got["go"]; c.Status != CheckWarning || !strings.Contains(c.Found, "it is broken") || c.Do == "" {
		t.Errorf("go: %+v", c)
	}
	if c := got["PATH"]; c.Status != CheckNote || !strings.Contains(c.Found, "~/.deno/bin") || !strings.Contains(c.Do, "command_share") {
		t.Errorf("PATH: %+v", c)
	}
}

func TestAppArmorHint(t *testing.T) {
	for _, reason := range []string{"bwrap: setting up uid map: Permission denied", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"} {
		if c := sandboxCheck(shell.SandboxNone, reason); !strings.Contains(c.Do, "apparmor_parser") {
			t.Errorf("%s: %+v", reason, c)
		}
	}
}

// Toolchains are those of whoever runs the server, and only for them.
func TestWhoseToolchains(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	shellFile := filepath.Join(home, "shell")
	// It answers as bash does, and counts how often it is asked.
	if err := os.WriteFile(shellFile, []byte("#!/bin/bash\necho x >>"+home+"/asked\nexport PATH=/from/login:$PATH\nexec /bin/bash -c \"${@: -1}\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	terminal := map[string]string{"PATH": "/from/terminal", "GITHUB_TOKEN": "x"}
	cases := map[string]struct {
		cfg    Config
		v      settings.Values
		owner  clew.UserID
		env    map[string]string
		path   string // how it begins; "" is no toolchains
		asking bool
	}{
		"a terminal":                    {owner: auth.OwnerUser, env: terminal, path: "/from/terminal"},
		"no authentication":             {owner: auth.LocalUser, env: terminal, path: "/from/terminal"},
		"somebody else's session":       {owner: "ada", env: terminal},
		"turned off":                    {owner: auth.OwnerUser, env: terminal, v: settings.Values{CommandToolchains: "off"}},
		"a setting":                     {owner: auth.OwnerUser, env: terminal, v: settings.Values{CommandPath: "/from/setting"}, path: "/from/setting"},
		"the web":                       {owner: auth.OwnerUser, cfg: Config{loginShell: shellFile}, path: "/from/login", asking: true},
		"the web, with a setting":       {owner: auth.OwnerUser, cfg: Config{loginShell: shellFile}, v: settings.Values{CommandPath: "/from/setting"}, path: "/from/setting"},
		"the web, on a server of many":  {owner: auth.OwnerUser, cfg: Config{loginShell: shellFile, Auth: Auth{JWKSURL: "https://x"}}},
		"the web, without a shell":      {owner: auth.OwnerUser},
		"the web, a shell that is mute": {owner: auth.OwnerUser, cfg: Config{loginShell: "/bin/false"}, path: home + "/.local/bin:/usr"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(filepath.Join(home, "asked"))
			said := &warnings{}
			w := &agentDeps{cfg: c.cfg, login: loginShell{log: said}}
			for range 2 { // the second time it is remembered
				find := w.toolchains(t.Context(), c.v)
				if find == nil {
					if c.path != "" {
						t.Error("toolchains are off")
					}
					return
				}
				r, ok := find(tool.Call{Owner: c.owner, Environment: c.env})
				if ok != (c.path != "") || !strings.HasPrefix(r.Environ["PATH"], c.path) || r.Environ["GITHUB_TOKEN"] != "" {
					t.Errorf("%v, %q", ok, r.Environ)
				}
			}
			asked, _ := os.ReadFile(filepath.Join(home, "asked"))
			if got := string(asked) == "x\n"; got != c.asking {
				t.Errorf("the shell was asked %q", asked)
			}
			if name == "the web, a shell that is mute" && len(*said) == 0 {
				t.Error("nothing was said of the shell")
			}
		})
	}
}

type warnings []string

func (w *warnings) Warn(msg string, _ ...any) { *w = append(*w, msg) }
