package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// node finds Node, whoever put it there: nvm, fnm, mise and asdf all keep it in a
// directory with bin, lib and include.
func (s *search) node() {
	path, real := s.look("node")
	if real == "" {
		return
	}
	dir := filepath.Dir(path)
	if filepath.Base(real) == "volta-shim" {
		if real = s.voltaNode(); real == "" {
			return
		}
		s.swap[dir] = filepath.Dir(real)
	}
	prefix := above(real, 2)
	if !isFile(filepath.Join(prefix, "bin/node")) || !s.bind(prefix) {
		return
	}
	if !s.shown(dir) && s.swap[dir] == "" {
		s.swap[dir] = filepath.Dir(real)
	}
	t := Tool{Name: "node", Dir: prefix}
	private := s.cache("npm")
	if s.Home != "" {
		cache := filepath.Join(s.Home, ".npm/_cacache")
		if isDir(cache) && s.bindAt(cache, filepath.Join(private, "_cacache")) {
			t.Read = append(t.Read, cache)
		}
	}
	s.set("npm_config_cache", private)
	s.set("npm_config_update_notifier", "false")
	s.offline("npm_config_offline", "true")
	if home := s.given("PNPM_HOME", ""); home != "" && s.onPath(home) && s.bind(home) {
		s.set("PNPM_HOME", home)
	}
	s.Tools = append(s.Tools, t)
}

var plainVersion = regexp.MustCompile(`^[0-9][A-Za-z0-9.+-]*$`)

// voltaNode is the Node that volta runs where a project names no other.
func (s *search) voltaNode() string {
	home := s.given("VOLTA_HOME", ".volta")
	text, err := os.ReadFile(filepath.Join(home, "tools/user/platform.json"))
	if home == "" || err != nil {
		return ""
	}
	var platform struct {
		Node struct {
			Runtime string `json:"runtime"`
		} `json:"node"`
	}
	if json.Unmarshal(text, &platform) != nil || !plainVersion.MatchString(platform.Node.Runtime) {
		return ""
	}
	return filepath.Join(home, "tools/image/node", platform.Node.Runtime, "bin/node")
}
