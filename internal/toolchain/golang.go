package toolchain

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// golang finds Go. Its own file of settings stays hidden, since the address of a
// proxy in it can hold a password; only places are read from it.
func (s *search) golang() {
	path, real := s.look("go")
	if real == "" {
		return
	}
	root := above(real, 2)
	if !isFile(filepath.Join(root, "VERSION")) || !s.bind(root) {
		return
	}
	if !s.shown(filepath.Dir(path)) {
		s.swap[filepath.Dir(path)] = filepath.Join(root, "bin")
	}
	places := s.goPlaces()
	t := Tool{Name: "go", Dir: root}
	gopath, _, _ := strings.Cut(s.goPlace("GOPATH", places, "go"), ":")
	modules := s.goPlace("GOMODCACHE", places, "")
	if modules == "" && gopath != "" {
		modules = filepath.Join(gopath, "pkg/mod")
	}
	if isDir(modules) && s.bind(modules) {
		s.set("GOMODCACHE", modules)
		t.Read = append(t.Read, modules)
	} else {
		s.set("GOMODCACHE", s.cache("go-modules"))
	}
	for _, bin := range []string{s.goPlace("GOBIN", places, ""), filepath.Join(gopath, "bin")} {
		if gopath != "" && isDir(bin) && s.onPath(bin) {
			s.bind(bin)
		}
	}
	s.set("GOPATH", s.cache("gopath"))
	private := s.cache("go")
	s.set("GOCACHE", private)
	s.offline("GOPROXY", "off")
	cache := s.goPlace("GOCACHE", places, ".cache/go-build")
	switch {
	case !isDir(cache) || !readsThrough(root):
		t.Note = "the first build compiles everything"
		if !readsThrough(root) {
			t.Fix = "Go 1.24 or newer can use your build cache"
		}
	case !strings.ContainsAny(cache, " \t'\"") && s.bind(cache):
		s.set("GOCACHEPROG", Program+" "+CacheCommand+" "+cache+" "+private)
		s.NeedsProgram = true
		t.Read = append(t.Read, cache)
	}
	s.Tools = append(s.Tools, t)
}

// CacheCommand is the first argument under which clew reads Go's build cache
// through.
const CacheCommand = "go-cache"

func (s *search) onPath(dir string) bool {
	for _, entry := range s.path {
		if entry == dir {
			return true
		}
	}
	return false
}

// goPlace is a place of Go's: of the environment, of its own file of settings,
// else below the home.
func (s *search) goPlace(name string, places map[string]string, below string) string {
	if v := s.Environ[name]; v == "" && filepath.IsAbs(places[name]) {
		return filepath.Clean(places[name])
	}
	return s.given(name, below)
}

// goPlaces reads the places, and nothing else, from Go's file of settings.
func (s *search) goPlaces() map[string]string {
	places := map[string]string{}
	if s.Home == "" {
		return places
	}
	text, err := os.ReadFile(filepath.Join(s.Home, ".config/go/env"))
	if err != nil || len(text) > 1<<20 {
		return places
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "GOPATH", "GOMODCACHE", "GOCACHE", "GOBIN":
			places[name] = value
		}
	}
	return places
}

// readsThrough reports whether a Go knows GOCACHEPROG: 1.24 and newer.
func readsThrough(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return false
	}
	version, _, _ := strings.Cut(string(text), "\n")
	major, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(version), "go"), ".")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(rest)
	return err1 == nil && err2 == nil && (a > 1 || b >= 24)
}
