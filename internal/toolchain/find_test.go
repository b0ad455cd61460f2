package toolchain

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A home is a made-up home directory beside a workspace.
type home struct {
	t         *testing.T
	dir, work string
}

func newHome(t *testing.T) home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := home{t, filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	for _, d := range []string{h.dir, h.work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// file writes a file below the home; a name with bin/ in it can be run.
func (h home) file(name, text string) string {
	h.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.dir, name)
	}
	mode := os.FileMode(0o644)
	if strings.Contains(name, "bin/") || strings.Contains(name, "shims/") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h home) link(target, name string) {
	h.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		h.t.Fatal(err)
	}
}

// find looks with a PATH of directories below the home, ~ standing for it.
func (h home) find(path string, more ...string) Found {
	env := map[string]string{"PATH": strings.ReplaceAll(path, "~", h.dir)}
	for _, kv := range more {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = strings.ReplaceAll(v, "~", h.dir)
	}
	return Find(Request{Environ: env, Home: h.dir, Workspace: h.work})
}

// binds lists what is shown, as SOURCE or SOURCE:DEST with ~ for the home.
func (h home) binds(f Found) []string {
	var list []string
	for _, b := range f.Binds {
		text := b.Source
		if b.Dest != b.Source {
			text += ":" + b.Dest
		}
		list = append(list, strings.ReplaceAll(text, h.dir, "~"))
	}
	slices.Sort(list)
	return list
}

func (h home) env(f Found, name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(f.Env[name], h.dir, "~"), h.work, "WORK")
}

