package toolchain

import (
	"os"
	"path/filepath"
)

// java finds the JDK and Maven. Maven reads and checks its repository without
// writing to it when it is offline.
func (s *search) java() {
	if home := s.given("JAVA_HOME", ""); home != "" && isFile(filepath.Join(home, "bin/java")) && s.bind(home) {
		s.set("JAVA_HOME", home)
	} else if path, real := s.look("java"); real != "" {
		if prefix := above(real, 2); isDir(filepath.Join(prefix, "lib")) && s.bind(prefix) && !s.shown(filepath.Dir(path)) {
			s.swap[filepath.Dir(path)] = filepath.Dir(real)
		}
	}
	path, real := s.look("mvn")
	if real == "" {
		return
	}
	prefix := above(real, 2)
	if !isDir(filepath.Join(prefix, "lib")) || !s.bind(prefix) {
		return
	}
	if dir := filepath.Dir(path); !s.shown(dir) {
		s.swap[dir] = filepath.Dir(real)
	}
	t := Tool{Name: "mvn", Dir: prefix}
	if s.Home != "" {
		repository := filepath.Join(s.Home, ".m2/repository")
		if isDir(repository) && s.bind(repository) {
			t.Read = append(t.Read, repository)
			s.set("MAVEN_OPTS", "-Dmaven.repo.local="+repository)
		} else {
			s.set("MAVEN_OPTS", "-Dmaven.repo.local="+s.cache("maven"))
		}
	}
	s.offline("MAVEN_ARGS", "--offline")
	s.Tools = append(s.Tools, t)
}

// shapes are how managers of versions lay out what they install, as the end of an
// entry of PATH. What is installed is the directory above bin.
var shapes = []string{
	"installs/*/*/bin", "installs/*/*", // mise, asdf
	"candidates/*/*/bin",               // sdkman
	"versions/*/*/bin",                 // nvm
	"versions/*/bin",                   // rbenv, nodenv
	"node-versions/*/installation/bin", // fnm
}

// managers shows what managers of versions put on PATH, and their shims.
func (s *search) managers() {
	for _, dir := range s.path {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || s.shown(dir) || s.swap[dir] != "" {
			continue
		}
		for _, path := range []string{dir, real} {
			if installed := byManager(path); installed != "" {
				s.bind(installed)
			}
		}
		if filepath.Base(dir) == "shims" && isDir(filepath.Join(filepath.Dir(dir), "installs")) {
			s.shims(dir)
		}
		if within(dir, "/opt") && filepath.Base(dir) == "bin" && filepath.Dir(dir) != "/opt" {
			s.bind(filepath.Dir(dir))
		}
		if within(real, "/nix/store") {
			s.bind("/nix/store")
		}
	}
	if prefix := s.given("HOMEBREW_PREFIX", ""); prefix != "" && s.onPath(filepath.Join(prefix, "bin")) && isDir(filepath.Join(prefix, "Cellar")) && s.bind(prefix) {
		s.set("HOMEBREW_PREFIX", prefix)
	}
}

// byManager is the directory of a version that an entry of PATH belongs to, ""
// if none.
func byManager(dir string) string {
	for _, shape := range shapes {
		levels := 1
		for _, r := range shape {
			if r == '/' {
				levels++
			}
		}
		top := above(dir, levels)
		rel, err := filepath.Rel(top, dir)
		if err != nil {
			continue
		}
		if ok, _ := filepath.Match(shape, rel); !ok {
			continue
		}
		if filepath.Base(dir) == "bin" {
			return filepath.Dir(dir)
		}
		return dir
	}
	return ""
}

// shims shows all that a manager installed, and the program that its shims are.
func (s *search) shims(dir string) {
	data := filepath.Dir(dir)
	for _, name := range []string{"installs", "shims", "plugins"} {
		if isDir(filepath.Join(data, name)) {
			s.bind(filepath.Join(data, name))
		}
	}
	name := map[string]string{"mise": "MISE_DATA_DIR", ".asdf": "ASDF_DATA_DIR", "asdf": "ASDF_DATA_DIR"}[filepath.Base(data)]
	if name != "" {
		s.set(name, data)
	}
	for _, program := range []string{"mise", "asdf"} {
		if path, real := s.look(program); real != "" && !s.shown(path) {
			s.bindProgram(path)
		}
	}
}

// certificates shows the files of certificates that variables name: a variable
// that names a hidden file would break every connection.
func (s *search) certificates() {
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"} {
		path := s.given(name, "")
		if path == "" {
			continue
		}
		if within(path, "/etc/ssl/certs") || within(path, "/etc/pki/tls/certs") || within(path, "/etc/pki/ca-trust") || within(path, "/etc/ca-certificates") {
			s.set(name, path)
			continue
		}
		if info, err := os.Stat(path); err == nil && (info.Mode().IsRegular() || name == "SSL_CERT_DIR") && s.bind(path) {
			s.set(name, path)
		}
	}
}
