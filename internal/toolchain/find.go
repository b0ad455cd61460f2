package toolchain

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Where a sandboxed command finds what is clew's own.
const (
	CacheDir = "/run/clew/cache"    // the workspace's caches, by tool
	Program  = "/run/clew/bin/clew" // clew itself, to read Go's cache through
)

// SystemPath is the PATH of a command that has no other.
const SystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// systemDirs are shown to every command.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// A Request says for whom toolchains are looked for.
type Request struct {
	Environ   map[string]string // PATH and variables of the person; see Filter
	Home      string            // of the person
	Workspace string
	Shared    []string // directories that commands see anyway
	Network   bool     // commands reach the network, so no tool is told that it is offline
}

// A Bind shows a directory or file of the person to commands, read-only.
type Bind struct{ Source, Dest string }

// A Copy is put into a cache of the workspace once, for tools that must write
// where they read.
type Copy struct{ Source, Dest string }

// A Dropped entry of PATH is one that commands do not have.
type Dropped struct {
	Dir    string
	Reason string
}

// A Tool is a toolchain that was found.
type Tool struct {
	Name string   // go, cargo, node, python, mvn
	Dir  string   // where it is
	Read []string // caches that commands can read
	Note string   // what works less well
	Fix  string   // and what to do about it
}

// Found is what commands need.
type Found struct {
	Tools   []Tool
	Binds   []Bind // no two have the same Dest
	Copies  []Copy
	Caches  []string          // names of directories below CacheDir that are needed
	Env     map[string]string // for commands, with PATH
	Dropped []Dropped
	// NeedsProgram says that clew itself must be at Program.
	NeedsProgram bool
}

// A search is a Found that is being made.
type search struct {
	Request
	Found
	path  []string // entries of PATH that may be looked into, real directories
	front []string // entries that come before all others
	swap  map[string]string
}

// Find looks for toolchains.
func Find(r Request) Found {
	r.Home, r.Workspace = clean(r.Home), clean(r.Workspace)
	s := &search{Request: r, Found: Found{Env: map[string]string{}}, swap: map[string]string{}}
	entries := s.entries()
	s.variables()
	for _, look := range []func(){s.golang, s.rust, s.node, s.venv, s.pyenv, s.python, s.uv, s.java, s.managers} {
		look()
	}
	s.certificates()
	s.setPath(entries)
	s.tidy()
	return s.Found
}

func clean(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(path)
}

// tidy puts the result into an order that does not depend on luck.
func (s *search) tidy() {
	seen := map[string]bool{}
	s.Binds = slices.DeleteFunc(s.Binds, func(b Bind) bool {
		again := seen[b.Dest]
		seen[b.Dest] = true
		return again
	})
	slices.Sort(s.Caches)
	s.Caches = slices.Compact(s.Caches)
}

// located are variables that say where something of the person's is. They pass
// only if a toolchain sets them again, for the place that a command sees.
var located = strings.Fields(`PATH GOROOT GOPATH GOBIN GOMODCACHE GOCACHE RUSTUP_HOME CARGO_HOME NVM_DIR NVM_BIN VOLTA_HOME
 FNM_DIR FNM_MULTISHELL_PATH PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX UV_CACHE_DIR
 JAVA_HOME SDKMAN_DIR GRADLE_USER_HOME MAVEN_HOME M2_HOME KOTLIN_HOME ANDROID_HOME DOTNET_ROOT GEM_HOME RBENV_ROOT
 ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR HOMEBREW_PREFIX NIX_PROFILES SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
 REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO`)

// variables passes on what does not depend on a place.
func (s *search) variables() {
	for _, name := range slices.Sorted(maps.Keys(s.Environ)) {
		value := s.Environ[name]
		if Allowed(name, value) && !slices.Contains(located, name) {
			s.Env[name] = value
		}
	}
}

// set sets a variable for commands.
func (s *search) set(name, value string) { s.Env[name] = value }

// offline sets a variable that tells a tool not to try the network.
func (s *search) offline(name, value string) {
	if !s.Network {
		s.Env[name] = value
	}
}

// cache asks for a directory of the workspace's own, and says where it is.
func (s *search) cache(name string) string {
	s.Caches = append(s.Caches, name)
	return CacheDir + "/" + name
}

// given is a variable of the person's that names an absolute path, else a path
// below their home.
func (s *search) given(name, below string) string {
	if v := s.Environ[name]; filepath.IsAbs(v) {
		return filepath.Clean(v)
	}
	if below == "" || s.Home == "" {
		return ""
	}
	return filepath.Join(s.Home, below)
}

// bind shows a directory where it is, if that may be. It reports whether commands
// see it.
func (s *search) bind(dir string) bool { return s.bindAt(dir, dir) }

// bindAt shows a directory elsewhere.
func (s *search) bindAt(dir, dest string) bool {
	if dir == dest && s.shown(dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !s.shareable(real) || dir == dest && !s.shareable(dir) {
		return false
	}
	s.Binds = append(s.Binds, Bind{Source: real, Dest: dest})
	return true
}

// shown reports whether commands see a path as it is written.
func (s *search) shown(path string) bool {
	if slices.ContainsFunc(systemDirs, func(dir string) bool { return within(path, dir) }) || s.inWorkspace(path) {
		return true
	}
	if slices.ContainsFunc(s.Shared, func(dir string) bool { return within(path, dir) }) {
		return true
	}
	return slices.ContainsFunc(s.Binds, func(b Bind) bool { return within(path, b.Dest) })
}

func (s *search) inWorkspace(path string) bool {
	return s.Workspace != "" && within(path, s.Workspace)
}

// within reports whether path is dir or lies below it. Both are clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