func TestFind(t *testing.T) {
	const gone = "(not set)"
	cases := map[string]struct {
		files []string // NAME, NAME=text or NAME->target; a name with = in front of WORK/ is in the workspace
		path  string
		env   []string
		binds []string
		want  map[string]string
		tools []string
	}{
		"Go in the home": {
			files: []string{"sdk/go/VERSION=go1.26.8\n", "sdk/go/bin/go", "go/pkg/mod/x/y", "go/bin/gopls", ".cache/go-build/00/x", ".config/go/env=GOPROXY=https://me:secret@proxy\n"},
			path:  "~/sdk/go/bin:~/go/bin:/usr/bin",
			binds: []string{"~/.cache/go-build", "~/go/bin", "~/go/pkg/mod", "~/sdk/go"},
			want: map[string]string{"GOMODCACHE": "~/go/pkg/mod", "GOCACHE": "/run/clew/cache/go", "GOPROXY": "off", "GOPATH": "/run/clew/cache/gopath",
				"GOCACHEPROG": "/run/clew/bin/clew go-cache ~/.cache/go-build /run/clew/cache/go", "PATH": "~/sdk/go/bin:~/go/bin:/usr/bin"},
			tools: []string{"go"},
		},
		"Go's own settings name places": {
			files: []string{"sdk/go/VERSION=go1.24\n", "sdk/go/bin/go", "mods/x", "builds/x", ".config/go/env=GOMODCACHE=~/mods\nGOCACHE=~/builds\nGOFLAGS=-toolexec=x\n"},
			path:  "~/sdk/go/bin",
			binds: []string{"~/builds", "~/mods", "~/sdk/go"},
			want:  map[string]string{"GOMODCACHE": "~/mods", "GOFLAGS": gone},
			tools: []string{"go"},
		},
		"an older Go has a cache of its own": {
			files: []string{"sdk/go/VERSION=go1.23.4\n", "sdk/go/bin/go", ".cache/go-build/x"},
			path:  "~/sdk/go/bin",
			binds: []string{"~/sdk/go"},
			want:  map[string]string{"GOCACHEPROG": gone, "GOCACHE": "/run/clew/cache/go", "GOMODCACHE": "/run/clew/cache/go-modules"},
			tools: []string{"go"},
		},
		"Go by a link": {
			files: []string{"opt/go1.26/VERSION=go1.26\n", "opt/go1.26/bin/go", "bin/go->../opt/go1.26/bin/go"},
			path:  "~/bin",
			binds: []string{"~/opt/go1.26"},
			want:  map[string]string{"PATH": "~/opt/go1.26/bin"},
			tools: []string{"go"},
		},
		"rustup": {
			files: []string{".cargo/bin/rustup", ".cargo/bin/cargo->rustup", ".rustup/toolchains/stable/bin/cargo", ".rustup/update-hashes/x", ".cargo/registry/x", ".cargo/git/x", ".cargo/credentials.toml=token"},
			path:  "~/.cargo/bin",
			binds: []string{"~/.cargo/bin", "~/.cargo/git:/run/clew/cache/cargo/git", "~/.cargo/registry:/run/clew/cache/cargo/registry", "~/.rustup"},
			want:  map[string]string{"CARGO_HOME": "/run/clew/cache/cargo", "RUSTUP_HOME": "~/.rustup", "CARGO_NET_OFFLINE": "true", "PATH": "~/.cargo/bin"},
			tools: []string{"cargo"},
		},
		"rustup that could not make its directory": {
			files: []string{".cargo/bin/rustup", ".cargo/bin/cargo->rustup", ".rustup/toolchains/stable-x/bin/cargo", ".rustup/settings.toml=default_toolchain = \"stable-x\"\n"},
			path:  "~/.cargo/bin",
			binds: []string{"~/.rustup/toolchains/stable-x"},
			want:  map[string]string{"PATH": "~/.rustup/toolchains/stable-x/bin", "RUSTUP_HOME": gone},
			tools: []string{"cargo"},
		},
		"Node by nvm": {
			files: []string{".nvm/versions/node/v22/bin/node", ".npm/_cacache/x", ".npmrc=//registry/:_authToken=x"},
			path:  "~/.nvm/versions/node/v22/bin",
			env:   []string{"NVM_DIR=~/.nvm"},
			binds: []string{"~/.npm/_cacache:/run/clew/cache/npm/_cacache", "~/.nvm/versions/node/v22"},
			want:  map[string]string{"npm_config_cache": "/run/clew/cache/npm", "npm_config_offline": "true", "NVM_DIR": gone},
			tools: []string{"node"},
		},
		"Node by fnm, through a link that is not shown": {
			files: []string{".local/share/fnm/node-versions/v22/installation/bin/node", "multishell->.local/share/fnm/node-versions/v22/installation"},
			path:  "~/multishell/bin",
			binds: []string{"~/.local/share/fnm/node-versions/v22/installation"},
			want:  map[string]string{"PATH": "~/.local/share/fnm/node-versions/v22/installation/bin"},
			tools: []string{"node"},
		},
		"Node by volta": {
			files: []string{".volta/bin/volta-shim", ".volta/bin/node->volta-shim", ".volta/tools/user/platform.json={\"node\":{\"runtime\":\"22.1.0\"}}", ".volta/tools/image/node/22.1.0/bin/node"},
			path:  "~/.volta/bin",
			binds: []string{"~/.volta/tools/image/node/22.1.0"},
			want:  map[string]string{"PATH": "~/.volta/tools/image/node/22.1.0/bin"},
			tools: []string{"node"},
		},
		"a virtual environment of the workspace": {
			files: []string{"WORK/.venv/pyvenv.cfg=home = ~/.pyenv/versions/3.12.1/bin\n", ".pyenv/versions/3.12.1/bin/python3", ".pyenv/versions/3.12.1/lib/python3.12/os.py"},
			path:  "/usr/bin",
			binds: []string{"~/.pyenv/versions/3.12.1"},
			want:  map[string]string{"VIRTUAL_ENV": "WORK/.venv", "PATH": "WORK/.venv/bin:/usr/bin"},
			tools: []string{"python"},
		},
		"a virtual environment that names no interpreter": {
			files: []string{"WORK/.venv/pyvenv.cfg=home = ~/papers/bin\n", "papers/bin/python3", "papers/diary"},
			path:  "/usr/bin",
			want:  map[string]string{"VIRTUAL_ENV": "WORK/.venv"},
			tools: []string{"python"},
		},
		"pyenv": {
			files: []string{".pyenv/shims/python3", ".pyenv/versions/3.12.1/bin/python3"},
			path:  "~/.pyenv/shims",
			binds: []string{"~/.pyenv"},
			want:  map[string]string{"PYENV_ROOT": "~/.pyenv"},
			tools: []string{"python"},
		},
		"conda": {
			files: []string{"miniconda/envs/ml/bin/python3", "miniconda/envs/ml/lib/python3.11/os.py"},
			path:  "~/miniconda/envs/ml/bin",
			env:   []string{"CONDA_PREFIX=~/miniconda/envs/ml"},
			binds: []string{"~/miniconda/envs/ml"},
			want:  map[string]string{"CONDA_PREFIX": "~/miniconda/envs/ml"},
			tools: []string{"python"},
		},
		"uv": {
			files: []string{".local/bin/uv", ".local/bin/other", ".cache/uv/archive-v0/x", ".cache/uv/simple-v15/x", ".cache/uv/wheels-v5/x", ".cache/uv/interpreter-v4/x", ".local/share/uv/python/x"},
			path:  "~/.local/bin",
			binds: []string{"~/.cache/uv/archive-v0", "~/.cache/uv/archive-v0:/run/clew/cache/uv/archive-v0", "~/.cache/uv/simple-v15", "~/.cache/uv/simple-v15:/run/clew/cache/uv/simple-v15", "~/.local/bin/uv", "~/.local/share/uv/python"},
			want:  map[string]string{"UV_CACHE_DIR": "/run/clew/cache/uv", "UV_OFFLINE": "1", "PATH": "~/.local/bin"},
			tools: []string{"uv"},
		},
		"Maven and Java by sdkman": {
			files: []string{".sdkman/candidates/maven/3.9/bin/mvn", ".sdkman/candidates/maven/3.9/lib/x", ".sdkman/candidates/maven/current->3.9", ".sdkman/candidates/java/21/bin/java", ".sdkman/candidates/java/current->21", ".m2/repository/x", ".m2/settings.xml=password"},
			path:  "~/.sdkman/candidates/maven/current/bin:~/.sdkman/candidates/java/current/bin",
			env:   []string{"JAVA_HOME=~/.sdkman/candidates/java/current"},
			binds: []string{"~/.m2/repository", "~/.sdkman/candidates/java/21:~/.sdkman/candidates/java/current", "~/.sdkman/candidates/maven/3.9"},
			want:  map[string]string{"JAVA_HOME": "~/.sdkman/candidates/java/current", "MAVEN_OPTS": "-Dmaven.repo.local=~/.m2/repository", "PATH": "~/.sdkman/candidates/maven/3.9/bin:~/.sdkman/candidates/java/current/bin"},
			tools: []string{"mvn"},
		},
		"mise": {
			files: []string{".local/share/mise/installs/ruby/3.3/bin/ruby", ".local/share/mise/installs/node/22/bin/node"},
			path:  "~/.local/share/mise/installs/ruby/3.3/bin:~/.local/share/mise/installs/node/22/bin",
			binds: []string{"~/.local/share/mise/installs/node/22", "~/.local/share/mise/installs/ruby/3.3"},
			tools: []string{"node"},
		},
		"asdf's shims": {
			files: []string{".asdf/shims/ruby", ".asdf/installs/ruby/3.3/bin/ruby", ".asdf/plugins/ruby/x"},
			path:  "~/.asdf/shims",
			binds: []string{"~/.asdf/installs", "~/.asdf/plugins", "~/.asdf/shims"},
			want:  map[string]string{"ASDF_DATA_DIR": "~/.asdf"},
		},
		"what is no toolchain stays hidden": {
			files: []string{".deno/bin/deno", ".aws/credentials=x"},
			path:  "~/.deno/bin:/usr/bin",
			want:  map[string]string{"PATH": "/usr/bin"},
		},
		"certificates": {
			files: []string{"certs/ca.pem"},
			path:  "/usr/bin",
			env:   []string{"SSL_CERT_FILE=~/certs/ca.pem", "NODE_EXTRA_CA_CERTS=~/certs/gone.pem"},
			binds: []string{"~/certs/ca.pem"},
			want:  map[string]string{"SSL_CERT_FILE": "~/certs/ca.pem", "NODE_EXTRA_CA_CERTS": gone},
		},
		"variables that never pass": {
			path: "/usr/bin",
			env:  []string{"NODE_OPTIONS=--require=x", "LD_PRELOAD=x", "AWS_PROFILE=x", "GITHUB_TOKEN=x", "RUSTFLAGS=-C a", "HTTPS_PROXY=http://x"},
			want: map[string]string{"NODE_OPTIONS": gone, "LD_PRELOAD": gone, "AWS_PROFILE": gone, "GITHUB_TOKEN": gone, "HTTPS_PROXY": gone, "RUSTFLAGS": "-C a"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			for _, f := range c.files {
				f = strings.Replace(f, "WORK", h.work, 1)
				if name, target, ok := strings.Cut(f, "->"); ok {
					h.link(target, name)
					continue
				}
				name, text, _ := strings.Cut(f, "=")
				h.file(name, strings.ReplaceAll(text, "~", h.dir))
			}
			f := h.find(c.path, c.env...)
			if got := h.binds(f); !slices.Equal(got, c.binds) && !hasSystem(got, c.binds) {
				t.Errorf("shown: %q, want %q", got, c.binds)
			}
			for k, want := range c.want {
				got := gone
				if _, ok := f.Env[k]; ok {
					got = h.env(f, k)
				}
				if k == "PATH" {
					got, want = ownPart(got), ownPart(want)
				}
				if got != want {
					t.Errorf("%s is %q, want %q", k, got, want)
				}
			}
			for _, name := range c.tools {
				if !slices.ContainsFunc(f.Tools, func(t Tool) bool { return t.Name == name }) {
					t.Errorf("%s was not found", name)
				}
			}
		})
	}
}

