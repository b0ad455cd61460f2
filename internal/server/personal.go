package server

import (
	"path/filepath"
	"strings"
)

// personal is a file in the folder where the person who runs the server keeps what
// agents shall know, "" without a home.
func (c Config) personal(name string) string {
	if dir := c.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "clew", name)
	}
	if home := c.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "clew", name)
	}
	return ""
}

func (c Config) getenv(name string) string {
	for _, pair := range c.environ() {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
