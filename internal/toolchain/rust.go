package toolchain

import (
	"os"
	"path/filepath"
	"regexp"
)

var defaultToolchain = regexp.MustCompile(`(?m)^default_toolchain\s*=\s*"([A-Za-z0-9._-]+)"`)

// rust finds cargo: that of rustup, whose programs are all one, or another.
func (s *search) rust() {
	path, real := s.look("cargo")
	if real == "" {
		return
	}
	t := Tool{Name: "cargo"}
	if byRustup(path, real) {
		if !s.rustup(filepath.Dir(path), &t) {
			return
		}
	} else {
		t.Dir = above(real, 2)
		if !s.bind(t.Dir) {
			return
		}
	}
	home := s.given("CARGO_HOME", ".cargo")
	private := s.cache("cargo")
	for _, name := range []string{"registry", "git"} {
		if dir := filepath.Join(home, name); home != "" && isDir(dir) && s.bindAt(dir, filepath.Join(private, name)) {
			t.Read = append(t.Read, dir)
		}
	}
	s.set("CARGO_HOME", private)
	s.offline("CARGO_NET_OFFLINE", "true")
	s.Tools = append(s.Tools, t)
}

// byRustup reports whether a program is rustup under another name.
func byRustup(path, real string) bool {
	if filepath.Base(real) == "rustup" {
		return true
	}
	a, err1 := os.Stat(real)
	b, err2 := os.Stat(filepath.Join(filepath.Dir(path), "rustup"))
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// rustup shows its toolchains. Its programs want to make a directory and end if
// they cannot, so without it the toolchain in use is put on PATH itself.
func (s *search) rustup(bin string, t *Tool) bool {
	home := s.given("RUSTUP_HOME", ".rustup")
	if home == "" || !isDir(filepath.Join(home, "toolchains")) {
		return false
	}
	t.Dir = home
	if isDir(filepath.Join(home, "update-hashes")) {
		if !s.bind(home) || !s.bind(bin) {
			return false
		}
		s.set("RUSTUP_HOME", home)
		return true
	}
	text, err := os.ReadFile(filepath.Join(home, "settings.toml"))
	m := defaultToolchain.FindSubmatch(text)
	if err != nil || m == nil {
		return false
	}
	dir := filepath.Join(home, "toolchains", string(m[1]))
	if !isDir(dir) || !s.bind(dir) {
		return false
	}
	s.swap[bin] = filepath.Join(dir, "bin")
	t.Dir = dir
	t.Note = "rustup cannot make " + filepath.Join(home, "update-hashes") + ", so rust-toolchain.toml is ignored"
	t.Fix = "mkdir " + filepath.Join(home, "update-hashes")
	return true
}