// ownPart leaves out what every PATH ends with.
func ownPart(path string) string {
	var list []string
	for _, dir := range strings.Split(path, ":") {
		if !slices.Contains(strings.Split(SystemPath, ":"), dir) {
			list = append(list, dir)
		}
	}
	return strings.Join(list, ":")
}

// hasSystem allows for what this machine's own programs on /usr/bin add.
func hasSystem(got, want []string) bool {
	return slices.Equal(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, "~") }), want)
}

func TestPathKeepsOrderAndSaysWhatItDrops(t *testing.T) {
	h := newHome(t)
	h.file("sdk/go/VERSION", "go1.26\n")
	h.file("sdk/go/bin/go", "")
	h.file("open/bin/x", "")
	if err := os.Chmod(filepath.Join(h.dir, "open/bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	h.file("mine/bin/x", "")
	h.file(filepath.Join(h.work, "node_modules/.bin/tsc"), "")
	f := h.find(h.work + "/node_modules/.bin::rel/bin:~/open/bin:~/mine/bin:~/none:/usr/bin:~/sdk/go/bin")
	got := strings.Split(h.env(f, "PATH"), ":")
	if want := []string{"WORK/node_modules/.bin", "/usr/bin", "~/sdk/go/bin"}; !slices.Equal(got[:3], want) {
		t.Errorf("PATH begins with %q, want %q", got[:3], want)
	}
	reasons := map[string]string{}
	for _, d := range f.Dropped {
		reasons[strings.ReplaceAll(d.Dir, h.dir, "~")] = d.Reason
	}
	want := map[string]string{
		"": "it is empty, which stands for the current directory", "rel/bin": "it is not an absolute path",
		"~/open/bin": "others can write to it", "~/mine/bin": "it is not shown to commands", "~/none": "it is no directory",
	}
	if !maps.Equal(reasons, want) {
		t.Errorf("dropped: %q", reasons)
	}
}

// What an agent can write in its workspace shows it nothing of the person's.
func TestWorkspaceNamesNoToolchain(t *testing.T) {
	h := newHome(t)
	h.file(".secrets/bin/node", "")
	h.file(".secrets/bin/go", "")
	h.file(".secrets/VERSION", "go1.26\n")
	h.file(".ssh/bin/python3", "")
	h.file(".ssh/lib/python3.9/os.py", "") // even if it looks like one
	h.link(filepath.Join(h.dir, ".secrets/bin/node"), filepath.Join(h.work, "bin/node"))
	h.link(filepath.Join(h.dir, ".secrets/bin/go"), filepath.Join(h.work, "bin/go"))
	for _, cfg := range []string{"home = " + h.dir + "/.ssh/bin", "home = " + h.dir + "/bin", "home = /bin", "home = " + filepath.Dir(h.work) + "/bin"} {
		h.file(filepath.Join(h.work, ".venv/pyvenv.cfg"), cfg+"\n")
		h.file(filepath.Join(h.work, "lib/python3.9/os.py"), "")
		if got := h.binds(h.find(h.work + "/bin")); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "~") }) {
			t.Errorf("%s: shown: %q", cfg, got)
		}
	}
}

func TestNetworkLeavesOfflineOut(t *testing.T) {
	h := newHome(t)
	h.file("sdk/go/VERSION", "go1.26\n")
	h.file("sdk/go/bin/go", "")
	f := Find(Request{Environ: map[string]string{"PATH": h.dir + "/sdk/go/bin"}, Home: h.dir, Workspace: h.work, Network: true})
	if v, ok := f.Env["GOPROXY"]; ok {
		t.Errorf("GOPROXY is %q though the network is on", v)
	}
}

func TestAllowed(t *testing.T) {
	for kv, want := range map[string]bool{
		"PATH=/bin": true, "GOFLAGS=-mod=mod": true, "GOPRIVATE=https://me@host/x": false, "CFLAGS=-I/x\n": false,
		"CC=see http://a/b@c": true, "CC=http://a then https://u:p@h/": false, "PATH=" + strings.Repeat("x", maxValue+1): false,
		"ANTHROPIC_API_KEY=x": false, "SSH_AUTH_SOCK=x": false, "GOPROXY=https://x": false, "LD_LIBRARY_PATH=x": false, "BASH_ENV=x": false,
	} {
		k, v, _ := strings.Cut(kv, "=")
		if got := Allowed(k, v); got != want {
			t.Errorf("Allowed(%.40q) is %v", kv, got)
		}
	}
}
